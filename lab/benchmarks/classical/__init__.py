"""Classical planning: what is read and solved, how fast, at which cost, beside other planners; lab/docs/classical.md."""
