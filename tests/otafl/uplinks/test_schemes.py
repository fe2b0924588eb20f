"""Schemes and their parts, in the link and in whole runs: budgets, errors, votes, and shares that are not sent."""

import numpy as np
import pytest
import tensorflow as tf

import otafl
from otafl.algorithms import METHODS
from otafl.algorithms.pseudo_labels import PseudoLabels
from otafl.channels.effective_channel import Effective
from otafl.channels.power_control import AveragePower, ScheduledPower
from otafl.compressors import Sign
from otafl.errors import Remark
from otafl.federation.round_draw import RoundDraw
from otafl.receivers import Majority
from otafl.scenario.stored_scenario import parse_stored
from otafl.uplinks.analog import Analog
from otafl.uplinks.analog_link import AnalogLink, Radio
from tests.otafl.algorithms.quadratics import WORKERS, Descent, a_round, options, parameters, quadratics
from tests.otafl.small import FEDERATED, chosen, dotted
from tests.otafl.small import SMALL as TINY
from tests.otafl.uplinks.links import draw_of, in_tensors, linked
from tests.rounding import SINGLE, assert_close

BUDGET, STD = 2.0, 0.3
SMALL = {"federation.workers": 6, "local.steps": 2, "run.iterations": 4, "run.seeds": 1, "channel.snr_db": 10.0}
ONCE = {"channel__fading": "none", "run__iterations": 1, "problem__dataset": "synthetic", "problem__model": "linear"}
ONCE |= {"federation__partition": "natural"}
"""A round without fading, in which no element of an update is 0: votes by energy abstain from none."""
POWER = 10 * 15e3 * 1e-9
"""P of these runs [W]."""


def inputs(gain, budgeted_power=None, arrival=None, iteration=0, std=STD) -> tuple[RoundDraw, Radio]:
    """One vector of 5 workers' elements over these gains, all inverted."""
    radio = in_tensors(Radio(BUDGET, std, 1e-3, symbols=gain.shape[1]))
    noise = tf.constant(np.random.default_rng(0).standard_normal((1, *gain.shape[1:])))
    channel = Effective(gain, arrival, 1 / gain, None, budgeted_power=budgeted_power)
    return draw_of(channel, noise, number=tf.constant(iteration)), radio


def scheduled(given: tuple[RoundDraw, Radio], norm=1.0, decay=0.5) -> AnalogLink:
    return linked(*given, power_control=ScheduledPower(*in_tensors((norm, decay))))


def voting(given: tuple[RoundDraw, Radio]) -> AnalogLink:
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scheme", "channel"),
    [
        ("MD-AirComp", {"channel__fading": "tdl", "uplink__codeword_length": 10}),
        ("REED", {"channel__fading": "umi", "cell__most_loss_db": 120.0}),
    ],
)
def test_a_scheme_runs_over_a_channel_with_correlated_subcarriers(scheme, channel):
    data = run(method="FedAvg@analog", uplink__scheme=scheme, run__iterations=1, **channel)
    assert np.isfinite(data["loss"]).all()


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
    """α² = P/E1(g), known beforehand: nobody is told. Nor do magnitudes matter."""
    gain, message, _ = drawn()
    made = voting(inputs(gain, np.full((5, 1, 1), 2.0)))
    for votes in (message.numpy(), np.where(np.arange(40)[:, None] < 36, 0.0, message)):
        upload = made.received(made.sent(tf.constant(votes)))
        expected = np.max(np.sum((votes != 0) / gain, axis=1)) / 40 * BUDGET / (2 * 40)
        np.testing.assert_allclose(upload.power.numpy()[0], expected, rtol=1e-9)
        np.testing.assert_array_equal(upload.total, made.received(made.sent(tf.constant(votes**3))).total)


def test_errors_are_of_the_sum_that_was_meant():
    gain, message, _ = drawn()
    arrival = np.random.default_rng(1).uniform(0, 2, gain.shape)
    made = linked(*inputs(gain, arrival=arrival))
    upload = made.received(made.sent(message))
    target_sum = np.sum(message, axis=0)
    off = np.sum((upload.total[0].numpy() - target_sum) ** 2)
    np.testing.assert_allclose(upload.error[:, 0], [off, np.sum(target_sum**2)], rtol=1e-9)


def run(**keys):
    return otafl.run("digits_quickstart", SMALL | dotted(keys))


@pytest.mark.daily(3)
@pytest.mark.parametrize(
    ("method", "scheme", "keys", "factor"),
    [
        ("FedAvg", "MD-AirComp", {"uplink__codeword_length": 10}, 0.5),
        ("FedAvg", "CA-DSGD", {"uplink__inversion_threshold": 0.1}, 0.1),
        ("FedAvg", "REED", {}, 2),
        ("FedAvg", "REED", {"uplink__chips": 3}, 6),
        ("FedAvg", "SumComp", {"uplink__inversion_threshold": 0.3}, 1),
        ("FedSGD", "FSK-MV", {"algorithm__server_step": 0.005, "local__steps": None}, 2),
    ],
)
@pytest.mark.filterwarnings("ignore::otafl.errors.Remark")
def test_uses_are_those_of_numbers_that_are_sent_and_the_budget_is_met(method, scheme, keys, factor):
    """Uses of 600 weights by hand; reports come on top, of which votes by energy have none."""
    keys = ONCE | keys | {"method": f"{method}@analog", "uplink__scheme": scheme}
    data = run(**keys, uplink__charge_side_information=[False, True])
    plain, told = data["channel_uses"].values.ravel()
    assert plain == factor * 600
    assert (told > plain) == (scheme != "FSK-MV")
    np.testing.assert_allclose(data["worker_power"], POWER, rtol=1e-5)
    assert np.isfinite(data["aggregation_nmse"]).all()


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("scenario", "keys", "swept"),
    [
        ("quickstart", {"method": "A-GD", "uplink.scheme": "MMSE"}, {"channel.snr_db": [0.0, 20.0]}),
        ("digits_quickstart", {"method": "FedAvg@analog", "uplink.scheme": "SumComp"}, {"uplink.levels": [3, 15]}),
        (
            "digits_quickstart",
            {"method": "FedAvg", "uplink.compressor": "top_k", "uplink.allocation": "fixed_uses"},
            {"channel.snr_db": [0.0, 20.0]},
        ),
    ],
)
def test_runs_side_by_side_are_those_alone(scenario, keys, swept):
    """Powers, steps and numbers of elements that depend on what is swept are found for each."""
    ((key, (other, value)),) = swept.items()
    keys = keys | {"run.iterations": 2, "run.seeds": 1}
    both, alone = (otafl.run(scenario, keys | {key: given})["loss"] for given in ([other, value], value))
    name = key.split(".")[1]
    assert_close(both.sel({name: value}).squeeze(), alone.squeeze(), SINGLE)
    assert (both.sel({name: value}) != both.sel({name: other})).any()


@pytest.mark.daily(1)
@pytest.mark.parametrize("pilots", [{"channel__pilots": 1, "channel__pilot_snr_db": 0.0}, {}])
def test_power_on_average_over_fading_keeps_to_the_budget(pilots):
    """The mean power of the worker that sends more, of 2, over 60 blocks and 64 subcarriers, is within the budget."""
    keys = {"federation__workers": 2, "run__iterations": 60, "run__evaluate_every": 60, "local__steps": 1}
    keys |= {"channel__coherence_iterations": 1, "uplink__inversion_threshold": 0.3, "uplink__subcarriers": 64}
    power = run(method="FedAvg@analog", uplink__scheme="BAA", **keys, **pilots)["worker_power"]
    assert 0.5 < power.mean() / POWER < 1.1


@pytest.mark.slow
def test_full_inversion_without_noise_makes_no_error_and_uses_the_whole_budget():
    data = run(method="FedAvg@analog", uplink__precoder="channel_inversion", channel__snr_db=[10.0, np.inf])
    assert (data["aggregation_nmse"].sel(snr_db=np.inf) < 1e-12).all()
    np.testing.assert_allclose(data["worker_power"].sel(snr_db=10.0), POWER, rtol=1e-5)


@pytest.mark.slow
def test_quantised_analog_elements_have_the_bits_that_are_asked_for():
    keys = {"method": "FedSGD@analog", "uplink.compressor": "qsgd", "run.iterations": 2, "run.seeds": 1}
    coarse, fine = (otafl.run("digits_quickstart", keys | {"uplink.bits_per_element": bits}) for bits in (2, 24))
    assert coarse["aggregation_nmse"].values.max() > 10 * fine["aggregation_nmse"].values.max()


@pytest.mark.filterwarnings("ignore::otafl.errors.Remark")
def test_a_shown_scheme_is_read_and_parts_that_follow_from_it_are_left_out():
    made = otafl.load("digits_quickstart", {"method": "FedSGD@analog", "uplink.scheme": "OBDA"})
    shown = made.to_toml(made.read)
    assert 'scheme = "OBDA"\n' in shown
    assert not [key for key in ("compressor", "precoder", "power_control", "receiver") if f"\n{key} = " in shown]
    again = parse_stored("again", shown, "again")
    assert next(again.points())[1].uplink == next(made.points())[1].uplink


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (chosen("FedAvg@analog", scheme="BAA", channel__fading="rician"), "averages over Rayleigh fading"),
        (chosen("FedSGD@digital", compressor="sign"), "elements of the model move by up to algorithm.server_step = 1"),
        (chosen("FedSGD@analog", scheme="OBDA"), "elements of the model move by up to algorithm.server_step = 1"),
    ],
)
def test_what_is_otherwise_than_one_would_think_is_remarked_upon(keys, said):
    with pytest.warns(Remark, match=said):
        otafl.load("digits_quickstart", keys)


def test_two_elements_on_a_symbol_share_its_power_and_its_noise():
    """σ² of optimal power control over an element's power is the same whatever rides beside it, but twice the noise."""
    keys = {"method": "FedAvg@analog", "uplink.scheme": "MMSE"}
    for parts in (1, 2):
        ((_, settings),) = otafl.load("digits_quickstart", keys | {"uplink.elements_per_symbol": parts}).points()
        uplink = Analog(settings, METHODS["FedAvg"], 1000)
        assert 0.5 / uplink.snr == pytest.approx(uplink.radio.noise_std**2 / (uplink.radio.budget / 1000))


ANALOG = [
    name for name in FEDERATED if "analog" in METHODS[name].uplinks and not isinstance(METHODS[name], PseudoLabels)
]


@pytest.mark.parametrize("name", ANALOG)
def test_a_method_says_whether_it_weighs_what_workers_send(name):
    """Twice the weight makes messages twice as long if it does, and else it changes nothing."""
    method, p, choice = METHODS[name], parameters(), options(warm_start="global")
    server, client = method.init(tf.ones([1, 4, 1], tf.float64), choice, p)
    count, once = tf.fill([WORKERS, 1, 1], tf.constant(3.0, tf.float64)), tf.ones([1, 1, 1], tf.float64)

    def sent(weight):
        weight = tf.fill([WORKERS, 1, 1], tf.constant(weight, tf.float64))
        now = a_round(Descent(quadratics(), np.full(WORKERS, 3), 3), p, choice, weight, count, once, server)
        return method.upload(method.local_update(server, client, now), now)

    one, other = sent(0.1), sent(0.2)
    for before, after in zip(one, other, strict=True):
        np.testing.assert_allclose(after, before * (2 if method.weighted else 1), rtol=1e-12)
        assert np.abs(before).max() > 0


def test_without_noise_nothing_is_lost_of_updates_that_are_short_enough():
    """Above the norm of every update the sum arrives as it was meant; at 1% of it, 1% of the length is left."""
    keys = TINY | {"federation.workers": 10, "run.iterations": 2, "run.seeds": 1, "channel.fading": "none"}
    keys |= {"channel.snr_db": np.inf, "local.learning_rate": 0.01, "local.batch_size": 10}
    parts = {"scheme": "COTAF", "inversion_threshold": 0.5, "update_norm": [1e-6, 1e3], "update_norm_decay": 0.0}
    error = otafl.run("quickstart", keys | chosen("FedAvg@analog", parts))
    short, whole = error["aggregation_nmse"].squeeze().transpose("update_norm", "iteration").values
    assert (whole < 1e-10).all()
    assert (short > 0.9).all()


FADING = TINY | {"federation.workers": 40, "run.iterations": 200, "run.seeds": 2, "channel.coherence_iterations": 1.0}
NETWORK = {"method": "FedAvg@analog", "run.seeds": 1, "run.iterations": 40, "federation.workers": 40, "local.steps": 1}


def share(data) -> tuple[float, float]:
    values = data["truncated_share"].values
    return float(np.nanmean(values)), float(np.nanstd(values) / np.sqrt(np.isfinite(values).sum()))


@pytest.mark.daily(1)
@pytest.mark.parametrize("threshold", [1.0, 0.3])
def test_over_rayleigh_fading_it_is_exponential(threshold):
    """P(|h|² < ε²) = 1 − exp(−ε²), whoever takes part, in one program and round by round."""
    keys = {"uplink.inversion_threshold": threshold, "channel.coherence_iterations": 1.0}
    for data in (
        otafl.run("quickstart", FADING | keys | {"method": "A-GD"}),
        otafl.run("digits_quickstart", NETWORK | keys | {"uplink.scheme": "BAA", "federation.participation": 0.5}),
    ):
        mean, error = share(data)
        assert abs(mean - (1 - np.exp(-(threshold**2)))) < 4 * error


def test_elements_count_by_the_subcarrier_that_they_ride_and_participants_alone():
    """Three of five elements ride the first of two subcarriers."""
    power = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 3.0]])[..., None]
    np.testing.assert_allclose(Effective(power, None, power, None).silent_share(5)[:, 0], [0.6, 0.4, 0.0])


@pytest.mark.slow
def test_schemes_that_send_all_have_none_and_rounds_without_an_upload_neither():
    data = otafl.run("quickstart", FADING | {"method": ["A-GD", "D-GD", "A-FADMM"], "run.iterations": 3})
    assert data["truncated_share"].isnull().all(["seed", "iteration"]).values.tolist() == [False, True, True]
    keys = NETWORK | {"method": "FedPD@analog", "run.iterations": 8, "algorithm.communication_probability": 0.5}
    data = otafl.run("digits_quickstart", keys)
    assert (data["truncated_share"].isnull() == data["worker_power"].isnull()).all()
    assert data["truncated_share"].isnull().any()
