"""Classical planning: what is read and solved, how fast and at which cost, beside other planners; lab/docs/classical.md."""
