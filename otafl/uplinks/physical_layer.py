"""Parts of the physical layer of a run, made from its keys."""

import math
from dataclasses import replace

import numpy as np

from otafl.channels.cell import THERMAL_DBM_PER_HZ, Cell
from otafl.channels.csi import Imperfections
from otafl.channels.grid import Grid
from otafl.channels.neighbours import Neighbours
from otafl.channels.power import transmit_power_w
from otafl.errors import OtaflError
from otafl.settings.keys import Settings

RADIO = (
    "channel.fading",
    "channel.snr_db",
    "channel.symbol_snr_db",
    "channel.pilots",
    "channel.pilot_snr_db",
    "channel.estimator",
    "federation.cut_chance",
    "cell.radius_m",
    "cell.inner_radius_m",
    "cell.sector_deg",
    "cell.path_loss_db",
    "cell.path_loss_exponent",
    "cell.shadowing_db",
    "cell.most_loss_db",
    "cell.snr_at",
    "cell.transmit_power_dbm",
    "cell.noise_figure_db",
    "cell.neighbours",
    "cell.activity",
    "cell.antennas",
    "cell.worker_antennas",
    "cell.surface_elements",
    "cell.surface_distance_m",
    "cell.surface_exponent",
    "uplink.subcarriers",
    "uplink.subcarrier_spacing_hz",
    "uplink.slot_s",
    "uplink.symbols_per_slot",
    "uplink.power_reference",
    "uplink.noise_psd_w_per_hz",
    "uplink.charge_downlink",
)
"""Scenario keys that every uplink over the radio channel reads."""


def neighbours(settings: Settings) -> Neighbours | None:
    """Return the neighbouring cells of a run whose workers interfere; None: there are none.

    Arguments:
        settings: the run's ``Settings``, of which the table ``cell`` is read.
    """
    keys = settings.cell
    return Neighbours(cell(settings), keys.neighbours, keys.activity) if keys.neighbours else None


def snr(settings: Settings) -> float:
    """Return P/(W·N0) of a run, linear: transmit power over the noise of one subcarrier.

    Symbols: transmit power P on a subcarrier, its bandwidth W, noise density N0.

    Arguments:
        settings: the run's ``Settings``, of which ``channel.snr_db`` is read.
    """
    return float(np.power(10.0, settings.channel.snr_db / 10))


def power_w(settings: Settings) -> float:
    """Return the transmit power P of a run on one subcarrier [W].

    Arguments:
        settings: the run's ``Settings``, of which SNR, bandwidth of a subcarrier and noise density are read.
    """
    uplink = settings.uplink
    return float(transmit_power_w(settings.channel.snr_db, uplink.subcarrier_spacing_hz, uplink.noise_psd_w_per_hz))


def symbol_gain(settings: Settings) -> float:
    """Return W·T/q, the SNR of a symbol over that of its subcarrier; 1 for digital symbols "as_printed", of length 1/W.

    Symbols: bandwidth W of a subcarrier, slot T, q symbols on it in a slot.

    Arguments:
        settings: the run's ``Settings`` as it uses them.
    """
    uplink = settings.uplink
    if uplink.symbols_per_slot == "as_printed":
        return 1.0
    return uplink.subcarrier_spacing_hz * uplink.slot_s / uplink.symbols_per_slot


def symbol_snr_db(settings: Settings) -> float:
    """Return the SNR of a symbol at a channel gain of 1, its energy P·T/q over the noise density N0 [dB].

    Symbols: transmit power P on a subcarrier, slot T, q symbols in a slot.

    Arguments:
        settings: the run's ``Settings`` as it uses them.
    """
    return settings.channel.snr_db + decibels(symbol_gain(settings))


def decibels(ratio: float) -> float:
    """Return a ratio of powers in decibels.

    Arguments:
        ratio: the ratio, linear, above 0.
    """
    return 10 * math.log10(ratio)


def grid(settings: Settings, elements: int) -> Grid:
    """Return the ``Grid`` of an upload of d real numbers; "one_slot" gives just enough subcarriers for one slot.

    A grid holds the number of subcarriers, their spacing [Hz], the slot [s], symbols in a slot, and elements of a
    symbol.

    Arguments:
        settings: the run's ``Settings``.
        elements: number d of real numbers.
    """
    one, count = subcarrier(settings), settings.subcarriers
    return replace(one, subcarriers=one.analog_slots(elements) if count == "one_slot" else int(count))


def subcarrier(settings: Settings) -> Grid:
    """Return the ``Grid`` of one subcarrier: spacing [Hz], slot [s], symbols in a slot, and elements of a symbol.

    Arguments:
        settings: the run's ``Settings``.
    """
    uplink = settings.uplink
    q = 1 if uplink.symbols_per_slot == "as_printed" else uplink.symbols_per_slot
    return Grid(1, uplink.subcarrier_spacing_hz, uplink.slot_s, q, uplink.elements_per_symbol)


def imperfections(settings: Settings) -> Imperfections:
    """Return pilots and errors of phase and timing of a run.

    Arguments:
        settings: the run's ``Settings``.

    Returns:
        An ``Imperfections`` with number of pilots, their SNR (linear), phase error [rad], timing error [s], subcarrier
        spacing [Hz] and window of a symbol [s].

    Raises:
        ValueError: the timing error is not below a symbol.
    """
    channel = settings.channel
    errors = channel.phase_error_rad, channel.timing_error_s
    pilot_snr = 10 ** (channel.pilot_snr_db / 10)
    one = subcarrier(settings)
    return Imperfections(channel.pilots, pilot_snr, *errors, one.spacing_hz, one.window_s, channel.estimator)


def cell(settings: Settings) -> Cell:
    """Return the ring in which a run's workers are, a ``Cell``: radii [m], path loss and shadowing [dB].

    Arguments:
        settings: the run's ``Settings``.

    Raises:
        OtaflError: the inner radius is not below the outer one.
    """
    keys = settings.cell
    if keys.radius_m and keys.inner_radius_m >= keys.radius_m:
        rule = f"must be below cell.radius_m = {keys.radius_m:g}"
        raise OtaflError("cell.inner_radius_m", keys.inner_radius_m, rule)
    loss = keys.path_loss_db, keys.path_loss_exponent, keys.shadowing_db
    return Cell(keys.radius_m or math.inf, keys.inner_radius_m, *loss, keys.most_loss_db or math.inf, keys.sector_deg)


def budget_lines(settings: Settings) -> list[str]:
    """Return lines of text on the link budget of a run's ring: path loss and SNR at inner radius, median and edge [dB].

    Arguments:
        settings: the run's ``Settings``.
    """
    made, keys = cell(settings), settings.cell
    median_db, edge_db = made.median_gain_db, made.edge_gain_db
    over_db = settings.channel.snr_db - (edge_db if keys.snr_at == "edge" else median_db)
    places = {"inner radius": float(made.gain_db(made.inner_radius_m)), "median": median_db, "edge": edge_db}
    lines = [f"at the {name}: path loss {-gain_db:.1f} dB" for name, gain_db in places.items()]
    if keys.snr_at != "worst":  # whose place a seed decides
        snrs_db = [over_db + gain_db for gain_db in places.values()]
        lines = [f"{line}, SNR {snr_db:.1f} dB on one subcarrier" for line, snr_db in zip(lines, snrs_db, strict=True)]
    if keys.most_loss_db:
        lines.append(f"{made.covered:.1%} of the places are covered, with at most {keys.most_loss_db:g} dB of loss")
    if keys.snr_at != "link_budget":
        return lines
    noise_dbm = THERMAL_DBM_PER_HZ + keys.noise_figure_db + 10 * math.log10(settings.uplink.subcarrier_spacing_hz)
    power = f"{keys.transmit_power_dbm:g} dBm of a worker, if on one subcarrier"
    return [f"{power}; noise of a subcarrier {noise_dbm:.1f} dBm", *lines]
