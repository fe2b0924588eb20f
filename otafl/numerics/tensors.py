"""TensorFlow imported at its first use, and layouts of tensors by name, with their axes.

Axes are workers, d elements of a model, and runs that are computed side by side. Workers are those that are computed in
a round. Tensors are real; networks have one run, convex problems many.
"""

import importlib
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

Tensor: TypeAlias = Any
"""TensorFlow tensor, or a value that TensorFlow accepts as one, such as a NumPy array."""
Models: TypeAlias = Tensor
"""Model, dual, gradient or weight of each element, for each worker. Shape [workers, d, runs]."""
ModelsOrOne: TypeAlias = Tensor
"""Model of each worker, or one common to all. Shape [workers or 1, d, runs]."""
GlobalModel: TypeAlias = Tensor
"""One model for all workers, or another vector of the server. Shape [1, d, runs]."""
FlatModels: TypeAlias = Tensor
"""Models of workers, or of workers and runs, in training and in Newton's method. Shape [models, d]."""
WorkerNumbers: TypeAlias = Tensor
"""A number of each worker in each run, such as its penalty. Shape [workers, 1, runs]."""
WorkerScalars: TypeAlias = Tensor
"""A number of each worker, the same in all runs, such as its weight in the objective. Shape [workers, 1, 1]."""
Losses: TypeAlias = Tensor
"""Loss, or number of epochs, of each worker in each run. Shape [workers, runs]."""
PerRun: TypeAlias = Tensor
"""A number for each run. Shape [runs]."""
Scalar: TypeAlias = Tensor
"""One number, such as that of a round. Shape []."""

Vectors: TypeAlias = Tensor
"""Vectors that workers have to send. Shape [workers, d, runs]."""
SentNumbers: TypeAlias = Tensor
"""Numbers that workers send in place of a vector of d elements. Shape [workers, numbers, runs]."""
Received: TypeAlias = Tensor
"""Sum of the workers' numbers as it is received, noise included. Shape [numbers, runs]."""
Estimate: TypeAlias = Tensor
"""Vector that a receiver estimates from the numbers received. Shape [d, runs]."""
Number: TypeAlias = Tensor
"""Parameter of a part of an uplink: a number, or inside a program a tensor of shape [runs]."""
Words: TypeAlias = Tensor
"""Random words of 32 bits, stored as float32, of which only the bits count. Shape [words, runs]."""
Messages: TypeAlias = tuple[Tensor, ...]
"""Messages of workers in a round: vectors, [workers, d, runs], then single numbers, [workers, 1, runs]."""
Totals: TypeAlias = tuple[Tensor, ...]
"""Sums of messages over workers: of vectors, [1, d, runs], then of single numbers, [1, 1, runs]."""

Slots: TypeAlias = Tensor
"""Value for each sample slot of a worker, as many as the worker with the most samples has. Shape [workers, slots]."""
Counts: TypeAlias = Tensor
"""Number for each worker, such as that of its samples. Shape [workers]."""

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
