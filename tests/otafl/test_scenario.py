"""Scenarios: what loads, what sweeps, what is refused and in which words."""

import math
import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otafl.algorithms import METHODS
from otafl.errors import OtaflError
from otafl.scenario import sweeps
from otafl.scenario.dotted import fields
from otafl.scenario.file import load, names, parse
from otafl.scenario.keys import DATASETS

INF, NAN = math.inf, math.nan
TWO_METHODS = "[sweep]\nmethod = ['A-FADMM', 'D-FADMM']"

POSITIVE = st.floats(min_value=1e-12, max_value=1e12)
COUNT = st.integers(1, 10**9)
VALID = {
    "method": st.sampled_from(["A-FADMM", "D-FADMM-10x", "A-GD", "D-GD-3x"]),
    "problem.dataset": st.sampled_from(["california_housing", "diabetes", "synthetic"]),
    "problem.seed": st.integers(0, 2**32 - 1),
    "federation.workers": COUNT,
    "algorithm.rho": POSITIVE,
    "local.learning_rate": POSITIVE,
    "channel.fading": st.sampled_from(["none", "rayleigh"]),
    "channel.coherence_iterations": COUNT | st.just(INF),
    "channel.snr_db": st.floats(-200, 200) | st.integers(-200, 200) | st.just(INF),
    "uplink.subcarriers": COUNT,
    "uplink.noise_psd_w_per_hz": POSITIVE,
    "run.max_channel_uses": POSITIVE,
    "run.seeds": COUNT,
}


def refused(overrides: dict | None = None, text: str = "") -> str:
    """The message with which a scenario is refused."""
    with pytest.raises(OtaflError) as caught:
        parse("t", text, overrides)
    return str(caught.value)


def test_there_are_shipped_scenarios():
    assert {"quickstart", "linreg_communication", "linreg_energy"} <= set(names())


@pytest.mark.parametrize("name", names())
def test_shipped_scenario_loads_and_round_trips(name):
    loaded = load(name)
    assert loaded.name == name
    assert loaded.title
    assert len(list(loaded.points())) == math.prod(map(len, loaded.sweep.values()))
    assert parse(name, loaded.to_toml()) == loaded


@settings(deadline=None, max_examples=50)
@given(
    st.fixed_dictionaries({}, optional=VALID), st.lists(VALID["channel.snr_db"], min_size=1, max_size=4, unique=True)
)
def test_any_scenario_round_trips_through_toml(fixed, snr_db):
    """Fixed keys, a sweep, infinities and tiny numbers: the TOML of a scenario gives that scenario."""
    resolved = parse("t", 'title = "ä \\"quoted\\""', fixed | {"channel.snr_db": snr_db})
    assert parse("t", resolved.to_toml()) == resolved


def test_toml_holds_every_key_that_has_a_value():
    tables = tomllib.loads(parse("t", "").to_toml())
    written = {"method"} | {
        f"{table}.{key}" for table in tables if table not in ("title", "method") for key in tables[table]
    }
    left_out = {"problem.seed", "uplink.kind", "run.max_channel_uses", "run.worker_chunk"}
    left_out |= {f"local.{key}" for key in ("learning_rate", "optimizer", "steps", "epochs", "warm_start")}
    assert set(fields()) - written == left_out


def test_override_sets_a_key_and_leaves_the_others():
    before = load("quickstart")
    after = before.override({"channel.snr_db": 7, "run.iterations": 3})
    assert (after.settings.channel.snr_db, after.settings.run.iterations) == (7, 3)
    assert after.sweep == before.sweep
    assert after.settings.federation == before.settings.federation
    assert before == load("quickstart")
    assert after == load("quickstart", {"channel.snr_db": 7, "run.iterations": 3})


def test_later_override_wins():
    assert parse("t", "", {"algorithm.rho": 1.0}).override({"algorithm.rho": 2.0}).settings.algorithm.rho == 2.0


@pytest.mark.parametrize("values", [[20, 30], (20, 30)])
def test_overriding_with_several_values_sweeps(values):
    swept = parse("t", "", {"channel.snr_db": values})
    assert swept.sweep == {"channel.snr_db": [20, 30]}
    assert [settings.channel.snr_db for _, settings in swept.points()] == [20, 30]


def test_overriding_a_swept_key_with_one_value_fixes_it():
    fixed = parse("t", TWO_METHODS).override({"method": "A-GD"})
    assert fixed.sweep == {}
    assert fixed.settings.method == "A-GD"
    assert [point for point, _ in fixed.points()] == [{}]


def test_overriding_a_swept_key_with_a_list_replaces_its_values():
    assert parse("t", TWO_METHODS, {"method": ["D-GD", "A-GD"]}).sweep == {"method": ["D-GD", "A-GD"]}


def test_list_in_a_base_table_sweeps():
    in_table = parse("t", "[channel]\nsnr_db = [10.0, inf]")
    assert in_table.sweep == {"channel.snr_db": [10.0, INF]}
    assert in_table == parse("t", '[sweep]\n"channel.snr_db" = [10.0, inf]')
    assert in_table == parse("t", "[sweep.channel]\nsnr_db = [10.0, inf]")


def test_points_are_the_product_with_the_last_key_fastest():
    swept = parse("t", TWO_METHODS, {"federation.workers": [5, 7, 9]})
    points = [(settings.method, settings.federation.workers) for _, settings in swept.points()]
    assert points == [(method, workers) for method in ("A-FADMM", "D-FADMM") for workers in (5, 7, 9)]


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("channel.snr", "channel.snr_db"),
        ("chanel.snr_db", "channel.snr_db"),
        ("federation.worker", "federation.workers"),
        ("uplink.sub_carriers", "uplink.subcarriers"),
        ("run.iteration", "run.iterations"),
    ],
)
def test_unknown_key_suggests_the_nearest(key, meant):
    table, leaf = key.split(".")
    for message in (refused({key: 1}), refused(text=f"[{table}]\n{leaf} = 1"), refused(text=f'[sweep]\n"{key}" = [1]')):
        assert repr(key) in message
        assert "unknown key" in message
        assert f"did you mean {meant!r}?" in message


@pytest.mark.parametrize(
    "text", ["foo = 1", "channel = 3", "name = 'x'", "[channel.snr_db]\na = 1", "[[channel]]\nsnr_db = 1"]
)
def test_misplaced_key_is_unknown(text):
    assert "unknown key" in refused(text=text)


def test_unknown_scenario_and_method_suggest_the_nearest():
    with pytest.raises(OtaflError, match="scenario = 'quickstrat': unknown scenario; did you mean 'quickstart'"):
        load("quickstrat")
    assert "method = 'A-FADM': unknown method; did you mean 'A-FADMM'?" in refused({"method": "A-FADM"})
    assert "known: A-FADMM, A-GD" in refused({"method": "zzzzz"})


@pytest.mark.parametrize(
    ("key", "value", "rule"),
    [
        ("channel.snr_db", "loud", "number"),
        ("channel.snr_db", True, "number"),
        ("channel.snr_db", NAN, "decibels"),
        ("channel.snr_db", -INF, "decibels"),
        ("channel.coherence_iterations", 0, "at least 1, or inf"),
        ("channel.coherence_iterations", 2.5, "whole number"),
        ("channel.coherence_iterations", -INF, "whole number"),
        ("channel.fading", "smoke", "'none' or 'rayleigh'"),
        ("uplink.subcarriers", 0, "greater than or equal to 1 or be 'one_slot'"),
        ("uplink.subcarriers", -4, "greater than or equal to 1 or be 'one_slot'"),
        ("uplink.subcarriers", 10.5, "integer or be 'one_slot'"),
        ("uplink.subcarriers", "two_slots", "integer or be 'one_slot'"),
        ("uplink.kind", "smoke", "'analog', 'digital' or 'ideal'"),
        ("uplink.slot_s", 0, "greater than 0"),
        ("uplink.subcarrier_spacing_hz", -15e3, "greater than 0"),
        ("uplink.noise_psd_w_per_hz", NAN, "finite"),
        ("uplink.inversion_threshold", 0.0, "greater than 0"),
        ("uplink.bits_per_element", 0, "greater than or equal to 1"),
        ("federation.workers", 0, "greater than or equal to 1"),
        ("federation.workers", -1, "greater than or equal to 1"),
        ("federation.workers", 2.0, "integer"),
        ("federation.workers", "many", "integer"),
        ("algorithm.rho", 0, "greater than 0"),
        ("algorithm.rho", -0.5, "greater than 0"),
        ("algorithm.rho", INF, "finite"),
        ("algorithm.rho", "0.5", "number"),
        ("local.learning_rate", 0, "greater than 0"),
        ("problem.condition_number", 0.5, "greater than or equal to 1"),
        ("problem.dataset", "cats", "'california_housing', 'diabetes', 'synthetic', 'mixture', 'mnist'"),
        ("run.iterations", 0, "greater than or equal to 1"),
        ("run.seeds", 0, "greater than or equal to 1"),
        ("run.seed", -1, "greater than or equal to 0"),
        ("run.record", "some", "'all' or 'log'"),
        ("run.max_channel_uses", 0, "greater than 0"),
        ("method", 5, "string"),
    ],
)
def test_value_that_breaks_a_rule_is_refused_by_name(key, value, rule):
    message = refused({key: value})
    assert message.startswith(f"{key} = {value!r}: ")
    assert rule in message


@pytest.mark.parametrize(
    ("key", "values", "bad"),
    [
        ("channel.snr_db", [20, "loud"], "'loud'"),
        ("uplink.subcarriers", ["one_slot", 10, 0], "0"),
        ("federation.workers", [10, -1, 20], "-1"),
        ("algorithm.rho", [0.5, NAN], "nan"),
        ("method", ["A-FADMM", "B-FADMM"], "'B-FADMM'"),
    ],
)
def test_bad_value_among_swept_ones_is_refused(key, values, bad):
    assert refused({key: values}).startswith(f"{key} = {bad}: ")


def test_coherence_that_is_no_number_is_refused_with_the_rule():
    assert "whole number" in refused({"channel.coherence_iterations": NAN})


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("title = 3", "title = 3"),
        ("sweep = 3", "sweep = 3"),
        ("plot = 3", "plot = 3"),
        ("[plot]\nkind = 'pie'", "plot.kind = 'pie'"),
        ("[plot]\ncolour = 'red'", "scenario key = 'plot.colour': unknown key"),
        ("[plot]\nbudgets = [0.0]", "plot.budgets"),
        ("[sweep]\nmethod = 'A-FADMM'", "sweep.method = 'A-FADMM'"),
        ("[sweep]\nmethod = []", "sweep.method = []"),
    ],
)
def test_scenario_of_another_shape_is_refused(text, key):
    assert refused(text=text).startswith(key)


@pytest.mark.parametrize("axis", ["x", "y"])
def test_plot_of_an_unknown_variable_is_refused(axis):
    assert f"plot.{axis} = 'nonsense'" in refused(text=f"[plot]\n{axis} = 'nonsense'")


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"method": "A-FADMM", "uplink.kind": "digital"}, "uplink.kind = 'digital': A-FADMM is carried by the analog"),
        ({"method": "D-GD", "uplink.kind": "analog"}, "uplink.kind = 'analog': D-GD is carried by the digital"),
        ({"method": "D-FADMM", "uplink.downlink": "analog"}, "uplink.downlink = 'analog': D-FADMM"),
        ({"method": ["A-FADMM", "A-GD"], "uplink.downlink": "analog"}, "uplink.downlink = 'analog': A-GD"),
        ({"method": "D-FADMM-10x", "uplink.subcarriers": "one_slot"}, "method = 'D-FADMM-10x': contradicts"),
        ({"method": ["D-FADMM", "D-FADMM-2x"], "uplink.subcarriers": "one_slot"}, "method = 'D-FADMM-2x': contradicts"),
        ({"problem.kind": ["linear_regression"]}, "sweep.problem.kind = ['linear_regression']: cannot be swept"),
        ({"channel.snr_db": [20, 30, 20]}, "sweep.channel.snr_db = [20, 30, 20]: must not list a value twice"),
        ({"run.seed": [0, 1]}, "sweep.run.seed = [0, 1]: cannot be swept"),
        ({"run.iterations": [10, 20]}, "sweep.run.iterations = [10, 20]: cannot be swept"),
    ],
)
def test_contradictions_are_refused(overrides, message):
    assert message in refused(overrides)


@pytest.mark.parametrize("method", ["A-FADMM", "A-GD", "D-FADMM", "D-GD"])
def test_method_may_name_the_uplink_that_it_fixes(method):
    kind = {"A": "analog", "D": "digital"}[method[0]]
    assert parse("t", "", {"method": method, "uplink.kind": kind}).settings.uplink.kind == kind


def test_same_number_written_twice_is_refused():
    assert "twice" in refused({"channel.snr_db": [20, 20.0]})


@given(st.sampled_from(sorted(METHODS)), st.integers(1, 10**6), st.integers(1, 10**6))
def test_suffix_multiplies_the_subcarriers(method, factor, subcarriers):
    kind = METHODS[method].problems[0]
    keys = {"problem.kind": kind, "problem.dataset": DATASETS[kind][0], "uplink.subcarriers": subcarriers}
    settings = parse("t", "", keys | {"method": f"{method}-{factor}x"}).settings
    assert settings.subcarriers == factor * subcarriers
    assert parse("t", "", keys | {"method": method}).settings.subcarriers == subcarriers


def test_no_two_keys_that_can_be_swept_end_alike():
    """A swept key's last part names a dimension of the result."""
    swept = [key.split(".")[-1] for key in fields() if key not in sweeps.NOT_SWEPT]
    assert all(swept.count(name) == 1 for name in swept)


@pytest.mark.parametrize("suffix", ["-0x", "-x", "-010x", "-2.5x", "--2x", "-10X", "-2x-2x", "-10x "])
def test_malformed_suffix_is_an_unknown_method(suffix):
    assert "unknown method; did you mean 'A-FADMM'?" in refused({"method": "A-FADMM" + suffix})


def test_learning_rate_falls_back_to_the_methods_own():
    assert parse("t", "", {"method": "A-GD"}).settings.resolved().local.learning_rate == 1e-4
    assert parse("t", "", {"method": "A-GD", "local.learning_rate": 0.3}).settings.resolved().local.learning_rate == 0.3
    assert parse("t", "", {"method": "A-FADMM"}).settings.resolved().local.learning_rate is None


def test_scenario_is_immutable():
    loaded = load("quickstart")
    with pytest.raises(ValueError, match="frozen"):
        loaded.title = "x"
    with pytest.raises(ValueError, match="frozen"):
        loaded.settings.channel.snr_db = 3.0


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


def marked_lines(text: str) -> set[str]:
    return {line.partition(" = ")[0] for line in text.splitlines() if line.endswith("  # not read")}


def test_keys_that_are_not_read_are_marked():
    """Fixed, swept, and for single methods; what is about the study never is."""
    loaded = parse("t", MARKED)
    read = fields().keys() - {"method", "algorithm.rho", "channel.snr_db", "federation.shards"}
    text = loaded.to_toml(read)
    assert marked_lines(text) == {"method", "rho", '"algorithm.rho"', '"channel.snr_db"', "shards"}
    assert tomllib.loads(text) == tomllib.loads(loaded.to_toml())


@pytest.mark.parametrize("name", names())
def test_marked_toml_is_the_same_toml(name):
    loaded = load(name)
    assert tomllib.loads(loaded.to_toml(())) == tomllib.loads(loaded.to_toml())
    assert loaded.to_toml(fields()) == loaded.to_toml()
    unmarked = {line for line in loaded.to_toml(()).splitlines() if " = " in line and not line.endswith("# not read")}
    assert all(line.startswith(("title", "kind", "x =", "y =", "cost", "budgets")) for line in unmarked)


def test_marked_lists_of_lists():
    keys = {"method": "FedAvg", "federation.workers": 2, "federation.probabilities": [0.5, 0.5]}
    text = parse("t", "", keys).to_toml(())
    assert tomllib.loads(text)["federation"]["probabilities"] == [0.5, 0.5]
