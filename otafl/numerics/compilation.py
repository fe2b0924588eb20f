"""Pieces of a program that are compiled one by one, so that the runtime can run several at the same time."""

import functools
from collections.abc import Callable
from typing import Any

import tensorflow as tf

programs = functools.lru_cache(maxsize=64)
"""Decorator of functions that return compiled programs: equal arguments give the same program. The latest 64 of each
function are held, since a program takes some megabytes."""


def fused(compute: Callable[[], Any]) -> Any:
    """Return a structure of tensors, computed in a compiled program of its own.

    Tensors that ``compute`` returns unchanged are not copied.

    Arguments:
        compute: function without arguments that returns any nested structure of tensors.

    Returns:
        The structure that ``compute`` returns, with the same shapes.
    """
    structure: list[Any] = []

    def inner() -> list[Any]:
        results, graph = compute(), tf.compat.v1.get_default_graph()
        leaves = tf.nest.flatten(results)
        made = [tf.is_tensor(leaf) and leaf.graph is graph for leaf in leaves]
        structure[:] = results, made
        return [leaf for leaf, new in zip(leaves, made, strict=True) if new]

    outputs = iter(tf.function(inner, jit_compile=True, autograph=False)())
    results, made = structure
    leaves = [next(outputs) if new else leaf for leaf, new in zip(tf.nest.flatten(results), made, strict=True)]
    return tf.nest.pack_sequence_as(results, leaves)
