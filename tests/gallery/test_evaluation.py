"""Rows of claims: what is read from a result, and what becomes of it."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from figures.gallery import claim_page, evaluation
from figures.gallery.claims import Book, Claim
from figures.gallery.verdicts import Metric, Sample

ROUNDS = np.arange(1, 11)
METRICS = {"test_accuracy": Metric(0.01), "iteration": Metric(1.1, True), "power": Metric(0.1)}


@pytest.fixture(autouse=True)
def result(monkeypatch):
    """A study of methods A and B with 5 and 50 workers, whose accuracies rise by the round up to a ceiling."""
    ceiling = xr.DataArray([[0.9, 0.8], [0.6, 0.4]], {"scheme": ["A", "B"], "workers": [5, 50]})
    seeds = xr.DataArray([-0.002, 0.0, 0.002], {"seed": [0, 1, 2]}, ("seed",))
    rounds = xr.DataArray(ROUNDS, {"iteration": ROUNDS}, ("iteration",))
    accuracy = np.minimum(rounds / 10 + 0 * seeds, ceiling + seeds).transpose("scheme", "workers", "seed", "iteration")
    slots = xr.zeros_like(accuracy) + rounds
    outcome = xr.full_like(accuracy.isel(iteration=0, drop=True), "completed", dtype=object)
    data = xr.Dataset({"test_accuracy": accuracy, "loss": 1 - accuracy, "time_slots": slots, "outcome": outcome})
    monkeypatch.setattr(evaluation, "stored", lambda _: data)


def row(**keys):
    claim = Claim("says", "where", study="any", **keys)
    return evaluation.evaluate(Book("folder", "", {"workers": "N"}, METRICS, {}, {("it", ""): claim}), "it", "")


FINAL, LAST, SLOWNESS = (
    {"final": "test_accuracy"},
    {"final": "test_accuracy", "last": 1},
    {"cost": "iteration", "to": 0.5, "of": "test_accuracy"},
)
A, B, FEW, MANY = {"scheme": "A"}, {"scheme": "B"}, {"workers": 5}, {"workers": 50}
BESIDE = {
    "a cost that is not reached is more than the whole run": (
        {"read": SLOWNESS, "own": A, "rival": B, "at": MANY, "compare": "below"},
        ("holds", "5", "B", ">10", ""),
    ),
    "a rival is shown as it is charged": (
        {"read": SLOWNESS, "own": A | FEW, "rival": [A | FEW], "compare": "below", "charged": 1.5},
        ("holds", "5", "A", "7.5", "0.6666666667"),
    ),
    "below a threshold": (
        {"read": SLOWNESS, "own": A | FEW, "rival": 6, "compare": "below"},
        ("holds", "5", "", "6", "0.8333333333"),
    ),
    "not below a part of it": (
        {"read": SLOWNESS, "own": A | FEW, "rival": 6, "compare": "below", "times": 0.7},
        ("fails", "5", "", "6", "0.8333333333"),
    ),
    "a key is reduced before the comparison": (
        {"read": LAST, "own": A, "rival": B, "over": "workers", "reduce": "range", "compare": "below"},
        ("holds", "0.1", "B", "0.2", "-0.1"),
    ),
    "a reduced number stands beside one value of the key": (
        {"read": LAST, "own": A | FEW, "rival": A, "over": "workers", "reduce": "max", "compare": "near"},
        ("holds", "0.9", "A", "0.9", "0"),
    ),
    "a trend keeps the key": (
        {"read": LAST, "own": B, "over": "workers", "compare": "falls"},
        ("holds", "0.4", "N = 5", "0.6", "-0.2"),
    ),
    "some values of a key are kept": (
        {"read": LAST, "own": B, "over": "workers", "compare": "rises", "at": {"workers": [50, 5]}},
        ("holds", "0.6", "N = 50", "0.4", "0.2"),
    ),
}


@pytest.mark.parametrize(("keys", "said"), BESIDE.values(), ids=BESIDE)
def test_numbers_beside_the_verdict(keys, said):
    assert row(**keys)[3:8] == said


def test_a_difference_of_means():
    found = row(read=LAST, own=A, rival=B, at=FEW, compare="above")
    assert found[3:8] == ("holds", "0.9", "B", "0.6", "0.3")
    assert found.seeds == "3"
    assert float(found.low) < 0.3 < float(found.high)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"own": A | MANY, "rival": [{"scheme": ["B"], "workers": 5}, A | FEW]}, ("fails", "A")),
        ({"own": B | MANY, "rival": [A | MANY, B | FEW]}, ("fails", "A")),
        ({"own": A, "rival": B, "every": {"N = 5": FEW, "N = 50": MANY}}, ("holds", "B, N = 5")),
        ({"own": A, "rival": B, "every": {"N = 5": FEW, "N = 50": MANY}, "by": 0.35}, ("fails", "B, N = 5")),
    ],
    ids=["strongest rival", "farthest ahead", "every value", "every value by 0.35"],
)
def test_what_decides_is_shown(keys, said):
    found = row(**{"read": LAST if "every" in keys else FINAL, "compare": "above", **keys})
    assert (found.verdict, found.against) == said


def test_a_power_law_keeps_the_key():
    slope = np.log10(0.4 / 0.6)
    law = row(read=LAST, own=B, over="workers", compare="power", rival=slope, metric="power")
    assert (law.verdict, float(law.own)) == ("holds", pytest.approx(slope, abs=1e-3))


def test_a_key_that_is_forgotten_is_named():
    with pytest.raises(ValueError, match="workers"):
        row(read=FINAL, own=A, rival=0.5, compare="above")
    with pytest.raises(KeyError, match="workers = 7"):
        row(read=FINAL, own={"scheme": "A", "workers": 7}, rival=0.5, compare="above")


def test_what_is_tested_holds_and_what_is_not_run_says_so():
    assert row(test="a::b").verdict == "holds"
    assert row(not_run="no data").verdict == "not run"


@given(st.floats(1e-9, 1e9), st.sampled_from([".3g", ".2g"]))
def test_a_page_rounds_what_was_measured_and_not_what_was_rounded(value, form):
    text = evaluation._mean(Sample(np.array([value]), np.array([value])), METRICS["test_accuracy"])
    assert claim_page._short(text, form) == claim_page._short(repr(value), form)
