"""Channels that change within an upload: what arrives over symbols, what pilots cost, and limits without change."""

import tracemalloc

import numpy as np
import pytest
from scipy.special import j0

import otafl
from otafl.channels.frame import noise_on_lines
from otafl.channels.noise import complex_normal
from otafl.engine.channel_process import BlockGains
from otafl.engine.coherence_blocks import segments
from otafl.engine.draws import Draws
from otafl.errors import Remark
from otafl.uplinks.analog import Analog
from tests.otafl.small import SMALL, chosen, costs_of, dotted, group_of

STILL = {"channel.fading": "jakes", "channel.evolves": "by_symbol", "channel.speed_m_s": 0.0}
MOVING = {"channel.fading": "jakes", "channel.evolves": "by_symbol", "channel.speed_m_s": 2.0}
DOPPLER_HZ = 2.0 * 3.5e9 / 299_792_458.0


def group(**keys):
    return group_of("quickstart", SMALL | {"method": "A-GD", "uplink.subcarriers": 1} | dotted(keys))


def over_symbols(made, symbols: int) -> tuple[np.ndarray, np.ndarray]:
    """Gains of a group's workers as they arrive, and as they are known. Shape [workers, symbols, subcarriers] each."""
    state = made.air.during([0], int(made.settings.subcarriers), symbols=symbols)
    return tuple(part[0].reshape(made.workers, symbols, -1) for part in (state.h, state.worker))


@pytest.mark.daily(1)
@pytest.mark.parametrize("method", ["A-FADMM", "D-FADMM", "FedAvg@analog"])
def test_without_speed_and_offset_results_are_as_without_these_keys(method):
    keys = SMALL | {"method": method, "run.iterations": 12, "run.seeds": 2, "channel.snr_db": 10.0}
    still = otafl.run("quickstart", keys | STILL | {"channel.carrier_offset_hz": 0.0, "channel.linewidth_hz": 0.0})
    plain = otafl.run("quickstart", keys | {"channel.fading": "jakes", "channel.speed_m_s": 0.0})
    assert still.equals(plain)


def test_a_sum_under_normal_offsets_has_the_mean_and_variance_of_turned_symbols():
    """Symbol m arrives as cos(2πf·mT), f ~ N(0, σ²): mean e^(-s²/2), variance (1 + e^(-2s²))/2 - e^(-s²)."""
    keys = {"channel__fading": "none", "channel__carrier_offset_hz": 60.0, "uplink__symbols_per_slot": 1}
    made = group(**keys, federation__workers=4000, problem__samples=8000)
    (arrival,) = made.channels([0]).arrival[..., 0]
    spread, oscillators = (2 * np.pi * 60e-3 * np.arange(1, 5)) ** 2, made.air.oscillators
    kept = np.mean(oscillators.shares(oscillators.offsets_hz(made.air.oscillator_seeds[0], 0, 4000))[0])
    np.testing.assert_allclose(arrival.mean(axis=0), np.sqrt(kept) * np.exp(-spread / 2), atol=0.03)
    variance = kept * ((1 + np.exp(-2 * spread)) / 2 - np.exp(-spread))
    np.testing.assert_allclose(arrival.var(axis=0), variance, atol=0.02)


@pytest.mark.parametrize("fading", ["jakes", "tdl"])
def test_a_moving_gain_is_correlated_with_its_pilot_as_a_bessel_function(fading):
    many = {"federation.workers": 1500, "problem.samples": 3000, "uplink.subcarriers": 8}
    made = group(**MOVING | many | {"channel.fading": fading})
    h, known = over_symbols(made, 6)
    correlation = np.mean(h * known.conj(), axis=(0, 2)).real
    np.testing.assert_allclose(correlation, j0(2 * np.pi * DOPPLER_HZ * 1e-3 * np.arange(1, 7)), atol=0.06)
    np.testing.assert_allclose(np.mean(np.abs(h) ** 2, axis=(0, 2)), 1, atol=0.06)


@pytest.mark.parametrize(("fading", "line"), [("jakes", "C"), ("tdl", "C"), ("tdl", "D")])
def test_gains_within_a_block_begin_where_it_does_and_end_where_the_next_one_begins(fading, line):
    keys = {"channel.fading": fading, "channel.coherence_iterations": 10.0, "uplink.subcarriers": 4}
    made = group(**MOVING | keys | ({"channel.tdl_model": line} if fading == "tdl" else {}))
    (fading_of_seed,) = made.air.realised
    steps = np.array([[0, 10]] * made.workers)
    within = fading_of_seed.moving(3, 4, 1e-3, steps)
    for place, block in enumerate((3, 4)):
        np.testing.assert_allclose(within[:, :, place], fading_of_seed.gains(block, 4), atol=1e-4)


def test_a_pilot_in_each_period_keeps_phases_close():
    often = {"channel__pilot_period_slots": 2}
    far, near, line = (
        over_symbols(group(channel__carrier_offset_hz=20.0, **keys), 8)
        for keys in ({}, often, often | {"channel__between_pilots": "linear"})
    )
    errors = [np.abs(np.angle(h / known)) for h, known in (far, near, line)]
    assert errors[0][:, 7].mean() > 3 * errors[1][:, 7].mean()
    np.testing.assert_allclose(errors[1][:, 6], errors[1][:, 0], atol=1e-9)
    np.testing.assert_allclose(errors[2][:, 2:], 0, atol=1e-9)


def test_energies_do_not_depend_on_the_servers_phase():
    """FSK-MV compares |Σ_n h_n·p_n|²: phase noise that all workers have in common takes what a window loses alone."""
    keys = chosen("FedSGD@analog", {"scheme": "FSK-MV"}, subcarriers=4, symbols_per_slot=14, channel__fading="rayleigh")
    still, noisy = (
        group_of("digits_quickstart", keys | {"channel.server_linewidth_hz": width}).channels([0])
        for width in (0.0, 5.0)
    )
    assert noisy.quadrature is not None
    summed = noisy.arrival.sum(axis=1) + 1j * noisy.quadrature.sum(axis=1)
    constant = still.arrival.sum(axis=1) + 1j * still.quadrature.sum(axis=1)
    ratio = np.abs(summed).reshape(-1, 4) / np.abs(constant).reshape(-1, 4)
    np.testing.assert_allclose(ratio, ratio[0, 0], rtol=1e-4)
    assert 0.99 < ratio[0, 0] < 1


def test_every_period_of_an_analog_upload_has_its_pilots_and_pays_for_them():
    """7 elements on one subcarrier: 7 slots, pilots of 5 workers in turn before slots 1, 3, 5 and 7 of each upload."""
    keys = {"channel.pilots": 2, "problem.dimension": 7, "channel.coherence_iterations": 2.0, "federation.workers": 5}
    tracked = costs_of(group(**keys, channel__linewidth_hz=0.1, channel__pilot_period_slots=2), 4)[:, :3, 0]
    plain = costs_of(group(**keys), 4)[:, :3, 0]
    pilots = 4 * 2 * 5
    assert len(group(**keys).air.frame(7).last_pilots[0]) == 1
    np.testing.assert_allclose(tracked[1::2] - plain[1::2], [[pilots, pilots, pilots * 1e-9 * 100]] * 2)
    np.testing.assert_allclose(tracked[0], tracked[1])


@pytest.mark.parametrize(("between", "after"), [("hold", 0), ("linear", 1)])
def test_a_digital_upload_has_a_lower_rate_and_pays_for_pilots_in_every_period(between, after):
    """A pilot of all on 10 subcarriers before each slot, and where lines end; at 300 dB it leaves no error."""
    keys = {"method": "D-FADMM", "uplink.subcarriers": 10, "federation.workers": 5}
    free = keys | {"channel.linewidth_hz": 50.0, "channel.pilot_period_slots": 2, "channel.between_pilots": between}
    paid = free | {"channel.linewidth_hz": 1e-9, "channel.pilots": 1, "channel.pilot_snr_db": 300.0}
    still, free, paid = (costs_of(group(**given), 2)[1, :3, 0] for given in (keys, free, paid))
    assert free[0] > still[0]
    rounds = np.ceil(still[0] / 2) + after
    np.testing.assert_allclose(paid - still, rounds * np.array([1, 10, 10 * 1e-9 * 1e30]))


def test_an_upload_over_several_blocks_has_pilots_in_each_also_in_one_long_period():
    keys = {"method": "D-FADMM", "channel.coherence_s": 5e-3, "uplink.subcarriers": 10, "channel.pilots": 1}
    keys |= {"channel.pilot_snr_db": 300.0}  # so that pilots of either leave no error
    tracked = keys | {"channel.linewidth_hz": 1e-9, "channel.pilot_period_slots": 1000}
    tracked |= {"channel.between_pilots": "hold"}
    still, tracked = (costs_of(group(**given), 3) for given in (keys, tracked))
    assert still[0, 0, 0] > 3 * 5
    np.testing.assert_allclose(tracked, still, rtol=1e-3)


def test_the_band_of_a_followed_worker_has_its_share_and_what_is_lost():
    made = group(method="D-FADMM", channel__linewidth_hz=2.0, channel__pilot_period_slots=3, channel__pilots=1)
    band, followed = BlockGains(made.air, 0, np.zeros(1, int)), made.air.followed(0)
    plain = made.air.alone(0, 4)
    np.testing.assert_allclose(band.first(4), plain * np.sqrt(followed.share))
    split = made.air.split(0, np.arange(made.workers), 1, 0)
    np.testing.assert_allclose(band.split(0, 1), split * np.sqrt(followed.share[0]))
    np.testing.assert_allclose(band.turned, followed.turned)
    np.testing.assert_allclose(band.errors, made.air.errors + followed.moved)


def test_symbols_within_which_carriers_turn_far_are_remarked_on():
    keys = SMALL | {"method": "A-FADMM", "channel.carrier_offset_hz": 350.0}
    with pytest.warns(Remark, match=r"turns by 0.33 periods within a symbol of 1 ms.* uplink.symbols_per_slot = 14"):
        otafl.load("quickstart", keys)
    with pytest.warns(Remark) as caught:
        otafl.load("quickstart", keys | {"uplink.symbols_per_slot": 14, "channel.snr_db": np.inf})
    assert not [one for one in caught if "turns by" in str(one.message)]


@pytest.mark.slow
def test_pilots_that_are_far_apart_are_remarked():
    """350 Hz turn by 0.35 periods in a slot: 40 times fewer bits arrive where a digital receiver holds its phase."""
    keys = {"method": "D-FADMM", "channel.pilots": 1, "channel.pilot_period_slots": 1, "uplink.symbols_per_slot": 14}
    keys |= {"channel.carrier_offset_hz": 350.0, "run.iterations": 2}
    with pytest.warns(Remark, match=r"offsets turn by 0.35 periods until the next pilots.*; linear follows them"):
        held = otafl.load("quickstart", keys | {"channel.between_pilots": "hold"})
    linear = otafl.load("quickstart", keys)
    slots = [otafl.run(study)["time_slots"].values[:, -1].min() for study in (held, linear)]
    assert slots[0] > 40 * slots[1]


def test_an_uplink_of_a_users_own_that_asks_for_subcarriers_alone_still_works(registries):
    class Own(Analog):
        def channel(self, gains, workers, runs, dtype):
            return super().channel(lambda subcarriers, symbols: gains(subcarriers), workers, runs, dtype)

    otafl.uplink("own")(Own)
    keys = SMALL | {"method": "A-GD", "run.iterations": 3, "channel.linewidth_hz": 1.0, "uplink.subcarriers": 1}
    assert np.isfinite(otafl.run("quickstart", keys | {"uplink.kind": "own"})["loss"]).all()


OFTEN = {"channel.pilots": 1, "channel.pilot_period_slots": 1, "channel.between_pilots": "linear"}


@pytest.mark.parametrize("keys", [{"channel.carrier_offset_hz": 5.0}, MOVING, MOVING | OFTEN])
def test_gains_of_all_symbols_take_what_is_estimated(keys):
    """No more, and no less than a third: 100 workers, 256 elements on 16 subcarriers."""
    many = {"uplink.subcarriers": 16, "problem.dimension": 256, "problem.samples": 1000, "federation.workers": 100}
    made = group(**many | keys)
    made.channels([0])
    tracemalloc.start()
    made.channels([1])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    taken = peak + sum(one.memory(16, 1) for one in made.air.realised)
    assert taken <= made.air.demand(1, 16, made.uplink.symbols_on_subcarrier).size <= 3 * taken


BLOCK = {"method": "A-GD", "channel.coherence_iterations": 3.0, "channel.linewidth_hz": 1e-3, "channel.pilots": 1}


def test_every_upload_of_a_block_has_pilots_and_phases_of_its_own():
    """Nine uploads in three blocks: gains of three channels, known by nine independent pilots of variance 1/E."""
    keys = BLOCK | {"channel.estimator": "least_squares", "channel.pilot_snr_db": 0.0, "federation.workers": 300}
    made = group(**keys)
    parts = list(segments(9, made.coherence, 1))
    assert [(part.block, part.upload) for part in parts[2:5]] == [(0, 2), (1, 0), (1, 1)]
    estimates = [made.air.of_upload(part.upload).during([part.block], 10).worker[0, :, :10] for part in parts]
    errors = np.array(estimates) - [made.air.fading[0].gains(part.block, 10)[:, 0] for part in parts]
    correlation = np.einsum("uws,vws->uv", errors, errors.conj()) / errors[0].size
    np.testing.assert_allclose(correlation, np.eye(9), atol=0.08)
    draws = Draws(made)
    arrival = draws.channels(parts).arrival
    for place, part in enumerate(parts):
        alone = made.channels([part.block], upload=part.upload).arrival
        np.testing.assert_array_equal(arrival[place], alone[0])
    phases = [made.air.oscillators.phases(made.air.oscillator_seeds[0], 0, 3, 9, upload) for upload in range(3)]
    assert len({float(walk[0, -1]) for walk in phases}) == 3


@pytest.mark.parametrize("method", ["A-GD", "D-FADMM", "FedAvg"])
def test_what_is_paid_in_every_upload_is_drawn_in_every_upload(method):
    """Errors of sums, or slots of coded uploads, differ from upload to upload of a block of all iterations."""
    keys = BLOCK | {"channel.pilot_period_slots": 1, "channel.coherence_iterations": 100.0, "channel.pilot_snr_db": 5.0}
    keys |= {"method": method, "run.iterations": 5, "run.seeds": 1, "federation.workers": 4, "channel.snr_db": 60.0}
    found = otafl.run("digits_quickstart" if method == "FedAvg" else "quickstart", keys, store=False)
    values = found["aggregation_nmse"] if method == "A-GD" else found["time_slots"].diff("iteration")
    assert len({*values.values.ravel()}) == values.size


@pytest.mark.parametrize("delay", [0, 3])
def test_csi_that_is_told_later_is_older(delay):
    """A worker's offset turns its symbols by 2πf·(k + 1 + D) for the k-th symbol and a delay of D symbols."""
    keys = {"method": "A-GD", "channel.carrier_offset_hz": 1.0, "problem.dimension": 30, "channel.fading": "none"}
    made = group(**keys, channel__csi_delay_s=delay * 1e-3)
    state, air = made.air.during([0], 10, symbols=3), made.air
    turned = np.angle(state.h[0] / state.worker[0]).reshape(-1, 3, 10)[:, :, 0]
    age_s = 1e-3 * (np.arange(3) + 1 + delay)
    expected = 2 * np.pi * np.outer(air.oscillators.offsets_hz(air.oscillator_seeds[0], 0, made.workers), age_s)
    np.testing.assert_allclose(np.exp(1j * turned), np.exp(1j * expected), rtol=1e-6)


def test_lines_between_pilots_have_the_noise_of_both():
    """Mean |(1-w)·z + w·z'|² over symbols, against drawn pilots, and what a digital receiver takes it to be."""
    period, rng = 14, np.random.default_rng(0)
    weight, noise = np.arange(1, period + 1) / (period + 1), complex_normal(rng, (2, 20_000, 1), 1.0)
    drawn = np.mean(np.abs((1 - weight) * noise[0] + weight * noise[1]) ** 2)
    np.testing.assert_allclose(noise_on_lines(period, pilots=1), drawn, rtol=0.02)
    keys = {"method": "D-FADMM", "channel.linewidth_hz": 1e-9, "channel.pilots": 1}
    keys |= {"channel.pilot_period_slots": period}
    held, line = (group(**keys, channel__between_pilots=between).air.errors for between in ("hold", "linear"))
    np.testing.assert_allclose(1 / line - 1, (1 / held - 1) / noise_on_lines(period, pilots=1))
    assert group(**keys).settings.channel.between_pilots == "linear"
