"""How far agents are from the best that can be done, in small problems whose best is known exactly."""
