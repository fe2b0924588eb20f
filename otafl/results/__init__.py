"""Results: variables, files, and what can be read from them."""
