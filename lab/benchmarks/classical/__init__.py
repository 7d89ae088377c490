"""Classical planning: what is read, what is solved, how fast, beside other planners; lab/docs/classical.md."""
