"""Keys and values of earlier versions: in users' scenarios, with a remark, and in stored ones, without."""

import warnings

import numpy as np
import pytest
import xarray as xr

import otafl
from otafl.errors import OtaflError, Remark
from otafl.results import file
from otafl.scenario.file import parse
from otafl.scenario.stored_scenario import about, parse_stored, renamed_dimensions
from otafl.store.identity import run_name
from otafl.study.collect import collect
from otafl.study.directory import MANIFEST

NOW = {
    "fading": "inversion",
    "average_inversion": "BAA",
    "phase_only": "full_power",
    "optimal_power": "MMSE",
    "cotaf": "COTAF",
    "one_bit": "OBDA",
    "compressed": "CA-DSGD",
}
KEYS = {"method": "FedSGD@analog", "uplink.inversion_threshold": 0.3}
FREE = {"method": "FedSGD@analog"}
DIGITS = '[problem]\nkind = "classification"\ndataset = "digits"\n'
MIXED = ["truncated_inversion", "cotaf", "average_inversion"]
EACH = pytest.mark.parametrize(("old", "new"), NOW.items())
pytestmark = pytest.mark.filterwarnings("ignore::otafl.errors.Remark")


def points(scenario):
    """Settings of all runs of a scenario."""
    return [settings for _, settings in scenario.points()]


@EACH
def test_a_value_of_a_precoder_is_a_scheme_and_is_remarked_upon(old, new):
    with pytest.warns(Remark, match=f"uplink.precoder = '{old}': is uplink.scheme = '{new}' now"):
        by_override = otafl.load("digits_quickstart", FREE | {"uplink.precoder": old})
    with pytest.warns(Remark, match=f"uplink.precoder = '{old}': is uplink.scheme = '{new}' now"):
        by_file = parse(
            "t",
            f'method = "FedSGD@analog"\n{DIGITS}[uplink]\nprecoder = "{old}"',
        )
    assert points(by_override) == points(otafl.load("digits_quickstart", FREE | {"uplink.scheme": new}))
    assert by_file.settings.uplink.scheme == new
    assert by_file.settings.uplink.precoder is None


def test_a_value_that_is_still_one_stays_one_without_a_remark():
    with warnings.catch_warnings():
        warnings.simplefilter("error", Remark)
        found = otafl.load("digits_quickstart", FREE | {"uplink.precoder": "truncated_inversion"})
    assert found.settings.uplink.scheme is None
    assert found.settings.uplink.precoder == "truncated_inversion"


def test_a_quantiser_is_a_compressor():
    keys = {"method": "FedAvg@digital", "uplink.bits_per_element": 4}
    with pytest.warns(Remark, match="uplink.quantiser = 'qsgd': is uplink.compressor = 'qsgd' now"):
        found = otafl.load("digits_quickstart", keys | {"uplink.quantiser": "qsgd"})
    assert points(found) == points(otafl.load("digits_quickstart", keys | {"uplink.compressor": "qsgd"}))
    many = keys | {"uplink.bits_per_element": 16}
    swept = otafl.load("digits_quickstart", many | {"uplink.quantiser": ["none", "qsgd"]})
    assert swept.sweep["uplink.compressor"] == ["none", "qsgd"]


def test_swept_values_are_translated_together_and_panels_follow():
    found = parse(
        "t",
        f'method = "FedAvg@analog"\n{DIGITS}[plot]\npanels = "precoder"\n'
        f'[uplink]\ninversion_threshold = 0.3\n[sweep]\n"uplink.precoder" = {MIXED}'.replace("'", '"'),
    )
    assert found.sweep["uplink.scheme"] == ["truncation", "COTAF", "BAA"]
    assert found.plot.panels == "uplink_scheme"
    one = otafl.load("digits_quickstart", KEYS | {"uplink.precoder": "truncated_inversion"})
    assert (
        points(one)[0].uplink
        == points(otafl.load("digits_quickstart", KEYS | {"uplink.scheme": "truncation"}))[0].uplink
    )


@pytest.mark.parametrize("fixed", ['precoder = "cotaf"', 'precoder = "truncated_inversion"'])
@pytest.mark.parametrize("own", ["cotaf", "truncated_inversion"])
def test_values_of_single_methods_are_translated_beside_fixed_ones(fixed, own):
    """Whichever is still a value: where one has become a scheme, all have."""
    source = (
        f'[problem]\nkind = "classification"\ndataset = "digits"\n[uplink]\n{fixed}\n'
        f'[sweep]\nmethod = ["FedAvg@analog", "FedAvg@analog mine"]\n[per_method."FedAvg@analog mine".uplink]\n'
        f'precoder = "{own}"'
    )
    plain, mine = points(parse("t", source))
    control = {"cotaf": "scheduled", "truncated_inversion": "common"}
    assert plain.uplink.power_control == control[fixed.split('"')[1]]
    assert mine.uplink.power_control == control[own]
    stored = points(parse_stored("t", source, "t"))
    assert stored == [plain, mine]


def test_a_list_of_single_methods_is_translated():
    source = (
        '[problem]\nkind = "classification"\ndataset = "digits"\n[sweep]\nmethod = ["FedAvg@analog"]\n'
        '[per_method."FedAvg@analog".uplink]\nprecoder = ["truncated_inversion", "phase_only"]'
    )
    found = parse("t", source)
    assert [settings.uplink.precoder for settings in points(found)] == ["truncated_inversion", "phase_compensation"]


def test_one_that_a_scenario_was_asked_for_and_that_nothing_reads_is_refused_under_its_name_of_today():
    with pytest.raises(OtaflError, match=r"uplink.scheme = 'COTAF': D-FADMM over the digital uplink does not read it"):
        parse("t", 'method = "D-FADMM"\n[uplink]\nprecoder = "cotaf"')


@EACH
def test_a_stored_value_is_read_without_a_remark(old, new):
    source = f'method = "FedSGD@analog"\n{DIGITS}[uplink]\nprecoder = "{old}"\nquantiser = "none"'
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "uplink.precoder|uplink.quantiser", Remark)
        found = parse_stored("t", source, "t")
    assert found.settings.uplink.scheme == new
    assert about(source).fixed["uplink.scheme"] == new


def test_dimensions_of_stored_results_have_names_and_values_of_today(tmp_path):
    keys = {"run.seeds": 1, "run.iterations": 2, "method": "A-GD", "federation.workers": 3}
    made = otafl.run("quickstart", keys | {"uplink.scheme": ["MMSE"]})
    two = xr.concat([made, made.assign_coords(uplink_scheme=["truncation"])], "uplink_scheme", data_vars="minimal")
    source = made.attrs["scenario"].replace('"uplink.scheme"', '"uplink.precoder"')
    source = source.replace('"MMSE"', '"optimal_power", "truncated_inversion"')
    old = two.rename(uplink_scheme="precoder").assign_coords(precoder=["optimal_power", "truncated_inversion"])
    old.assign_attrs(scenario=source).to_netcdf(tmp_path / "old.nc", engine="h5netcdf")
    with warnings.catch_warnings():
        warnings.simplefilter("error", Remark)
        found = file.load(tmp_path / "old.nc")
    assert found["uplink_scheme"].values.tolist() == ["MMSE", "truncation"]
    assert found["uplink_scheme"].attrs == made["uplink_scheme"].attrs
    np.testing.assert_array_equal(found["loss"], two["loss"])
    assert file.scenario_of(found).sweep["uplink.scheme"] == ["MMSE", "truncation"]


TWICE = {
    "sweep": '[sweep]\n"uplink.quantiser" = ["qsgd"]\n"uplink.compressor" = ["top_k"]\n',
    "table": '[uplink]\nquantiser = "qsgd"\ncompressor = "top_k"\n',
    "values": '[uplink]\nprecoder = "cotaf"\nscheme = "BAA"\n',
}


@pytest.mark.parametrize("text", TWICE.values(), ids=TWICE)
def test_a_key_under_both_of_its_names_is_refused(text, tmp_path):
    (tmp_path / "twice.toml").write_text(f'base = "quickstart"\n{text}')
    for read in (about, lambda text: parse_stored("x", text, "x"), lambda _: otafl.load(tmp_path / "twice.toml")):
        with pytest.raises(OtaflError, match=r"is given under another name, too|did you mean 'uplink\.compressor'"):
            read(text)


@pytest.mark.parametrize("value", ["3", "{a = 1}", "[[1]]", "[{a = 1}]", '"qsgd"'])
@pytest.mark.parametrize("key", ["uplink.quantiser", "uplink.precoder"])
def test_sweeps_of_old_keys_that_are_none_rename_nothing(key, value):
    assert renamed_dimensions(f'[sweep]\n"{key}" = {value}\n').keys() <= {"quantiser"}


NAMED = [
    ({"method": "A-FADMM"}, "fee9550493da43cb7229cd6427dbb4fb"),
    ({"method": "A-GD"}, "84349d24ef3dc4a161ee874739529013"),
    ({"method": "A-GD", "uplink.precoder": "fading"}, "5d23b5cd158af055177b269e276ca521"),
    ({"method": "A-GD", "uplink.precoder": "average_inversion"}, "37ee65785bf9ecd486e0f26953708a32"),
    ({"method": "A-GD", "uplink.precoder": "phase_only"}, "84cf00f30fd4a953e7241f03f35312c8"),
    ({"method": "A-GD", "uplink.precoder": "optimal_power"}, "96f2a74d55c97351177b8c1d8da5c383"),
    ({"method": "A-GD", "uplink.precoder": "cotaf"}, "42459678ba6efea4815f7e893d4e17af"),
    ({"method": "A-GD", "uplink.precoder": "compressed"}, "e113065662901f78aee2422795f0c5d6"),
    ({"method": "FedSGD@analog", "uplink.precoder": "one_bit"}, "79e912bd61eba74813534a65c78b40a9"),
    (
        {"method": "D-FADMM", "uplink.quantiser": "qsgd", "uplink.bits_per_element": 8},
        "52d499d7b1ef927a5ae751fbcbbe650b",
    ),
]
"""Runs with the names that they had before an uplink was a chain of parts."""


@pytest.mark.parametrize(("keys", "name"), NAMED)
def test_runs_of_before_are_found(keys, name):
    small = {"problem.dataset": "synthetic", "problem.dimension": 4, "run.seeds": 1}
    ((_, settings),) = otafl.load("quickstart", small | keys).points()
    assert run_name(settings, 0) == name


def test_a_folder_of_before_is_collected(tmp_path):
    """Points of its runs, of which one has a word that is still one, are those of today."""
    keys = {"run.seeds": 1, "run.iterations": 2, "method": "A-GD", "federation.workers": 3}
    made = otafl.run("quickstart", keys | {"uplink.scheme": ["MMSE", "truncation"]}, out=tmp_path)
    listed = tmp_path / "quickstart.runs" / MANIFEST
    source = listed.read_text().replace("uplink.scheme", "uplink.precoder")
    listed.write_text(source.replace("MMSE", "optimal_power").replace("truncation", "truncated_inversion"))
    found = collect([tmp_path]).dataset()
    assert found["uplink_scheme"].values.tolist() == ["MMSE", "truncation"]
    np.testing.assert_array_equal(found["loss"], made["loss"])
