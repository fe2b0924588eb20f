"""Keys that are said to be read: another value of each changes some variable of a small run, by more than rounding."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import xarray as xr

import otafl
from otafl.algorithms import METHODS, parse
from otafl.algorithms.method import EVERYBODY
from otafl.errors import OtaflError
from otafl.problems import training_task
from otafl.scenario.dotted_keys import fields
from otafl.scenario.keys_read import ALWAYS_READ, keys_read
from otafl.schemes import SCHEMES
from otafl.settings.types import choices
from otafl.uplinks import chain
from tests.otafl.small import settings_of
from tests.otafl.uplinks.test_combinations import VOTES

ROUNDING = 1e-5
"""Relative difference of results beyond which a key has more of an effect than another order of sums."""
INF = float("inf")
WITHOUT = {
    "run.worker_chunk": "workers trained at once: another order of sums",
    "run.threads": "threads of an operation: another order of sums",
    "run.target_loss": "summaries and figures read it, runs go on",
    "run.target_accuracy": "summaries and figures read it, runs go on",
    "run.stop_at": "a run ends after six readings at least",
    "run.record": "runs of more than 100 iterations lose some",
    "run.precision": "types that this machine may lack",
    "channel.file": "needs a file of channels",
    "problem.start": "needs a file of a model",
    "run.metrics": "adds variables, and changes none",
    "algorithm.path_loss_compensation": "mean gains are equal without a cell",
    "cell.surface_elements": "needs a ring of workers",
    "channel.evolves": "needs workers that move",
    "federation.weights": "workers have equally many samples",
    "uplink.receiver": "all workers are heard, so that receivers of sums agree",
    "channel.symbol_snr_db": "channel.snr_db in another unit, in which runs have it",
}
"""Keys that are read for what a small run has not, with the reason."""
OTHERS: dict[str, list[Any]] = {
    "algorithm.aggregation_step": [0.7],
    "algorithm.rho_schedule": ["2: 0.01"],
    "algorithm.server_step_schedule": ["2: 0.3"],
    "algorithm.penalty_ratio": [5.0],
    "algorithm.strong_convexity": [1e3],
    "channel.between_pilots": ["hold", "linear"],
    "channel.carrier_offset_hz": [300.0],
    "channel.coherence_iterations": [1.0],
    "channel.coherence_s": [1e-3],
    "channel.linewidth_hz": [100.0],
    "federation.deadline_s": [1e-3, 0.02],
    "federation.largest_loss_db": [60.0, 85.0],
    "federation.probabilities": [(0.2, 0.8, 0.5, 0.5)],
    "local.batch_size": [5],
    "local.optimizer": ["sgd", "momentum"],
    "local.warm_start": ["global", "local"],
    "run.max_channel_uses": [11.0],
    "uplink.bits_per_element": [32, 64, 16, 3],
    "uplink.clip_norm": [1e-3, 1e-2],
    "uplink.inversion_threshold": [0.3, 0.5],
    "uplink.levels": [31],
    "uplink.outage": [0.3, 0.5],
    "uplink.peak_backoff_db": [0.0],
    "uplink.subcarriers": [2],
}
"""Values to try of keys whose type does not tell another one that has an effect here."""
NETWORK = {
    "problem.kind": "classification",
    "problem.dataset": "digits",
    "problem.model": "mlp_small",
    "federation.samples_per_worker": 12,
}
RICH = {"local.epochs": 8, "algorithm.penalty_ratio": 1.01, "algorithm.strong_convexity": 1.0}
RICH |= {"algorithm.regulariser": "l2", "algorithm.regulariser_weight": 0.2, "channel.coherence_iterations": 1.0}
"""Values with which other keys have an effect: residuals meet limits, and channels change."""
SUMS = {"problem.dataset": "synthetic", "problem.dimension": 5, "problem.samples": 60}
BASE = {"federation.workers": 4, "run.seeds": 1, "run.iterations": 3}
OF_AIR = BASE | {"uplink.subcarriers": 3}
REFUSED = [
    *(f"federation.{key}" for key in ("deadline_s", "labelled", "participation", "probabilities", "sampling")),
    *(f"local.{key}" for key in ("optimizer", "steps", "work")),
    *(f"uplink.{key}" for key in (*chain.PARTS, "clip_norm", "elements_per_symbol", "outage")),
    *("channel.noise", "channel.pilots", "algorithm.regulariser"),
]
"""Keys of which a run may refuse every other value, with the reason."""
WITH_SCHEME = {"COTAF": {"uplink.inversion_threshold": 0.3}, "MD-AirComp": {"channel.snr_db": -25.0}}
"""Values of keys with which a scheme learns, or noise changes what is decoded."""
IDLE_WITH = {scheme: {"uplink.charge_side_information"} for scheme in ("OBDA", "FSK-MV")}
"""Keys without effect with a scheme: a sum of signs has no scaling factor, and without pilots no estimates are told."""
OFFSETS = {"channel.carrier_offset_ppm": 0.1, "channel.pilot_period_slots": 1}


def small(keys: dict[str, Any]) -> dict[str, Any]:
    """Return the keys of a small run with some keys, a regression or, where the method has none, a classification."""
    trains = "problem.kind" in keys or "linear_regression" not in parse(keys["method"])[0].problems
    base = BASE if keys["method"].endswith("@ideal") else OF_AIR
    return {**base, **(NETWORK if trains else SUMS), **keys}


def others(key: str, value: Any) -> Iterator[Any]:
    """Yield other values of a key, which a run may refuse."""
    if key in OTHERS:
        yield from (other for other in OTHERS[key] if other != value)
    elif isinstance(value, bool):
        yield not value
    elif named := choices(fields()[key].annotation, fields()[key].metadata):
        yield from (name for name in named if name != value)
    elif isinstance(value, float) and value < INF:
        yield from (0.6 * value, 2 * value) if value else (0.3, 2.0, 1e-5, 20.0)
    elif isinstance(value, int):
        yield from (other for other in (value + 1, 2 * value, max(1, value - 1)) if other != value)
    else:
        yield from (2, 0.3, 20.0)


def differ(one: xr.Dataset, other: xr.Dataset) -> bool:
    """Return True where two results have other variables, or values of one that differ by more than rounding."""
    if {*one.variables} != {*other.variables} or one.sizes != other.sizes:
        return True
    pairs = [(one[name].values, other[name].values) for name in one.data_vars]
    return not all(
        np.allclose(*pair, rtol=ROUNDING, equal_nan=True) if pair[0].dtype.kind == "f" else np.array_equal(*pair)
        for pair in pairs
    )


def tried(keys: dict[str, Any], own: bool = False) -> list[str]:
    """Return the keys that a run is said to read, of the method alone or all, without those that name what it is."""
    settings = settings_of("quickstart", keys)
    read = keys_read(settings).difference(ALWAYS_READ, WITHOUT)
    return sorted(read & {*parse(keys["method"])[0].keys} if own else read)


def without_effect(keys: dict[str, Any], among: list[str]) -> list[str]:
    """Return those of some keys of which no other value changes the result of a run, or all are refused."""
    result, settings = otafl.run("quickstart", keys, store=False), settings_of("quickstart", keys)

    def changes(key: str) -> bool:
        ran = False
        for value in others(key, settings.value(key)):
            try:
                other = otafl.run("quickstart", keys | {key: value}, store=False)
            except OtaflError:
                continue
            ran = True
            if differ(result, other):
                return True
        return not ran and key in REFUSED

    return [key for key in among if not changes(key)]


@pytest.fixture(autouse=True, scope="module")
def one_part() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training_task, "cores", lambda: [0])
        yield


@pytest.mark.parametrize(("method", "own"), [pytest.param("A-FADMM", False, marks=pytest.mark.slow), ("FedSGD", True)])
def test_each_key_that_is_read_has_an_effect(method, own):
    """All keys of a run over the air, and those of a method that trains otherwise than others of its kind."""
    keys = small({"method": method, "federation.participation": 0.5})
    assert without_effect(keys, tried(keys, own)) == []


@pytest.mark.slow
@pytest.mark.parametrize("method", [f"{name}@{kind}" for name, of in METHODS.items() for kind in of.uplinks])
def test_each_key_of_a_method_has_an_effect_over_each_uplink(method):
    kind, keys = parse(method)[0], small({"method": method})
    keys |= {} if EVERYBODY in kind.limits else {"federation.participation": 0.5}
    rich = RICH | ({"federation.labelled": 0.5, "algorithm.regulariser": "box"} if kind.unlabelled else {})
    read = {*kind.keys, *keys_read(settings_of("quickstart", keys))}
    keys |= {key: value for key, value in rich.items() if key in read}
    of_some = {"federation.sampling"} if EVERYBODY in kind.limits else set()
    assert {*without_effect(keys, tried(keys, own=True))} <= of_some


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
def test_each_key_of_the_air_has_an_effect_with_each_scheme(scheme):
    keys = small(NETWORK | {"method": "FedSGD" if scheme in VOTES else "FedAvg", "uplink.scheme": scheme})
    keys |= {"uplink.subcarriers": 32, "channel.snr_db": -5.0}
    if SCHEMES[scheme].uplink == "digital":  # whose receivers need a period of pilots where carriers turn
        keys |= {"uplink.subcarriers": 8, "channel.linewidth_hz": 1.0, "channel.pilot_period_slots": 1}
    keys |= WITH_SCHEME.get(scheme, {})
    of_air = {key for key in tried(keys) if key.startswith(("channel.", "uplink."))}
    assert without_effect(keys, sorted(of_air - IDLE_WITH.get(scheme, set()))) == []


@pytest.mark.parametrize("scheme", ["FSK-MV", "REED"])
def test_receivers_of_energies_follow_no_pilots_but_those_of_a_broadcast(scheme):
    keys = small({"method": "FedSGD@analog", "uplink.scheme": scheme} | OFFSETS)
    with pytest.raises(OtaflError, match="a receiver that knows phases"):
        settings_of("quickstart", keys)
    assert "channel.pilot_period_slots" in tried(keys | {"uplink.charge_downlink": True})


def test_gradients_of_all_samples_have_no_batches():
    keys = small({"method": "FedSGD", "local.batch_size": 7})
    with pytest.raises(OtaflError, match="its gradients are of all samples"):
        settings_of("quickstart", keys)
