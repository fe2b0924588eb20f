"""Loops over steps, and choices between workers, in the forms that a compiler makes fast."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from otafl.numerics.tensors import Tensor, by_worker


def repeat(step: Callable, start: tuple, times: Any) -> tuple:
    """Repeat a step in a TensorFlow loop.

    Two steps are in one body, so that a compiler hands arrays over without copying them.

    Arguments:
        step: function from a state, a tuple of tensors whose first entry counts the steps, to the next.
        start: initial state.
        times: number of steps, an integer or a scalar tensor.

    Returns:
        State after the last step.
    """
    even = times - times % 2
    _, *state = tf.while_loop(
        lambda s, *_: s < even, lambda *state: tuple(step(*step(*state))), start, parallel_iterations=1
    )
    state = (tf.convert_to_tensor(even), *state)
    if isinstance(times, int):
        return step(*state) if times % 2 else state
    return tf.cond(times % 2 > 0, lambda: tuple(step(*state)), lambda: state)


def number(counts: Tensor) -> Tensor:
    """Return numbers of steps of workers for an optimiser, that of a single worker as a scalar.

    Arguments:
        counts: number of steps of each worker. Shape [workers].

    Returns:
        Shape [workers], or [] for one worker.
    """
    return counts[0] if counts.shape[0] == 1 else counts


def where(chosen: Tensor, new: Any, old: Any) -> Any:
    """Return new arrays of the chosen workers, and old ones of the others; a single worker counts as chosen.

    Arguments:
        chosen: True for workers that get the new arrays. Shape [workers], bool.
        new: nested structure of tensors. Shape [workers, ...] each.
        old: structure of the same form and shapes.
    """
    return new if chosen.shape[0] == 1 else by_worker(chosen, new, old)


@dataclass(frozen=True)
class Groups:
    """Partition of workers into groups of one size, which go through a program one after the other.

    Where the size does not divide the number of workers, the last group begins with some workers of the group before.

    Arguments:
        workers: number of workers.
        most: largest number of workers in a group.
    """

    workers: int
    most: int

    @property
    def count(self) -> int:
        """Number of groups."""
        return -(-self.workers // self.most)

    @property
    def size(self) -> int:
        """Number of workers in each group."""
        return -(-self.workers // self.count)

    def rows(self, leaf: Tensor | None, group: Tensor) -> Tensor | None:
        """Return the rows of a group's workers from an array of all workers; an array of one row holds for all workers.

        Arguments:
            leaf: values of all workers, or common to all; None: the result is None. Shape [workers or 1, ...].
            group: number of the group, from 0. Scalar.

        Returns:
            Shape [workers in a group or 1, ...].
        """
        if leaf is None or leaf.shape[0] == 1:
            return leaf
        start = tf.minimum(group * self.size, self.workers - self.size)
        return tf.slice(leaf, [start, *[0] * (len(leaf.shape) - 1)], [self.size, *leaf.shape[1:]])

    def each(self, compute: Callable, between: tuple[Tensor, Tensor], room: int, shapes: tuple, arrays: tuple) -> tuple:
        """Return results of a function of a group's rows, for a range of groups.

        A compiler sees the first group as a number like any other, and makes one program for all.

        Arguments:
            compute: function of the arrays' rows, that returns a tuple of float32 tensors [workers in a group, ...].
            between: numbers of the first group, and of the one behind the last. Scalars.
            room: number of groups in the results, at least that of the range; the rest is left empty.
            shapes: shape of each result, without the axis of workers.
            arrays: nested structure of tensors of all workers. Shape [workers or 1, ...] each.

        Returns:
            Tuple of tensors. Shape [room, workers in a group, ...] each.
        """

        def body(group: Tensor, *written: tf.TensorArray) -> tuple:
            results = compute(*tf.nest.map_structure(lambda leaf: self.rows(leaf, group), arrays))
            done = zip(written, results, strict=True)
            return group + 1, *(array.write(group - between[0], result) for array, result in done)

        written = [tf.TensorArray(tf.float32, room, element_shape=[self.size, *shape]) for shape in shapes]
        _, *filled = tf.while_loop(lambda group, *_: group < between[1], body, (between[0], *written))
        return tuple(array.stack() for array in filled)

    def joined(self, parts: list[Tensor], counts: list[int]) -> Tensor:
        """Return the rows of all workers from results of ranges of groups. Shape [workers, ...].

        Arguments:
            parts: a result of ``each`` for each range, in their order. Shape [room, workers in a group, ...], room
                being the number of groups of the longest range.
            counts: number of groups in each range.
        """
        rows = [
            tf.reshape(part[:count], [count * self.size, *part.shape[2:]])
            for part, count in zip(parts, counts, strict=True)
        ]
        again = self.count * self.size - self.workers
        if again:
            last = rows[-1]
            rows[-1:] = [last[: -self.size], last[again - self.size :]]
        return rows[0] if len(rows) == 1 else tf.concat(rows, axis=0)
