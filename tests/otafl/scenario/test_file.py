"""Files of scenarios: found by name or path, and those that are none."""

import math

import pytest

from otafl.errors import OtaflError
from otafl.scenario.file import load, names, parse, title
from tests.otafl.scenario.refusal import refused


def test_there_are_shipped_scenarios():
    assert {"quickstart", "linreg_communication", "linreg_energy"} <= set(names())


@pytest.mark.parametrize("name", names())
def test_shipped_scenario_loads_and_round_trips(name):
    loaded = load(name)
    assert loaded.name == name
    assert all(title(name)), "a title, and how long it takes"
    assert len(list(loaded.points())) == math.prod(map(len, loaded.sweep.values()))
    assert parse(name, loaded.to_toml()) == loaded


def test_unknown_scenario_and_method_suggest_the_nearest():
    with pytest.raises(OtaflError, match=r"did you mean 'quickstart'[?] `otafl list` has all of them$"):
        load("quickstrat")
    assert "method = 'A-FADM': unknown method; did you mean 'A-FADMM'?" in refused({"method": "A-FADM"})
    assert "known: A-FADMM, A-GD" in refused({"method": "zzzzz"})


def test_load_takes_a_path(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("[channel]\nsnr_db = 3.0")
    loaded = load(path, {"run.seeds": 2})
    assert (loaded.name, loaded.settings.channel.snr_db, loaded.settings.run.seeds) == ("mine", 3.0, 2)
    assert load(str(path)).name == "mine"


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (None, "cannot be read"),
        (b"[channel\nsnr_db = 3", "must be a TOML file"),
        (b"title = '\xff\xfe'", "must be a TOML file"),
    ],
)
def test_file_that_is_no_scenario_is_refused(tmp_path, content, rule):
    path = tmp_path / "mine.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(OtaflError) as caught:
        load(path)
    assert str(path) in str(caught.value)
    assert rule in str(caught.value)


def test_a_file_may_begin_with_the_mark_of_some_editors(tmp_path):
    path = tmp_path / "marked.toml"
    path.write_text('base = "quickstart"\n', encoding="utf-8-sig")
    assert load(path).settings == load("quickstart").settings
