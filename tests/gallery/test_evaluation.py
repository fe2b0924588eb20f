"""Rows of claims: what is read from a result, and what becomes of it."""

import numpy as np
import pytest
import xarray as xr

from figures.gallery import evaluation
from figures.gallery.claims import Book, Claim
from figures.gallery.verdicts import Metric

ROUNDS = np.arange(1, 11)
METRICS = {
    "test_accuracy": Metric(0.01),
    "iteration": Metric(1.1, True),
    "power": Metric(0.1),
}


@pytest.fixture(autouse=True)
def result(monkeypatch):
    """A study of methods A and B with 5 and 50 workers, whose accuracies rise by the round up to a ceiling."""
    ceiling = xr.DataArray([[0.9, 0.8], [0.6, 0.4]], {"scheme": ["A", "B"], "workers": [5, 50]})
    seeds = xr.DataArray([-0.002, 0.0, 0.002], {"seed": [0, 1, 2]}, ("seed",))
    rounds = xr.DataArray(ROUNDS, {"iteration": ROUNDS}, ("iteration",))
    accuracy = np.minimum(rounds / 10 + 0 * seeds, ceiling + seeds).transpose("scheme", "workers", "seed", "iteration")
    slots = xr.zeros_like(accuracy) + rounds
    outcome = xr.full_like(accuracy.isel(iteration=0, drop=True), "completed", dtype=object)
    data = xr.Dataset(
        {"test_accuracy": accuracy, "loss": 1 - accuracy, "time_slots": slots, "outcome": outcome},
    )
    monkeypatch.setattr(evaluation, "stored", lambda _: data)


def row(**keys):
    claim = Claim("says", "where", study="any", **keys)
    return evaluation.evaluate(Book("folder", "", {"workers": "N"}, METRICS, {}, {("it", ""): claim}), "it", "")


def test_a_difference_of_means():
    found = row(
        read={"final": "test_accuracy", "last": 1}, own={"scheme": "A"}, rival={"scheme": "B"}, at={"workers": 5},
        compare="above",
    )  # fmt: skip
    assert found[3:8] == ("holds", "0.9", "B", "0.6", "0.3")
    assert found.seeds == "3"
    assert float(found.low) < 0.3 < float(found.high)


def test_of_several_rivals_the_strongest_counts():
    found = row(
        read={"final": "test_accuracy"}, own={"scheme": "A", "workers": 50}, compare="above",
        rival=[{"scheme": ["B"], "workers": 5}, {"scheme": "A", "workers": 5}],
    )  # fmt: skip
    assert (found.verdict, found.against) == ("fails", "A")


def test_of_rivals_that_are_ahead_the_one_farthest_ahead_is_shown():
    found = row(
        read={"final": "test_accuracy"}, own={"scheme": "B", "workers": 50}, compare="above",
        rival=[{"scheme": "A", "workers": 50}, {"scheme": "B", "workers": 5}],
    )  # fmt: skip
    assert (found.verdict, found.against) == ("fails", "A")


def test_a_cost_that_is_not_reached_is_more_than_the_whole_run():
    found = row(
        read={"cost": "iteration", "to": 0.5, "of": "test_accuracy"}, own={"scheme": "A"}, rival={"scheme": "B"},
        at={"workers": 50}, compare="below",
    )  # fmt: skip
    assert found[3:8] == ("holds", "5", "B", ">10", "")


@pytest.mark.parametrize(("times", "said"), [(1.0, "holds"), (0.7, "fails")])
def test_a_ratio_against_a_threshold(times, said):
    found = row(
        read={"cost": "iteration", "to": 0.5, "of": "test_accuracy"}, own={"scheme": "A", "workers": 5}, rival=6,
        compare="below", times=times,
    )  # fmt: skip
    assert (found.verdict, found.difference) == (said, "0.8333")


def test_a_rival_is_shown_as_it_is_charged():
    found = row(
        read={"cost": "iteration", "to": 0.5, "of": "test_accuracy"}, own={"scheme": "A", "workers": 5}, rival=[
            {"scheme": "A", "workers": 5}], compare="below", charged=1.5,
    )  # fmt: skip
    assert found[3:8] == ("holds", "5", "A", "7.5", "0.6667")


def test_a_key_is_reduced_before_the_comparison():
    found = row(
        read={"final": "test_accuracy", "last": 1}, own={"scheme": "A"}, rival={"scheme": "B"}, over="workers",
        reduce="range", compare="below",
    )  # fmt: skip
    assert found[3:7] == ("holds", "0.1", "B", "0.2")


def test_a_trend_and_a_power_law_keep_the_key():
    read = {"final": "test_accuracy", "last": 1}
    falls = row(read=read, own={"scheme": "B"}, over="workers", compare="falls")
    assert falls[3:8] == ("holds", "0.4", "N = 5", "0.6", "-0.2")
    slope = np.log10(0.4 / 0.6)
    law = row(read=read, own={"scheme": "B"}, over="workers", compare="power", rival=slope, metric="power")
    assert (law.verdict, float(law.own)) == ("holds", pytest.approx(slope, abs=1e-3))


def test_some_values_of_a_key_are_kept():
    keys = {"read": {"final": "test_accuracy", "last": 1}, "own": {"scheme": "B"}, "over": "workers"}
    assert row(**keys, compare="rises", at={"workers": [50, 5]})[3:7] == ("holds", "0.6", "N = 50", "0.4")


def test_a_reduced_number_stands_beside_one_value_of_the_key():
    found = row(
        read={"final": "test_accuracy", "last": 1}, own={"scheme": "A", "workers": 5}, rival={"scheme": "A"},
        over="workers", reduce="max", compare="near",
    )  # fmt: skip
    assert found[3:8] == ("holds", "0.9", "A", "0.9", "0")


@pytest.mark.parametrize(("by", "said"), [(0.0, ("holds", "B, N = 5")), (0.35, ("fails", "B, N = 5"))])
def test_of_every_value_the_one_that_decides_is_shown(by, said):
    found = row(
        read={"final": "test_accuracy", "last": 1}, own={"scheme": "A"}, rival={"scheme": "B"}, compare="above", by=by,
        every={"N = 5": {"workers": 5}, "N = 50": {"workers": 50}},
    )  # fmt: skip
    assert (found.verdict, found.against) == said


def test_a_key_that_is_forgotten_is_named():
    with pytest.raises(ValueError, match="workers"):
        row(read={"final": "test_accuracy"}, own={"scheme": "A"}, rival=0.5, compare="above")
    with pytest.raises(KeyError, match="workers = 7"):
        row(read={"final": "test_accuracy"}, own={"scheme": "A", "workers": 7}, rival=0.5, compare="above")


def test_what_is_tested_holds_and_what_is_not_run_says_so():
    assert row(test="a::b").verdict == "holds"
    assert row(not_run="no data").verdict == "not run"
