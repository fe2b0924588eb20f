"""D. Alistarh, D. Grubic, J. Li, R. Tomioka, M. Vojnovic, "QSGD: Communication-Efficient SGD via Gradient Quantization
and Encoding": digital uploads whose elements are rounded at random to levels of the vector's norm, without bias.

An element has ``uplink.bits_per_element`` b, one of them its sign, so there are s = 2^(b-1) - 1 levels, and v_i becomes
‖v‖·sgn(v_i)·l/s, l one of the two whole numbers around s·|v_i|/‖v‖. The norm goes along with 32 bits. Codes of
variable length, as the paper has them, are not used.
"""

from typing import Any, NamedTuple

import numpy as np

from otafl.arrays import Tensor, tf
from otafl.settings.keys import Settings
from otafl.uplinks.digital import QUANTISED, Digital
from otafl.uplinks.exact import ExactLink
from otafl.uplinks.link import Inputs, Link, Sent, Upload, squared_norms

NORM_BITS = 32
SEED_WORDS = 2


class Levels(NamedTuple):
    """s, of shape [runs]."""

    count: Tensor


class QsgdLink(NamedTuple):
    """One iteration of quantised uploads; the samples of ``noise`` are the seeds of their rounding."""

    inputs: Inputs
    exact: ExactLink

    def sent(self, message: Tensor, vector: int = 0) -> Sent:
        """The sum of rounded messages."""
        rounded = quantised(message, self.inputs.radio.count, uniform(self.inputs.noise[vector], message))
        return self.exact.sent(rounded)._replace(meant=tf.reduce_sum(message, axis=0))

    def received(self, sent: Sent, vector: int = 0) -> Upload:
        """The sum as it is."""
        upload = self.exact.received(sent, vector)
        return upload._replace(error=squared_norms(sent.arrived - sent.meant, sent.meant))

    def broadcast(self, message: Tensor, vector: int = 0) -> Tensor:
        """The message as it is."""
        return message


def quantised(vectors: Tensor, levels: Tensor, chance: Tensor) -> Tensor:
    """Vectors, rounded down, or up where a uniform number is below what is cut off.

    Shapes [workers, d, runs] and, of levels, [runs].
    """
    norm = tf.sqrt(tf.reduce_sum(tf.square(vectors), axis=1, keepdims=True))
    place = tf.math.divide_no_nan(tf.abs(vectors) * levels, norm)
    low = tf.floor(place)
    level = low + tf.cast(chance < place - low, vectors.dtype)
    return tf.sign(vectors) * level * norm / levels


def uniform(seeds: Tensor, like: Tensor) -> Tensor:
    """Numbers uniform in [0, 1), each run's from a seed of its own, so that none depends on the others beside it.

    Shapes [words, runs], [workers, d, runs].
    """
    words = tf.unstack(tf.bitcast(tf.cast(seeds, tf.float32), tf.int32), axis=1)
    drawn = [tf.random.stateless_uniform(like.shape[:2], one, alg="philox") for one in words]
    return tf.cast(tf.stack(drawn, axis=-1), like.dtype)


class Qsgd(Digital):
    """Digital uploads of few bits."""

    @property
    def bits(self) -> int:
        """Those of elements, and of a norm for each vector."""
        return super().bits + NORM_BITS * self.method.vectors

    @property
    def noise_shape(self) -> tuple[int, ...]:
        """Seeds of each vector."""
        return (self.method.vectors, SEED_WORDS)

    @classmethod
    def radio(cls, settings: Settings, elements: int) -> Levels:
        """How many levels there are."""
        return Levels(2.0 ** (settings.uplink.bits_per_element - 1) - 1)

    @classmethod
    def link(cls, inputs: Inputs, runs: Any) -> Link:
        """A link that rounds."""
        return QsgdLink(inputs, ExactLink(tf.zeros_like(runs)))


QUANTISED["qsgd"] = Qsgd


def variance(vector: np.ndarray, levels: int) -> float:
    """E‖Q(v) - v‖² = ‖v‖²/s²·Σ_i p_i(1 - p_i), p_i what is cut off of s·|v_i|/‖v‖. Shape of the vector: [d]."""
    norm = np.linalg.norm(vector)
    cut = levels * np.abs(vector) / norm % 1
    return float(norm**2 / levels**2 * np.sum(cut * (1 - cut)))
