"""Effects that runs leave out of an analog upload where its waveform has them."""

import math
from collections.abc import Iterator

import numpy as np

from otafl.channels import fading
from otafl.channels.fading.plane_waves import Motion
from otafl.channels.fading.tdl import profile
from otafl.channels.imperfections import overlap
from otafl.settings.keys import Settings
from otafl.uplinks.physical_layer import subcarrier, symbol_snr_db

APART = 10**0.05 - 1
"""Power over that of noise above which half a decibel is left out."""
BAND = 64
"""Subcarriers of a band for which echoes are looked at."""


def left_out_lines(settings: Settings) -> Iterator[str]:
    """Yield a line of text on each effect that is left out and worth half a decibel of noise."""
    for key, what, power in left_out(settings):
        ratio = settings.participants * power * 10 ** (symbol_snr_db(settings) / 10)
        if APART < ratio < math.inf:
            said = f"runs leave out {what}; in a waveform they add {ratio:.2g} times the noise"
            yield f"{key} = {settings.value(key)}: {said}"


def left_out(settings: Settings) -> Iterator[tuple[str, str, float]]:
    """Yield a key, what runs leave out by it, and its power over the mean power that arrives of a worker."""
    channel, single = settings.channel, subcarrier(settings)
    model = fading.FADING.make(channel.fading, **channel.model_dump())
    if isinstance(model, Motion) and model.moves and channel.evolves == "by_block" and not model.static:
        turned = 2 * math.pi * model.doppler_hz * settings.uplink.slot_s
        # The mean of 2 - 2·J0 over a slot.
        yield "channel.evolves", "movements of gains within a slot", min(turned**2 / 6, 2.0)
    if isinstance(model, fading.TdlFading):
        line = profile(model.tdl_model)
        late_s = np.maximum(line.delays * model.delay_spread_s - (single.symbol_s - single.window_s) / 2, 0)
        _, leaks = overlap(late_s * single.spacing_hz, single.window_s * single.spacing_hz, BAND)
        yield "channel.delay_spread_s", "echoes beyond half the prefix", float(line.powers @ leaks)
