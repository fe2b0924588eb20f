"""Loops over steps, and choices between workers, in the forms that a compiler makes fast."""

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from otafl.arrays import Tensor


def repeat(step: Callable, start: tuple, times: Any) -> tuple:
    """A step done several times. Two in one body let a compiler hand the loop's arrays over without copying them."""
    even = times - times % 2
    _, *state = tf.while_loop(
        lambda s, *_: s < even, lambda *state: tuple(step(*step(*state))), start, parallel_iterations=1
    )
    state = (tf.convert_to_tensor(even), *state)
    if isinstance(times, int):
        return step(*state) if times % 2 else state
    return tf.cond(times % 2 > 0, lambda: tuple(step(*state)), lambda: state)


def number(counts: Tensor) -> Tensor:
    """The number of a step, of a worker that is alone as a scalar."""
    return counts[0] if counts.shape[0] == 1 else counts


def where(chosen: Tensor, new: Any, old: Any) -> Any:
    """New arrays of the chosen workers, old ones of the others; a worker that is alone is chosen."""
    if chosen.shape[0] == 1:
        return new
    return tf.nest.map_structure(
        lambda a, b: tf.where(tf.reshape(chosen, [-1, *[1] * (len(a.shape) - 1)]), a, b), new, old
    )


def rows_from(leaf: Tensor | None, start: Any, length: int) -> Tensor | None:
    """The rows of some workers; one row is that of all."""
    if leaf is None or leaf.shape[0] == 1:
        return leaf
    return tf.slice(leaf, [start, *[0] * (len(leaf.shape) - 1)], [length, *leaf.shape[1:]])


def in_groups(compute: Callable, shapes: tuple, workers: tuple[Tensor, int], most: int, arrays: tuple) -> tuple:
    """Apply a function to the rows of some workers, so many at a time, and join its results along the workers.

    ``workers`` are the first and how many; ``shapes`` those of the results, without the axis of workers.
    """
    first, length = workers
    size = min(most, length)
    count, rest = divmod(length, size)

    def group(start: Any, rows: int) -> tuple:
        return compute(*tf.nest.map_structure(lambda leaf: rows_from(leaf, start, rows), arrays))

    def body(i: Tensor, *written: tf.TensorArray) -> tuple:
        results = group(first + i * size, size)
        return i + 1, *(array.write(i, result) for array, result in zip(written, results, strict=True))

    written = [tf.TensorArray(tf.float32, count, element_shape=[size, *shape]) for shape in shapes]
    _, *filled = tf.while_loop(lambda i, *_: i < count, body, (tf.constant(0), *written))
    joined = tuple(tf.reshape(array.stack(), [-1, *array.element_shape[1:]]) for array in filled)
    if not rest:
        return joined
    last = group(first + count * size, rest)
    return tuple(tf.concat(pair, axis=0) for pair in zip(joined, last, strict=True))
