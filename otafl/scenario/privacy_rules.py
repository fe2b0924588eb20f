"""Rules between keys of a scenario of which it is to be said what is learned of workers."""

from otafl import algorithms, uplinks
from otafl.errors import OtaflError
from otafl.scenario.scenario import Scenario
from otafl.settings.keys import Settings
from otafl.uplinks import chain

MOST_ROUNDS = 500
"""Bound on rounds, above which the rank of all that is received takes minutes and gigabytes."""


def check(scenario: Scenario, worker: int, delta: float | None = None) -> None:
    """Refuse runs of which it cannot be said what is received, and what is asked of them.

    Raises:
        OtaflError: names the key, its value and the rule.
    """
    if delta is not None and not 0 < delta < 1:
        raise OtaflError("delta", delta, "must be between 0 and 1")
    for _, settings in scenario.points():
        _point(settings, worker)


def _point(settings: Settings, worker: int) -> None:
    workers, (method, _) = settings.federation.workers, algorithms.parse(settings.method)
    if not 0 <= worker < workers:
        raise OtaflError("worker", worker, f"must be from 0 to {workers - 1}")
    for key in method.scheduled:
        if settings.value(f"{key}_schedule"):
            raise settings.refusal(f"{key}_schedule", "must be left out here")
    rounds = f"must be at most {MOST_ROUNDS} here: what follows from all that is received takes the cube of that"
    compressed = chain.names(settings)["compressor"] != "none"
    wireless = uplinks.uplink(uplinks.kind(settings)).wireless
    always = settings.value("algorithm.communication_probability") == 1
    for key, wrong, rule in (
        ("run.iterations", settings.run.iterations > MOST_ROUNDS, rounds),
        ("federation.participation", settings.participants < workers, "must leave all workers in every round"),
        ("uplink.kind", not wireless, "has no radio, so there is nothing to overhear"),
        ("uplink.compressor", compressed, "must be 'none': messages are taken as they are"),
        ("uplink.elements_per_symbol", settings.uplink.elements_per_symbol > 1, "must be 1"),
        ("algorithm.communication_probability", not always, "must be 1: all rounds have an upload"),
        ("run.max_channel_uses", settings.run.max_channel_uses is not None, "must be left out: all runs are as long"),
        ("cell.antennas", settings.cell.antennas > 1, "must be 1: what is received is that of one antenna"),
        ("cell.worker_antennas", settings.cell.worker_antennas > 1, "must be 1: likewise"),
    ):
        if wrong:
            raise settings.refusal(key, rule)
