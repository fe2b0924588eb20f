"""Keys that hold for single methods of a sweep."""

import pytest

import otafl
from otafl.errors import OtaflError


def test_keys_of_a_variant_that_its_runs_do_not_read_are_refused():
    text = '[sweep]\nmethod = ["FedAvg"]\n[per_method.FedAvg]\n"algorithm.rho" = [0.1, 1.0]'
    with pytest.raises(OtaflError, match=r"per_method.FedAvg rho=0.1.algorithm.rho = 0.1: FedAvg .* does not read it"):
        otafl.scenario.file.parse("t", text)


def test_per_method_keys_hold_for_their_method_alone():
    text = """
    [sweep]
    method = ["FedProx", "FedDyn"]
    [problem]
    kind = "classification"
    dataset = "digits"
    [per_method.FedProx]
    "algorithm.rho" = 0.3
    "local.work" = "uniform"
    """
    scenario = otafl.scenario.file.parse("t", text)
    own = {point["method"]: settings for point, settings in scenario.points()}
    assert (own["FedProx"].algorithm.rho, own["FedDyn"].algorithm.rho) == (0.3, 0.5)
    assert (own["FedProx"].local.work, own["FedDyn"].local.work) == ("uniform", "fixed")
    again = otafl.scenario.file.parse("t", scenario.to_toml())
    assert list(again.points()) == list(scenario.points())
    overridden = {point["method"]: s for point, s in scenario.override({"algorithm.rho": 2.0}).points()}
    assert {settings.algorithm.rho for settings in overridden.values()} == {2.0}
    with pytest.raises(OtaflError, match="did you mean"):
        otafl.scenario.file.parse("t", text.replace('"algorithm.rho"', '"local.rho"'))
