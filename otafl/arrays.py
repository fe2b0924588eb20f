"""The names under which arrays, and what computes on them, appear."""

import importlib
from typing import TYPE_CHECKING, Any, TypeAlias

Tensor: TypeAlias = Any
"""A TensorFlow tensor, or what TensorFlow takes for one: outside a compiled program often a NumPy array."""

if TYPE_CHECKING:
    import tensorflow as tf
else:

    class _TensorFlow:
        """TensorFlow, imported when something of it is first used: what a method can do is known without."""

        def __getattr__(self, name: str) -> Any:
            return getattr(importlib.import_module("tensorflow"), name)

    tf = _TensorFlow()


def by_worker(chosen: Tensor, new: Any, old: Any) -> Any:
    """Return the new arrays of the chosen workers, and the old ones of the others. Shapes [workers, ...]."""

    def one(a: Tensor, b: Tensor) -> Tensor:
        return tf.where(tf.reshape(chosen, [-1, *[1] * (len(a.shape) - 1)]), a, b)

    return tf.nest.map_structure(one, new, old)
