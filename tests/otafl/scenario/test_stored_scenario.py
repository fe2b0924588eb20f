"""Results across versions: keys that a later version does not have are left out."""

import matplotlib.pyplot as plt
import pytest

import otafl
from figures.gallery import kept
from otafl.errors import OtaflError, Remark
from otafl.results import figure_files, result_file

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
