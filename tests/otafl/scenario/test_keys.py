"""Keys of a run: values that break a rule, beside those of tests/attack, and what is left to the method."""

import math
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otafl.algorithms import METHODS
from otafl.data.sources import DATASETS
from otafl.errors import Remark
from otafl.scenario.file import load, parse
from tests.otafl.scenario.refusal import refused

INF = math.inf
NAN = math.nan


@pytest.mark.parametrize(
    ("key", "value", "rule"),
    [
        ("channel.snr_db", True, "number"),
        ("channel.coherence_iterations", 0, "at least 1, or inf"),
        ("channel.coherence_iterations", -INF, "whole number"),
        ("channel.coherence_iterations", NAN, "whole number"),
        ("uplink.subcarriers", "two_slots", "integer or be 'one_slot'"),
        ("uplink.inversion_threshold", 0.0, "greater than 0"),
        ("federation.workers", 0, "greater than or equal to 1"),
        ("algorithm.rho", INF, "finite"),
        ("algorithm.rho", "0.5", "number"),
        ("local.learning_rate", 0, "greater than 0"),
        ("problem.condition_number", 0.5, "greater than or equal to 1"),
        ("problem.dataset", "cats", "one of california_housing, diabetes, breast_cancer, synthetic, mixture where"),
        ("run.iterations", 0, "greater than or equal to 1"),
        ("run.seeds", 0, "greater than or equal to 1"),
        ("run.seed", -1, "greater than or equal to 0"),
        ("run.max_channel_uses", 0, "greater than 0"),
        ("method", 5, "string"),
    ],
)
def test_value_that_breaks_a_rule_is_refused_by_name(key, value, rule):
    message = refused({key: value})
    assert message.startswith(f"{key} = {value!r}: ")
    assert rule in message


@given(st.sampled_from(sorted(METHODS)), st.integers(1, 10**6), st.integers(1, 10**6))
def test_suffix_multiplies_the_subcarriers(method, factor, subcarriers):
    kind = METHODS[method].problems[0]
    keys = {"problem.kind": kind, "problem.dataset": next(iter(DATASETS[kind])), "uplink.subcarriers": subcarriers}
    settings = parse("t", "", keys | {"method": f"{method}-{factor}x"}).settings
    assert settings.subcarriers == factor * subcarriers
    assert parse("t", "", keys | {"method": method}).settings.subcarriers == subcarriers


@pytest.mark.parametrize("suffix", ["-0x", "-x", "-010x", "-2.5x", "-2x-2x"])
def test_malformed_suffix_is_an_unknown_method(suffix):
    assert "unknown method; did you mean 'A-FADMM'?" in refused({"method": "A-FADMM" + suffix})


@pytest.mark.parametrize(
    ("keys", "rate"),
    [({"method": "A-GD"}, 1e-4), ({"method": "A-GD", "local.learning_rate": 0.3}, 0.3), ({"method": "A-FADMM"}, None)],
)
def test_learning_rate_falls_back_to_the_methods_own(keys, rate):
    ((_, settings),) = parse("t", "", keys).points()
    assert settings.local.learning_rate == rate


@pytest.mark.parametrize("method", ["A-FADMM", "A-GD", "D-FADMM", "D-GD"])
def test_method_may_name_the_uplink_that_it_fixes(method):
    kind = {"A": "analog", "D": "digital"}[method[0]]
    assert parse("t", "", {"method": method, "uplink.kind": kind}).settings.uplink.kind == kind


def test_infinite_energies_are_remarked_upon():
    with pytest.warns(Remark, match=r"channel\.snr_db = inf: without noise, .* all energies of the result are"):
        load("quickstart", {"channel.snr_db": [20.0, INF]})
    with warnings.catch_warnings():
        warnings.simplefilter("error", Remark)
        load("quickstart", {"channel.snr_db": 20.0})


def test_least_squares_belongs_to_pilots_and_to_analog_uploads():
    keys = {"channel.estimator": "least_squares"}
    assert "does not read it" in refused(keys)
    digital = {**keys, "channel.pilots": 1, "method": "D-FADMM"}
    assert "channel.estimator" in refused(digital)
    assert "belongs to analog uploads" in refused(digital)
    parse("t", "", {**keys, "channel.pilots": 1, "method": "A-FADMM"})
