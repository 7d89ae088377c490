"""Collecting items in a store whose sections are those of a product taxonomy."""
