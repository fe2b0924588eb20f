"""Channel of the elements of a vector: where they ride, and with which gains.

Gains stand still while a vector is uploaded, however many slots that takes.
"""

from otafl.numerics.tensor_types import Vectors
from otafl.numerics.tensors import Tensor, tf


def on_elements(values: Tensor, elements: int) -> Vectors:
    """Repeat values of S subcarriers, [workers, S, runs], for d elements: element i is on subcarrier i mod S.

    >>> on_elements(tf.constant([[[1], [2]]]), 3).numpy().ravel().tolist()
    [1, 2, 1]
    """
    if values.shape[1] == elements:
        return values
    return tf.tile(values, [1, -(-elements // values.shape[1]), 1])[:, :elements]
