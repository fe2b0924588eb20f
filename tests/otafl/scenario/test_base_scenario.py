"""Scenarios on a base: what merges, what replaces what, and what is refused."""

import tomllib

import pytest

from otafl.errors import OtaflError
from otafl.scenario.file import LONGEST_CHAIN, load, parse

BASE = """
title = "the base"

[federation]
workers = 12

[channel]
snr_db = 10.0

[run]
seeds = 2
iterations = 30

[plot]
kind = "at_budget"
budgets = [100.0]

[sweep]
method = ["A-FADMM", "D-FADMM", "A-GD"]
"algorithm.rho" = [0.1, 1.0]

[per_method.A-GD]
"local.learning_rate" = 1e-3
"uplink.subcarriers" = 4

[per_method.D-FADMM]
"uplink.subcarriers" = 8
"""


@pytest.fixture
def derive(tmp_path):
    (tmp_path / "ground.toml").write_text(BASE)

    def derived(text: str):
        (tmp_path / "mine.toml").write_text(f'base = "ground.toml"\n{text}')
        return load(tmp_path / "mine.toml")

    return derived


def test_tables_merge_key_by_key_and_nothing_is_the_base(derive):
    assert derive("").model_copy(update={"file": "mine"}) == parse("mine", BASE)
    scenario = derive('title = "mine"\n[run]\nseeds = 5\n[plot]\ncost = "energy"')
    assert (scenario.name, scenario.title) == ("mine", "mine")
    assert (scenario.settings.run.seeds, scenario.settings.run.iterations) == (5, 30)
    assert (scenario.plot.kind, scenario.plot.cost, scenario.plot.budgets) == ("at_budget", "energy", (100.0,))
    scenario = derive('[per_method.A-GD]\n"local.learning_rate" = 0.5\n[per_method.A-FADMM]\n"uplink.subcarriers" = 2')
    assert scenario.per_method == {
        "A-GD": {"local.learning_rate": 0.5, "uplink.subcarriers": 4},
        "D-FADMM": {"uplink.subcarriers": 8},
        "A-FADMM": {"uplink.subcarriers": 2},
    }
    with pytest.raises(OtaflError, match="per_method = 'A-GD': must be a method that the scenario runs"):
        derive('method = "D-FADMM"\n[per_method.A-GD]\n"uplink.subcarriers" = 3')


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("[algorithm]\nrho = 3.0", {}),
        ("[algorithm]\nrho = [7.0]", {"algorithm.rho": [7.0]}),
        ('[sweep]\n"algorithm.rho" = [7.0]', {"algorithm.rho": [7.0]}),
        ("[channel]\nsnr_db = [0.0, 5.0]", {"algorithm.rho": [0.1, 1.0], "channel.snr_db": [0.0, 5.0]}),
        ('[sweep]\n"channel.snr_db" = [0.0, 5.0]', {"algorithm.rho": [0.1, 1.0], "channel.snr_db": [0.0, 5.0]}),
    ],
)
def test_fixed_keys_and_sweeps_replace_each_other(derive, text, left):
    scenario = derive(text)
    assert scenario.sweep == {"method": ["A-FADMM", "D-FADMM", "A-GD"], **left}
    assert list(scenario.sweep) == ["method", *left]
    assert left or {settings.algorithm.rho for at, settings in scenario.points() if at["method"] != "A-GD"} == {3.0}


def test_key_of_the_derived_scenario_goes_for_all_methods(derive):
    scenario = derive("[uplink]\nsubcarriers = 16")
    assert scenario.per_method == {"A-GD": {"local.learning_rate": 1e-3}}
    assert scenario == parse("mine", BASE, {"uplink.subcarriers": 16}).model_copy(update={"file": scenario.file})
    again = derive('[uplink]\nsubcarriers = 16\n[per_method.A-GD]\n"uplink.subcarriers" = 3')
    assert again.per_method["A-GD"]["uplink.subcarriers"] == 3


@pytest.mark.parametrize("text", ['[sweep]\nmethod = ["A-FADMM", "D-FADMM"]', 'method = "D-FADMM"'])
def test_tables_for_methods_that_are_not_run_go(derive, text):
    assert derive(text).per_method == {"D-FADMM": {"uplink.subcarriers": 8}}


def test_base_by_name_and_by_a_chain_of_paths(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "first.toml").write_text(BASE)
    (tmp_path / "deep" / "second.toml").write_text('base = "../first.toml"\n[run]\nseeds = 7')
    (tmp_path / "third.toml").write_text('base = "deep/second.toml"\n[run]\niterations = 9')
    run = load(tmp_path / "third.toml").settings.run
    assert (run.seeds, run.iterations) == (7, 9)
    (tmp_path / "quickstart.toml").write_text('base = "quickstart"')
    assert load(tmp_path / "quickstart.toml").settings == load("quickstart").settings
    assert parse("quickstart", 'base = "quickstart"') == load("quickstart")


@pytest.mark.parametrize("bases", [LONGEST_CHAIN - 1, LONGEST_CHAIN, 1500])
def test_chain_has_a_longest_length(tmp_path, bases):
    (tmp_path / "0.toml").write_text(BASE)
    for number in range(1, bases + 1):
        (tmp_path / f"{number}.toml").write_text(f'base = "{number - 1}.toml"')
    if bases < LONGEST_CHAIN:
        assert load(tmp_path / f"{bases}.toml").settings.run.seeds == 2
        return
    with pytest.raises(OtaflError, match=f"must not make a chain of more than {LONGEST_CHAIN} scenarios"):
        load(tmp_path / f"{bases}.toml")


def test_resolved_scenario_names_no_base(derive):
    scenario = derive("[run]\nseeds = 5")
    assert "base" not in tomllib.loads(scenario.to_toml())
    assert parse("mine", scenario.to_toml()).model_copy(update={"file": scenario.file}) == scenario


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (
            {"a": 'base = "b.toml"', "b": 'base = "c.toml"', "c": 'base = "a.toml"'},
            "base = 'a.toml': must not lead back to the scenario itself: a on b on c on a",
        ),
        ({"a": 'base = "quickstrat"'}, "base = 'quickstrat': unknown base; did you mean 'quickstart'?"),
        ({"a": 'base = "none.toml"'}, "base = 'none.toml': must be a scenario's name, or a path from "),
        ({"a": "base = ['quickstart']"}, "base = ['quickstart']: must be a scenario's name"),
        ({"a": 'base = "b.toml"', "b": "[channel\nsnr_db = 3"}, "must be a TOML file"),
        ({"a": 'base = "b.toml"', "b": "[channel]\nsnr = 3"}, "unknown key; did you mean 'channel.snr_db'?"),
    ],
)
def test_bad_base_is_refused(tmp_path, texts, message):
    for name, text in texts.items():
        (tmp_path / f"{name}.toml").write_text(text)
    with pytest.raises(OtaflError) as caught:
        load(tmp_path / "a.toml")
    assert message in str(caught.value)
