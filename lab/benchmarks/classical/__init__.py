"""Classical planning compared with other planners: problems read and solved, and times; lab/docs/classical.md."""
