"""Local training of networks, of all workers at once or a few at a time, as pure functions for a compiler."""
