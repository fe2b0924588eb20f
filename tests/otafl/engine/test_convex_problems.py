"""Convex problems in whole runs: fixed points of the methods, uplinks, and losses of one's own."""

import math
from pathlib import Path

import pytest
import tensorflow as tf

import otafl
from otafl.errors import OtaflError
from tests.otafl.small import SMALL, dotted

EXAMPLE = (Path(__file__).parents[3] / "docs" / "examples" / "my_losses.py").read_text(encoding="utf-8")
KEYS = SMALL | {"problem.condition_number": 2.0, "problem.l2_weight": 0.1, "federation.workers": 4}
KEYS |= {"run.iterations": 150, "run.seeds": 1}
NOISELESS = {"channel.snr_db": math.inf, "algorithm.rho": 0.5}


FORGOTTEN = ("my_losses",)
pytestmark = pytest.mark.usefixtures("registries")


@pytest.fixture
def module(tmp_path, monkeypatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_losses.py").write_text(EXAMPLE)
    return "my_losses"


def last(kind: str, method: str, **keys) -> float:
    named = dotted(keys)
    data = otafl.run("quickstart", KEYS | {"problem.kind": kind, "method": method} | named, store=False)
    return data["loss"].isel(iteration=-1).item()


@pytest.mark.daily(1)
@pytest.mark.parametrize(("kind", "method"), [("ridge_regression", "D-FADMM"), ("huber_regression", "A-FADMM")])
def test_the_fixed_point_of_fadmm_is_the_optimum(kind, method):
    """Over uplinks without noise it is reached to the precision of the arithmetic, in which all is sent."""
    sent = {"uplink__bits_per_element": 64} if method == "D-FADMM" else {}
    assert last(kind, method, **NOISELESS, **sent, run__iterations=600) < 1e-12


@pytest.mark.slow
def test_a_class_of_ones_own_has_a_closed_form(module):
    keys = {"plugins": [module], "run.iterations": 10, "uplink.bits_per_element": 64}
    own = last("my_exact_ridge", "D-FADMM", **keys)
    assert own == pytest.approx(last("ridge_regression", "D-FADMM", **keys), rel=1e-9)


@pytest.mark.parametrize(
    ("loss", "rule"),
    [
        (lambda model, x, y: x, "must have the shape"),
        (lambda model, x, y: tf.linalg.matvec(x, tf.cast(model, tf.float32)), "its loss fails"),
        (lambda model, x, y: tf.linalg.matvec(x, model), "has no minimum"),
    ],
    ids=["shape", "failure", "no minimum"],
)
def test_losses_that_are_none_are_refused(loss, rule):
    otafl.problem("wrong")(loss)
    with pytest.raises(OtaflError, match=rf"problem\.kind = 'wrong': .*{rule}"):
        last("wrong", "D-FADMM", run__iterations=1, problem__l2_weight=0.0)
