"""Pieces of a program that are compiled one by one, so that the runtime can run several at the same time."""

import functools
from collections.abc import Callable
from typing import Any

import tensorflow as tf

_kept: list[Callable[[], None]] = []
"""Functions that drop the programs kept by ``kept``, one for each decorated function."""


def kept(make: Callable) -> Callable:
    """Decorate a function so that its compiled programs are kept for each set of arguments until ``forget``.

    Arguments:
        make: function with hashable arguments that returns compiled programs.

    Returns:
        The function with a cache: equal arguments give the same programs.
    """
    cached = functools.cache(make)
    _kept.append(cached.cache_clear)
    return cached


def forget() -> None:
    """Drop all compiled programs that functions decorated by ``kept`` hold, so that their memory is released."""
    for clear in _kept:
        clear()


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
