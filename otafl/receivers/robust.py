"""Base of receivers that few hostile workers cannot move far, as they take a middle of workers' vectors."""

from typing import Any, ClassVar

from otafl.numerics.tensors import Tensor, tf
from otafl.receivers.receiver import Receiver


class Robust(Receiver):
    """Base of receivers that read each worker's vector, and take a middle of it element by element.

    Their estimate of the sum is the number of workers times that middle.
    """

    by_worker: ClassVar[str] = "needs each worker's vector, but over the air only their sum arrives"

    def requires(self, chain: Any, settings: Any, method: Any) -> str:
        """Return why a run cannot have it: unequal weights, sparse vectors, a server that needs sums; else empty.

        Arguments:
            chain: the run's ``Chain``, whose field ``compressor`` counts.
            settings: the run's ``Settings``, of which ``federation.weights`` is read.
            method: the run's ``Method``, whose ``by_signs`` counts.
        """
        if not method.by_signs:
            return f"gives a middle of vectors, but {settings.method} needs their sums"
        if settings.federation.weights != "equal":
            return "contradicts federation.weights: a middle of vectors has equal weights"
        if chain.compressor.remembers:
            return "contradicts uplink.compressor: most elements of a sparse vector are 0, and so is their middle"
        return ""


def middle(vectors: Tensor, cut: int) -> Tensor:
    """Return the mean of each element without so many values at either end. Shape [d, runs].

    Arguments:
        vectors: vectors of the workers. Shape [workers, d, runs].
        cut: number of the smallest, and of the largest values that are left out.
    """
    rows = tf.sort(tf.transpose(vectors, [1, 2, 0]), axis=-1)
    return tf.reduce_mean(rows[..., cut : vectors.shape[0] - cut], axis=-1)
