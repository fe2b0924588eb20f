"""The parts of the physical layer that a run's keys describe."""

import math
from dataclasses import replace

from channels.cell import Cell
from channels.csi import Imperfections
from channels.grid import Grid
from otafl.settings.keys import Settings


def grid(settings: Settings, elements: int) -> Grid:
    """The grid of an upload of elements as amplitudes; "one_slot" is just enough subcarriers for that."""
    uplink, count = settings.uplink, settings.subcarriers
    q = 1 if uplink.symbols_per_slot == "as_printed" else uplink.symbols_per_slot
    one = Grid(1, uplink.subcarrier_spacing_hz, uplink.slot_s, q, uplink.elements_per_symbol)
    return replace(one, subcarriers=one.analog_slots(elements) if count == "one_slot" else int(count))


def imperfections(settings: Settings) -> Imperfections:
    """What parts the link of a run from one that is known and synchronous.

    Raises:
        ValueError: the timing error leaves the cyclic prefix.
    """
    channel = settings.channel
    errors = channel.phase_error_rad, channel.timing_error_s
    pilot_snr = 10 ** (channel.pilot_snr_db / 10)
    return Imperfections(channel.pilots, pilot_snr, *errors, settings.uplink.subcarrier_spacing_hz)


def cell(settings: Settings) -> Cell:
    """The ring in which a run's workers are.

    Raises:
        ValueError: it is none.
    """
    keys = settings.cell
    loss = keys.path_loss_db, keys.path_loss_exponent, keys.shadowing_db
    return Cell(keys.radius_m or math.inf, keys.inner_radius_m, *loss, keys.most_loss_db or math.inf)
