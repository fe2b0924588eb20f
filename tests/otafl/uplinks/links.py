"""Links whose parts a test chooses."""

from typing import Any

import tensorflow as tf

from otafl.channels.allocation import Equal
from otafl.channels.codes import Shannon
from otafl.channels.combiners import FirstAntenna
from otafl.channels.power_control import CommonPower
from otafl.channels.precoding import ChannelInversion
from otafl.compressors import NoCompression
from otafl.federation.round_draw import RoundDraw
from otafl.receivers import MeanOfActive
from otafl.uplinks.analog_link import AnalogLink
from otafl.uplinks.chain import Chain
from otafl.uplinks.link import Link
from otafl.uplinks.uplink import Uplink

DOUBLE = NoCompression(64)
"""Numbers in double precision, as theorems are about numbers that are delivered exactly."""
PLAIN = Chain(DOUBLE, ChannelInversion(), CommonPower(), FirstAntenna(), Shannon(), Equal(), MeanOfActive())


def draw_of(channel: Any, noise: Any = None, downlink_noise: Any = None, **fields: Any) -> RoundDraw:
    """Return the draw of a round over a channel; where no noise is given, there is none."""
    none = tf.zeros([0, 0, 0, 1], tf.float64)
    given = [none if part is None else part for part in (noise, downlink_noise)]
    return RoundDraw(0, None, channel, *given)._replace(**fields)


def linked(draw: RoundDraw, radio: Any, **parts: Any) -> AnalogLink:
    """Return an analog link of some parts, and of the plain ones in place of the others."""
    return AnalogLink(draw, radio, PLAIN._replace(**parts), tf.zeros_like(radio.budget))


def link_of(uplink: Uplink, draw: RoundDraw) -> Link:
    """Return the link of one run over an uplink in double precision."""
    radio = in_tensors(uplink.radio)
    return uplink.links(draw, radio, uplink.chain.form.with_numbers(radio.numbers), tf.zeros(1, tf.float64))


def in_tensors(radio: Any) -> Any:
    """Return the numbers of one run as a program has them, [runs] each."""
    return tf.nest.map_structure(lambda value: tf.constant([value], tf.float64), radio)
