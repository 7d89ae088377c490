"""How far a search is from the best that can be done, in small search problems whose best is known exactly."""
