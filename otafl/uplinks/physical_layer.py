"""Parts of the physical layer of a run, made from its keys."""

import math
from dataclasses import replace

import numpy as np

from otafl.channels import fading
from otafl.channels.cell import THERMAL_DBM_PER_HZ, Cell, Drop
from otafl.channels.errors import ParameterError
from otafl.channels.fading.plane_waves import LIGHT_M_S
from otafl.channels.frame import noise_on_lines
from otafl.channels.grid import Grid
from otafl.channels.imperfections import Imperfections
from otafl.channels.neighbours import Neighbours
from otafl.channels.oscillators import Oscillators
from otafl.channels.power import transmit_power_w
from otafl.errors import OtaflError
from otafl.numerics import seeds
from otafl.settings.cell import Cell as CellKeys
from otafl.settings.keys import Settings
from otafl.uplinks.kinds import UPLINKS, kind

OSCILLATORS = tuple(
    f"channel.{name}" for name in ("carrier_offset_hz", "carrier_offset_ppm", "linewidth_hz", "server_linewidth_hz")
)
"""Scenario keys of carriers that are not synchronised."""
OF_OFFSETS = ("channel.carrier_offset_law", "channel.carrier_offset_drawn")
"""Scenario keys that describe carrier offsets."""
RADIO = (
    "channel.fading",
    "channel.snr_db",
    "channel.symbol_snr_db",
    "channel.pilots",
    "channel.pilot_snr_db",
    "channel.estimator",
    "channel.carrier_hz",
    *OSCILLATORS,
    *OF_OFFSETS,
    "channel.evolves",
    "channel.pilot_period_slots",
    "channel.between_pilots",
    "federation.cut_chance",
    *(f"cell.{name}" for name in CellKeys.model_fields),
    "uplink.subcarriers",
    "uplink.subcarrier_spacing_hz",
    "uplink.slot_s",
    "uplink.symbols_per_slot",
    "uplink.power_reference",
    "uplink.noise_psd_w_per_hz",
    "uplink.charge_downlink",
)
"""Scenario keys that every uplink over the radio channel reads."""


def interferes(settings: Settings) -> bool:
    """Return True where symbols or subcarriers of an upload mix."""
    return imperfections(settings).mixes or bool(changing(settings))


def changing(settings: Settings) -> str:
    """Return the key of what changes from symbol to symbol of an upload; empty where nothing does."""
    channel = settings.channel
    moves = channel.evolves == "by_symbol" and channel.model_dump()["speed_m_s"] > 0
    return next((key for key in OSCILLATORS if settings.value(key)), "channel.evolves" if moves else "")


def drawn_by_upload(settings: Settings) -> bool:
    """Return True where each upload has pilots, phases or offsets of its own, and not each coherence block."""
    channel = settings.channel
    drawn = channel.pilots, channel.phase_error_rad, channel.timing_error_s, channel.linewidth_hz
    walks = any(drawn) or channel.server_linewidth_hz > 0 or channel.carrier_offset_drawn == "each_upload"
    return bool(changing(settings)) and walks


def neighbours(settings: Settings) -> Neighbours | None:
    """Return the neighbouring cells of a run whose workers interfere; None: there are none."""
    keys = settings.cell
    return Neighbours(cell(settings), keys.neighbours, keys.activity) if keys.neighbours else None


def snr(settings: Settings) -> float:
    """Return P/(W·N0) of a run, linear: transmit power P over the noise of one subcarrier of width W."""
    return float(np.power(10.0, settings.channel.snr_db / 10))


def power_w(settings: Settings) -> float:
    """Return the transmit power P of a run on one subcarrier [W]."""
    uplink = settings.uplink
    return float(transmit_power_w(settings.channel.snr_db, uplink.subcarrier_spacing_hz, uplink.noise_psd_w_per_hz))


def symbol_gain(settings: Settings) -> float:
    """Return W·T/q, the SNR of one of q symbols in a slot T over that of its subcarrier of bandwidth W."""
    uplink = settings.uplink
    if uplink.symbols_per_slot == "as_printed":
        return 1.0
    return uplink.subcarrier_spacing_hz * uplink.slot_s / uplink.symbols_per_slot


def symbol_snr_db(settings: Settings) -> float:
    """Return the SNR of a symbol at a channel gain of 1, its energy P·T/q over the noise density N0 [dB].

    >>> import otafl
    >>> ((_, settings),) = otafl.load("quickstart", {"method": "A-FADMM", "channel.snr_db": 20.0}).points()
    >>> print(f"{symbol_snr_db(settings):.2f} dB")
    31.76 dB
    """
    return settings.channel.snr_db + decibels(symbol_gain(settings))


def decibels(ratio: float) -> float:
    return 10 * math.log10(ratio)


def grid(settings: Settings, elements: int) -> Grid:
    """Return the grid of an upload of d real numbers; "one_slot" gives just enough subcarriers for one slot."""
    single, count = subcarrier(settings), settings.subcarriers
    return replace(single, subcarriers=single.analog_slots(elements) if count == "one_slot" else int(count))


def subcarrier(settings: Settings) -> Grid:
    uplink = settings.uplink
    q = 1 if uplink.symbols_per_slot == "as_printed" else uplink.symbols_per_slot
    return Grid(1, uplink.subcarrier_spacing_hz, uplink.slot_s, q, uplink.elements_per_symbol)


def draws_lines(settings: Settings) -> bool:
    """Return True for digital uploads whose receiver draws lines between pilots, the last of them after the data."""
    return settings.channel.between_pilots == "linear" and bool(changing(settings)) and UPLINKS[kind(settings)].splits


def imperfections(settings: Settings) -> Imperfections:
    channel, single = settings.channel, subcarrier(settings)
    period = channel.pilot_period_slots * single.symbols_per_slot
    return Imperfections(
        pilots=channel.pilots,
        pilot_snr=10 ** (channel.pilot_snr_db / 10),
        phase_error_rad=channel.phase_error_rad,
        timing_error_s=channel.timing_error_s,
        spacing_hz=single.spacing_hz,
        symbol_s=single.window_s,
        noise_share=noise_on_lines(period, pilots_in_turn(settings)) if draws_lines(settings) else 1.0,
        estimator=channel.estimator,
    )


def pilots_in_turn(settings: Settings) -> int:
    """Return the number of pilots in a worker's turn: those of each antenna, and over each element of a surface."""
    cell = settings.cell
    return settings.channel.pilots * cell.worker_antennas * (1 + cell.surface_elements)


def oscillators(settings: Settings) -> Oscillators:
    """Return the oscillators of workers and server in a run, and the symbols on which they act."""
    channel, single = settings.channel, subcarrier(settings)
    carrier_hz, speed_m_s = (channel.model_dump()[name] for name in ("carrier_hz", "speed_m_s"))
    moves = channel.evolves == "by_symbol"
    return Oscillators(
        offset_hz=channel.carrier_offset_hz or 1e-6 * channel.carrier_offset_ppm * carrier_hz,
        uniform=channel.carrier_offset_law == "uniform",
        redrawn=channel.carrier_offset_drawn == "each_upload",
        linewidth_hz=channel.linewidth_hz,
        server_linewidth_hz=channel.server_linewidth_hz,
        doppler_hz=speed_m_s * carrier_hz / LIGHT_M_S if moves else 0.0,
        symbol_s=single.symbol_s,
        periods=int(single.window_s * single.spacing_hz),
        spacing_hz=single.spacing_hz,
    )


def cell(settings: Settings) -> Cell:
    keys = settings.cell
    try:
        return Cell(
            radius_m=keys.radius_m or math.inf,
            inner_radius_m=keys.inner_radius_m,
            path_loss_db=keys.path_loss_db,
            path_loss_exponent=keys.path_loss_exponent,
            shadowing_db=keys.shadowing_db,
            most_loss_db=keys.most_loss_db or math.inf,
            sector_deg=keys.sector_deg,
        )
    except ParameterError:
        rule = f"must be below cell.radius_m = {keys.radius_m:g}"
        raise OtaflError("cell.inner_radius_m", keys.inner_radius_m, rule) from None


def snr_lines(settings: Settings, analog: bool) -> list[str]:
    """Return lines of text on the SNRs of an upload: of a subcarrier, of a symbol, and of an analog element [dB]."""
    alone, share = settings.uplink.power_reference == "subcarrier", "on all its subcarriers together, "
    power = f"channel.snr_db = {settings.channel.snr_db:.10g}: power P of a worker {'' if alone else share}over W·N0"
    whole = "" if alone else ", if all of P is on its subcarrier"
    lines = [power, f"a symbol has {symbol_snr_db(settings):.1f} dB, energy P·T/q over N0{whole}"]
    if not analog:
        return lines
    parts = settings.uplink.elements_per_symbol
    shared = "half of the power and half" if parts == 2 else "all of the power and half"
    lines.append(f"an element on it has {symbol_snr_db(settings) + decibels(2 / parts):.1f} dB, {shared} of the noise")
    if settings.uplink.power_budget == "per_upload":
        lines.append("uplink.power_budget = per_upload: all symbols of an upload share this power")
    return lines


def budget_lines(settings: Settings) -> list[str]:
    """Return lines of text on the link budget of a run's ring, at inner radius, median and edge [dB]."""
    ring, keys = cell(settings), settings.cell
    median_db, edge_db = ring.median_gain_db, ring.edge_gain_db
    over_db = settings.channel.snr_db - (edge_db if keys.snr_at == "edge" else median_db)
    places = {"inner radius": float(ring.gain_db(ring.inner_radius_m)), "median": median_db, "edge": edge_db}
    lines = [f"at the {name}: path loss {-gain_db:.1f} dB" for name, gain_db in places.items()]
    if keys.snr_at != "worst":  # whose place a seed decides
        snrs_db = [over_db + gain_db for gain_db in places.values()]
        lines = [f"{line}, SNR {snr_db:.1f} dB on one subcarrier" for line, snr_db in zip(lines, snrs_db, strict=True)]
    if keys.most_loss_db:
        lines.append(f"{ring.covered:.1%} of the places are covered, with at most {keys.most_loss_db:g} dB of loss")
    if keys.snr_at != "link_budget":
        return lines
    noise_dbm = THERMAL_DBM_PER_HZ + keys.noise_figure_db + 10 * math.log10(settings.uplink.subcarrier_spacing_hz)
    power = f"{keys.transmit_power_dbm:g} dBm of a worker, if on one subcarrier"
    return [f"{power}; noise of a subcarrier {noise_dbm:.1f} dBm", *lines]


def drop(settings: Settings, seed: int) -> Drop:
    """Return the positions and mean path gains of a run's workers in the cell, which do not depend on the fading."""
    try:
        return cell(settings).drop(seeds.generator(seed, "places"), settings.federation.workers)
    except ParameterError as error:
        raise OtaflError("cell.most_loss_db", settings.cell.most_loss_db, error.rule) from None


def weakest_db(settings: Settings, seed: int) -> float | None:
    """Return the weakest mean path gain over that of ``channel.snr_db`` [dB]; None: only a fading model knows it."""
    if settings.cell.radius_m:
        dropped = drop(settings, seed)
        return float(dropped.gain_db.min()) - reference_db(settings, dropped)
    known = settings.cell.snr_at == "worst" or not fading.FADING[settings.channel.fading].costly
    return 0.0 if known else None


def reference_db(settings: Settings, drop: Drop) -> float:
    """Return the path gain [dB] at which a worker has ``channel.snr_db``: at the edge, the median or the worst."""
    if settings.cell.snr_at == "worst":
        return float(drop.gain_db.min())
    whole = cell(settings)
    return whole.edge_gain_db if settings.cell.snr_at == "edge" else whole.median_gain_db
