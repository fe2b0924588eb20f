'''Claims of papers as data: what a paper says, what is read from which study, and how the two are compared.

Each folder of figures has its claims in ``claims.toml``. All rows that follow from them stand in
``figures/claims.csv``. ``python -m figures.gallery.claims song wang`` evaluates the claims of these folders anew,
without names those of all.

The head of a file::

    answer = """..."""            # at most ten lines; {id.own}, {id, case.rival:.1%} are filled in from the table
    [symbols]                     # how keys are called in labels
    rho = "β"
    [difference]                  # margin of each metric that is compared by the difference of its means (Welch)
    test_accuracy = 0.02
    [ratio]                       # margin of each metric that is compared by its ratio, with seeds paired (Student)
    iteration = 1.1
    [reading.cost]                # arguments of a reading, unless a claim has its own
    of = "test_accuracy"
    reached = "first"

A claim, in which all but ``says`` and ``where`` may be left out::

    [claim.fewest_rounds]
    says = "FedADMM needs the fewest rounds"   # at most 60 characters, with the first case
    where = "table III"                        # place in the paper
    paper = "11; best other 19"                # the paper's numbers
    setting = "MLP for CNN"                    # what differs from the paper's setting; left out: nothing does
    study = "gong_table3_iid"                  # result, as of ``figures.study.result``
    read = { cost = "iteration", to = 0.97 }   # reading, its first argument, and its other arguments
    own = { scheme = "FedADMM-Gong" }          # values of swept keys; ``study`` for another one
    rival = { scheme = ["FedAvg", "FedProx"] } # likewise; of several, or of a list of tables, the strongest counts
    compare = "below"

``read`` names a function of ``figures/FOLDER/readings.py``, or else of ``figures.gallery.readings``: final, at, cost,
mean. Its metric is the reading's first argument; ``metric = "share"`` names another. ``read = { apart = "start" }``
without a study calls the function without data. A reading that returns one number for all seeds is a single number.

``rival`` may also be a number, such as the paper's. ``compare`` is one of

    below, above             by more than the margin and the interval of 95%
    not below, not above     by at most the margin; fails if the whole interval is beyond it
    near                     both of them
    falls, rises             each value of the key ``over`` against the one before it; own is the last, rival the first
    power                    exponent of ``over`` in a power law, near ``rival``, with metric "power"

``by = 0.078`` adds a number to the rival, ``times = 0.1`` multiplies it: below with times = 0.1 is less than a tenth.
``over = "rho"`` keeps a swept key; with ``reduce = "range"`` (or mean, median, min, max) it is reduced before the
comparison. ``at = { snr_db = 40.0 }`` selects on both sides; a rival that has no such key ignores it.

Rows, one for each case::

    each = { rho = [0.1, 1.0], scheme = ["A", "B"] }     # all combinations, as ``at``
    [claim.fewest_rounds.cases]
    "IID" = {}                                           # what the case has in place of the claim's
    "two shards" = { study = "gong_table3_shards_mnist", paper = "36; 77" }

In place of a study: ``test = "tests/otafl/algorithms/test_theorems.py::test_x"``, an executed test, which holds, or
``not_run = "FEMNIST is absent"``, the reason.

Verdicts are holds, fails, undecided and not run. A target that is not reached costs more than the whole run, ">300".
'''

import csv
import importlib
import itertools
import math
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from figures import study
from figures.gallery import readings, verdicts
from figures.gallery.readings import Bounded
from figures.gallery.verdicts import COMPARISONS, NOT_RUN, TRENDS, Gap, Metric, Sample
from otafl.results import file

FIGURES = Path(__file__).parents[1]
TABLE = FIGURES / "claims.csv"
ALIKE = 1e-3
"""Relative difference up to which a value of a swept key is the one that a claim names."""


class Row(NamedTuple):
    """Line of the table: a case of a claim, with its numbers as text.

    Arguments:
        folder: folder of the claim.
        claim: its name.
        case: the case; empty if there is one only.
        verdict: "holds", "fails", "undecided" or "not run".
        own: mean over seeds, geometric for a ratio; ">" before what it is at least.
        against: the rival that decides.
        rival: its mean.
        difference: own minus rival, or own over rival.
        low: lower end of its interval of 95%; empty for single runs.
        high: upper end of it.
        seeds: number of seeds.
    """

    folder: str
    claim: str
    case: str
    verdict: str
    own: str = ""
    against: str = ""
    rival: str = ""
    difference: str = ""
    low: str = ""
    high: str = ""
    seeds: str = ""


@dataclass(frozen=True)
class Claim:
    """Case of a claim, whose fields are the keys of the file."""

    says: str
    where: str
    paper: str = ""
    setting: str = ""
    study: str = ""
    read: Mapping[str, Any] = field(default_factory=dict)
    metric: str = ""
    own: Mapping[str, Any] = field(default_factory=dict)
    rival: Mapping[str, Any] | list[Mapping[str, Any]] | float = field(default_factory=dict)
    at: Mapping[str, Any] = field(default_factory=dict)
    over: str = ""
    reduce: str = ""
    compare: str = ""
    by: float = 0.0
    times: float = 1.0
    test: str = ""
    not_run: str = ""

    @property
    def rivals(self) -> list[Mapping[str, Any]]:
        """What selects the rivals; none if the rival is a number."""
        return self.rival if isinstance(self.rival, list) else [self.rival] if isinstance(self.rival, Mapping) else []

    @property
    def studies(self) -> set[str]:
        """Names of the results that it reads."""
        return {side.get("study", self.study) for side in (self.own, *self.rivals)} - {""}


class Book(NamedTuple):
    """Claims of a folder.

    Arguments:
        folder: name of the folder.
        answer: the answer in a few lines, with places for numbers.
        metrics: how numbers are told apart, by metric.
        arguments: arguments of readings, by reading.
        claims: cases by name of the claim and label of the case.
    """

    folder: str
    answer: str
    metrics: dict[str, Metric]
    arguments: dict[str, dict[str, Any]]
    claims: dict[tuple[str, str], Claim]

    def evaluate(self, name: str, case: str) -> Row:
        """Return the row of a case."""
        claim, row = self.claims[name, case], Row(self.folder, name, case, NOT_RUN)
        if claim.not_run:
            return row
        if claim.test:
            return row._replace(verdict=verdicts.HOLDS)
        return row._replace(**self._judged(claim))

    def _judged(self, claim: Claim) -> dict[str, str]:
        """Return the fields of a row that are read from results."""
        metric = self.metric(claim)
        if claim.compare in TRENDS:
            return self._trend(claim, metric)
        own = self._sample(claim, claim.own)
        found = [(*_compared(own, rival, claim, metric), label, rival) for label, rival in self._rivals(claim)]
        order = [verdicts.FAILS, verdicts.UNDECIDED, verdicts.HOLDS].index
        verdict, gap, label, rival = min(found, key=lambda one: (order(one[0]), abs(one[1].centre)))
        return {"verdict": verdict, "against": label, **_numbers(own, rival, gap, metric)}

    def _trend(self, claim: Claim, metric: Metric) -> dict[str, str]:
        samples = self._samples(claim, claim.own)
        scaled = [_scaled(sample, metric) for sample in samples.values()]
        verdict = verdicts.trend(scaled, claim.compare, _margin(metric), metric.is_ratio)
        (first, *_, last), early = samples.values(), next(iter(samples))
        gap = verdicts.gap(scaled[-1], scaled[0], _margin(metric), metric.is_ratio)
        return {"verdict": verdict, "against": f"{early:g}", **_numbers(last, first, gap, metric)}

    def metric(self, claim: Claim) -> Metric:
        """Return how the numbers of a claim are told apart."""
        return self.metrics[claim.metric or (next(iter(claim.read.values())) if claim.compare != "power" else "power")]

    def _rivals(self, claim: Claim) -> Iterator[tuple[str, Sample]]:
        """Yield name and sample of each rival."""
        if not isinstance(claim.rival, Mapping | list):
            yield "", Sample.constant(claim.rival)
            return
        for rival in claim.rivals:
            lists = {key: value if isinstance(value, list) else [value] for key, value in rival.items()}
            for values in itertools.product(*lists.values()):
                side = dict(zip(lists, values, strict=True))
                yield _words(side), self._sample(claim, side)

    def _sample(self, claim: Claim, side: Mapping[str, Any]) -> Sample:
        """Return the numbers of one side, over seeds."""
        found, seeds = self._read(claim, side)
        if claim.compare == "power":
            values = found.values.transpose(claim.over, "seed")
            slopes = verdicts.power(values[claim.over].values, values.values)
            return Sample(slopes, slopes, seeds)
        return _over_seeds(Bounded(*(_reduced(part, claim) for part in found)) if claim.over else found, seeds)

    def _samples(self, claim: Claim, side: Mapping[str, Any]) -> dict[float, Sample]:
        """Return the numbers of one side at each value of the key ``over``."""
        found, seeds = self._read(claim, side)
        return {
            float(key): _over_seeds(Bounded(*(part.sel({claim.over: key}) for part in found)), seeds)
            for key in found.values[claim.over].values
        }

    def _read(self, claim: Claim, side: Mapping[str, Any]) -> tuple[Bounded, tuple[int, ...]]:
        """Return the numbers that a claim reads of one side, and the labels of the seeds."""
        (name, first), *others = claim.read.items()
        arguments = {**self.arguments.get(name, {}), **dict(others)}
        data = [_part(claim, side)] if claim.study or "study" in side else []
        found = self._reading(name)(*data, first, **arguments)
        seeds = tuple(data[0]["seed"].values.tolist()) if data else ()
        if isinstance(found, Bounded):
            return found, seeds
        values = xr.DataArray(found)
        return Bounded(values, values), seeds

    def _reading(self, name: str) -> Any:
        """Return a reading of the folder's own, or else one that all share."""
        here = (FIGURES / self.folder / "readings.py").exists()
        own = importlib.import_module(f"figures.{self.folder}.readings") if here else readings
        return getattr(own, name, None) or getattr(readings, name)


def folders() -> list[str]:
    """Return the names of the folders that have claims."""
    return sorted(path.parent.name for path in FIGURES.glob("*/claims.toml"))


def book(folder: str) -> Book:
    """Return the claims of a folder.

    Arguments:
        folder: its name.
    """
    text = tomllib.loads((FIGURES / folder / "claims.toml").read_text(encoding="utf-8"))
    metrics = {name: Metric(margin) for name, margin in text.get("difference", {}).items()}
    metrics |= {name: Metric(margin, True) for name, margin in text.get("ratio", {}).items()}
    symbols = text.get("symbols", {})
    claims = {
        (name, case): Claim(**keys) for name, claim in text["claim"].items() for case, keys in _cases(claim, symbols)
    }
    return Book(folder, text["answer"], metrics, text.get("reading", {}), claims)


def _cases(claim: dict[str, Any], symbols: Mapping[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield label and keys of each case of a claim."""
    whole = dict(claim)
    cases = whole.pop("cases", {"": {}})
    for label, changed in cases.items():
        keys = whole | changed
        each = keys.pop("each", {})
        for values in itertools.product(*each.values()):
            at = dict(zip(each, values, strict=True))
            words = [label, *(_named(symbols.get(key, key), value) for key, value in at.items())]
            yield ", ".join(filter(None, words)), keys | {"at": keys.get("at", {}) | at}


def _named(key: str, value: Any) -> str:
    return value if isinstance(value, str) else f"{key} = {value:g}"


def _words(side: Mapping[str, Any]) -> str:
    """Return the names that select a rival, such as that of a method."""
    return ", ".join(value for key, value in side.items() if isinstance(value, str) and key != "study")


def stored(name: str) -> xr.Dataset:
    """Return a result: the kept one where there is one, else as ``figures.study.result`` does.

    Arguments:
        name: name of the study.
    """
    path = kept(name)
    return file.load(path) if path.exists() else study.result(name)


def kept(name: str) -> Path:
    """Return the path of a study's kept result, which may not be there."""
    return study.COMPUTED / f"{name}.nc"


def _part(claim: Claim, side: Mapping[str, Any]) -> xr.Dataset:
    """Return the part of a result that one side of a claim reads."""
    chosen = dict(side)
    data = stored(chosen.pop("study", claim.study))
    shared = {key: value for key, value in claim.at.items() if key not in chosen and key in data.dims}
    for key, value in (shared | chosen).items():
        data = _at(data, key, value)
    return data.squeeze([dim for dim in data.dims if data.sizes[dim] == 1 and dim not in ("seed", "iteration")])


def _at(data: xr.Dataset, key: str, value: Any) -> xr.Dataset:
    """Return the part of a result at one value of a swept key, or of one that has this value throughout."""
    values = np.atleast_1d(data[key].values)
    if isinstance(value, str):
        place = list(map(str, values)).index(value)
    else:
        place = int(np.argmin(abs(values - value)))
        if not math.isclose(values[place], value, rel_tol=ALIKE):
            raise KeyError(f"{key} = {value} is not in {data.attrs.get('name')}, which has {values}")
    return data.isel({key: place}) if key in data.dims else data


def _reduced(values: xr.DataArray, claim: Claim) -> xr.DataArray:
    """Return numbers reduced over a swept key: its mean, median, least or largest, or its range."""
    if claim.reduce == "range":
        return values.max(claim.over) - values.min(claim.over)
    return getattr(values, claim.reduce)(claim.over)


def _over_seeds(found: Bounded, seeds: tuple[int, ...]) -> Sample:
    return Sample(*(np.atleast_1d(part.values).astype(float) for part in found), seeds)


def _margin(metric: Metric) -> float:
    return math.log(metric.margin) if metric.is_ratio else metric.margin


def _scaled(sample: Sample, metric: Metric) -> Sample:
    return sample.logarithm() if metric.is_ratio else sample


def _compared(own: Sample, rival: Sample, claim: Claim, metric: Metric) -> tuple[str, Gap]:
    """Return the verdict on two samples, and their gap."""
    margin, offset = _margin(metric), math.log(claim.times) if metric.is_ratio else claim.by
    judge = COMPARISONS["near" if claim.compare == "power" else claim.compare]
    pair = [_scaled(one, metric) for one in (own, rival)]
    moved = pair[1]._replace(values=pair[1].values + offset, least=pair[1].least + offset)
    verdict = judge(verdicts.gap(pair[0], moved, margin, metric.is_ratio), margin)
    return verdict, verdicts.gap(*pair, margin, metric.is_ratio)


def _numbers(own: Sample, rival: Sample, gap: Gap, metric: Metric) -> dict[str, str]:
    """Return the numbers of a row as text."""
    back = math.exp if metric.is_ratio else float
    known = np.isfinite([own.values.sum(), rival.values.sum()]).all()
    ends = [f"{back(part):.4g}" for part in gap] if known else [""] * 3
    if gap.low == gap.high:
        ends[1:] = ["", ""]
    return {
        "own": _mean(own, metric),
        "rival": _mean(rival, metric),
        **dict(zip(("difference", "low", "high"), ends, strict=True)),
        "seeds": str(max(1, len(own.seeds))),
    }


def _mean(sample: Sample, metric: Metric) -> str:
    """Return the mean as text, geometric for a ratio, with ">" before what it is at least."""
    values = sample.least
    mean = math.exp(np.log(values).mean()) if metric.is_ratio else values.mean()
    return f"{'>' * (not np.isfinite(sample.values).all() and np.isfinite(values).all())}{mean:.4g}"


def rows(folder: str) -> list[Row]:
    """Return the rows of a folder, evaluated.

    Arguments:
        folder: its name.
    """
    own = book(folder)
    return [own.evaluate(*key) for key in own.claims]


def table() -> list[Row]:
    """Return all rows of the table that is kept."""
    with TABLE.open(encoding="utf-8", newline="") as text:
        return [Row(**line) for line in csv.DictReader(text)]


def write(evaluated: list[Row]) -> None:
    """Write rows into the table, in place of those of their folders.

    Arguments:
        evaluated: all rows of some folders.
    """
    others = {row.folder for row in evaluated}
    kept_rows = [row for row in table() if row.folder not in others] if TABLE.exists() else []
    with TABLE.open("w", encoding="utf-8", newline="") as text:
        out = csv.writer(text, lineterminator="\n")
        out.writerow(Row._fields)
        out.writerows(sorted([*kept_rows, *evaluated], key=lambda row: row.folder))


if __name__ == "__main__":
    write([row for name in sys.argv[1:] or folders() for row in rows(name)])
