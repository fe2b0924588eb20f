"""Comments of ``otafl show`` on a study: its schemes, SNRs, model, uploads and data."""

import math
from typing import TYPE_CHECKING

from otafl import algorithms, uplinks
from otafl.data import shares, sources, user_data
from otafl.data.samples import Samples
from otafl.scenario.scenario import Scenario
from otafl.settings.keys import Settings
from otafl.uplinks.left_out import left_out_lines
from otafl.uplinks.physical_layer import budget_lines, snr_lines, symbol_snr_db, weakest_db

if TYPE_CHECKING:
    from otafl.training.networks import Network


def lines(scenario: Scenario) -> list[str]:
    """Return lines of text on a study's first run, and on its first run over each kind of uplink."""
    runs: dict[str, Settings] = {}
    for _, settings in scenario.points():
        runs.setdefault(uplinks.kind(settings), settings)
    first = next(iter(runs.values()))
    comments = [*scenario.scheme_lines]
    for kind, settings in runs.items():
        if uplinks.uplink(kind).wireless:
            comments += ["", f"SNR of the first {kind} run, where the channel gain is 1:"]
            superposes = uplinks.uplink(kind).superposes
            comments += [*snr_lines(settings, superposes), _weakest(settings)]
            comments += left_out_lines(settings) if superposes else []
    comments += _uploads(runs)
    comments += ["", *budget_lines(first)] if first.cell.radius_m else []
    return comments + (["", *_data(first)] if first.classifies else [])


def _weakest(settings: Settings) -> str:
    """Return a line on the SNR with which the weakest worker is received, its mean gain taken as the channel."""
    seed, workers = settings.run.seed, settings.federation.workers
    over_db = weakest_db(settings, seed)
    if over_db is None:
        return f"mean gains of workers follow from channel.fading = {settings.channel.fading!r}"
    received = f"{symbol_snr_db(settings) + over_db:.1f} dB a symbol, at its mean gain of {over_db:.1f} dB"
    return f"the weakest of {workers} workers (seed {seed}) is received with {received}"


def _uploads(runs: dict[str, Settings]) -> list[str]:
    first, sizes = next(iter(runs.values())), []
    for kind, settings in runs.items():
        uplink = uplinks.uplink_of(settings, algorithms.parse(settings.method)[0], _weights(settings))
        sizes.append(f"{uplink.upload_size} ({kind})")
    lines = ["", f"model of the first run: d = {_weights(first):,} weights"]
    if first.classifies:
        from otafl.training.model_check import looks_up

        data = shares.samples(first, first.run.seed)
        symbols = looks_up(_network(first, data), data.features.shape[1:], data.scale)
        least, most = data.inputs(first.problem.standardise, symbols)
        lines[-1] += f", {data.classes} classes"
        lines += [f"inputs of the model: shape {data.features.shape[1:]}, values from {least:.4g} to {most:.4g}"]
    return [*lines, f"upload of a worker in a round: {', '.join(sizes)}"]


def _data(settings: Settings) -> list[str]:
    seed = settings.run.seed
    if not settings.federation.largest_loss_db:
        return shares.summary(settings, seed)
    from otafl.engine.channel_process import ChannelProcess

    return [*shares.summary(settings, seed), shares.bias(settings, seed, ChannelProcess(settings, [seed]).beyond)]


def _weights(settings: Settings) -> int:
    """Return the number d of weights of a run's model that are trained."""
    problem = settings.problem
    if not settings.classifies and not user_data.is_own(problem.dataset):
        return sources.source(problem).features or problem.dimension
    data = shares.samples(settings, settings.run.seed)
    shape = data.features.shape[1:]
    if not settings.classifies:
        return math.prod(shape)
    from otafl.training.adapters import with_adapters

    network = _network(settings, data)
    if problem.adapter_rank:
        network = with_adapters(network, problem.adapter_rank, problem.adapter_alpha)
    return network.elements


def _network(settings: Settings, data: Samples) -> "Network":
    from otafl.training.networks import named_network

    return named_network(settings.problem.model, data.features.shape[1:], data.classes, settings.run.precision)
