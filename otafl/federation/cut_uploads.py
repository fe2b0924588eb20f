"""Cut uploads: with chance p a worker sends a share of its upload alone, which is uniform on [0, 1)."""

from otafl.numerics.tensor_types import PerRun, SentNumbers, WorkerScalars
from otafl.numerics.tensors import tf


def before_cut(share: WorkerScalars, place: tuple[int, int], symbols: PerRun, numbers: SentNumbers) -> SentNumbers:
    """Return 1 for numbers on symbols that are sent before a worker's upload is cut, 0 for the others.

    An upload is V vectors of n complex symbols each. A worker that is cut after a share u of it sends the whole number
    of symbols next to u·V·n, one after the other. The place of a vector is its number from 0, and V.
    """
    (vector, vectors), count = place, numbers.shape[1]
    of_vector = tf.clip_by_value(share * vectors - vector, 0, 1)
    ended = tf.round(of_vector * symbols) * tf.math.ceil(count / symbols)
    return tf.cast(tf.range(count, dtype=numbers.dtype)[:, None] < ended, numbers.dtype)
