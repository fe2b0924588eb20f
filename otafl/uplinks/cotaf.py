"""T. Sery and K. Cohen, "On Analog Gradient Descent Learning over Multiple Access Fading Channels", and with N.
Shlezinger and Y. Eldar "Over-the-Air Federated Learning from Heterogeneous Data": COTAF, analog uploads whose scaling
factor follows a schedule of norms that updates are expected to have, so that noise shrinks with them and nobody need be
told.

On fading channels all invert to a common gain, h_min = ``uplink.inversion_threshold``, and those below it are silent.
Readings: the schedule is a power of the round's number, where the papers take means over earlier runs; an update that
is longer than expected is shortened, so that no worker ever exceeds its budget.
"""

from typing import Any, NamedTuple

from otafl.algorithms import parse
from otafl.arrays import Tensor, tf
from otafl.settings.keys import Settings
from otafl.uplinks.analog import Analog, scheme
from otafl.uplinks.analog_link import AnalogLink, Radio
from otafl.uplinks.link import Inputs, Link, Sent


class Expected(NamedTuple):
    """The norms that are expected of what workers contribute, L_t = L·t^(-a), each of shape [runs]."""

    first: Tensor
    decay: Tensor

    def norm(self, iteration: Tensor) -> Tensor:
        """L_t of an iteration that is counted from 0. Shape [runs]."""
        return self.first * tf.cast(iteration + 1, self.first.dtype) ** -self.decay


class CotafLink(AnalogLink):
    """One iteration of COTAF."""

    @property
    def expected(self) -> Tensor:
        """The norm that messages are expected to have. Shape [runs]."""
        return self.inputs.radio.scheme.norm(self.inputs.iteration)

    def symbols(self, message: Tensor, vector: int = 0) -> Tensor:
        """Messages, shortened where they are longer than expected."""
        norm = tf.sqrt(tf.reduce_sum(tf.square(message), axis=1, keepdims=True))
        return message * (self.expected / tf.maximum(norm, self.expected))

    def sent(self, message: Tensor, vector: int = 0) -> Sent:
        """They superpose, at the scaling factor of what is expected."""
        counted = self.inputs.channel.counted
        assert counted is not None
        largest = tf.square(self.expected) * tf.reduce_max(counted, axis=[0, 1])
        return super().sent(message, vector)._replace(largest=largest)


@scheme("cotaf")
class Cotaf(Analog):
    """COTAF; with no decay it is its rival of a constant factor."""

    keys = (*Analog.keys, "uplink.update_norm", "uplink.update_norm_decay")
    scales = False

    @classmethod
    def radio(cls, settings: Settings, elements: int) -> Radio:
        """Radio of an analog upload with the schedule of norms of messages, weighed by 1/N where the method does so."""
        uplink, (method, _) = settings.uplink, parse(settings.method)
        mean_weight = 1 / settings.federation.workers if method.weighted else 1.0
        expected = Expected(uplink.update_norm * mean_weight, uplink.update_norm_decay)
        return super().radio(settings, elements)._replace(scheme=expected)

    @classmethod
    def link(cls, inputs: Inputs, runs: Any) -> Link:
        """A link at scheduled factors."""
        return CotafLink(inputs)
