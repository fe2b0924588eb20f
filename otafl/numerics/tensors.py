"""Type of tensors, and TensorFlow imported at its first use."""

import importlib
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

Tensor: TypeAlias = Any
"""TensorFlow tensor, or a value that TensorFlow accepts as one, such as a NumPy array."""
Structure = TypeVar("Structure")

if TYPE_CHECKING:
    import tensorflow as tf
else:

    class _TensorFlow:
        """TensorFlow, imported at the first use of a name in it; properties of methods are read without it."""

        def __getattr__(self, name: str) -> object:
            return getattr(importlib.import_module("tensorflow"), name)

    tf = _TensorFlow()


def by_worker(chosen: Tensor, new: Structure, old: Structure) -> Structure:
    """Return the new arrays, [workers, ...] each, of the chosen workers, and the old arrays of the others."""

    def pick(a: Tensor, b: Tensor) -> Tensor:
        return tf.where(tf.reshape(chosen, [-1, *[1] * (len(a.shape) - 1)]), a, b)

    return tf.nest.map_structure(pick, new, old)
