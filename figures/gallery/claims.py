'''Claims of papers as data: what a paper says, what is read from which study, and how the two are compared.

Each folder of figures has its claims in ``claims.toml``. All rows that follow from them stand in
``figures/claims.csv``. ``python -m figures.gallery song wang`` evaluates the claims of these folders anew, and writes
the table and their pages; without names, those of all folders.

The head of a file::

    answer = """..."""            # at most ten lines; {id.own}, {id, case.rival:.1%} are filled in from the table
    [symbols]                     # how keys, and values that are words, are called in labels
    rho = "β"
    snr_db = "{:g} dB"
    tdl = "TDL-C"
    [difference]                  # margin of each metric that is compared by the difference of its means (Welch)
    test_accuracy = 0.02
    [ratio]                       # margin of each metric that is compared by its ratio, with seeds paired (Student)
    iteration = 1.1
    [reading.cost]                # arguments of a reading, unless a claim has its own
    of = "test_accuracy"
    reached = "first"
    [common]                      # keys of all claims, unless one has its own
    compare = "below"

A claim, in which all but ``says`` and ``where`` may be left out::

    [claim.fewest_rounds]
    says = "FedADMM needs the fewest rounds"   # at most 60 characters, with the first case
    where = "table III"                        # place in the paper
    paper = "11; best other 19"                # the paper's numbers
    setting = "MLP for CNN"                    # what differs from the paper's setting; left out: nothing does
    study = "gong_table3_iid"                  # result, as of ``figures.gallery.study.result``
    read = { cost = "iteration", to = 0.97 }   # reading, its first argument, and its other arguments
    own = { scheme = "FedADMM-Gong" }          # values of swept keys; ``study`` and ``read`` if it has its own
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

``charged = 0.08627`` multiplies the rival's numbers, which the row shows as charged. For the verdict alone
``by = 0.078`` adds a number to the rival, ``times = 0.1`` multiplies it: below with times = 0.1 is less than a tenth.
Beside such a threshold the margin counts for single runs alone.
``over = "rho"`` keeps a swept key; with ``reduce = "range"`` (or mean, median, min, max) it is reduced before the
comparison, on each side that does not name a value of it. ``at = { snr_db = 40.0 }`` selects on both sides; a rival
that has no such key ignores it. A list there keeps some values of the key ``over``.

``every = { snr_db = [0.0, 20.0] }`` compares at each of these values, as ``at``; the row shows the one that decides.

Rows, one for each case::

    each = { rho = [0.1, 1.0], scheme = ["A", "B"] }     # all combinations, as ``at``
    cases."IID" = {}                                     # what the case has in place of the claim's
    cases."two shards" = { study = "gong_table3_shards_mnist", paper = "36; 77" }

In place of a study: ``test = "tests/otafl/algorithms/test_theorems.py::test_x"``, an executed test, which holds, or
``not_run = "FEMNIST is absent"``, the reason. A case may change any key but ``cases``.

Verdicts are holds, fails, undecided and not run. A target that is not reached costs more than the whole run, ">300".
'''

import itertools
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from figures.gallery.verdicts import Metric

FIGURES = Path(__file__).parents[1]


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
    every: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: {"": {}})
    over: str = ""
    reduce: str = ""
    compare: str = ""
    charged: float = 1.0
    by: float = 0.0
    times: float = 1.0
    test: str = ""
    not_run: str = ""

    @property
    def rivals(self) -> list[dict[str, Any]]:
        """Values of swept keys that select each rival; none if the rival is a number, or there is none."""
        if isinstance(self.rival, int | float):
            return []
        tables = self.rival if isinstance(self.rival, list) else [self.rival] * bool(self.rival)
        return [side for table in tables for side in _combinations(table)]

    @property
    def studies(self) -> set[str]:
        """Names of the results that it reads."""
        return {side.get("study", self.study) for side in (self.own, *self.rivals)} - {""}


class Book(NamedTuple):
    """Claims of a folder.

    Arguments:
        folder: name of the folder.
        answer: the answer in a few lines, with places for numbers.
        symbols: how keys, and values that are words, are called in labels.
        metrics: how numbers are told apart, by metric.
        arguments: arguments of readings, by reading.
        claims: cases by name of the claim and label of the case.
    """

    folder: str
    answer: str
    symbols: dict[str, str]
    metrics: dict[str, Metric]
    arguments: dict[str, dict[str, Any]]
    claims: dict[tuple[str, str], Claim]

    def metric(self, claim: Claim) -> Metric:
        """Return how the numbers of a claim are told apart."""
        first = next(iter(claim.read.values()), "")
        return self.metrics[claim.metric or ("power" if claim.compare == "power" else first)]


def folders() -> list[str]:
    """Return the names of the folders that have claims."""
    return sorted(path.parent.name for path in FIGURES.glob("*/claims.toml"))


def book(folder: str) -> Book:
    """Return the claims of a folder.

    Arguments:
        folder: its name.

    Raises:
        TypeError: a claim has a key that is not known, or lacks ``says`` or ``where``.
    """
    text = tomllib.loads((FIGURES / folder / "claims.toml").read_text(encoding="utf-8"))
    metrics = {name: Metric(margin) for name, margin in text.get("difference", {}).items()}
    metrics |= {name: Metric(margin, True) for name, margin in text.get("ratio", {}).items()}
    symbols = text.get("symbols", {})
    common = text.get("common", {})
    claims = {
        (name, case): Claim(**keys)
        for name, claim in text["claim"].items()
        for case, keys in _cases(common | claim, symbols)
    }
    return Book(folder, text["answer"], symbols, metrics, text.get("reading", {}), claims)


def _cases(claim: dict[str, Any], symbols: Mapping[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield label and keys of each case of a claim."""
    for label, changed in claim.get("cases", {"": {}}).items():
        keys = {key: part for key, part in claim.items() if key != "cases"} | changed
        each, every = (_named(keys.pop(key, {}), symbols) for key in ("each", "every"))
        for words, at in each.items():
            whole = keys | {"at": keys.get("at", {}) | at, "every": every}
            yield ", ".join(filter(None, (label, words))), whole


def _named(lists: Mapping[str, Any], symbols: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Return each choice of one value for each key, by its words, such as "β = 1"."""

    def words(key: str, value: Any) -> str:
        if isinstance(value, str):
            return symbols.get(value, value)
        symbol = symbols.get(key, key)
        return symbol.format(value) if "{" in symbol else f"{symbol} = {value:g}"

    return {", ".join(words(*part) for part in at.items()): at for at in _combinations(lists)}


def _combinations(lists: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield each choice of one value for each key; a value that is no list is the only one of its key."""
    values = (part if isinstance(part, list) else [part] for part in lists.values())
    yield from (dict(zip(lists, chosen, strict=True)) for chosen in itertools.product(*values))
