"""Tensors, compiled pieces of programs, random streams, and optimisers."""
