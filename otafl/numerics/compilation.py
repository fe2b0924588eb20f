"""Pieces of a program that are compiled one by one, so that the runtime can run several at the same time."""

import functools
from collections.abc import Callable
from typing import TypeVar

import tensorflow as tf

Structure = TypeVar("Structure")
programs = functools.lru_cache(maxsize=64)
"""Decorator of functions that return compiled programs: equal arguments give the same program. The latest 64 of each
function are held, since a program takes some megabytes."""


def fused(compute: Callable[[], Structure]) -> Structure:
    """Return the structure of tensors that a function returns, computed in a compiled program of its own."""
    traced = []

    def inner() -> list[tf.Tensor]:
        results = compute()
        # Tensors that ``compute`` returns unchanged are not copied.
        graph = tf.compat.v1.get_default_graph()
        leaves = tf.nest.flatten(results)
        is_new = [tf.is_tensor(leaf) and leaf.graph is graph for leaf in leaves]
        traced[:] = results, is_new
        return [leaf for leaf, new in zip(leaves, is_new, strict=True) if new]

    outputs = iter(tf.function(inner, jit_compile=True, autograph=False)())
    results, is_new = traced
    leaves = [next(outputs) if new else leaf for leaf, new in zip(tf.nest.flatten(results), is_new, strict=True)]
    return tf.nest.pack_sequence_as(results, leaves)
