"""The comparison of schemes: operating points are those that the trials chose, and readings those of small examples."""

import numpy as np
import pytest
import xarray as xr

import otafl
from figures.comparison import envelopes, schemes, tables, trials
from figures.gallery.pictures import page
from figures.gallery.study import resolved, result
from otafl.scenario.dotted_keys import fields

NAMED = {scheme.name: scheme for scheme in schemes.SCHEMES}
FINDINGS = page("comparison")["after"]
AROUND = (-5.0, 0.0, 10.0)
"""SNRs of a scheme's study over Rayleigh fading, less its operating point [dB]."""


@pytest.mark.slow
def test_operating_points_are_those_of_the_trials():
    chosen = trials.points()
    untuned = {"codes", schemes.PUBLISHED}
    tuned = [scheme for scheme in schemes.SCHEMES if not {scheme.group, scheme.method} & untuned]
    for scheme in tuned:
        for partition in schemes.PARTITIONS:
            point, study = chosen[scheme.method, partition], resolved(schemes.study(scheme, partition, "rayleigh"))
            (key,) = (key for key in fields() if key.split(".")[-1] == point.knob)
            snrs_db = study.sweep.get("channel.snr_db", [])
            assert study.settings.value(key) == point.value
            assert (snrs_db[1] if len(snrs_db) == len(AROUND) else None) == point.snr_db
    assert len(chosen) == 2 * len(tuned)


def test_the_trial_of_least_energy_near_the_best_is_taken():
    accuracy = xr.DataArray(
        [[0.5, 0.91, 0.95], [np.nan, 0.945, 0.951]],
        {"rho": [0.1, 1.0], "snr_db": [-20.0, -10.0, 0.0]},
        ("rho", "snr_db"),
    )
    assert trials.operating(accuracy) == ("rho", 1.0, -10.0)
    alike = xr.DataArray([[0.9, 0.9], [0.8, 0.8]], {"rho": [0.1, 1.0], "snr_db": [0.0, 10.0]}, ("rho", "snr_db"))
    assert trials.operating(alike) == ("rho", 0.1, None)


def test_cells_of_tables():
    points = [(1.0, 5.0), (2.0, 2.0), (2.0, 3.0), (5.0, 1.0), (0.5, np.inf)]
    assert tables.pareto(points) == {(1.0, 5.0), (2.0, 2.0), (5.0, 1.0)}
    assert tables.least(np.array([3.0, 2.0, np.inf]), np.array([10.0, -5.0, 0.0])) == "2 (\N{MINUS SIGN}5)"
    assert tables.least(np.array([np.inf, np.inf]), np.array([0.0, 10.0])) == "–"
    own, other = np.array([0.9, 0.8, 0.7]), np.array([0.89, 0.79, 0.69])
    assert tables.paired(own, other) == "**+0.010 ± 0.000**"
    assert tables.paired(own, own[::-1]) == "+0.000 ± 0.497"
    assert tables.paired(own, np.array([np.nan, 0.8, 0.7])) == "–"


def test_what_is_not_the_papers_method_does_not_have_its_name_alone():
    assert {scheme.title for scheme in schemes.SCHEMES if scheme.method == "A-SFADMM"} == {"A-SFADMM p=1 κ=0.5 train"}
    data = otafl.load("compare_admm").override({"method": "A-SFADMM"})
    _, settings = next(iter(data.points()))
    keys = ("weight_exponent", "path_loss_compensation", "on_channel_change")
    assert [settings.value(f"algorithm.{key}") for key in keys] == [1.0, 0.5, "train"]
    paper = otafl.load("mnist_communication").override({"method": "A-SFADMM"})
    for published in (otafl.load("compare_admm").override({"method": schemes.PUBLISHED}), paper):
        _, settings = next(iter(published.points()))
        assert [settings.value(f"algorithm.{key}") for key in keys] == [2.0, 0.0, "dual_flip"]


@pytest.mark.parametrize(
    ("own", "other", "partition", "channel"),
    [
        ("4 bits", "32 bits", "shards", "rayleigh"),
        ("2 bits", "32 bits", "shards", "rayleigh"),
        ("A-SFADMM", "bound", "iid", "rayleigh"),
        ("A-SFADMM", "BAA", "shards", "rayleigh"),
        ("FSK-MV", "BAA", "shards", "rayleigh"),
        ("full power", "BAA", "shards", "umi"),
    ],
)
def test_findings_have_the_differences_of_the_results(own, other, partition, channel):
    read = (tables.last(schemes.of(NAMED[name], partition, channel)) for name in (own, other))
    words = tables.paired(*read).strip("*").lstrip("+")
    assert words in FINDINGS or words.lstrip("\N{MINUS SIGN}") in FINDINGS


def test_findings_compare_full_inversion_at_an_equal_snr():
    loud = result("compare_baa_shards_umi_loud")["test_accuracy"].squeeze().sel(iteration=100).values
    words = tables.paired(tables.last(schemes.of(NAMED["inversion"], "shards", "umi")), loud)
    assert words.strip("*+") in FINDINGS


@pytest.mark.parametrize(("budget", "wanted"), [(100.0, [0.1, 0.5, 0.6, 0.8]), (15.0, [0.1, 0.5, 0.5])])
def test_an_envelope_is_the_best_over_snrs_within_the_other_budget(budget, wanted):
    """At 0 dB a round takes 1 J and 10 uses, at 10 dB 2 J and 5 uses."""
    data = xr.Dataset(
        {
            "test_accuracy": (("snr_db", "seed", "iteration"), [[[0.1, 0.6]], [[0.5, 0.8]]]),
            "energy": (("snr_db", "seed", "iteration"), [[[1.0, 3.0]], [[2.0, 4.0]]]),
            "channel_uses": (("snr_db", "seed", "iteration"), [[[10.0, 20.0]], [[5.0, 20.0]]]),
        },
        {"snr_db": [0.0, 10.0], "seed": [0], "iteration": [1, 2]},
    )
    found = envelopes.envelope(data, "energy", "channel_uses", budget)
    np.testing.assert_allclose(found.accuracy[0], wanted[: len(found.cost)])
