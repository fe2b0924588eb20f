"""Scenarios: keys, the rules between them, and files."""
