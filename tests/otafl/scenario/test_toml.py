"""Scenarios as TOML: whole, read back as what they were, with remarks."""

import math
import tomllib

from hypothesis import given, settings
from hypothesis import strategies as st

from otafl.scenario.dotted_keys import fields
from otafl.scenario.file import parse
from otafl.scenario.keys_read import keys_read

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


def test_keys_that_are_not_read_are_marked_lists_of_lists_too():
    loaded = parse("t", MARKED)
    read = fields().keys() - {"method", "algorithm.rho", "channel.snr_db", "federation.shards"}
    text = loaded.to_toml(read)
    assert marked_lines(text) == {"method", "rho", '"algorithm.rho"', '"channel.snr_db"', "shards"}
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
