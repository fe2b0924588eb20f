"""Base of receivers that few Byzantine workers cannot move far, as they take a middle of workers' vectors."""

from otafl.numerics.tensors import Received, SentNumbers, tf
from otafl.receivers.receiver import Receiver


class Robust(Receiver):
    """Base of receivers whose estimate of a sum is the workers' number times a middle, element by element."""

    by_worker = "needs each worker's vector, but over the air only their sum arrives"

    def requires(self, chain, settings, method) -> str:
        if not method.by_signs:
            return f"gives a middle of vectors, but {settings.method} needs their sums"
        if settings.federation.weights != "equal":
            return "contradicts federation.weights: a middle of vectors has equal weights"
        if chain.compressor.remembers:
            return "contradicts uplink.compressor: most elements of a sparse vector are 0, and so is their middle"
        return ""


def middle(vectors: SentNumbers, cut: int) -> Received:
    """Return the mean of each element over workers, without so many values at either end.

    >>> middle(tf.constant([1.0, 2.0, 30.0])[:, None, None], 1).numpy().tolist()
    [[2.0]]
    """
    rows = tf.sort(tf.transpose(vectors, [1, 2, 0]), axis=-1)
    return tf.reduce_mean(rows[..., cut : vectors.shape[0] - cut], axis=-1)
