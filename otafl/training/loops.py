"""Loops over steps, and choices between workers, in the forms that a compiler makes fast."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from otafl.arrays import Tensor, by_worker


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
    return new if chosen.shape[0] == 1 else by_worker(chosen, new, old)


@dataclass(frozen=True)
class Groups:
    """Workers in groups of one size, which go through a program one after the other.

    Where the size does not divide the workers, the last group begins with some that the one before has had.

    Arguments:
        workers: how many there are.
        most: of them in a group.
    """

    workers: int
    most: int

    @property
    def count(self) -> int:
        """Number of groups."""
        return -(-self.workers // self.most)

    @property
    def size(self) -> int:
        """Workers in each."""
        return -(-self.workers // self.count)

    def rows(self, leaf: Tensor | None, group: Tensor) -> Tensor | None:
        """The rows of a group's workers; one row is that of all."""
        if leaf is None or leaf.shape[0] == 1:
            return leaf
        start = tf.minimum(group * self.size, self.workers - self.size)
        return tf.slice(leaf, [start, *[0] * (len(leaf.shape) - 1)], [self.size, *leaf.shape[1:]])

    def each(self, compute: Callable, between: tuple[Tensor, Tensor], room: int, shapes: tuple, arrays: tuple) -> tuple:
        """Results of a function of the rows of a group, for the groups from the first to before the second of two.

        ``shapes`` are those of results, without the axis of workers; each is returned as [room, workers in a group,
        ...]. A compiler sees the first group as a number like any other, and makes one program for all.
        """

        def body(group: Tensor, *written: tf.TensorArray) -> tuple:
            results = compute(*tf.nest.map_structure(lambda leaf: self.rows(leaf, group), arrays))
            done = zip(written, results, strict=True)
            return group + 1, *(array.write(group - between[0], result) for array, result in done)

        written = [tf.TensorArray(tf.float32, room, element_shape=[self.size, *shape]) for shape in shapes]
        _, *filled = tf.while_loop(lambda group, *_: group < between[1], body, (between[0], *written))
        return tuple(array.stack() for array in filled)

    def joined(self, parts: list[Tensor], counts: list[int]) -> Tensor:
        """Rows of all workers from parts of the groups, [room, workers in a group, ...], of which so many are there."""
        rows = [
            tf.reshape(part[:count], [count * self.size, *part.shape[2:]])
            for part, count in zip(parts, counts, strict=True)
        ]
        again = self.count * self.size - self.workers
        if again:
            last = rows[-1]
            rows[-1:] = [last[: -self.size], last[again - self.size :]]
        return rows[0] if len(rows) == 1 else tf.concat(rows, axis=0)
