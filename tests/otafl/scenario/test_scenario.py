"""Scenarios: overrides, titles, refusals and their words, and TOML that is read back, also of earlier versions."""

import math
import tomllib

import matplotlib.pyplot as plt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import otafl
from figures.gallery import kept
from otafl.errors import OtaflError, Remark
from otafl.results import figure_files, result_file
from otafl.scenario.dotted_keys import fields
from otafl.scenario.file import load, parse
from otafl.scenario.keys_read import keys_read
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


SMALL = {"run.seeds": 1, "run.iterations": 3, "method": "D-GD", "federation.workers": [4, 5]}


@pytest.fixture(scope="module")
def result():
    return otafl.run("quickstart", SMALL)


def stored(result, folder, old, new):
    """A result as a version would have written it in which the scenario's text had ``new`` in the place of ``old``."""
    text = result.attrs["scenario"]
    assert old in text
    result.assign_attrs(scenario=text.replace(old, new)).to_netcdf(folder / "old.nc", engine="h5netcdf")
    return folder / "old.nc"


@pytest.mark.parametrize(
    ("old", "new", "removed"),
    [
        ("[channel]\n", "[channel]\nweather = 'fair'\n", "channel.weather"),
        ("[channel]\n", "[antenna]\nnumber = 3\n[channel]\n", "antenna.number"),
        ("[plot]\n", "[plot]\ncolour = 'red'\n", "plot.colour"),
        ("[sweep]\n", "[sweep]\n'channel.weather' = ['fair']\n", "channel.weather"),
        ("[sweep]\n", "[per_method.D-GD]\n'local.mood' = 'good'\n[sweep]\n", "local.mood"),
    ],
)
def test_removed_key_is_remarked_upon_and_left_out(result, tmp_path, old, new, removed):
    path = stored(result, tmp_path, old, new)
    with pytest.warns(Remark, match=f"this version has no key {removed}"):
        data = result_file.load(path)
    assert result_file.scenario_of(data) == result_file.scenario_of(result)
    plt.close(figure_files.figure(data))


def test_value_that_breaks_a_rule_is_refused_in_a_result_too(result, tmp_path):
    path = stored(result, tmp_path, 'fading = "rayleigh"', 'fading = "smoke"')
    data = result_file.load(path)
    with pytest.raises(OtaflError, match=r"channel.fading = 'smoke'"):
        result_file.scenario_of(data)


@pytest.mark.parametrize(
    "text", ["[run]\ntarget_loss = -1.0\n", "[plot]\nkind = 'pie'\n", "plot = 3\n", "sweep = 3\n", "per_method = 3\n"]
)
def test_stored_scenario_of_another_shape_is_refused(result, tmp_path, text):
    result.assign_attrs(scenario=text).to_netcdf(tmp_path / "x.nc", engine="h5netcdf")
    with pytest.raises(OtaflError, match="must be"):
        result_file.load(tmp_path / "x.nc")


def test_result_says_which_file_it_came_from(result, tmp_path):
    assert result.attrs["scenario_file"] == "quickstart"
    path = tmp_path / "mine.toml"
    path.write_text('base = "quickstart"\n[run]\nseeds = 1\niterations = 2\n[sweep]\nmethod = ["D-GD"]')
    data = otafl.run(path)
    assert data.attrs["scenario_file"] == str(path)
    assert result_file.scenario_of(data) == otafl.load(path)
    assert otafl.load(path).override({"run.seeds": 2}).file == str(path)


@pytest.mark.parametrize("every", [31, pytest.param(1, marks=pytest.mark.slow)])
def test_kept_results_load(every):
    """Without ``scenario_file``, which their version did not write, a result names its scenario."""
    results = [(archive, name) for archive in kept.archives() for name in sorted(kept.names(archive))]
    for archive, name in results[::every]:
        data = kept.load(archive, name)
        scenario = result_file.scenario_of(data)
        assert scenario.file == data.attrs.get("scenario_file", data.attrs["name"])
        assert {scenario.settings.target[0], scenario.plot.y} <= set(data.data_vars)


INF = math.inf
MARKED = """
title = "a = b  # c"
[federation]
participation = 0.5
[local]
epochs = 2
[sweep]
method = ["FedAvg", "FedProx"]
"channel.snr_db" = [1.0, 2.0]
[per_method.FedProx]
"algorithm.rho" = 0.1
"local.epochs" = 3
"""


def test_keys_that_are_not_read_are_marked_lists_of_lists_too():
    loaded = parse("t", MARKED)
    read = fields().keys() - {"method", "algorithm.rho", "channel.snr_db", "federation.shards"}
    text = loaded.to_toml(read)
    marked = {line.partition(" = ")[0] for line in text.splitlines() if line.endswith("  # not read")}
    assert marked == {"method", "rho", '"algorithm.rho"', '"channel.snr_db"', "shards"}
    assert tomllib.loads(text) == tomllib.loads(loaded.to_toml()) == tomllib.loads(loaded.to_toml(()))
    assert loaded.to_toml(fields()) == loaded.to_toml()
    keys = {"method": "FedAvg", "federation.workers": 2, "federation.probabilities": [0.5, 0.5]}
    text = parse("t", "", keys).to_toml(())
    assert tomllib.loads(text)["federation"]["probabilities"] == [0.5, 0.5]


POSITIVE, COUNT = st.floats(min_value=1e-12, max_value=1e12), st.integers(1, 10**9)
VALID = {
    "method": st.sampled_from(["A-FADMM", "D-FADMM-10x", "A-GD", "D-GD-3x"]),
    "problem.dataset": st.sampled_from(["california_housing", "diabetes", "synthetic"]),
    "problem.seed": st.integers(0, 2**32 - 1),
    "federation.workers": st.integers(1, 442),
    "algorithm.rho": POSITIVE,
    "local.learning_rate": POSITIVE,
    "channel.fading": st.sampled_from(["none", "rayleigh"]),
    "channel.coherence_iterations": COUNT | st.just(INF),
    "channel.snr_db": st.floats(-200, 200) | st.integers(-200, 200) | st.just(INF),
    "uplink.subcarriers": COUNT,
    "uplink.noise_psd_w_per_hz": POSITIVE,
    "run.max_channel_uses": POSITIVE,
    "run.seeds": st.integers(1, 25_000),
}


@settings(max_examples=20)
@given(
    st.fixed_dictionaries({}, optional=VALID), st.lists(VALID["channel.snr_db"], min_size=1, max_size=4, unique=True)
)
def test_any_scenario_round_trips_through_toml(fixed, snr_db):
    chosen = {key: value for key, value in fixed.items() if key in ("method", "problem.dataset", "channel.fading")}
    read = keys_read(parse("t", "", chosen).settings)
    given = {key: value for key, value in fixed.items() if key in read}
    resolved = parse("t", 'title = "ä \\"quoted\\""', given | {"channel.snr_db": snr_db})
    assert parse("t", resolved.to_toml()) == resolved
