"""Schemes and their parts, in the link and in whole runs: budgets, errors, votes, and what is refused."""

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import otafl
from otafl.algorithms import METHODS
from otafl.channels.effective_channel import Effective
from otafl.channels.power_control import AveragePower, ScheduledPower
from otafl.cli.key_reference import explain
from otafl.compressors import Sign
from otafl.errors import OtaflError, Remark
from otafl.federation.round_draw import RoundDraw
from otafl.receivers import Majority
from otafl.scenario.stored_scenario import parse_stored
from otafl.schemes import SCHEMES
from otafl.uplinks.analog import Analog
from otafl.uplinks.analog_link import AnalogLink, Radio
from otafl.uplinks.chain import PARTS
from tests.otafl.uplinks.links import draw_of, linked
from tests.rounding import assert_close

BUDGET, STD = 2.0, 0.3
SMALL = {"federation.workers": 6, "local.steps": 2, "run.iterations": 4, "run.seeds": 1, "channel.snr_db": 10.0}
POWER = 10 * 15e3 * 1e-9
"""P of these runs [W]."""
FINDABLE = {"uplink__compression_ratio": 0.5, "uplink__sparsity": 0.02}
"""Sums of 6 sparse updates that message passing finds: at most 0.24 elements for a measurement."""
SUMS = [name for name, scheme in SCHEMES.items() if scheme.uplink == "analog" and "receiver" not in scheme.parts]
SUMS += ["A-DSGD", "CA-DSGD"]
"""Analog schemes that carry sums of vectors."""


def inputs(gain, budgeted_power=None, arrival=None, iteration=0, std=STD, seed=0) -> tuple[RoundDraw, Radio]:
    """One vector of 5 workers' elements over these gains, all inverted."""
    numbers = (tf.constant([value], tf.float64) for value in (BUDGET, std, 1e-3))
    radio = Radio(*numbers, (), tf.constant([float(gain.shape[1])], tf.float64))
    noise = tf.constant(np.random.default_rng(seed).standard_normal((1, *gain.shape[1:])))
    channel = Effective(gain, arrival, 1 / gain, None, budgeted_power=budgeted_power)
    return draw_of(channel, noise, number=tf.constant(iteration)), radio


def scheduled(given: tuple[RoundDraw, Radio], norm=1.0, decay=0.5) -> AnalogLink:
    """A link whose power follows a schedule of norms."""
    numbers = (tf.constant([value], tf.float64) for value in (norm, decay))
    return linked(*given, power_control=ScheduledPower(*numbers))


def voting(given: tuple[RoundDraw, Radio]) -> AnalogLink:
    """A link over which signs are counted, with power on average over fading."""
    return linked(*given, compressor=Sign(), power_control=AveragePower(), receiver=Majority())


def drawn(elements=40):
    rng = np.random.default_rng(5)
    gain = rng.exponential(size=(5, elements, 1)) + 0.3
    return gain, tf.constant(rng.standard_normal((5, elements, 1))), np.full((5, 1, 1), 1 / 0.3)


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("iteration", [0, 24])
def test_scheduled_factors_never_exceed_a_budget_and_noise_follows_the_schedule(scale, iteration):
    """α² = budget·h_min²/L_t², whatever is sent; what is longer than L_t arrives with that length."""
    gain, message, budgeted_power = drawn()
    norm = 3.0 / np.sqrt(iteration + 1)
    made = scheduled(inputs(gain, budgeted_power, iteration=iteration), norm=3.0)
    sent = made.sent(scale * message)
    upload = made.received(sent)
    length = np.linalg.norm(scale * message, axis=1, keepdims=True)
    shortened = scale * message * np.minimum(1, norm / length)
    noise = STD * np.sqrt(norm**2 / 0.3 / BUDGET) * made.draw.noise[0]
    np.testing.assert_allclose(upload.total[0], np.sum(shortened, axis=0) + noise, rtol=1e-9)
    used = np.sum(shortened**2 / gain, axis=1) * BUDGET * 0.3 / norm**2
    assert used.max() <= BUDGET
    assert upload.power.numpy()[0] == pytest.approx(used.max() / 40, rel=1e-9)
    assert upload.energy.numpy()[0] == pytest.approx(used.sum() * 1e-3, rel=1e-9)


@pytest.mark.parametrize("link", [scheduled, lambda given: linked(*given)], ids=["scheduled", "common"])
def test_a_vector_of_zeros_stays_one_and_costs_nothing(link):
    gain, message, budgeted_power = drawn()
    made = link(inputs(gain, budgeted_power, std=0.0))
    upload = made.received(made.sent(0 * message))
    assert not upload.total.numpy().any()
    assert upload.energy.numpy()[0] == 0


def test_votes_are_those_of_the_majority_without_noise_and_wrong_ones_are_counted():
    gain, message, _ = drawn()
    majority = np.sign(np.sign(message).sum(axis=0))
    made = voting(inputs(gain, np.full((5, 1, 1), 2.0), std=0.0))
    upload = made.received(made.sent(message))
    np.testing.assert_array_equal(upload.total[0], majority)
    assert upload.error.numpy()[:, 0].tolist() == [0.0, 40.0]
    loud = voting(inputs(gain, np.full((5, 1, 1), 2.0), std=20.0))
    upload = loud.received(loud.sent(message))
    wrong = np.count_nonzero(upload.total[0] != majority)
    assert wrong > 5
    assert upload.error.numpy()[0, 0] == 4 * wrong


def test_the_power_of_votes_does_not_depend_on_how_many_elements_are_zero():
    """α² = P/E1(g), known beforehand: nobody is told."""
    gain, message, _ = drawn()
    budgeted_power = np.full((5, 1, 1), 2.0)
    sparse = np.where(np.arange(40)[:, None] < 36, 0.0, message)
    made = voting(inputs(gain, budgeted_power))
    powers = [made.received(made.sent(tf.constant(one))).power.numpy()[0] for one in (message.numpy(), sparse)]
    expected = [np.max(np.sum((one != 0) / gain, axis=1)) / 40 * BUDGET / (2 * 40) for one in (message.numpy(), sparse)]
    np.testing.assert_allclose(powers, expected, rtol=1e-9)


def test_magnitudes_do_not_matter_to_votes():
    gain, message, _ = drawn()
    one, other = (voting(inputs(gain, np.full((5, 1, 1), 2.0))) for _ in range(2))
    np.testing.assert_array_equal(one.received(one.sent(message)).total, other.received(other.sent(message**3)).total)


def test_errors_are_of_the_sum_that_was_meant():
    """Arrivals that are not 1 and noise: two routes."""
    gain, message, _ = drawn()
    arrival = np.random.default_rng(1).uniform(0, 2, gain.shape)
    made = linked(*inputs(gain, arrival=arrival))
    upload = made.received(made.sent(message))
    target_sum = np.sum(message, axis=0)
    off = np.sum((upload.total[0].numpy() - target_sum) ** 2)
    np.testing.assert_allclose(upload.error[:, 0], [off, np.sum(target_sum**2)], rtol=1e-9)


def run(**keys):
    return otafl.run("digits_quickstart", SMALL | {key.replace("__", "."): value for key, value in keys.items()})


@pytest.mark.slow
@pytest.mark.parametrize("name", SUMS)
def test_every_scheme_of_sums_keeps_to_its_power_budget(name):
    """With one vector and with two, on subcarriers that fade apart and together; BAA does so on average over fading."""
    parts = SCHEMES[name].parts
    keys: dict[str, Any] = {"uplink__inversion_threshold": 0.3} if "truncated" in parts["precoder"] else {}
    keys |= FINDABLE if "compressor" in parts else {}
    fading, methods = ["rayleigh", "tdl"], ["FedAvg@analog", "SCAFFOLD@analog"]
    data = run(method=methods, channel__fading=fading, uplink__scheme=name, **keys)
    assert np.isfinite(data["loss"]).all()
    error, power = data["aggregation_nmse"], data["worker_power"]
    assert (error > 0).all()
    assert (error < 1).all()
    assert (power > 1e-3 * POWER).all()
    assert name == "BAA" or (power <= POWER * (1 + 1e-6)).all()


@pytest.mark.parametrize("pilots", [{}, {"channel__pilots": 1, "channel__pilot_snr_db": 0.0}])
def test_power_on_average_over_fading_keeps_to_the_budget(pilots):
    """That of the worker which sends most, of 2, in 150 blocks and on 64 subcarriers."""
    keys = {"federation__workers": 2, "run__iterations": 150, "run__evaluate_every": 150, "local__steps": 1}
    keys |= {"channel__coherence_iterations": 1, "uplink__inversion_threshold": 0.3, "uplink__subcarriers": 64}
    power = run(method="FedAvg@analog", uplink__scheme="BAA", **keys, **pilots)["worker_power"]
    other = power.mean().item() / POWER
    assert 0.5 < other < 1.1


def test_full_inversion_without_noise_makes_no_error_and_uses_the_whole_budget():
    data = run(method="FedAvg@analog", uplink__precoder="channel_inversion", channel__snr_db=[10.0, np.inf])
    assert (data["aggregation_nmse"].sel(snr_db=np.inf) < 1e-12).all()
    np.testing.assert_allclose(data["worker_power"].sel(snr_db=10.0), POWER, rtol=1e-5)


def test_quantised_analog_elements_have_the_bits_that_are_asked_for():
    keys = {"method": "FedSGD@analog", "uplink.compressor": "qsgd", "run.iterations": 2, "run.seeds": 1}
    coarse, fine = (otafl.run("digits_quickstart", keys | {"uplink.bits_per_element": bits}) for bits in (2, 24))
    assert coarse["aggregation_nmse"].values.max() > 10 * fine["aggregation_nmse"].values.max()


def test_a_run_of_several_signal_to_noise_ratios_is_that_of_each():
    """Power control that depends on the SNR is found for each."""
    keys = {"method": "A-GD", "uplink.scheme": "MMSE", "run.iterations": 5, "run.seeds": 1}
    both, one = (otafl.run("quickstart", keys | {"channel.snr_db": snr_db}) for snr_db in ([0.0, 20.0], 20.0))
    assert_close(both["loss"].sel(snr_db=20.0), one["loss"])


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"method": "A-SFADMM", "uplink.scheme": "COTAF"}, "must be 'channel_inversion': A-SFADMM already weighs by gains"),
    ({"method": "SCAFFOLD@analog", "uplink.scheme": "OBDA"}, "gives signs, but SCAFFOLD"),
    (
        {"method": "FedSGD@analog", "uplink.scheme": "OBDA", "federation.participation": 0.5},
        "needs all workers in every round",
    ),
    (
        {"method": "FedAvg@analog", "uplink.scheme": "BAA", "cell.antennas": 2},
        "averages over the fading of a single antenna",
    ),
    (
        {"method": "FedAvg@analog", "uplink.scheme": "COTAF", "cell.antennas": 2, "uplink.combiner": "sum"},
        "contradicts uplink.combiner = 'sum'",
    ),
    (
        {"method": "FedSGD@analog", "uplink.scheme": "OBDA", "federation.weights": "samples"},
        "votes have equal weights",
    ),
    (
        {"method": "FedSGD@digital", "uplink.scheme": "signSGD-MV", "federation.participation": 0.5},
        "needs all workers in every round",
    ),
    (
        {"method": "FedSGD@digital", "uplink.scheme": "signSGD-MV", "federation.weights": "samples"},
        "votes have equal weights",
    ),
    ({"method": "SCAFFOLD", "uplink.scheme": "signSGD-MV"}, "gives signs, but SCAFFOLD needs sums of vectors"),
    ({"method": "A-SGD", "uplink.scheme": "COTAF", "local.steps": 5}, "with local.steps sends models"),
    ({"method": "FedAvg@analog", "uplink.scheme": "COTA"}, "must be 'inversion', 'truncation', 'full_power'"),
    ({"method": "FedAvg@digital", "uplink.scheme": "COTAF"}, "do not read it|does not read it"),
    ({"method": "FedAvg@analog", "uplink.update_norm": 2.0}, "does not read it"),
]


@pytest.mark.parametrize(("keys", "rule"), REFUSED)
def test_what_makes_no_sense_is_refused_with_its_reason(keys, rule):
    with pytest.raises(OtaflError, match=rule):
        otafl.load("digits_quickstart", keys)


def test_what_takes_another_power_than_one_would_think_is_remarked_upon():
    with pytest.warns(Remark, match="averages over Rayleigh fading, which rician is not"):
        otafl.load(
            "digits_quickstart",
            {"method": "FedAvg@analog", "uplink.scheme": "BAA", "channel.fading": "rician"},
        )
    with pytest.warns(Remark, match=r"counts the largest power of the precoder, 1e\+12 times"):
        otafl.load("digits_quickstart", {"method": "FedAvg@analog", "uplink.scheme": "COTAF"})


@pytest.mark.parametrize(
    ("key", "part"), [("receiver", "mean_of_active"), ("receiver", "majority"), ("power_control", "common")]
)
def test_a_part_beside_a_scheme_is_refused_though_it_be_the_default(key, part):
    keys = {"method": "FedSGD@analog", "uplink.scheme": "OBDA", f"uplink.{key}": part}
    with pytest.raises(OtaflError, match=rf"uplink.{key} = '{part}': is chosen by uplink.scheme = OBDA"):
        otafl.load("digits_quickstart", keys)


def test_a_part_of_another_uplink_says_which():
    with pytest.raises(OtaflError, match=r'uplink\.kind = "analog" has such a part'):
        otafl.load("digits_quickstart", {"method": "FedAvg", "uplink.precoder": "truncated_inversion"})


@pytest.mark.filterwarnings("ignore::otafl.errors.Remark")
def test_a_shown_scheme_is_read_and_parts_that_follow_from_it_are_left_out():
    made = otafl.load("digits_quickstart", {"method": "FedSGD@analog", "uplink.scheme": "OBDA"})
    shown = made.to_toml(made.read)
    assert 'scheme = "OBDA"\n' in shown
    assert not [key for key in ("compressor", "precoder", "power_control", "receiver") if f"\n{key} = " in shown]
    again = parse_stored("again", shown, "again")
    assert next(again.points())[1].uplink == next(made.points())[1].uplink


def test_a_step_of_one_along_signs_is_remarked_upon():
    with pytest.warns(Remark, match="elements of the model move by up to algorithm.server_step = 1"):
        otafl.load("digits_quickstart", {"method": "FedSGD@digital", "uplink.compressor": "sign"})
    with pytest.warns(Remark, match="elements of the model move by up to algorithm.server_step = 1"):
        otafl.load("digits_quickstart", {"method": "FedSGD@analog", "uplink.scheme": "OBDA"})


def test_every_scheme_and_part_is_explained():
    for name, scheme in SCHEMES.items():
        assert f'uplink.scheme = "{name}"' in explain(name)
        assert scheme.paper.split(" and ")[0] in explain(name)
    for key, registry in PARTS.items():
        for name in registry:
            assert f'uplink.{key} = "{name}"' in explain(name)
    assert "keys: uplink.update_norm, uplink.update_norm_decay" in explain("scheduled")


def test_two_elements_on_a_symbol_share_its_power_and_its_noise():
    """σ² of optimal power control over an element's power is the same whatever rides beside it, but twice the noise."""
    keys = {"method": "FedAvg@analog", "uplink.scheme": "MMSE"}
    for parts in (1, 2):
        ((_, settings),) = otafl.load("digits_quickstart", keys | {"uplink.elements_per_symbol": parts}).points()
        uplink = Analog(settings, METHODS["FedAvg"], 1000)
        radio = uplink.radio
        assert 0.5 / uplink.snr == pytest.approx(radio.noise_std**2 / (radio.budget / 1000))
