"""Local training of networks: every worker's model at once, or a few at a time, as pure functions for a compiler."""
