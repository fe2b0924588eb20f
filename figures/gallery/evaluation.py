"""Evaluation of claims: what is read from results, and the row that follows."""

import functools
import importlib
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr

from figures.gallery import kept, readings, study, verdicts
from figures.gallery.claim_table import Row
from figures.gallery.claims import FIGURES, Book, Claim
from figures.gallery.readings import Bounded
from figures.gallery.verdicts import COMPARISONS, TRENDS, Gap, Metric, Sample

ALIKE = 1e-3
"""Relative difference up to which a value of a swept key is the one that a claim names."""
Numbers = tuple[Bounded, tuple[int, ...]]
"""Numbers that a claim reads, and the labels of the seeds."""


@functools.lru_cache(maxsize=4)
def stored(name: str) -> xr.Dataset:
    """Return a result: the kept one where there is one, else as ``figures.gallery.study.result`` does.

    Arguments:
        name: name of the study.
    """
    archive = kept.archive(name)
    return kept.load(archive, name) if name in kept.names(archive) else study.result(name)


def evaluate(book: Book, name: str, case: str) -> Row:
    """Return the row of a case.

    Arguments:
        book: claims of the folder.
        name: name of the claim.
        case: label of the case.
    """
    claim, row = book.claims[name, case], Row(book.folder, name, case, verdicts.NOT_RUN)
    if claim.not_run:
        return row
    if claim.test:
        return row._replace(verdict=verdicts.HOLDS)
    return row._replace(**(_trend if claim.compare in TRENDS else _comparison)(book, claim))


def rows(book: Book) -> list[Row]:
    """Return the rows of all claims of a folder.

    Arguments:
        book: claims of the folder.
    """
    return [evaluate(book, *key) for key in book.claims]


def _comparison(book: Book, claim: Claim) -> dict[str, str]:
    """Return the fields of a row that compares a number with its rivals, of which the strongest counts."""
    metric = book.metric(claim)
    found = [(*_compared(own, rival, claim, metric), label, own, rival) for label, own, rival in _pairs(book, claim)]
    order = [verdicts.HOLDS, verdicts.UNDECIDED, verdicts.FAILS].index
    strength = functools.partial(verdicts.strength, name=claim.compare)
    verdict, gap, label, own, rival = max(found, key=lambda judged: (order(judged[0]), strength(judged[1])))
    return {"verdict": verdict, "against": label, **_numbers(own, rival, gap, metric)}


def _pairs(book: Book, claim: Claim) -> Iterator[tuple[str, Sample, Sample]]:
    """Yield name of the rival, own numbers and the rival's, at every value at which they are compared."""
    for words, at in claim.every.items():
        there = replace(claim, at={**claim.at, **at})
        own = _sample(book, there, claim.own)
        for label, rival in _rivals(book, there):
            yield ", ".join(filter(None, (label, words))), own, rival


def _trend(book: Book, claim: Claim) -> dict[str, str]:
    """Return the fields of a row on a trend over a swept key, whose first value is the rival."""
    metric, (found, seeds) = book.metric(claim), _read(book, claim, claim.own)
    keys = found.values[claim.over].values
    samples = [_over_seeds(found.map(lambda part, key=key: part.sel({claim.over: key})), seeds) for key in keys]
    scaled = [metric.scaled(sample) for sample in samples]
    gap = verdicts.gap(scaled[-1], scaled[0], metric.least, metric.is_ratio)
    verdict = verdicts.trend(scaled, claim.compare, metric.least, metric.is_ratio)
    first = f"{book.symbols.get(claim.over, claim.over)} = {keys[0]:g}"
    return {"verdict": verdict, "against": first, **_numbers(samples[-1], samples[0], gap, metric)}


def _rivals(book: Book, claim: Claim) -> Iterator[tuple[str, Sample]]:
    """Yield name and numbers of each rival."""
    if isinstance(claim.rival, int | float):
        yield "", Sample.constant(claim.rival)
    for side in claim.rivals:
        names = (value for key, value in side.items() if isinstance(value, str) and key != "study")
        yield ", ".join(book.symbols.get(name, name) for name in names), _sample(book, claim, side).times(claim.charged)


def _sample(book: Book, claim: Claim, side: Mapping[str, Any]) -> Sample:
    """Return the numbers of one side of a claim, over seeds."""
    found, seeds = _read(book, claim, side)
    if claim.compare == "power" and claim.over in found.values.dims:
        values = found.values.transpose(claim.over, "seed")
        slopes = verdicts.power(values[claim.over].values, values.values)
        return Sample(slopes, slopes, seeds)
    return _over_seeds(found.map(lambda part: _reduced(part, claim)), seeds)


def _read(book: Book, claim: Claim, side: Mapping[str, Any]) -> Numbers:
    """Return what a claim reads of one side."""
    (name, first), *others = side.get("read", claim.read).items()
    arguments = {**book.arguments.get(name, {}), **dict(others)}
    data = [_part(claim, side)] if claim.study or "study" in side else []
    found = _reading(book.folder, name)(*data, first, **arguments)
    seeds = tuple(data[0]["seed"].values.tolist()) if data else ()
    return found if isinstance(found, Bounded) else Bounded.exactly(xr.DataArray(found)), seeds


def _reading(folder: str, name: str) -> Any:
    """Return a reading of the folder's own, or else one that all share."""
    there = (FIGURES / folder / "readings.py").exists()
    own = importlib.import_module(f"figures.{folder}.readings") if there else readings
    return getattr(own, name, None) or getattr(readings, name)


def _part(claim: Claim, side: Mapping[str, Any]) -> xr.Dataset:
    """Return the part of a result that one side of a claim reads."""
    chosen = {key: value for key, value in side.items() if key not in ("study", "read")}
    data = stored(side.get("study", claim.study))
    shared = {key: value for key, value in claim.at.items() if key in data.dims}
    for key, value in (shared | chosen).items():
        data = _at(data, key, value)
    return data.squeeze([dim for dim in data.dims if data.sizes[dim] == 1 and dim not in ("seed", "iteration")])


def _at(data: xr.Dataset, key: str, value: Any) -> xr.Dataset:
    """Return the part of a result at one value of a swept key, at some, or the whole that has this value throughout."""
    if isinstance(value, list):
        return xr.concat([_at(data, key, part) for part in value], key)
    values = np.atleast_1d(data[key].values)
    if isinstance(value, str | bool):
        alike = [str(known) == str(value) for known in values]
    else:
        alike = np.isclose(values, value, rtol=ALIKE) & (abs(values - value) == abs(values - value).min())
    if not any(alike):
        raise KeyError(f"{key} = {value} is not in {data.attrs.get('name')}, which has {values}")
    return data.isel({key: int(np.argmax(alike))}) if key in data.dims else data


def _reduced(values: xr.DataArray, claim: Claim) -> xr.DataArray:
    """Return numbers reduced over a swept key that they have: its mean, median, least or largest, or its range."""
    if claim.over not in values.dims:
        return values
    if claim.reduce == "range":
        return values.max(claim.over) - values.min(claim.over)
    return getattr(values, claim.reduce)(claim.over)


def _over_seeds(found: Bounded, seeds: tuple[int, ...]) -> Sample:
    if left := set(found.values.dims) - {"seed"}:
        raise ValueError(f"a claim reads numbers over {', '.join(map(str, left))}, which it does not select")
    values, least = (np.atleast_1d(part.values).astype(float) for part in found)
    return Sample(values, least, seeds)


def _compared(own: Sample, rival: Sample, claim: Claim, metric: Metric) -> tuple[str, Gap]:
    """Return the verdict on two samples, and their gap."""
    offset = math.log(claim.times) if metric.is_ratio else claim.by
    beyond = verdicts.gap(metric.scaled(own), metric.scaled(rival).plus(offset), metric.least, metric.is_ratio)
    judge = COMPARISONS["near" if claim.compare == "power" else claim.compare]
    return judge(beyond, 0.0 if offset and beyond.low < beyond.high else metric.least), beyond.plus(offset)


def _numbers(own: Sample, rival: Sample, gap: Gap, metric: Metric) -> dict[str, str]:
    """Return the numbers of a row as text."""
    known = np.isfinite([*own.values, *rival.values]).all()
    back = math.exp if metric.is_ratio else float
    difference, low, high = [f"{back(part):.10g}" for part in gap] if known else [""] * 3
    ends = {"low": low, "high": high} if gap.low < gap.high else {}
    seeds = str(max(1, len(own.seeds)))
    return {"own": _mean(own, metric), "rival": _mean(rival, metric), "difference": difference, "seeds": seeds, **ends}


def _mean(sample: Sample, metric: Metric) -> str:
    """Return the mean as text, geometric for a ratio, with ">" before what it is at least."""
    mean = math.exp(np.log(sample.least).mean()) if metric.is_ratio else sample.least.mean()
    bound = ">" * bool(np.isinf(sample.values).any() and np.isfinite(mean))
    return f"{bound}{mean:.0f}" if float(mean).is_integer() else f"{bound}{mean:.10g}"
