"""Lines of text on the model, the uploads and the data of a study."""

import math

from otafl import algorithms, uplinks
from otafl.cli.snr import first_runs
from otafl.data import shares, sources, user_data
from otafl.scenario.scenario import Scenario
from otafl.settings.keys import Settings


def lines(scenario: Scenario) -> list[str]:
    """Return lines of text on the model of a study's first run, and on an upload over each kind of uplink.

    Raises:
        OtaflError: data that cannot be had, or a model that cannot be trained.
    """
    first = first_runs(scenario)
    settings = next(iter(first.values()))
    classes = f", {_classes(settings)} classes" if settings.classifies else ""
    sizes = (f"{_uplink(settings).upload_size} ({kind})" for kind, settings in first.items())
    model = f"model of the first run: d = {weights(settings):,} weights{classes}"
    return ["", model, f"upload of a worker in a round: {', '.join(sizes)}"]


def data_lines(settings: Settings) -> list[str]:
    """Return lines of text on the workers' samples in a run of a classification, and on the bias of an outage."""
    seed = settings.run.seed
    if not settings.federation.largest_loss_db:
        return [*shares.summary(settings, seed)]
    from otafl.engine.channel_process import ChannelProcess

    beyond = ChannelProcess(settings, [seed]).beyond
    return [*shares.summary(settings, seed), shares.bias(settings, seed, beyond)]


def _uplink(settings: Settings) -> uplinks.Uplink:
    return uplinks.uplink_of(settings, algorithms.parse(settings.method)[0], weights(settings))


def _classes(settings: Settings) -> int:
    return shares.samples(settings, settings.run.seed).classes


def weights(settings: Settings) -> int:
    """Return the number d of weights of a run's model that are trained.

    Raises:
        OtaflError: data that cannot be had, or a model that cannot be trained.
    """
    problem = settings.problem
    if not settings.classifies and not user_data.is_own(problem.dataset):
        return sources.source(problem).features or problem.dimension
    shape = shares.samples(settings, settings.run.seed).features.shape[1:]
    return _of_network(settings, shape) if settings.classifies else math.prod(shape)


def _of_network(settings: Settings, shape: tuple[int, ...]) -> int:
    """Return the number of trained weights of a network, which is built for it."""
    from otafl.training.adapters import with_adapters
    from otafl.training.networks import named_network

    problem = settings.problem
    whole = named_network(problem.model, shape, _classes(settings), settings.run.precision)
    rank = problem.adapter_rank
    return (with_adapters(whole, rank, problem.adapter_alpha) if rank else whole).elements
