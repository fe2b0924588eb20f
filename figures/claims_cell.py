"""Claims of the A-FADMM paper over five channels, with weights |h|^p in place of |h|^2, at four costs."""

from collections.abc import Mapping

import numpy as np
import xarray as xr

from figures.claims import Claim, highest, lowest, spread
from figures.claims_channels import Measured, by_channel, by_verdict
from figures.panels import final
from figures.study import result
from otafl.results import analysis

HEADING = "What holds with these weights"
REMARK = (
    "Each row names the method with weights \\|h\\|^p, and the best of its rivals. In the regression these are\n"
    "D-FADMM, D-FADMM with shares of the band that let all end together (makespan), and A-GD. Among networks\n"
    "they are D-SFADMM, and FedAvg and FedADMM-Wang over the air by inversion of channels. Numbers are mean ±\n"
    "standard deviation over 5 seeds. Ahead and behind are by Student's interval of 95% for the difference."
)
COSTS = {"time_slots": "time slots", "channel_uses": "channel uses", "energy": "joules", "time": "seconds"}
REGRESSION = "A-FADMM p=1"
NETWORK = "A-SFADMM p=1 κ=0.5"
PAPER = ("A-FADMM", "A-SFADMM")
PARTITIONS = {"iid": "IID data", "two_classes": "two classes a worker"}
WORK = "FedAvg has 60 local steps of its own rate in a round, where A-SFADMM has 20; no rate was tuned"
TARGET, ACCURACY, DIGITS = 1e-4, 0.9, 0.01


def rows() -> list[Claim]:
    """Return the claims over five channels, with the measured numbers."""
    networks = ((f"cell_federated_{dealt}", words) for dealt, words in PARTITIONS.items())
    return [*_regression(), *(row for name, words in networks for row in _network(name, words))]


def _regression() -> list[Claim]:
    data = result("cell_methods")
    rows = [_fewest(data, cost, "a loss of 1e-4", TARGET, "loss", REGRESSION) for cost in COSTS]
    return [row._replace(runs=("cell_methods",)) for row in rows]


def _network(name: str, dealt: str) -> list[Claim]:
    data = result(name)
    goal = f"a test accuracy of 0.9, {dealt}"
    costs = [_fewest(data, cost, goal, ACCURACY, "test_accuracy", NETWORK) for cost in COSTS]
    ends = by_channel(data, lambda part: final(part).values)
    highest_of_all = _claim(f"{NETWORK} reaches the highest accuracy, {dealt}", ends, NETWORK, most=True)
    return [row._replace(why=WORK, runs=(name,)) for row in (*costs, highest_of_all)]


def _fewest(data: xr.Dataset, cost: str, goal: str, target: float, variable: str, own: str) -> Claim:
    costs = by_channel(data, lambda part: analysis.to_target(part, target, cost, variable).values)
    return _claim(f"{own} needs the fewest {COSTS[cost]} to {goal}", costs, own)


def _claim(text: str, measured: Measured, own: str, *, most: bool = False) -> Claim:
    ahead = _highest if most else lowest
    verdicts = {title: ahead(each[own], _rivals(each, own)) for title, each in measured.items()}
    words = (f"{title}: {_against_best(each, own, most)}" for title, each in measured.items())
    return Claim("V", text, "; ".join(words), by_verdict(verdicts))


def _highest(own: np.ndarray, others: Mapping[str, np.ndarray]) -> str:
    return highest(own, others, DIGITS)


def _rivals(each: Mapping[str, np.ndarray], own: str) -> dict[str, np.ndarray]:
    return {name: one for name, one in each.items() if name != own and name not in PAPER}


def _against_best(each: Mapping[str, np.ndarray], own: str, most: bool) -> str:
    best = (max if most else min)(_rivals(each, own).items(), key=lambda one: one[1].mean())
    words = (f"{numbers.mean():.3f}" if most else spread(numbers) for numbers in (each[own], best[1]))
    return "{} against {} ({})".format(*words, best[0])
