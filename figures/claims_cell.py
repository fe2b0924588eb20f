"""Claims of the A-FADMM paper over five channels, with weights |h|^p in place of |h|^2, at four costs."""

from collections.abc import Callable, Mapping

import numpy as np
import xarray as xr

from figures.channel_panels import TITLES
from figures.claims import Claim, grid, highest, lowest, spread
from figures.claims_channels import Measured, accuracy, by_channel, by_verdict
from figures.panels import final
from figures.study import result
from otafl.results import analysis

HEADING = "What holds with these weights"
REMARK = (
    "These rows are expectations of this project. They carry claims of the named sections of the A-FADMM paper over\n"
    "to weights \\|h\\|^p, to other channels and rivals, and to seconds, on which the paper has no claim. The\n"
    "paper's own weights and rivals are on two other pages (A-FADMM, A-FADMM over other channels).\n"
    "\n"
    "The regression has ρ = 2 and 100 workers. Its rivals are D-FADMM, D-FADMM with shares of the band that let all\n"
    "end together (makespan), and A-GD. A-GD has the paper's step of 0.0001, and steps up to 0.005, near the\n"
    "largest that is stable (0.0052). Networks have ρ = 0.5, 50 workers and 100 rounds. A-SFADMM p=1 κ=0.5 goes on\n"
    "training after a change of channel. Its rivals are D-SFADMM, and FedAvg and FedADMM-Wang over the air by\n"
    "inversion of channels, with 10 of the workers and 5 epochs in a round.\n"
    "\n"
    "Numbers are mean ± standard deviation over 5 seeds, and final accuracies are means over the last 5 rounds. A\n"
    "hundred iterations a decade are read in the regression. Ahead and behind are by Student's interval of 95% for\n"
    "the difference; for accuracies it must exceed 0.01, too."
)
COSTS = {"time_slots": "time slots", "channel_uses": "channel uses", "energy": "joules", "time": "seconds"}
SECTIONS = {"time slots": "V-B", "channel uses": "V-C", "joules": "V-C", "seconds": "none"}
"""Section of the paper with a claim on each cost."""
REGRESSION = "A-FADMM p=1"
NETWORK = "A-SFADMM p=1 κ=0.5"
PAPER = ("A-FADMM", "A-SFADMM")
PARTITIONS = {"iid": "IID data", "two_classes": "two classes a worker"}
TARGET, ACCURACY, DIGITS = 1e-4, 0.9, 0.01
RAYLEIGH = TITLES["rayleigh"]
METHODS, STEPS, EPOCH, GLOBAL = "cell_methods", "cell_gd_steps", "cell_federated_epoch", "cell_methods_global"
STEPPED = (
    "A-GD with a step of 0.005 takes a fiftieth of the rounds that it takes with 0.0001. It inverts channels, and is "
    "as fast where mean gains differ, but for one seed over UMi"
)
WORK = (
    "FedAvg trains 60 local steps in a round, A-SFADMM 20; no rate was tuned. With one epoch, 12 steps, FedAvg over "
    "Rayleigh fading (3 seeds)"
)


def rows() -> list[Claim]:
    """Return the claims over five channels, with the measured numbers."""
    networks = ((dealt, words) for dealt, words in PARTITIONS.items())
    return [*_regression(), *(row for dealt, words in networks for row in _network(dealt, words))]


def _regression() -> list[Claim]:
    data, steps = result(METHODS), _by_step(result(STEPS))
    rows, costs = [], {}
    for cost, words in COSTS.items():
        plain = _costs(data, cost, TARGET, "loss")
        costs[words] = _beside(plain, steps, cost)
        remark = f"with the paper's step of A-GD alone: {_verdict(plain, REGRESSION)}. {_on_mean_loss(cost, words)}"
        row = _fewest(words, costs[words], "a loss of 1e-4", REGRESSION)
        rows.append(row._replace(why=STEPPED, but=remark, runs=(METHODS, STEPS, GLOBAL)))
    return _with_table(rows, _cells(costs, REGRESSION))


def _on_mean_loss(cost: str, words: str) -> str:
    """Return the means of a cost with the loss of section V-A as text; it is of second order, as A-GD's always is."""
    found = by_channel(result(GLOBAL).expand_dims("scheme"), lambda part: analysis.to_target(part, TARGET, cost).values)
    listed = ", ".join(f"{title} {spread(each[REGRESSION])}" for title, each in found.items())
    return f"With the loss of section V-A {REGRESSION} takes these {words}: {listed}"


def _by_step(steps: xr.Dataset) -> xr.Dataset:
    """Return the result of A-GD at several steps with the steps as schemes."""
    names = [f"A-GD at {step:g}" for step in steps["learning_rate"].values]
    return steps.drop_vars(["scheme", "method"]).rename(learning_rate="scheme").assign_coords(scheme=names)


def _beside(measured: Measured, steps: xr.Dataset, cost: str) -> Measured:
    """Return costs of the target with those of A-GD at several steps."""
    found = _costs(steps, cost, TARGET, "loss")
    return {title: each | found[title] for title, each in measured.items()}


def _network(dealt: str, words: str) -> list[Claim]:
    name, epoch = f"cell_federated_{dealt}", result(EPOCH).sel(partition=dealt)
    data = result(name)
    costs = {unit: _costs(data, cost, ACCURACY, "test_accuracy") for cost, unit in COSTS.items()}
    few = {unit: analysis.to_target(epoch, ACCURACY, cost, "test_accuracy").values for cost, unit in COSTS.items()}
    ends = by_channel(data, lambda part: final(part).values)
    rows = [
        _fewest(unit, each, f"a test accuracy of 0.9, {words}", NETWORK)._replace(
            why=f"{WORK} takes {spread(few[unit])} {unit}, A-SFADMM {spread(each[RAYLEIGH][NETWORK])}"
        )
        for unit, each in costs.items()
    ]
    own, other = accuracy(ends[RAYLEIGH][NETWORK]), accuracy(final(epoch).values)
    rows.append(_highest_of_all(ends, words)._replace(why=f"{WORK} ends at {other}, A-SFADMM at {own}"))
    cells = _cells(costs, NETWORK)
    for title, each in ends.items():
        cells[title]["final accuracy"] = "{:.3f} against {:.3f} ({})".format(*_against_best(each, NETWORK, max))
    return _with_table([row._replace(runs=(name, EPOCH)) for row in rows], cells)


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
    listed = ", ".join(f"{title} {ratio:.2g}" for title, ratio in ratios.items())
    text = f"{own} needs the fewest {words} to {goal}"
    return Claim(SECTIONS[words], text, f"{words} over those of the best rival: {listed}", _verdict(measured, own))


def _verdict(measured: Measured, own: str) -> str:
    return by_verdict({title: lowest(each[own], _rivals(each, own)) for title, each in measured.items()})


def _highest_of_all(measured: Measured, dealt: str) -> Claim:
    gains = {title: np.subtract(*_against_best(each, NETWORK, max)[:2]) for title, each in measured.items()}
    verdicts = {title: _highest(each[NETWORK], _rivals(each, NETWORK)) for title, each in measured.items()}
    listed = ", ".join(f"{title} {gain:+.3f}" for title, gain in gains.items())
    text = f"{NETWORK} reaches the highest accuracy, {dealt}"
    return Claim("V-B", text, f"accuracy less that of the best rival: {listed}", by_verdict(verdicts))


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
