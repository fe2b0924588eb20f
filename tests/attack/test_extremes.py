"""Numbers at the ends of what computers hold, in every key that takes one: refused, or all goes well with them."""

import math
import warnings
from typing import Any, get_args

import pytest

from otafl.engine import run_size as needs
from otafl.engine.costs import Ledger
from otafl.engine.group import Group
from otafl.engine.participation import everybody
from otafl.errors import OtaflError
from otafl.scenario import study_size
from otafl.scenario.dotted_keys import fields
from otafl.scenario.file import parse
from otafl.scenario.scenario import Scenario
from otafl.study.plan import Study
from tests.otafl.small import SMALL


def takes_numbers(annotation: Any) -> bool:
    return annotation in (int, float) or any(map(takes_numbers, get_args(annotation)))


KEYS = [key for key, field in fields().items() if takes_numbers(field.annotation)]
UNBOUNDED = ("channel.snr_db", "channel.symbol_snr_db", "channel.coherence_iterations", "uplink.peak_backoff_db")
FINITE = (0, -1, 5e-324, 1e-30, 1e30, 1.7976931348623157e308, 2**31 - 1, 2**63, 10**400)
VALUES = (*FINITE, math.inf, -math.inf, math.nan)
BASE = SMALL | {"problem.samples": 60, "federation.workers": 4, "run.seeds": 1, "run.iterations": 5}
DIGITS = {"problem.kind": "classification", "problem.dataset": "digits", "problem.model": "linear"}
DIGITS |= {"federation.workers": 4, "run.seeds": 1, "run.iterations": 5, "method": "FedAvg"}
ANALOG = BASE | {"method": "FedAvg", "uplink.kind": "analog"}
BASES = [
    BASE,
    BASE | {"method": "D-FADMM", "energy.whole": True, "channel.pilots": 2},
    BASE | {"cell.radius_m": 100.0, "channel.pilots": 2},
    BASE | {"cell.radius_m": 100.0, "cell.snr_at": "link_budget", "cell.most_loss_db": 120.0},
    BASE | {"method": "D-FADMM", "channel.coherence_s": 0.01, "channel.fading": "jakes"},
    BASE | {"channel.fading": "jakes"},
    BASE | {"channel.carrier_offset_hz": 1.0},
    BASE | {"channel.symbol_snr_db": 20.0},
    BASE | {"channel.fading": "rician"},
    BASE | {"channel.fading": "tdl"},
    BASE | {"channel.fading": "raytraced"},
    BASE | {"method": "D-FADMM", "uplink.code": "normal"},
    BASE | {"cell.antennas": 2},
    BASE | {"cell.worker_antennas": 2},
    BASE | {"method": "A-GD"},
    ANALOG | {"uplink.scheme": "COTAF", "uplink.inversion_threshold": 0.1},
    ANALOG | {"uplink.scheme": "CA-DSGD"},
    ANALOG | {"uplink.scheme": "SumComp"},
    ANALOG | {"uplink.scheme": "MD-AirComp"},
    ANALOG | {"uplink.scheme": "FSK-MV"},
    ANALOG | {"uplink.scheme": "REED"},
    ANALOG | {"federation.hostile": 0.5, "channel.noise": "alpha_stable"},
    ANALOG | {"uplink.power_control": "per_edge"},
    BASE | {"method": "FedAvg", "uplink.receiver": "trimmed_mean"},
    BASE | {"method": "FedAvg", "uplink.compressor": "top_k", "uplink.allocation": "fixed_uses"},
    BASE | {"cell.radius_m": 100.0, "cell.neighbours": 6},
    BASE | {"cell.radius_m": 100.0, "cell.surface_elements": 2},
    BASE | {"method": "FedAvg", "uplink.compressor": "qsgd", "local.optimizer": "momentum"},
    *(BASE | {"method": name} for name in ("FedProx", "FedDR", "FedPD", "FedVRA", "FedADMM-InSa", "FedAdam")),
    BASE | {"method": "FedAvg", "problem.kind": "huber_regression"},
    BASE | {"method": "FedAvg", "federation.partition": "power_law"},
    BASE | {"method": "FedADMM-Wang", "algorithm.regulariser": "l1"},
    DIGITS | {"method": "FedVRA-U", "federation.labelled": 0.5},
    DIGITS | {"problem.pretraining": 0.1, "problem.adapter_rank": 2},
    DIGITS | {"federation.partition": "shards", "federation.workers": 2, "federation.shards": 1},
    *(DIGITS | {"federation.partition": partition} for partition in ("labels", "dirichlet")),
    DIGITS | {"problem.dataset": "synthetic", "federation.partition": "natural"},
]
FOUND_BY_OTHERS = ("raytraced",)
"""Channels that another process finds, which takes seconds."""


@pytest.fixture(scope="module")
def read() -> list[tuple[dict[str, Any], frozenset[str]]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [(base, parse("t", "", base).read) for base in BASES]


def planned(scenario: Scenario) -> None:
    """All that is done with a run before its first iteration is computed, and the cost of that."""
    study_size.require(scenario)
    study = Study(scenario)
    if study.columns[0].settings.channel.fading in FOUND_BY_OTHERS:
        return
    group = Group(study.columns[:1])
    needs.remark(group)
    group.channels([0])
    group.parameters([0])
    Ledger(group).enter(0, everybody(group.settings))


@pytest.mark.parametrize("key", KEYS)
def test_ends_of_numbers(key, read):
    base = next((base for base, keys in read if key in keys), None)
    assert base, "no base reads it"
    for value in VALUES:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                warnings.simplefilter("error", RuntimeWarning)
                planned(parse("t", "", base | {key: value}))
        except OtaflError as error:
            if not any(word in str(error) for word in (key.split(".")[-1], "takes", "makes")):
                pytest.fail(f"{value}: another key is refused: {error}")
        except MemoryError:
            pytest.fail(f"{value}: memory is asked for in vain")
        else:
            assert value in FINITE or (value == math.inf and key in UNBOUNDED), "it is no number"
