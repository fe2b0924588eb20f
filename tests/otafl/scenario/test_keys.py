"""Keys of a run: values that break a rule, and what is left to the method."""

import math
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otafl.algorithms import METHODS
from otafl.data.sources import DATASETS
from otafl.errors import Remark
from otafl.scenario.file import load, parse
from otafl.settings.local import Local
from tests.otafl.scenario.refusal import refused

INF = math.inf
NAN = math.nan


@pytest.mark.parametrize(
    ("key", "value", "rule"),
    [
        ("channel.snr_db", "loud", "number"),
        ("channel.snr_db", True, "number"),
        ("channel.snr_db", NAN, "decibels"),
        ("channel.snr_db", -INF, "decibels"),
        ("channel.coherence_iterations", 0, "at least 1, or inf"),
        ("channel.coherence_iterations", 2.5, "whole number"),
        ("channel.coherence_iterations", -INF, "whole number"),
        ("channel.fading", "smoke", "'none', 'rayleigh'"),
        ("uplink.subcarriers", 0, "greater than or equal to 1 or be 'one_slot'"),
        ("uplink.subcarriers", -4, "greater than or equal to 1 or be 'one_slot'"),
        ("uplink.subcarriers", 10.5, "integer or be 'one_slot'"),
        ("uplink.subcarriers", "two_slots", "integer or be 'one_slot'"),
        ("uplink.kind", "smoke", "'analog', 'digital' or 'ideal'"),
        ("uplink.slot_s", 0, "greater than 0"),
        ("uplink.subcarrier_spacing_hz", -15e3, "greater than 0"),
        ("uplink.noise_psd_w_per_hz", NAN, "finite"),
        ("uplink.inversion_threshold", 0.0, "greater than 0"),
        ("uplink.bits_per_element", 0, "greater than or equal to 1"),
        ("federation.workers", 0, "greater than or equal to 1"),
        ("federation.workers", -1, "greater than or equal to 1"),
        ("federation.workers", 2.0, "integer"),
        ("federation.workers", "many", "integer"),
        ("algorithm.rho", 0, "greater than 0"),
        ("algorithm.rho", -0.5, "greater than 0"),
        ("algorithm.rho", INF, "finite"),
        ("algorithm.rho", "0.5", "number"),
        ("local.learning_rate", 0, "greater than 0"),
        ("problem.condition_number", 0.5, "greater than or equal to 1"),
        ("problem.dataset", "cats", "one of california_housing, diabetes, breast_cancer, synthetic, mixture where"),
        ("run.iterations", 0, "greater than or equal to 1"),
        ("run.seeds", 0, "greater than or equal to 1"),
        ("run.seed", -1, "greater than or equal to 0"),
        ("run.record", "some", "'all' or 'log'"),
        ("run.max_channel_uses", 0, "greater than 0"),
        ("method", 5, "string"),
    ],
)
def test_value_that_breaks_a_rule_is_refused_by_name(key, value, rule):
    message = refused({key: value})
    assert message.startswith(f"{key} = {value!r}: ")
    assert rule in message


def test_coherence_that_is_no_number_is_refused_with_the_rule():
    assert "whole number" in refused({"channel.coherence_iterations": NAN})


@given(st.sampled_from(sorted(METHODS)), st.integers(1, 10**6), st.integers(1, 10**6))
def test_suffix_multiplies_the_subcarriers(method, factor, subcarriers):
    kind = METHODS[method].problems[0]
    keys = {"problem.kind": kind, "problem.dataset": next(iter(DATASETS[kind])), "uplink.subcarriers": subcarriers}
    settings = parse("t", "", keys | {"method": f"{method}-{factor}x"}).settings
    assert settings.subcarriers == factor * subcarriers
    assert parse("t", "", keys | {"method": method}).settings.subcarriers == subcarriers


@pytest.mark.parametrize("suffix", ["-0x", "-x", "-010x", "-2.5x", "-10X", "-2x-2x"])
def test_malformed_suffix_is_an_unknown_method(suffix):
    assert "unknown method; did you mean 'A-FADMM'?" in refused({"method": "A-FADMM" + suffix})


def learning(overrides: dict) -> Local:
    """The table local of a scenario's only run."""
    ((_, settings),) = parse("t", "", overrides).points()
    return settings.local


def test_learning_rate_falls_back_to_the_methods_own():
    assert learning({"method": "A-GD"}).learning_rate == 1e-4
    assert learning({"method": "A-GD", "local.learning_rate": 0.3}).learning_rate == 0.3
    assert learning({"method": "A-FADMM"}).learning_rate is None


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
