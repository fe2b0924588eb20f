"""Rules between keys for studies of privacy."""

from otafl import algorithms, uplinks
from otafl.errors import OtaflError
from otafl.scenario.scenario import Scenario
from otafl.settings.keys import BOUNDS, Settings
from otafl.uplinks import chain
from otafl.uplinks.physical_layer import OSCILLATORS

MOST_ROUNDS = 500
"""Largest number of rounds: with more, the rank of all received signals takes minutes and gigabytes."""
NONE = ("cell.neighbours", "federation.hostile", "federation.cut_chance", *OSCILLATORS)
"""Keys that must be 0: each worker is heard as it sends, by one server, alike in all slots."""
ENDS = ("run.max_channel_uses", "run.stop_at")
"""Keys that end runs early."""
SINGLE = ("uplink.elements_per_symbol", "cell.antennas", "cell.worker_antennas")
"""Keys that must be 1: one antenna receives one element of a vector at a time from each worker."""


def check(scenario: Scenario, worker: int, delta: float | None = None) -> None:
    """Refuse a scenario for which it cannot be computed what the server or an eavesdropper learns."""
    if delta is not None and not 0 < delta < 1:
        raise OtaflError("delta", delta, "must be between 0 and 1")
    for _, settings in scenario.points():
        _point(settings, worker)


def _point(settings: Settings, worker: int) -> None:
    workers, (method, _) = settings.federation.workers, algorithms.parse(settings.method)
    if not 0 <= worker < workers:
        raise OtaflError("worker", worker, f"must be from 0 to {workers - 1}")
    rounds = f"must be at most {MOST_ROUNDS} for studies of privacy: computing time grows with its cube"
    compressed = chain.names(settings)["compressor"] != "none"
    wireless = uplinks.uplink(uplinks.kind(settings)).wireless
    always = settings.value("algorithm.communication_probability") == 1
    schedules = [f"{key}_schedule" for key in method.scheduled]
    settings.require(
        (
            *((key, settings.value(key), "must be left out of studies of privacy") for key in schedules),
            ("run.iterations", settings.run.iterations > MOST_ROUNDS, rounds),
            ("federation.participation", settings.participants < workers, "must leave all workers in every round"),
            *((key, settings.value(key), "must be left out: all workers in every round") for key in BOUNDS),
            ("uplink.kind", not wireless, "has no radio, so there is nothing to overhear"),
            ("uplink.compressor", compressed, "must be 'none': messages are taken as they are"),
            ("algorithm.communication_probability", not always, "must be 1: all rounds have an upload"),
            ("uplink.power_control", chain.chain(settings).power_control.edges > 1, "must have one server"),
            ("uplink.clip_norm", settings.uplink.clip_norm, "must be left out: messages are taken as they are"),
            ("channel.evolves", settings.channel.evolves != "by_block", "must be 'by_block' for studies of privacy"),
            ("channel.noise", settings.channel.noise != "gaussian", "must be 'gaussian' for studies of privacy"),
            *((key, settings.value(key), "must be left out: all runs must have one length") for key in ENDS),
            *((key, settings.value(key), "must be 0 for studies of privacy") for key in NONE),
            *((key, settings.value(key) > 1, "must be 1 for studies of privacy") for key in SINGLE),
        )
    )
