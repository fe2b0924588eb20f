"""Methods over uplinks of their own, under labels, and with lists of their own."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import otafl
from otafl.errors import OtaflError
from otafl.scenario import sweeps, variants
from otafl.scenario.file import parse
from otafl.store.identity import run_name
from tests.otafl.scenario.refusal import refused
from tests.otafl.small import SMALL
from tests.rounding import SINGLE, assert_close

LEARNING = """
[problem]
kind = "classification"
dataset = "digits"
model = "mlp_small"
[federation]
workers = 4
[local]
steps = 2
[run]
iterations = 2
seeds = 1
[sweep]
"""


def settings_of(text: str) -> dict[str, tuple]:
    """By variant: the method and what the tests set for single ones."""
    scenario = parse("t", LEARNING + text)
    points = list(scenario.points())
    assert list(parse("t", scenario.to_toml()).points()) == points
    return {at["method"]: (made.method, made.uplink.kind, made.algorithm.rho) for at, made in points}


def test_one_study_has_a_method_over_several_uplinks_and_in_several_variants():
    found = settings_of('method = ["A-SFADMM", "FedAvg@analog", "FedAvg@digital", "FedAvg"]')
    assert {name: kind for name, (_, kind, _) in found.items()} == {
        "A-SFADMM": "analog",
        "FedAvg@analog": "analog",
        "FedAvg@digital": "digital",
        "FedAvg": "digital",
    }
    found = settings_of(
        'method = ["FedAvg", "FedProx"]\n[per_method.FedProx]\n"algorithm.rho" = [0.1, 1.0]\n'
        '"uplink.kind" = ["analog", "digital"]\n'
    )
    assert found == {
        "FedAvg": ("FedAvg", "digital", 0.5),
        "FedProx@analog rho=0.1": ("FedProx", "analog", 0.1),
        "FedProx@digital rho=0.1": ("FedProx", "digital", 0.1),
        "FedProx@analog rho=1.0": ("FedProx", "analog", 1.0),
        "FedProx@digital rho=1.0": ("FedProx", "digital", 1.0),
    }


def test_keys_of_a_method_hold_for_its_variants_unless_they_say_otherwise():
    found = settings_of(
        'method = ["FedProx", "FedProx mild", "FedProx@analog"]\n[per_method.FedProx]\n"algorithm.rho" = 3.0\n'
        '[per_method."FedProx mild"]\n"algorithm.rho" = 0.1\n'
    )
    assert [rho for _, _, rho in found.values()] == [3.0, 0.1, 3.0]
    own = '[per_method."FedProx mild"]\n"algorithm.rho" = 0.3\n"local.learning_rate" = [0.1, 0.2]'
    found = settings_of('method = ["FedProx mild", "FedProx"]\n' + own)
    assert {name: rho for name, (_, _, rho) in found.items()} == {
        "FedProx mild learning_rate=0.1": 0.3,
        "FedProx mild learning_rate=0.2": 0.3,
        "FedProx": found["FedProx"][2],
    }
    assert found["FedProx"][2] != 0.3


def test_keys_of_single_methods_hold_for_them_alone_and_an_override_for_all():
    text = LEARNING + 'method = ["FedProx", "FedDyn"]\n[per_method.FedProx]\n"algorithm.rho" = 0.3\n'
    assert {name: rho for name, (_, _, rho) in settings_of(text.removeprefix(LEARNING)).items()} == {
        "FedProx": 0.3,
        "FedDyn": 0.5,
    }
    overridden = parse("t", text, {"algorithm.rho": 2.0}).points()
    assert {settings.algorithm.rho for _, settings in overridden} == {2.0}
    with pytest.raises(OtaflError, match="did you mean"):
        parse("t", text.replace('"algorithm.rho"', '"local.rho"'))


def test_a_variant_is_the_run_that_its_name_is_short_for():
    (_, short), (_, long) = (
        next(parse("t", LEARNING + text).points())
        for text in ('method = ["FedAvg@analog"]', 'method = ["FedAvg"]\n"uplink.kind" = ["analog"]')
    )
    assert run_name(short, 0) == run_name(long, 0)


def test_variants_are_run_and_stand_beside_each_other():
    small = SMALL | {"federation.workers": 4, "run.iterations": 2, "run.seeds": 1}
    data = otafl.run("quickstart", small | {"method": ["FedAvg@ideal", "FedAvg@digital"]})
    exact, charged = (data.sel(scheme=f"FedAvg@{kind}") for kind in ("ideal", "digital"))
    assert_close(charged["loss"], exact["loss"], SINGLE)
    assert exact["time_slots"].max() == 0 < charged["time_slots"].min()
    assert sweeps.dimensions({"uplink.kind": ["ideal"], "method": ["FedAvg"]}) == ["uplink_kind", "scheme"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('method = ["FedAvg@analogue"]', "uplink.kind = 'analogue'"),
        ('method = ["FedNova@analog"]', "FedNova is carried by the digital"),
        ('method = ["FedAvg@analog"]\n"uplink.kind" = ["digital"]', "contradicts method = 'FedAvg@analog'"),
        ('method = ["FedProx"]\n[per_method.FedProx]\n"algorithm.rho" = []', "must be a list of at least one value"),
        ('method = ["FedProx"]\n[per_method.FedProx]\n"algorithm.rho" = [1.0, -1.0]', "algorithm.rho = -1.0"),
        (
            'method = ["FedAvg"]\n[per_method.FedAvg]\n"algorithm.rho" = [0.1, 1.0]',
            "per_method.FedAvg rho=0.1.algorithm.rho = 0.1: FedAvg",
        ),
    ],
)
def test_contradicting_variants_are_refused(text, said):
    assert said in refused(text=LEARNING + text)


@settings(max_examples=30)
@given(st.from_regex(r"[A-Za-z]+(-\d+x)?(@[a-z]+)?( [a-z=0-9. ]+)?", fullmatch=True))
def test_a_variant_descends_from_its_method(name):
    first, *_, last = [*variants.lineage(name), name]
    assert last == name
    assert variants.fixed(name)["method"] == first
    assert "@" not in first
    assert " " not in first


def test_another_uplink_for_methods_that_all_have_their_own_is_refused():
    text = LEARNING + 'method = ["FedAvg@analog", "FedProx@digital"]'
    with pytest.raises(OtaflError, match=r"uplink.kind = 'ideal': contradicts method = 'FedAvg@analog'"):
        parse("t", text, {"uplink.kind": "ideal"})
    one = parse("t", LEARNING + 'method = ["FedAvg@analog", "FedAvg"]', {"uplink.kind": "ideal"})
    assert [settings.uplink.kind for _, settings in one.points()] == ["analog", "ideal"]
