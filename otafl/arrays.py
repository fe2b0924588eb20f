"""The name under which arrays appear in signatures."""

from typing import Any, TypeAlias

Tensor: TypeAlias = Any
"""A TensorFlow tensor, or what TensorFlow takes for one: outside a compiled program often a NumPy array."""
