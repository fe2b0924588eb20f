"""Type of tensors, and TensorFlow imported at its first use."""

import importlib
from typing import TYPE_CHECKING, Any, TypeAlias

Tensor: TypeAlias = Any
"""TensorFlow tensor, or a value that TensorFlow accepts as one, such as a NumPy array."""

if TYPE_CHECKING:
    import tensorflow as tf
else:

    class _TensorFlow:
        """TensorFlow, imported at the first use of a name in it; properties of methods are read without it."""

        def __getattr__(self, name: str) -> Any:
            return getattr(importlib.import_module("tensorflow"), name)

    tf = _TensorFlow()


def by_worker(chosen: Tensor, new: Any, old: Any) -> Any:
    """Return the new arrays of the chosen workers, and the old arrays of the others.

    Arguments:
        chosen: True for workers that get the new arrays. Boolean, any shape with one entry for each worker, such as
            [workers, 1, 1].
        new: tensor or nested structure of tensors. Shape [workers, ...] each.
        old: structure of the same form and shapes.

    Returns:
        Structure of the same form and shapes.
    """

    def one(a: Tensor, b: Tensor) -> Tensor:
        return tf.where(tf.reshape(chosen, [-1, *[1] * (len(a.shape) - 1)]), a, b)

    return tf.nest.map_structure(one, new, old)
