"""Rounds that take their workers part by part, against those of one program, and the rows that lie in a file."""

import numpy as np
import pytest
import tensorflow as tf

import otafl
from otafl.algorithms.fedavg import FedAvg
from otafl.channels.effective_channel import Effective
from otafl.engine import group as groups
from otafl.engine import run_size
from otafl.engine.executors import by_parts as parts
from otafl.engine.simulate import Listener, simulate
from otafl.errors import OtaflError
from otafl.uplinks.analog_link import AnalogLink, Radio
from otafl.uplinks.link import Sent
from tests.otafl.engine.test_checkpoint import in_pieces, same
from tests.otafl.small import group_of
from tests.otafl.uplinks.links import draw_of, in_tensors, linked

BASE = {"run.iterations": 3, "run.seeds": 1, "federation.workers": 6, "channel.snr_db": 5.0}
FLIPS = {"channel.coherence_iterations": 2.0, "algorithm.on_channel_change": "dual_flip"}
EPOCHS = {"local.epochs": 2, "local.batch_size": 100}
SOME = {"federation.participation": 0.72, "local.work": "uniform"}
PLAIN = {"local.optimizer": "sgd", "local.learning_rate": 0.1}
NEIGHBOURS = {"cell.radius_m": 200.0, "cell.neighbours": 6, "uplink.kind": "analog"}
BY_SAMPLES = {"federation.weights": "samples", "federation.partition": "power_law"}
STUDIES = [
    ("digits_quickstart", {"method": "A-SFADMM"} | FLIPS | PLAIN),
    ("digits_quickstart", {"method": "A-SGD", "uplink.inversion_threshold": 0.5}),
    ("digits_quickstart", {"method": "D-SFADMM", "algorithm.consensus": "channel_weighted"} | PLAIN),
    ("digits_quickstart", {"method": "FedADMM-Gong"} | EPOCHS | SOME),
    ("digits_quickstart", {"method": "FedVRA-U", "federation.labelled": 0.5} | EPOCHS | SOME),
    ("digits_quickstart", {"method": "SCAFFOLD", "uplink.scheme": "CA-DSGD"} | PLAIN),
    ("digits_quickstart", {"method": "FedAvg", "uplink.kind": "analog"} | NEIGHBOURS | EPOCHS),
    ("digits_quickstart", {"method": "FedSGD", "uplink.scheme": "FSK-MV", "algorithm.server_step": 0.01} | NEIGHBOURS),
    ("insa_regression_small", {"method": "SCAFFOLD", "uplink.kind": "analog", "federation.cut_chance": 0.5}),
    ("insa_regression_small", {"method": "FedADMM", "uplink.kind": "digital", "federation.cut_chance": 0.9}),
    ("digits_quickstart", {"method": "FedAvg", "problem.model": "tests.otafl.training.test_layers:dropping"} | SOME),
    ("digits_quickstart", {"method": "FedAvg"} | EPOCHS | BY_SAMPLES),
]


class Last(Listener):
    """Keeps what server and workers have at the end."""

    def keep(self, checkpoints, ends):
        if ends:
            self.state = [leaf.reshape(len(leaf), -1) for leaf in checkpoints()[0].state]


@pytest.fixture
def in_parts(monkeypatch):
    """Lets all rounds go part by part, with at most so many workers in one."""

    def chosen(name: str, keys: dict, most: int) -> None:
        monkeypatch.setattr(groups, "PART", most * group_of(name, keys).elements)
        monkeypatch.setattr(groups, "WHOLE", 0)

    return chosen


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        pytest.param(*study, id=f"{study[1]['method']}-{place}", marks=() if place == 8 else pytest.mark.slow)
        for place, study in enumerate(STUDIES)
    ],
)
def test_rounds_in_parts_are_those_of_one_program(name, keys, in_parts):
    """Three rounds in two parts of 3 workers, analog ones with noise at 5 dB: to the rounding of sums. With plain SGD:
    Adam, which divides by gradients, makes 1e-4 of rounding in a dual within three rounds."""
    keys, one, other = BASE | keys, Last(), Last()
    whole = simulate(group_of(name, keys), one)
    in_parts(name, keys, 3)
    made = group_of(name, keys)
    assert made.in_parts
    assert not made.resident
    curves = simulate(made, other)
    for value, wanted in zip(other.state, one.state, strict=False):  # one more is the model as it was heard
        assert np.linalg.norm(value - wanted) <= 1e-5 * np.linalg.norm(wanted)
    for variable, values in whole.values.items():
        tolerance = 1e-3 if variable == "dual_residual" else 1e-5  # the former is a small difference of models
        np.testing.assert_allclose(curves.values[variable], values, rtol=tolerance, err_msg=variable)


def test_parts_hold_all_workers_once():
    for workers in range(1, 20):
        for most in range(1, 22):
            sizes = [part.stop - part.start for part in parts.parts(workers, most)]
            joined = [n for part in parts.parts(workers, most) for n in range(workers)[part]]
            assert joined == list(range(workers))
            assert max(sizes) <= most
            assert max(sizes) - min(sizes) <= 1
    assert {part.stop - part.start for part in parts.parts(10_000, 307)} == {250}


@pytest.mark.parametrize("limiting", [0, 4, 6])
def test_power_and_noise_are_those_of_one_upload(limiting):
    """Whichever worker limits α, in whichever part: the sum plus one sample of noise over α, α² = budget/largest."""
    rng, budget, deviation, slot = np.random.default_rng(limiting), 0.7, 0.3, 1e-3
    message = rng.standard_normal((7, 4, 1))
    message[limiting] *= 10
    gain, noise = rng.exponential(size=(7, 4, 1)), rng.standard_normal((1, 4, 1))
    radio = in_tensors(Radio(budget, deviation, slot))

    def link(some: slice) -> AnalogLink:
        channel = Effective(gain[some], None, 1 / gain[some], None)
        return linked(draw_of(channel, noise), radio)

    first, *others = [link(part).sent(tf.constant(message[part])) for part in parts.parts(7, 3)]
    for more in others:
        first = Sent.beside(first, more)
    upload = link(slice(0, 1)).received(first)
    power = np.sum(message**2 / gain, axis=(1, 2))
    assert np.argmax(power) == limiting
    expected = message.sum(axis=0) + noise[0] * deviation * np.sqrt(power.max() / budget)
    np.testing.assert_allclose(upload.total[0], expected, rtol=1e-12)
    np.testing.assert_allclose(upload.energy, budget * slot * power.sum() / power.max(), rtol=1e-12)


@pytest.mark.slow
def test_runs_in_parts_go_on_to_the_last_bit(in_parts, monkeypatch):
    keys = BASE | {"run.iterations": 5, "method": "FedADMM-Gong"} | EPOCHS | SOME
    in_parts("digits_quickstart", keys, 3)
    whole = simulate(group_of("digits_quickstart", keys))
    monkeypatch.setattr(run_size, "in_file", lambda made: True)
    pieces, starts = in_pieces(lambda: group_of("digits_quickstart", keys), chunks=2)
    assert starts > 1
    same(pieces, whole)


class Ring(FedAvg):
    """Each worker sends half of its neighbour's update beside half of its own."""

    def upload(self, local, now):
        return tuple((message + tf.roll(message, 1, axis=0)) / 2 for message in super().upload(local, now))


@pytest.mark.filterwarnings("ignore::otafl.errors.Remark")
@pytest.mark.daily(1)
@pytest.mark.parametrize("couples", [True, False])
def test_methods_that_couple_workers_are_found_out_or_computed_at_once(couples, in_parts, registries):
    otafl.method("Ring")(type("Ring", (Ring,), {"couples": couples, "__module__": __name__}))
    otafl.method("Apart")(type("Apart", (FedAvg,), {"__module__": __name__}))
    in_parts("digits_quickstart", BASE | {"method": "Ring"}, 3)
    assert simulate(group_of("digits_quickstart", BASE | {"method": "Apart"})).values
    made = group_of("digits_quickstart", BASE | {"method": "Ring"})
    assert made.in_parts != couples
    if not couples:
        with pytest.raises(OtaflError, match=r"method = 'Ring': couples workers.*must say couples = True"):
            simulate(made)
