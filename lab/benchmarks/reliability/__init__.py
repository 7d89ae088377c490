"""Campaigns against cplan itself: each is a command that says what was tried and what was lost."""
