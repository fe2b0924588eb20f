"""Lines of text on the SNRs of a study."""

from otafl import uplinks
from otafl.engine.cell_gains import weakest_db
from otafl.scenario.scenario import Scenario
from otafl.settings.keys import Settings
from otafl.uplinks.physical_layer import snr_lines, symbol_snr_db


def lines(scenario: Scenario) -> list[str]:
    """Return lines of text on the SNRs of a study's first run over each kind of uplink with a radio channel."""
    first = first_runs(scenario)
    wireless = (kind for kind in first if uplinks.uplink(kind).wireless)
    return [line for kind in wireless for line in _of_uplink(kind, first[kind])]


def first_runs(scenario: Scenario) -> dict[str, Settings]:
    """Return the settings of a study's first run over each kind of uplink, by kind."""
    first: dict[str, Settings] = {}
    for _, settings in scenario.points():
        first.setdefault(uplinks.kind(settings), settings)
    return first


def _of_uplink(kind: str, settings: Settings) -> list[str]:
    """Return a heading and lines on the SNRs of a run over a kind of uplink."""
    lines = snr_lines(settings, uplinks.uplink(kind).superposes)
    return ["", f"SNR of the first {kind} run, where the channel gain is 1:", *lines, _weakest(settings)]


def _weakest(settings: Settings) -> str:
    """Return a line on the SNR with which the weakest worker is received, its mean gain taken as the channel."""
    seed, workers = settings.run.seed, settings.federation.workers
    over_db = weakest_db(settings, seed)
    if over_db is None:
        return f"mean gains of workers follow from channel.fading = {settings.channel.fading!r}"
    received = f"{symbol_snr_db(settings) + over_db:.1f} dB a symbol, at its mean gain of {over_db:.1f} dB"
    return f"the weakest of {workers} workers (seed {seed}) is received with {received}"
