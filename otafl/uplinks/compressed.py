"""M. M. Amiri and D. Gündüz, "Machine Learning at the Wireless Edge: Distributed Stochastic Gradient Descent
Over-the-Air" and "Federated Learning over Wireless Fading Channels": compressed analog uploads. Workers keep the
largest elements of an update, remember the others for the next one, and send fewer measurements of it than it has
elements; the server finds the sum of updates by approximate message passing.

Of d elements k = ``uplink.sparsity``·d are kept, and s = ``uplink.compression_ratio``·d measurements are sent; with
s = d the elements are sent themselves. Readings: all share the smallest scaling factor, where the first paper weighs
each worker by its own; matrices are those of ``amp``, new in every iteration, since with one for all the server would
never see what lies in its null space. What a worker does not send for a deep fade is lost, and not remembered; the
server takes the mean over those who spoke, measurement by measurement, for one of all.
"""

from typing import Any, NamedTuple

from otafl.algorithms import Method
from otafl.arrays import Tensor, tf
from otafl.settings.keys import Settings
from otafl.uplinks import amp
from otafl.uplinks.analog import Analog, scheme
from otafl.uplinks.analog_link import AnalogLink, Radio
from otafl.uplinks.link import Inputs, Link, Sent, Upload, squared_norms
from otafl.uplinks.uplink import Vectors

HALVINGS = 16
"""Of the interval in which the smallest element that is kept lies."""


class Kept(NamedTuple):
    """k/d, of shape [runs]."""

    share: Tensor


class CompressedLink(AnalogLink):
    """One iteration of compressed uploads; what is meant is the sum of what workers have kept."""

    def symbols(self, message: Tensor, vector: int = 0) -> Tensor:
        """Measurements of messages, or all elements where there are as many."""
        if self.inputs.noise.shape[1] == message.shape[1]:
            return message
        return amp.measured(self.operator(message.shape[1], vector), message)

    def received(self, sent: Sent, vector: int = 0) -> Upload:
        """What message passing finds in them."""
        if sent.meant is None or sent.meant.shape == sent.arrived.shape:
            return super().received(sent, vector)
        upload, elements = super().received(sent._replace(meant=None), vector), sent.meant.shape[0]
        found = amp.recovered(self.operator(elements, vector), upload.total[0], elements)
        return upload._replace(total=found[None], error=squared_norms(found - sent.meant, sent.meant))

    def operator(self, elements: int, vector: int) -> Tensor:
        """The matrix of an iteration."""
        noise, draw = self.inputs.noise, self.inputs.iteration * self.inputs.noise.shape[0] + vector
        return amp.matrix(elements, noise.shape[1], draw, noise.dtype)


def sparsified(message: Tensor, memory: Tensor, share: Tensor) -> tuple[Tensor, Tensor]:
    """The largest of a share of the elements of a message and what was left of earlier ones, and what is left now.

    Shapes [workers, d, runs], the share a scalar.
    """
    whole = message + memory
    size = tf.abs(whole)
    chosen = tf.where(size >= _least(size, share), whole, tf.zeros_like(whole))
    return chosen, whole - chosen


def _least(size: Tensor, share: Tensor) -> Tensor:
    """What the k largest elements, a share of all, are not below, by bisection, which takes a tenth of sorting's time:
    of √(Σx²/k), which it cannot exceed, within 2^(-HALVINGS). Shape [workers, 1, runs]."""
    wanted = tf.maximum(tf.math.round(share * size.shape[1]), 1.0)

    def halved(number: Tensor, low: Tensor, high: Tensor) -> tuple:
        middle = (low + high) / 2
        enough = tf.reduce_sum(tf.cast(size >= middle, size.dtype), axis=1, keepdims=True) >= wanted
        return number + 1, tf.where(enough, middle, low), tf.where(enough, high, middle)

    high = tf.sqrt(tf.reduce_sum(tf.square(size), axis=1, keepdims=True) / wanted)
    return tf.while_loop(lambda number, *_: number < HALVINGS, halved, (0, tf.zeros_like(high), high))[1]


def _multiple(message: Tensor, of: Tensor) -> Tensor:
    """The factor of a message over another one, the same for all workers; 1 where both are 0. Shape [1, 1, runs]."""
    ahead = tf.reduce_sum(message * of, axis=[0, 1], keepdims=True)
    power = tf.reduce_sum(of * of, axis=[0, 1], keepdims=True)
    return tf.where(power > 0, ahead / power, tf.ones_like(power))


@scheme("compressed")
class Compressed(Analog):
    """Sparse updates by few measurements."""

    keys = (*Analog.keys, "uplink.compression_ratio", "uplink.sparsity")

    @classmethod
    def carried(cls, settings: Settings, elements: int) -> int:
        """The measurements of a vector."""
        return amp.measurements(elements, settings.uplink.compression_ratio)

    @classmethod
    def radio(cls, settings: Settings, elements: int) -> Radio:
        """With the share of elements that are kept."""
        return super().radio(settings, elements)._replace(scheme=Kept(settings.uplink.sparsity))

    @classmethod
    def memories(cls, method: Method) -> int:
        """What was not sent of each vector."""
        return method.vectors

    @classmethod
    def lightened(cls, messages: Vectors, memory: Vectors, radio: Any) -> tuple[Vectors, Vectors]:
        """Cut messages to their largest elements, and keep the rest; any without memory becomes a multiple."""
        own, more = messages[: len(memory)], messages[len(memory) :]
        pairs = [sparsified(*pair, radio.scheme.share[0]) for pair in zip(own, memory, strict=True)]
        chosen, left = zip(*pairs, strict=True)
        return chosen + tuple(_multiple(message, own[-1]) * chosen[-1] for message in more), left

    @classmethod
    def link(cls, inputs: Inputs, runs: Any) -> Link:
        """A link that measures."""
        return CompressedLink(inputs)
