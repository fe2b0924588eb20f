"""Links whose parts a test chooses."""

from typing import Any

import tensorflow as tf

from channels.allocation import Equal
from channels.codes import Shannon
from channels.power_control import CommonPower
from channels.precoding import ChannelInversion
from otafl.compressors import NoCompression
from otafl.receivers import MeanOfActive
from otafl.uplinks.analog_link import AnalogLink
from otafl.uplinks.chain import Chain
from otafl.uplinks.link import Inputs

PLAIN = Chain(NoCompression(), ChannelInversion(), CommonPower(), Shannon(), Equal(), MeanOfActive())


def linked(inputs: Inputs, **parts: Any) -> AnalogLink:
    """Return an analog link of some parts, and of the plain ones in place of the others."""
    return AnalogLink(inputs, PLAIN._replace(**parts), tf.zeros_like(inputs.radio.budget))
