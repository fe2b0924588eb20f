"""SNR of a symbol in place of that of a subcarrier: the same runs, and the last word of either over the other."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import otafl
from otafl.scenario.file import load, parse
from otafl.scenario.scenario import Scenario
from otafl.store.identity import run_name
from tests.otafl.scenario.refusal import refused
from tests.otafl.small import SMALL

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


def test_a_run_has_the_same_numbers_whichever_is_given():
    small = SMALL | {"run.iterations": 2, "run.seeds": 1, "method": "A-GD"}
    by_snr = otafl.run("quickstart", small | {SNR: [10.0, 20.0]})
    by_symbol = otafl.run("quickstart", small | {SYMBOL: [10 + FIFTEEN, 20 + FIFTEEN]})
    assert list(by_symbol["symbol_snr_db"].values) == [10 + FIFTEEN, 20 + FIFTEEN]
    for name in ("loss", "energy", "time_slots"):
        np.testing.assert_array_equal(by_snr[name].values, by_symbol[name].values)


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


def test_no_radio_and_a_link_budget_leave_nothing_to_choose():
    assert "does not read it" in refused({"method": "FedAvg", "uplink.kind": "ideal", SYMBOL: 20.0})
    budget = {"cell.radius_m": 100.0, "cell.snr_at": "link_budget"}
    assert "follows from the link budget" in refused(budget | {SYMBOL: 20.0})
