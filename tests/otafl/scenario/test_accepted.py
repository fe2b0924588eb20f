"""Rules between keys are checked when a scenario is made: no run refuses keys that its scenario accepted."""

import itertools
import math
from collections.abc import Iterator
from typing import Any, get_args

import numpy as np
import pytest

import otafl
from otafl.algorithms import METHODS
from otafl.errors import OtaflError
from otafl.scenario import study_size
from otafl.scenario.dotted_keys import fields
from otafl.scenario.scenario import Scenario
from otafl.settings.types import choices
from otafl.study.plan import Study
from otafl.study.trial import check

LATE = {
    "uplink.symbols_per_slot": {"uplink.symbols_per_slot": 1000},
    "run.seeds": {"run.seeds": 100_001},
    "federation.workers": {"federation.workers": 443},
    "federation.samples_per_worker": {"federation.samples_per_worker": 23},
    "channel.fading": {"channel.fading": "file"},
    "problem.samples": {"problem.dataset": "mixture", "problem.samples": 2, "federation.workers": 1},
}
OF_NETWORKS = {
    "problem.model": {"problem.model": "mlp2"},
    "federation.shards": {"federation.partition": "shards", "federation.shards": 7},
    "federation.workers": {"federation.partition": "imbalanced", "federation.workers": 7},
}
LATE_BY_DATA = ("federation.labels_per_worker", "problem.dataset", "channel.snr_db", "problem.model")
"""Keys that may be refused when data are read, as they depend on labels, targets, the size of a model, or a module."""
NUMBERS = {
    "bool": (True, False),
    "int": (0, 1, 2, 3, 10, 64, 1000),
    "float": (0.0, 1e-9, 0.5, 1.0, 50.0, -10.0, math.inf),
}
BASES = {"quickstart": ("A-FADMM", "D-FADMM"), "digits_quickstart": ("A-SFADMM", "FedADMM", "D-SGD")}


@pytest.mark.parametrize(
    ("base", "method", "key", "keys"),
    [("quickstart", "FedADMM-InSa", key, keys) for key, keys in LATE.items()]
    + [("digits_quickstart", "FedAvg", key, keys) for key, keys in OF_NETWORKS.items()],
)
def test_rules_between_keys_are_checked_by_override_and_load(base, method, key, keys):
    scenario = otafl.load(base, {"method": method, "run.seeds": 1})
    with pytest.raises(OtaflError, match=f"^{key} = "):
        scenario.override(keys)
    with pytest.raises(OtaflError, match=f"^{key} = "):
        otafl.load(base, {"method": [method, "D-GD" if base == "quickstart" else "D-SGD"], **keys})


def values(key: str) -> list[Any]:
    """Values of a key, some of which break its rules."""
    if key == "method":
        return list(METHODS)
    kind, rules = fields()[key].annotation, fields()[key].metadata
    named = choices(kind, rules) or next(filter(None, map(choices, get_args(kind))), ())
    return [*named, *itertools.chain.from_iterable(some for name, some in NUMBERS.items() if name in str(kind))]


def drawn(base: Scenario, count: int) -> Iterator[dict[str, Any]]:
    """One to three keys that the runs of a scenario read, with values."""
    rng = np.random.default_rng(0)
    known = {key: some for key in sorted(base.read & fields().keys()) if (some := values(key))}
    for _ in range(count):
        keys = rng.choice(list(known), rng.integers(1, 4), replace=False)
        yield {key: known[key][rng.integers(len(known[key]))] for key in keys}


def refusal(scenario: Scenario) -> str:
    """Return the error with which a run is refused before it computes; empty where it is accepted."""
    try:
        study_size.require(scenario)
        study = Study(scenario)
        check(study.check(study.setups(study.together(range(len(study.columns))))))
    except OtaflError as refused:
        return str(refused)
    return ""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::otafl.errors.Remark")
@pytest.mark.parametrize(("name", "method"), [(name, method) for name, some in BASES.items() for method in some])
def test_a_run_refuses_no_keys_that_override_accepts(name, method):
    base = otafl.load(name, {"method": method, "run.seeds": 1})
    for keys in drawn(base, 300):
        try:
            scenario = base.override(keys)
        except OtaflError:
            continue
        late = refusal(scenario)
        assert not late or late.startswith(LATE_BY_DATA) or "of memory" in late, keys
