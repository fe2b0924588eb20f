"""Scenarios: overrides, titles, and what is refused in which words."""

import pytest

from otafl.errors import OtaflError
from otafl.scenario.file import load, parse
from tests.otafl.scenario.refusal import refused


def test_override_sets_a_key_leaves_the_others_and_its_scenario():
    before = load("quickstart")
    after = before.override({"channel.snr_db": 7, "run.iterations": 3})
    assert (after.settings.channel.snr_db, after.settings.run.iterations) == (7, 3)
    assert after.sweep == before.sweep
    assert after.settings.federation == before.settings.federation
    assert before == load("quickstart")
    assert after == load("quickstart", {"channel.snr_db": 7, "run.iterations": 3})
    assert after.override({"channel.snr_db": 2}).settings.channel.snr_db == 2
    loaded = load("quickstart")
    with pytest.raises(ValueError, match="frozen"):
        loaded.title = "x"
    with pytest.raises(ValueError, match="frozen"):
        loaded.settings.channel.snr_db = 3.0


def test_keys_that_an_override_makes_idle_are_left_out_and_those_that_were_idle_before_are_refused():
    text = "method = 'FedAvg'\nproblem = {kind = 'classification', dataset = 'digits'}\n[local]\nmomentum = 0.5\n"
    train = text + "optimizer = 'momentum'"
    assert parse("t", train).settings.local.momentum == 0.5
    assert parse("t", train, {"local.optimizer": "sgd"}).settings.local.momentum == 0.9
    for overrides in ({}, {"run.seeds": 2}, {"method": "FedProx"}):
        with pytest.raises(OtaflError, match=r"local.momentum = 0.5: .* does not read it"):
            parse("t", text, overrides)


@pytest.mark.parametrize(
    ("key", "meant"), [("chanel.snr_db", "channel.snr_db"), ("uplink.sub_carriers", "uplink.subcarriers")]
)
def test_unknown_key_suggests_the_nearest(key, meant):
    table, leaf = key.split(".")
    for message in (refused({key: 1}), refused(text=f"[{table}]\n{leaf} = 1"), refused(text=f'[sweep]\n"{key}" = [1]')):
        assert repr(key) in message
        assert "unknown key" in message
        assert f"did you mean {meant!r}?" in message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title = 3", "title = 3"),
        ("foo = 1", "scenario key = 'foo': unknown key"),
        ("name = 'x'", "scenario key = 'name': unknown key"),
        ("[[channel]]\nsnr_db = 1", "scenario key = 'channel': unknown key"),
        ("[plot]\ncolour = 'red'", "scenario key = 'plot.colour': unknown key"),
        ("[sweep]\nmethod = 'A-FADMM'", "sweep.method = 'A-FADMM'"),
    ],
)
def test_scenario_of_another_shape_is_refused(text, said):
    assert refused(text=text).startswith(said)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"method": "D-GD", "uplink.kind": "analog"}, "uplink.kind = 'analog': D-GD is carried by the digital"),
        ({"problem.kind": ["linear_regression"]}, "sweep.problem.kind = ['linear_regression']: cannot be swept"),
        ({"channel.snr_db": [20, 30, 20]}, "sweep.channel.snr_db = [20, 30, 20]: must not list a value twice"),
    ],
)
def test_contradictions_are_refused(overrides, message):
    assert message in refused(overrides)


TITLE = "A-FADMM, D-FADMM and A-GD on embedded data, in seconds"


@pytest.mark.parametrize(
    ("overrides", "title"),
    [
        ({"channel.snr_db": 3.0}, TITLE),
        ({"method": ["A-FADMM", "D-FADMM", "D-FADMM-10x", "A-GD"]}, TITLE),
        ({"method": "A-GD"}, "As quickstart, with A-GD"),
        ({"method": ("A-GD", "D-GD")}, "As quickstart, with A-GD and D-GD"),
        ({"method": ["A-GD", "D-GD", "D-FADMM"]}, "As quickstart, with A-GD, D-GD and D-FADMM"),
    ],
    ids=str,
)
def test_title_names_the_methods_that_an_override_sets(overrides, title):
    changed = load("quickstart").override(overrides)
    assert changed.title == title
    assert changed.override({"channel.snr_db": 3.0}).title == title
    assert changed.override({"method": "D-GD"}).title == "As quickstart, with D-GD"


@pytest.mark.parametrize("title", ["", "D-GDs and my D-GD-like methods"])
def test_title_that_names_no_method_stays(tmp_path, title):
    path = tmp_path / "mine.toml"
    path.write_text(f'title = "{title}"\nmethod = "A-GD"')
    assert load(path).override({"method": "D-GD"}).title == title
