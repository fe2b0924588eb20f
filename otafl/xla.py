"""Pieces of a program that are compiled one by one, so that the runtime can do several at the same time."""

import functools
from collections.abc import Callable
from typing import Any

import tensorflow as tf

_kept: list[Callable[[], None]] = []
"""What forgets the programs that each function has made."""


def kept(make: Callable) -> Callable:
    """Keep the programs that a function makes for its arguments until they are let go, as a decorator."""
    cached = functools.cache(make)
    _kept.append(cached.cache_clear)
    return cached


def forget() -> None:
    """Drop what Python holds of compiled programs."""
    for clear in _kept:
        clear()


def fused(compute: Callable[[], Any]) -> Any:
    """Compute a structure of tensors in a compiled program of its own.

    Tensors that ``compute`` hands on as it found them are not copied.
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
