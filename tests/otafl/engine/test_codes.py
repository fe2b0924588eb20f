"""Codes and allocations on the ledger: closed forms on flat channels, and limits."""

import numpy as np
import pytest

import otafl
from otafl.channels.codes import Normal, dispersion, nr
from otafl.engine.costs import COSTS
from otafl.errors import OtaflError
from tests.otafl.small import costs_of, dotted, group_of, settings_of

FLAT = {"method": "D-FADMM", "channel.fading": "none", "channel.snr_db": 10.0, "run.seeds": 1, "run.iterations": 3}
CAPACITY = np.log2(1 + 10.0 * 15)
"""Of the one symbol that a subcarrier carries in a slot."""


def first(**keys):
    costs = costs_of(group_of("quickstart", FLAT | dotted(keys)), 1)
    return dict(zip(COSTS.values(), costs[0, : len(COSTS), 0], strict=True))


@pytest.mark.parametrize("error", [1e-5, 1e-1])
def test_slots_of_codewords_on_a_flat_channel(error):
    """b = n·C - √(nV)·Q⁻¹(ε) solved for the symbols n of a worker's S/N subcarriers, and 1/(1 - ε) times that in uses
    and energy; the upload ends with the last of N workers."""
    point = settings_of("quickstart", FLAT)
    share = int(point.uplink.subcarriers) / point.federation.workers
    bits = 32 * 10
    code, spread = Normal(error), dispersion(np.array(CAPACITY))
    once = np.ceil(code.length(bits, np.array(share * CAPACITY), share * spread))
    last, slots = np.sum(1 - (1 - error ** np.arange(100.0)) ** point.federation.workers), once / (1 - error)
    costs = first(uplink__code="normal", uplink__block_error=error)
    assert costs["time_slots"] == pytest.approx(once * last)
    assert costs["channel_uses"] == pytest.approx(slots * point.uplink.subcarriers)
    assert costs["energy"] == pytest.approx(slots * int(point.uplink.subcarriers) * 10 * 15e3 * 1e-9 * 1e-3)


def test_codewords_that_fail_half_of_the_time_have_the_rate_of_shannons_and_are_sent_twice_in_the_mean():
    shannon, half = first(), first(uplink__code="normal", uplink__block_error=0.5)
    for name in ("channel_uses", "energy"):
        assert half[name] == pytest.approx(2 * shannon[name], rel=1e-9)
    assert half["time_slots"] > 2 * shannon["time_slots"]


def test_an_upload_in_one_slot_takes_as_many_as_its_last_worker_has_attempts():
    """Σ_k [1 - (1 - ε^k)^N]."""
    slots = first(uplink__code="normal", uplink__block_error=0.2, uplink__subcarriers="one_slot")["time_slots"]
    point = settings_of("quickstart", FLAT)
    expected = np.sum(1 - (1 - 0.2 ** np.arange(100.0)) ** point.federation.workers)
    assert slots == pytest.approx(expected, rel=1e-8)


def test_who_shares_the_band_better_ends_sooner():
    keys = {"channel__fading": "rayleigh", "channel__snr_db": 0.0}
    slots = {kind: first(uplink__allocation=kind, **keys)["time_slots"] for kind in ("equal", "min_makespan")}
    assert slots["min_makespan"] < 0.7 * slots["equal"]


def test_a_codeword_through_several_blocks_is_that_of_one_where_nothing_changes():
    """Jakes fading at a speed of nothing, on a clock of blocks that are shorter than an upload."""
    keys = {"channel__fading": "jakes", "channel__speed_m_s": 0.0, "uplink__code": "normal"}
    assert first(**keys)["time_slots"] == first(**keys, channel__coherence_s=5e-3)["time_slots"]


def test_without_noise_an_estimation_error_is_all_that_limits_a_rate():
    """log2(1 + |ĥ|²/σ²): what the rate comes to as the SNR grows, the pilots' own SNR left as it is."""
    keys = {"channel__fading": "rayleigh", "channel__pilots": 2}
    assert first(**keys, channel__snr_db=np.inf)["time_slots"] == first(**keys, channel__snr_db=200.0)["time_slots"]


def test_schemes_of_nr_are_slower_than_capacity_and_refused_below_their_tables():
    """Slots are b over S/N subcarriers of their goodput; at -2 dB a symbol, not at -2.1."""
    pytest.importorskip("sionna.sys", reason="sionna cannot be imported")
    low = {"channel__snr_db": 0.0, "uplink__code": "nr", "uplink__block_error": 0.1}
    slots = np.ceil(32 * 10 / (0.5 * nr.goodput(np.log2(1 + np.array(15.0)), 0.1)))
    assert first(**low)["time_slots"] == pytest.approx(slots)
    assert first(channel__snr_db=0.0)["time_slots"] < 0.9 * slots
    lowest = nr.LEAST_DB - 10 * np.log10(15)
    otafl.load("quickstart", FLAT | {"uplink.code": "nr", "channel.snr_db": lowest + 1e-6})
    with pytest.raises(OtaflError, match=r"needs symbols with an SNR of at least -2 dB, .* gives -2\.1 dB"):
        otafl.load("quickstart", FLAT | {"uplink.code": "nr", "channel.snr_db": lowest - 0.1})
