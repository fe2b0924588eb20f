"""Claims of the A-FADMM paper over five channels, with weights |h|^p in place of |h|^2, at four costs."""

from collections.abc import Callable, Mapping

import numpy as np
import xarray as xr

from figures.claims import Claim, grid, highest, lowest, spread
from figures.claims_channels import Measured, by_channel, by_verdict
from figures.panels import final
from figures.study import result
from otafl.results import analysis

HEADING = "What holds with these weights"
REMARK = (
    "Each row names the method with weights \\|h\\|^p, and the best of its rivals. The regression has ρ = 2 and 100\n"
    "workers. Its rivals are D-FADMM, D-FADMM with shares of the band that let all end together (makespan), and\n"
    "A-GD. Networks have ρ = 0.5, 50 workers and 100 rounds. Their rivals are D-SFADMM, and FedAvg and FedADMM-Wang\n"
    "over the air by inversion of channels. Numbers are mean ± standard deviation over 5 seeds, and a hundred\n"
    "iterations a decade are read in the regression. Ahead and behind are by Student's interval of 95% for the\n"
    "difference."
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
    costs = {words: _costs(data, cost, TARGET, "loss") for cost, words in COSTS.items()}
    rows = [_fewest(words, each, "a loss of 1e-4", REGRESSION) for words, each in costs.items()]
    return _with_table([row._replace(runs=("cell_methods",)) for row in rows], _cells(costs, REGRESSION))


def _network(name: str, dealt: str) -> list[Claim]:
    data = result(name)
    costs = {words: _costs(data, cost, ACCURACY, "test_accuracy") for cost, words in COSTS.items()}
    ends = by_channel(data, lambda part: final(part).values)
    rows = [_fewest(words, each, f"a test accuracy of 0.9, {dealt}", NETWORK) for words, each in costs.items()]
    rows.append(_highest_of_all(ends, dealt))
    cells = _cells(costs, NETWORK)
    for title, each in ends.items():
        cells[title]["final accuracy"] = "{:.3f} against {:.3f} ({})".format(*_against_best(each, NETWORK, max))
    return _with_table([row._replace(why=WORK, runs=(name,)) for row in rows], cells)


def _costs(data: xr.Dataset, cost: str, target: float, variable: str) -> Measured:
    return by_channel(data, lambda part: analysis.to_target(part, target, cost, variable).values)


def _cells(costs: Mapping[str, Measured], own: str) -> dict[str, dict[str, str]]:
    """Return the costs of the own method against those of its best rival as text, by channel and cost."""
    found = {}
    for words, measured in costs.items():
        for title, each in measured.items():
            *_, best = _against_best(each, own, min)
            found.setdefault(title, {})[words] = f"{spread(each[own])} against {spread(each[best])} ({best})"
    return found


def _with_table(rows: list[Claim], cells: Mapping[str, Mapping[str, str]]) -> list[Claim]:
    """Return rows, of which the first has all numbers in a table below."""
    return [rows[0]._replace(detail=grid("channel", cells)), *rows[1:]]


def _fewest(words: str, measured: Measured, goal: str, own: str) -> Claim:
    ratios = {title: np.divide(*_against_best(each, own, min)[:2]) for title, each in measured.items()}
    verdicts = {title: lowest(each[own], _rivals(each, own)) for title, each in measured.items()}
    listed = ", ".join(f"{title} {ratio:.2g}" for title, ratio in ratios.items())
    text = f"{own} needs the fewest {words} to {goal}"
    return Claim("V", text, f"{words} over those of the best rival: {listed}", by_verdict(verdicts))


def _highest_of_all(measured: Measured, dealt: str) -> Claim:
    gains = {title: np.subtract(*_against_best(each, NETWORK, max)[:2]) for title, each in measured.items()}
    verdicts = {title: _highest(each[NETWORK], _rivals(each, NETWORK)) for title, each in measured.items()}
    listed = ", ".join(f"{title} {gain:+.3f}" for title, gain in gains.items())
    text = f"{NETWORK} reaches the highest accuracy, {dealt}"
    return Claim("V", text, f"accuracy less that of the best rival: {listed}", by_verdict(verdicts))


def _highest(own: np.ndarray, others: Mapping[str, np.ndarray]) -> str:
    return highest(own, others, DIGITS)


def _rivals(each: Mapping[str, np.ndarray], own: str) -> dict[str, np.ndarray]:
    return {name: one for name, one in each.items() if name != own and name not in PAPER}


def _against_best(each: Mapping[str, np.ndarray], own: str, best: Callable) -> tuple[float, float, str]:
    """Return the mean of the own method, and of its best rival, with the rival's name.

    Arguments:
        each: numbers of the seeds, by method.
        own: name of the own method.
        best: ``min`` or ``max``.
    """
    name = best(_rivals(each, own), key=lambda one: each[one].mean())
    return each[own].mean(), each[name].mean(), name
