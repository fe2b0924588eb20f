"""Keys of a run: methods with a suffix, defaults, the SNR in two units, and what override and load refuse."""

import itertools
import math
import warnings
from collections.abc import Iterator
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import otafl
from otafl.algorithms import METHODS
from otafl.data.sources import DATASETS
from otafl.errors import OtaflError, Remark
from otafl.scenario import study_size
from otafl.scenario.dotted_keys import fields
from otafl.scenario.file import load, parse
from otafl.scenario.scenario import Scenario
from otafl.settings.types import choices
from otafl.store.identity import run_name
from otafl.study.plan import Study
from otafl.study.trial import check
from tests.otafl.scenario.refusal import refused
from tests.otafl.small import SMALL

INF = math.inf


@given(st.sampled_from(sorted(METHODS)), st.integers(1, 10**6), st.integers(1, 10**6))
def test_suffix_multiplies_the_subcarriers(method, factor, subcarriers):
    kind = METHODS[method].problems[0]
    keys = {"problem.kind": kind, "problem.dataset": next(iter(DATASETS[kind])), "uplink.subcarriers": subcarriers}
    settings = parse("t", "", keys | {"method": f"{method}-{factor}x"}).settings
    assert settings.subcarriers == factor * subcarriers
    assert parse("t", "", keys | {"method": method}).settings.subcarriers == subcarriers


@pytest.mark.parametrize("suffix", ["-0x", "-x", "-010x", "-2.5x", "-2x-2x"])
def test_malformed_suffix_is_an_unknown_method(suffix):
    assert "unknown method; did you mean 'A-FADMM'?" in refused({"method": "A-FADMM" + suffix})


@pytest.mark.parametrize(
    ("keys", "rate"),
    [({"method": "A-GD"}, 1e-4), ({"method": "A-GD", "local.learning_rate": 0.3}, 0.3), ({"method": "A-FADMM"}, None)],
)
def test_learning_rate_falls_back_to_the_methods_own(keys, rate):
    ((_, settings),) = parse("t", "", keys).points()
    assert settings.local.learning_rate == rate


@pytest.mark.parametrize("method", ["A-FADMM", "A-GD", "D-FADMM", "D-GD"])
def test_method_may_name_the_uplink_that_it_fixes(method):
    kind = {"A": "analog", "D": "digital"}[method[0]]
    assert parse("t", "", {"method": method, "uplink.kind": kind}).settings.uplink.kind == kind


def test_infinite_energies_are_remarked_upon():
    with pytest.warns(Remark, match=r"channel\.snr_db = inf: without noise, .* all energies of the result are"):
        load("quickstart", {"channel.snr_db": [20.0, INF]})
    with warnings.catch_warnings():
        warnings.simplefilter("error", Remark)
        load("quickstart", {"channel.snr_db": 20.0})


SNR, SYMBOL = "channel.snr_db", "channel.symbol_snr_db"
FIFTEEN = 10 * math.log10(15)
BY_SYMBOL = f"[channel]\n{SYMBOL.split('.')[1]} = 30.0"
BY_SNR = "[channel]\nsnr_db = 30.0"


def snrs_db(scenario: Scenario) -> list[float]:
    assert all(settings.channel.symbol_snr_db is None for _, settings in scenario.points())
    return [settings.channel.snr_db for _, settings in scenario.points()]


@given(st.floats(-100, 200).map(lambda value: round(value, 6) + 0.0), st.sampled_from(["A-FADMM", "D-FADMM"]))
def test_a_run_has_one_name_whichever_is_given(snr_db, method):
    by_snr, by_symbol = (
        next(parse("t", "", SMALL | {"method": method, key: value}).points())[1]
        for key, value in ((SNR, snr_db), (SYMBOL, snr_db + FIFTEEN))
    )
    assert by_snr == by_symbol
    assert run_name(by_snr, 0, []) == run_name(by_symbol, 0, [])


def test_a_result_is_over_the_one_that_is_given():
    keys = SMALL | {"run.iterations": 2, "run.seeds": 1, "method": "A-GD", SYMBOL: [10 + FIFTEEN, 20 + FIFTEEN]}
    assert list(otafl.run("quickstart", keys)["symbol_snr_db"].values) == keys[SYMBOL]


@pytest.mark.parametrize(
    ("symbols", "method", "gain"),
    [
        (1, "A-FADMM", 15),
        (14, "A-FADMM", 15 / 14),
        (14, "D-FADMM", 15 / 14),
        ("as_printed", "A-FADMM", 15),
        ("as_printed", "D-FADMM", 1),
    ],
)
def test_symbols_of_a_slot_share_its_energy(symbols, method, gain):
    made = parse("t", "", {"method": method, "uplink.symbols_per_slot": symbols, SYMBOL: 20.0})
    assert snrs_db(made) == [pytest.approx(20 - 10 * math.log10(gain), abs=1e-6)]
    assert parse("t", made.to_toml()) == made


def test_symbols_that_are_swept_beside_it_and_single_methods_have_their_own():
    made = parse("t", "", {SYMBOL: [20.0, math.inf], "uplink.symbols_per_slot": [1, 5]})
    assert snrs_db(made) == [pytest.approx(20 - FIFTEEN), pytest.approx(20 - 10 * math.log10(3)), math.inf, math.inf]
    assert snrs_db(parse("t", made.to_toml())) == snrs_db(made)
    text = f'[sweep]\nmethod = ["A-FADMM", "D-FADMM"]\n[per_method.D-FADMM]\n"{SYMBOL}" = 30.0'
    assert snrs_db(parse("t", text)) == [40.0, pytest.approx(30 - FIFTEEN)]
    assert snrs_db(parse("t", text, {SNR: 20.0})) == [20.0, 20.0]


@pytest.mark.parametrize(("text", "key"), [(BY_SYMBOL, SNR), (BY_SNR, SYMBOL)])
@pytest.mark.parametrize("value", [20.0, [10.0, 20.0]])
def test_an_override_replaces_the_other_one(text, key, value):
    assert snrs_db(parse("t", text, {key: value})) == snrs_db(parse("t", "", {key: value}))
    assert snrs_db(parse("t", text).override({key: value})) == snrs_db(parse("t", "", {key: value}))
    assert snrs_db(parse("t", text, {SYMBOL: None})) == [40.0 if text == BY_SYMBOL else 30.0]


@pytest.mark.parametrize(("base", "key"), [(BY_SYMBOL, SNR), (BY_SNR, SYMBOL), (f'[sweep]\n"{SYMBOL}" = [1.0]', SNR)])
@pytest.mark.parametrize("form", ["[channel]\n{} = 20.0", '[sweep]\n"channel.{}" = [10.0, 20.0]'])
def test_a_scenario_replaces_the_other_one_of_its_base(base, key, form, tmp_path):
    own = form.format(key.split(".")[1])
    (tmp_path / "ground.toml").write_text(base)
    (tmp_path / "mine.toml").write_text(f'base = "ground.toml"\n{own}')
    assert snrs_db(load(tmp_path / "mine.toml")) == snrs_db(parse("t", own))


@pytest.mark.parametrize("snr_db", [40.0, 10.0])
def test_only_one_of_the_two_may_be_given(snr_db):
    rule = "contradicts channel.snr_db: only one of them may be given in a study"
    assert refused({SYMBOL: 20.0, SNR: snr_db}) == f"{SYMBOL} = 20.0: {rule}"
    assert refused({SYMBOL: [20.0, 30.0], SNR: snr_db}) == f"{SYMBOL} = [20.0, 30.0]: {rule}"
    single = f"[channel]\nsnr_db = {snr_db}\n[per_method.A-FADMM]\n'{SYMBOL}' = 20.0"
    assert refused(text=single) == f"{SYMBOL} = 20.0: {rule}"


LATE = {
    "uplink.symbols_per_slot": {"uplink.symbols_per_slot": 1000},
    "run.seeds": {"run.seeds": 100_001},
    "federation.workers": {"federation.workers": 443},
    "federation.samples_per_worker": {"federation.samples_per_worker": 23},
    "channel.fading": {"channel.fading": "file"},
    "problem.samples": {"problem.dataset": "mixture", "problem.samples": 2, "federation.workers": 1},
}
OF_NETWORKS = {
    "problem.model": {"problem.model": "mlp2"},
    "federation.shards": {"federation.partition": "shards", "federation.shards": 7},
    "federation.workers": {"federation.partition": "imbalanced", "federation.workers": 7},
}
LATE_BY_DATA = ("federation.labels_per_worker", "problem.dataset", "channel.snr_db", "problem.model")
"""Keys that may be refused when data are read, as they depend on labels, targets, the size of a model, or a module."""
NUMBERS = {
    "bool": (True, False),
    "int": (0, 1, 2, 3, 10, 64, 1000),
    "float": (0.0, 1e-9, 0.5, 1.0, 50.0, -10.0, math.inf),
}
BASES = {"quickstart": ("A-FADMM", "D-FADMM"), "digits_quickstart": ("A-SFADMM", "FedADMM", "D-SGD")}


@pytest.mark.parametrize(
    ("base", "method", "key", "keys"),
    [("quickstart", "FedADMM-InSa", key, keys) for key, keys in LATE.items()]
    + [("digits_quickstart", "FedAvg", key, keys) for key, keys in OF_NETWORKS.items()],
)
def test_rules_between_keys_are_checked_by_override_and_load(base, method, key, keys):
    scenario = otafl.load(base, {"method": method, "run.seeds": 1})
    with pytest.raises(OtaflError, match=f"^{key} = "):
        scenario.override(keys)
    with pytest.raises(OtaflError, match=f"^{key} = "):
        otafl.load(base, {"method": [method, "D-GD" if base == "quickstart" else "D-SGD"], **keys})


def values(key: str) -> list[Any]:
    """Values of a key, some of which break its rules."""
    if key == "method":
        return list(METHODS)
    kind, rules = fields()[key].annotation, fields()[key].metadata
    named = choices(kind, rules) or next(filter(None, map(choices, get_args(kind))), ())
    return [*named, *itertools.chain.from_iterable(some for name, some in NUMBERS.items() if name in str(kind))]


def drawn(base: Scenario, count: int) -> Iterator[dict[str, Any]]:
    """One to three keys that the runs of a scenario read, with values."""
    rng = np.random.default_rng(0)
    known = {key: some for key in sorted(base.read & fields().keys()) if (some := values(key))}
    for _ in range(count):
        keys = rng.choice(list(known), rng.integers(1, 4), replace=False)
        yield {key: known[key][rng.integers(len(known[key]))] for key in keys}


def refusal(scenario: Scenario) -> str:
    """Return the error with which a run is refused before it computes; empty where it is accepted."""
    try:
        study_size.require(scenario)
        study = Study(scenario)
        check(study.check(study.setups(study.together(range(len(study.columns))))))
    except OtaflError as refused:
        return str(refused)
    return ""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::otafl.errors.Remark")
@pytest.mark.parametrize(("name", "method"), [(name, method) for name, some in BASES.items() for method in some])
def test_a_run_refuses_no_keys_that_override_accepts(name, method):
    base = otafl.load(name, {"method": method, "run.seeds": 1})
    for keys in drawn(base, 300):
        try:
            scenario = base.override(keys)
        except OtaflError:
            continue
        late = refusal(scenario)
        assert not late or late.startswith(LATE_BY_DATA) or "of memory" in late, keys
