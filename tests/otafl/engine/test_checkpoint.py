"""Runs that stop and go on: they bring what an undisturbed run brings, to the last bit."""

import numpy as np
import pytest

from otafl.algorithms import METHODS
from otafl.algorithms.method import EVERYBODY
from otafl.engine import inputs
from otafl.engine.simulate import Listener, simulate
from tests.otafl.small import DISTINCT, SMALL, group_of, some

ROUNDS = {"run.iterations": 7, "run.evaluate_every": 2, "run.seeds": 1, "federation.workers": 6}
FEW = {"federation.participation": 0.5}
UNEVEN = {"local.epochs": 2, "local.work": "uniform"}
NOISY = {"uplink.kind": "analog", "channel.snr_db": 0.0, "channel.coherence_iterations": 2.0}
NETWORKS = [name for name in DISTINCT if "classification" in METHODS[name].problems]


class Stop(Listener):
    """Stops after some chunks, and keeps the checkpoints of the last one."""

    def __init__(self, chunks: int) -> None:
        self.left = chunks

    def stops(self) -> bool:
        self.left -= 1
        return self.left <= 0

    def keep(self, checkpoints, ends):
        if ends:
            self.kept = checkpoints()


def in_pieces(make, chunks: int):
    """The curves of a group that is stopped and started anew after every so many chunks, and how often it was."""
    begin, starts = None, 0
    while True:
        listener = Stop(chunks)
        curves = simulate(make(), listener, begin)
        starts += 1
        if "stopped" not in curves.outcomes:
            return curves, starts
        begin = listener.kept


def same(one, other):
    assert one.outcomes.tolist() == other.outcomes.tolist()
    for name, values in one.values.items():
        np.testing.assert_array_equal(values, other.values[name], err_msg=name)


def goes_on(make, chunks: int = 2):
    """Assert that a group has the bits of one in a piece where it is started anew after every so many chunks."""
    pieces, starts = in_pieces(make, chunks)
    assert starts > 1
    same(pieces, simulate(make()))


@pytest.mark.daily(3)
@pytest.mark.parametrize(
    "keys",
    [
        {"method": "A-FADMM", "channel.pilots": 2, "channel.coherence_iterations": 40.0, "energy.whole": True},
        {"method": "A-FADMM", "uplink.downlink": "analog", "channel.coherence_iterations": 7.0},
        {"method": "A-FADMM", "federation.participation": 0.5, "channel.coherence_iterations": 3.0},
        {"method": "D-FADMM", "run.max_channel_uses": 60000.0},
        {"method": "A-GD", "uplink.inversion_threshold": 0.5},
        {"method": "A-FADMM", "algorithm.rho": 10.0, "federation.workers": 4, "run.stop_at": {"loss": 0.01}},
    ],
    ids=lambda keys: "-".join(map(str, keys.values())),
)
def test_regressions_go_on_to_the_last_bit(keys, monkeypatch):
    monkeypatch.setattr(inputs, "CHUNK_ITERATIONS", 16)
    monkeypatch.setattr(inputs, "LONGEST_SEGMENT", 7)
    keys = SMALL | {"run.iterations": 70, "channel.snr_db": [0.0, 20.0]} | keys
    goes_on(lambda: group_of("quickstart", keys, range(3)))


@pytest.mark.parametrize("method", some(NETWORKS, ("A-SFADMM",)))
def test_networks_go_on_to_the_last_bit(method, monkeypatch):
    monkeypatch.setattr(inputs, "CHUNK_ROUNDS", 12)
    keys = ROUNDS | {"method": method}
    made = METHODS[method]
    keys |= NOISY if "analog" in made.uplinks else {"uplink.kind": "digital"}
    keys |= {} if EVERYBODY in made.limits else FEW
    keys |= {"federation.labelled": 0.5} if method == "FedVRA-U" else {}
    keys |= {key: value for key, value in UNEVEN.items() if key in made.keys and not made.even}
    goes_on(lambda: group_of("digits_quickstart", keys))
