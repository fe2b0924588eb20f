"""Files of scenarios: found by name or path, those that are none, and what they sweep, in which order."""

import math

import pytest

from otafl.errors import OtaflError
from otafl.scenario import library, sweeps
from otafl.scenario.dotted_keys import fields
from otafl.scenario.file import load, parse
from otafl.scenario.library import entries, names
from tests.otafl.scenario.refusal import refused
from tests.otafl.small import some


@pytest.mark.parametrize("name", some(names(), names()[::9]))
def test_shipped_scenario_loads(name):
    loaded = load(name)
    assert loaded.name == name
    assert entries()[name].title
    assert len(list(loaded.points())) == math.prod(map(len, loaded.sweep.values()))


@pytest.mark.parametrize("every", [31, pytest.param(1, marks=pytest.mark.slow)])
def test_shipped_scenarios_round_trip(every):
    for loaded in map(load, names()[::every]):
        assert parse(loaded.name, loaded.to_toml()) == loaded


@pytest.fixture
def with_studies(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        """
title = "Mine"
run.seeds = 4
sweep.channel.snr_db = [0.0, 10.0]

[small]
run.seeds = 1

[studies.quiet]
title = "Mine, without noise"
channel.snr_db = inf

[studies.wide]
base = "#quiet"
sweep.uplink.subcarriers = [8, 16]
""".replace('"#', f'"{path.name}#')
    )
    return path


def test_studies_of_a_file_stand_on_its_own_or_on_the_base_that_they_name(with_studies):
    small, quiet, wide = (load(f"{with_studies}#{name}") for name in ("mine_small", "quiet", "wide"))
    assert (small.name, small.title, small.settings.run.seeds) == ("mine_small", "Mine, small", 1)
    assert (quiet.title, quiet.settings.run.seeds, quiet.sweep) == ("Mine, without noise", 4, {})
    assert (wide.settings.channel.snr_db, wide.sweep) == (math.inf, {"uplink.subcarriers": [8, 16]})
    assert load(with_studies, small=True) == small
    assert load("gong_scale", small=True) == load("gong_scale_small")
    assert load(with_studies).sweep == {"channel.snr_db": [0.0, 10.0]}


@pytest.mark.parametrize(
    ("more", "rule"),
    [
        ("studies = 3", "studies = 3: must be tables of scenario keys, one for each study"),
        ("studies.low = 3", "studies.low = 3: must be a table of scenario keys under a name without dots"),
        ("[studies.'a/b']", "studies.a/b = {}: must be a table of scenario keys under a name"),
        ("[studies.mine]", "studies.mine = '.*': must not be this file's own study"),
        ("[small]\n[studies.mine_small]", "studies.mine_small = '.*': must not be this file's own study, nor"),
        ("[studies.low]\nsnr_db = 3", "scenario key = 'snr_db': unknown key; did you mean 'channel.snr_db'"),
        ("[studies.low.studies.lower]\nseeds = 1", "scenario key = 'studies.lower.seeds': unknown key"),
        ("[studies.low]\nbase = '{file}#low'", "must not lead back to the scenario itself: low on low"),
        ("[studies.other]", "study of .* = 'low': unknown study of .*; known: mine, other"),
    ],
)
def test_studies_that_are_none_are_refused(tmp_path, more, rule):
    path = tmp_path / "mine.toml"
    path.write_text(more.replace("{file}", path.name))
    with pytest.raises(OtaflError, match=rule):
        load(f"{path}#low")


def test_two_studies_of_one_name_are_refused(monkeypatch, tmp_path):
    for place in ("a.toml", "b.toml"):
        (tmp_path / place).write_text("[studies.low]")
    monkeypatch.setattr(library, "folder", lambda: tmp_path)
    with pytest.raises(OtaflError, match=r"scenario = 'low': stands in .*a\.toml and in .*b\.toml"):
        entries.__wrapped__()


def test_load_takes_a_path_and_the_mark_with_which_some_editors_begin_a_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("[channel]\nsnr_db = 3.0", encoding="utf-8-sig")
    for loaded in (load(path, {"run.seeds": 2}), load(str(path), {"run.seeds": 2})):
        assert (loaded.name, loaded.settings.channel.snr_db, loaded.settings.run.seeds) == ("mine", 3.0, 2)


def test_unknown_scenario_and_method_suggest_the_nearest():
    with pytest.raises(OtaflError, match=r"did you mean 'quickstart'[?] `otafl list` has all of them$"):
        load("quickstrat")
    assert "method = 'A-FADM': unknown method; did you mean 'A-FADMM'?" in refused({"method": "A-FADM"})
    assert "known: A-FADMM, A-GD" in refused({"method": "zzzzz"})


TWO_METHODS = "[sweep]\nmethod = ['A-FADMM', 'D-FADMM']"


@pytest.mark.parametrize("values", [[20, 30], (20, 30)])
def test_overriding_with_several_values_sweeps(values):
    swept = parse("t", "", {"channel.snr_db": values})
    assert swept.sweep == {"channel.snr_db": [20, 30]}
    assert [settings.channel.snr_db for _, settings in swept.points()] == [20, 30]


def test_overriding_a_swept_key_fixes_it_or_replaces_its_values():
    fixed = parse("t", TWO_METHODS).override({"method": "A-GD"})
    assert (fixed.sweep, fixed.settings.method) == ({}, "A-GD")
    assert [point for point, _ in fixed.points()] == [{}]
    assert parse("t", TWO_METHODS, {"method": ["D-GD", "A-GD"]}).sweep == {"method": ["D-GD", "A-GD"]}


def test_lists_in_base_tables_sweep_with_the_last_key_fastest():
    in_table = parse("t", "[channel]\nsnr_db = [10.0, inf]")
    assert in_table.sweep == {"channel.snr_db": [10.0, math.inf]}
    assert in_table == parse("t", '[sweep]\n"channel.snr_db" = [10.0, inf]')
    assert in_table == parse("t", "[sweep.channel]\nsnr_db = [10.0, inf]")
    swept = parse("t", TWO_METHODS, {"federation.workers": [5, 7, 9]})
    points = [(settings.method, settings.federation.workers) for _, settings in swept.points()]
    assert points == [(method, workers) for method in ("A-FADMM", "D-FADMM") for workers in (5, 7, 9)]


def test_no_two_keys_that_can_be_swept_end_alike():
    swept = [key.split(".")[-1] for key in fields() if key not in sweeps.NOT_SWEPT]
    assert all(swept.count(name) == 1 for name in swept)
