"""Scenarios as TOML: whole, read back as what they were, with remarks."""

import math
import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otafl.scenario.dotted_keys import fields
from otafl.scenario.file import load, parse
from otafl.scenario.keys_read import keys_read
from otafl.scenario.library import names
from otafl.settings.plot import Plot

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
    assert all(line.split(" = ")[0] in {"title", "plugins", *Plot.model_fields} for line in unmarked)


def test_marked_lists_of_lists():
    keys = {"method": "FedAvg", "federation.workers": 2, "federation.probabilities": [0.5, 0.5]}
    text = parse("t", "", keys).to_toml(())
    assert tomllib.loads(text)["federation"]["probabilities"] == [0.5, 0.5]


def test_toml_holds_every_key_that_has_a_value():
    tables = tomllib.loads(parse("t", "").to_toml())
    single = {"title", "method", "plugins"}
    written = single | {f"{table}.{key}" for table in tables if table not in single for key in tables[table]}
    left_out = {"problem.seed", "uplink.kind", "run.max_channel_uses", "run.threads", "run.worker_chunk"}
    left_out |= {
        "federation.samples_per_worker",
        "federation.deadline_s",
        "federation.largest_loss_db",
        "cell.radius_m",
        "cell.most_loss_db",
        "channel.coherence_s",
        "channel.symbol_snr_db",
        "uplink.clip_norm",
        "uplink.precoder",
        "uplink.scheme",
    }
    left_out |= {f"local.{key}" for key in ("learning_rate", "optimizer", "steps", "epochs", "warm_start")}
    assert set(fields()) - written == left_out


POSITIVE = st.floats(min_value=1e-12, max_value=1e12)


COUNT = st.integers(1, 10**9)


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


@settings(deadline=None, max_examples=50)
@given(
    st.fixed_dictionaries({}, optional=VALID), st.lists(VALID["channel.snr_db"], min_size=1, max_size=4, unique=True)
)
def test_any_scenario_round_trips_through_toml(fixed, snr_db):
    """Fixed keys, a sweep, infinities and tiny numbers: the TOML of a scenario gives that scenario."""
    chosen = {key: value for key, value in fixed.items() if key in ("method", "problem.dataset", "channel.fading")}
    read = keys_read(parse("t", "", chosen).settings)
    given = {key: value for key, value in fixed.items() if key in read}
    resolved = parse("t", 'title = "ä \\"quoted\\""', given | {"channel.snr_db": snr_db})
    assert parse("t", resolved.to_toml()) == resolved
