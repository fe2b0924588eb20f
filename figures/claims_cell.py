"""Claims of the A-FADMM paper over five channels, with weights |h|^p in place of |h|^2, at four costs."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
import xarray as xr

from figures.channel_panels import TITLES
from figures.claims import NO, YES, Claim, grid, highest, lowest, spread
from figures.claims_channels import Measured, accuracy, both_readings, by_channel, by_verdict
from figures.panels import final
from figures.study import result
from otafl.results import analysis

HEADING = "What holds with these weights"
REMARK = (
    "These rows are expectations of this project. They carry claims of the named sections of the A-FADMM paper over\n"
    "to weights \\|h\\|^p β^-κ, with a worker's mean gain β over fading, to other channels and rivals, and to\n"
    "seconds, on which the paper has no claim. κ is 0 where it is not named. The paper's own weights and rivals are\n"
    "on two other pages (A-FADMM, A-FADMM over other channels). Channels are those of the second, and a UMa cell.\n"
    "\n"
    "The regression has ρ = 2 and 100 workers. Its rivals are D-FADMM, D-FADMM with shares of the band that let all\n"
    "end together (makespan), and A-GD. A-GD has the paper's step of 0.0001, and steps up to 0.005, near the\n"
    "largest that is stable (0.0052). Networks have ρ = 0.5, 50 workers and 100 rounds. A-SFADMM p=1 κ=0.5 goes on\n"
    "training after a change of channel. Its rivals are D-SFADMM, and FedAvg and FedADMM-Wang over the air by\n"
    "inversion of channels, with 10 of the workers and 5 epochs in a round.\n"
    "\n"
    "Joules are those that workers radiate in uploads. Seconds are of uploads, of the broadcast at the rate of the\n"
    "weakest listener, and of local training; a round waits for its slowest worker. Training takes no time in the\n"
    "regression: of a round of A-FADMM or A-GD 1 ms is the upload, and 3 to 8 ms are the broadcast. In networks a\n"
    "sample takes 100,000 cycles, and workers' clocks are uniform between 0.2 and 1 GHz, an assumption. Of the 1.0\n"
    "to 1.1 s of a round of A-SFADMM 0.9 to 1.0 s are training, 0.05 to 0.13 s the broadcast, 0.027 s the upload.\n"
    "The training of FedAvg and FedADMM-Wang takes 2.1 to 2.5 s of a round, upload and broadcast what A-SFADMM's\n"
    "take. Seconds are upper bounds: these results are older than a correction, and count a broadcast on the\n"
    "subcarriers of an upload in place of the whole band.\n"
    "\n"
    "Numbers are mean ± standard deviation over 5 seeds, and final accuracies are means over the last 5 rounds. A\n"
    "hundred iterations a decade are read in the regression. Ahead and behind are by Welch's interval of 95% for\n"
    "the difference of means; for accuracies it must exceed 0.01, too. A method is at a target from its first\n"
    "reading there, once the running median of 11 readings or more holds it to the end. Where the first reading at\n"
    "the target gives another verdict, the row has both."
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
    "A-GD with a step of 0.005 takes a fiftieth of the rounds that it takes with 0.0001. It inverts channels, and "
    "takes as many rounds, to 3%, over each channel, but for one seed over UMi"
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
        plain = Reached.of(data, cost, TARGET, "loss")
        found = plain.beside(Reached.of(steps, cost, TARGET, "loss"))
        costs[words] = found.held
        remark = f"with the paper's step of A-GD alone: {plain.verdict(REGRESSION)}. {_on_mean_loss(cost, words)}"
        row = _fewest(words, found, "a loss of 1e-4", REGRESSION)
        why = f"{STEPPED}. {_seed_by_seed(found.held, REGRESSION)}"
        rows.append(row._replace(why=why, but=remark, runs=(METHODS, STEPS, GLOBAL)))
    return _with_table(rows, _cells(costs, REGRESSION))


def _read(part: xr.Dataset, cost: str, target: float, variable: str, reached: str) -> np.ndarray:
    return analysis.to_target(part, target, cost, variable, reached).values


class Reached(NamedTuple):
    """Costs of a target, by channel and method.

    Arguments:
        held: costs where the target must be held.
        first: costs where the first reading at the target counts.
    """

    held: Measured
    first: Measured

    @classmethod
    def of(cls, data: xr.Dataset, cost: str, target: float, variable: str) -> "Reached":
        """Return the costs of a target.

        Arguments:
            data: result, dataset over schemes, fading, seed and iteration.
            cost: name of the cost.
            target: the target, in the variable's unit.
            variable: name of the variable.
        """
        read = partial(_read, cost=cost, target=target, variable=variable)
        return cls(*(by_channel(data, partial(read, reached=reached)) for reached in ("held", "first")))

    def beside(self, others: "Reached") -> "Reached":
        """Return the costs with those of other methods.

        Arguments:
            others: costs of the other methods over the same channels.
        """
        return Reached(
            *(
                {title: each | more[title] for title, each in own.items()}
                for own, more in zip(self, others, strict=True)
            )
        )

    def verdict(self, own: str) -> str:
        """Return the verdict on a claim that a method takes the least, channel by channel.

        Arguments:
            own: name of the method.
        """
        held, first = ({title: lowest(each[own], _rivals(each, own)) for title, each in one.items()} for one in self)
        return by_verdict({title: both_readings(one, first[title]) for title, one in held.items()})


def _seed_by_seed(measured: Measured, own: str) -> str:
    """Return with how many seeds a method takes more than its best rival where means are not told apart, as text."""
    words = []
    for title, each in measured.items():
        *_, best = _against_best(each, own, min)
        if lowest(each[own], {best: each[best]}) not in (YES, NO):
            more, ratio = (each[own] > each[best]).sum(), np.median(each[own]) / np.median(each[best])
            words.append(f"{title} {best}, {more} of {each[own].size} seeds, medians {ratio:.2g} times as high")
    return f"Seed by seed {own} takes more than its best rival where means are not told apart: {'; '.join(words)}"


def _on_mean_loss(cost: str, words: str) -> str:
    """Return the means of a cost with the loss of section V-A as text; it is of second order, as A-GD's always is."""
    found = by_channel(result(GLOBAL).expand_dims("scheme"), lambda part: analysis.to_target(part, TARGET, cost).values)
    listed = ", ".join(f"{title} {_shown(each[REGRESSION])}" for title, each in found.items())
    return f"With the loss of section V-A {REGRESSION} takes these {words}: {listed}"


def _by_step(steps: xr.Dataset) -> xr.Dataset:
    """Return the result of A-GD at several steps with the steps as schemes."""
    names = [f"A-GD at {step:g}" for step in steps["learning_rate"].values]
    return steps.drop_vars(["scheme", "method"]).rename(learning_rate="scheme").assign_coords(scheme=names)


def _network(dealt: str, words: str) -> list[Claim]:
    name, epoch = f"cell_federated_{dealt}", result(EPOCH).sel(partition=dealt)
    data = result(name)
    found = {unit: Reached.of(data, cost, ACCURACY, "test_accuracy") for cost, unit in COSTS.items()}
    costs = {unit: each.held for unit, each in found.items()}
    few = {unit: analysis.to_target(epoch, ACCURACY, cost, "test_accuracy").values for cost, unit in COSTS.items()}
    ends = by_channel(data, lambda part: final(part).values)
    rows = [
        _fewest(unit, each, f"a test accuracy of 0.9, {words}", NETWORK)._replace(
            why=_one_epoch("takes", few[unit], each.held[RAYLEIGH][NETWORK], unit) + _all_rounds(data, epoch, unit)
        )
        for unit, each in found.items()
    ]
    own, other = ends[RAYLEIGH][NETWORK], final(epoch).values
    part = EXPLAINED.get(_highest(own, {"": other}), LEVEL)
    text = f"{WORK} ends at {accuracy(other)}, A-SFADMM at {accuracy(own)}: {part}"
    rows.append(_highest_of_all(ends, words)._replace(why=text))
    cells = _cells(costs, NETWORK)
    for title, each in ends.items():
        cells[title]["final accuracy"] = "{:.3f} against {:.3f} ({})".format(*_against_best(each, NETWORK, max))
    return _with_table([row._replace(runs=(name, EPOCH)) for row in rows], cells)


EXPLAINED = {
    YES: "with so few local steps A-SFADMM is ahead",
    NO: "FedAvg is ahead even so, and local steps are a part of the reason at most",
}
LEVEL = "with so few local steps the two are not told apart"
"""Sentence of a row on local steps as its reason, where FedAvg with one epoch is not told apart from A-SFADMM."""


def _one_epoch(takes: str, other: np.ndarray, own: np.ndarray, unit: str) -> str:
    """Return costs of FedAvg with one epoch and of A-SFADMM, and what they say on the reason, as text."""
    part = EXPLAINED.get(lowest(own, {"": other}), LEVEL)
    return f"{WORK} {takes} {_shown(other)} {unit}, A-SFADMM {_shown(own)}: {part}"


def _all_rounds(data: xr.Dataset, epoch: xr.Dataset, unit: str) -> str:
    """Return joules or seconds of all rounds of A-SFADMM and FedAvg as text; nothing for slots and uses."""
    if unit not in ("joules", "seconds"):
        return ""
    cost = {unit: cost for cost, unit in COSTS.items()}[unit]
    spent = by_channel(data, lambda part: np.array(_spent(part, cost)))
    listed = "; ".join(f"{title} {one[NETWORK]:,.0f} and {one['FedAvg']:,.0f}" for title, one in spent.items())
    text = f". 100 rounds of A-SFADMM and of FedAvg take these {unit}: {listed}"
    if unit == "joules":
        return f"{text}. All 50 workers send in a round of A-SFADMM, 10 in one of FedAvg"
    return (
        f"{text}, with one epoch {_spent(epoch, cost):,.0f}. A round of A-SFADMM waits for the slowest of 50 workers, "
        "one of FedAvg for that of 10"
    )


def _spent(part: xr.Dataset, cost: str) -> float:
    """Return a cost of all rounds in the mean over seeds."""
    return float(analysis.cumulative(part, cost).isel(iteration=-1).mean())


def _shown(values: np.ndarray) -> str:
    """Return mean and standard deviation as text, with a digit more where the deviation would be rounded to 0."""
    deviation = float(values.std(ddof=1))
    return f"{values.mean():.1f} ± {deviation:.1f}" if 0 < deviation < 0.5 and values.mean() >= 10 else spread(values)


def _cells(costs: Mapping[str, Measured], own: str) -> dict[str, dict[str, str]]:
    """Return the costs of the own method against those of its best rival as text, by channel and cost."""
    found = {}
    for words, measured in costs.items():
        for title, each in measured.items():
            *_, best = _against_best(each, own, min)
            found.setdefault(title, {})[words] = f"{_shown(each[own])} against {_shown(each[best])} ({best})"
    return found


def _with_table(rows: list[Claim], cells: Mapping[str, Mapping[str, str]]) -> list[Claim]:
    """Return rows, of which the first has all numbers in a table below."""
    return [rows[0]._replace(detail=grid("channel", cells)), *rows[1:]]


def _fewest(words: str, found: Reached, goal: str, own: str) -> Claim:
    ratios = {title: np.divide(*_against_best(each, own, min)[:2]) for title, each in found.held.items()}
    listed = ", ".join(f"{title} {ratio:.2g}" for title, ratio in ratios.items())
    text = f"{own} needs the fewest {words} to {goal}"
    return Claim(SECTIONS[words], text, f"mean {words} over those of the best rival: {listed}", found.verdict(own))


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
