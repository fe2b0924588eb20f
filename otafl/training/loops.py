"""Loops over steps, and choices between workers, in the forms that a compiler makes fast."""

from collections.abc import Callable
from dataclasses import dataclass

import tensorflow as tf

from otafl.numerics.tensors import Counts, Scalar, Structure, Tensor, by_worker


def repeat(step: Callable[..., tuple], start: tuple, times: int | Tensor) -> tuple:
    """Repeat a step, from a state whose first entry counts the steps to the next, in a TensorFlow loop."""
    even = times - times % 2
    # Two steps are in one body, so that a compiler hands arrays over without copying them.
    _, *state = tf.while_loop(
        lambda s, *_: s < even, lambda *state: tuple(step(*step(*state))), start, parallel_iterations=1
    )
    state = (tf.convert_to_tensor(even), *state)
    if isinstance(times, int):
        return step(*state) if times % 2 else state
    return tf.cond(times % 2 > 0, lambda: tuple(step(*state)), lambda: state)


def number(counts: Counts) -> Tensor:
    """Return numbers of steps of workers for an optimiser, that of a single worker as a scalar."""
    return counts[0] if counts.shape[0] == 1 else counts


def where(chosen: Counts, new: Structure, old: Structure) -> Structure:
    """Return new arrays of the chosen workers, and old ones of the others; a single worker counts as chosen."""
    return new if chosen.shape[0] == 1 else by_worker(chosen, new, old)


@dataclass(frozen=True)
class Groups:
    """Partition of workers into groups of one size, which go through a program one after the other.

    Where the size does not divide the number of workers, the last group begins with some workers of the group before.

    >>> groups = Groups(workers=10, most=4)
    >>> groups.count, groups.size
    (3, 4)
    """

    workers: int
    most: int

    @property
    def count(self) -> int:
        return -(-self.workers // self.most)

    @property
    def size(self) -> int:
        return -(-self.workers // self.count)

    def rows(self, leaf: Tensor | None, group: Scalar) -> Tensor | None:
        """Return the rows of a group's workers from an array of all workers; an array of one row holds for all."""
        if leaf is None or leaf.shape[0] == 1:
            return leaf
        start = tf.minimum(group * self.size, self.workers - self.size)
        return tf.slice(leaf, [start, *[0] * (len(leaf.shape) - 1)], [self.size, *leaf.shape[1:]])

    def each(
        self,
        compute: Callable[..., tuple[Tensor, ...]],
        between: tuple[Scalar, Scalar],
        room: int,
        shapes: tuple[tuple[int, ...], ...],
        arrays: tuple,
    ) -> tuple[Tensor, ...]:
        """Return results of a function of a group's rows, for a range of groups. Shape [room, size, ...] each.

        The range is between the numbers of its first group and of the one behind its last, and the room is at least
        their difference. Arrays are [workers or 1, ...] each. A compiler makes one program for all ranges.
        """

        def body(group: Scalar, *written: tf.TensorArray) -> tuple:
            results = compute(*tf.nest.map_structure(lambda leaf: self.rows(leaf, group), arrays))
            pairs = zip(written, results, strict=True)
            return group + 1, *(array.write(group - between[0], result) for array, result in pairs)

        written = [tf.TensorArray(tf.float32, room, element_shape=[self.size, *shape]) for shape in shapes]
        _, *filled = tf.while_loop(lambda group, *_: group < between[1], body, (between[0], *written))
        return tuple(array.stack() for array in filled)

    def joined(self, parts: list[Tensor], counts: list[int]) -> Tensor:
        """Return the rows of all workers, [workers, ...], from results of ``each`` for ranges of so many groups."""
        pairs = zip(parts, counts, strict=True)
        rows = [tf.reshape(part[:count], [count * self.size, *part.shape[2:]]) for part, count in pairs]
        again = self.count * self.size - self.workers
        if again:
            last = rows[-1]
            rows[-1:] = [last[: -self.size], last[again - self.size :]]
        return rows[0] if len(rows) == 1 else tf.concat(rows, axis=0)
