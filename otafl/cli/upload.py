"""Lines of text on the model and the uploads of a study."""

import numpy as np

from otafl import algorithms, uplinks
from otafl.cli.snr import first_runs
from otafl.data import shares, sources, user_data
from otafl.results import kept
from otafl.scenario.scenario import Scenario
from otafl.settings.keys import Settings


def lines(scenario: Scenario) -> list[str]:
    """Return lines of text on the model of a study's first run, and on an upload over each kind of uplink.

    Arguments:
        scenario: the scenario of the study.

    Raises:
        OtaflError: data that cannot be had, or a model that cannot be trained.
    """
    first = first_runs(scenario)
    settings = next(iter(first.values()))
    classes = f", {_classes(settings)} classes" if settings.classifies else ""
    sent = (f"{_uplink(kind, one).upload_size} ({kind})" for kind, one in first.items())
    model = f"model of the first run: d = {weights(settings):,} weights{classes}"
    return ["", model, f"upload of a worker in a round: {', '.join(sent)}"]


def _uplink(kind: str, settings: Settings) -> uplinks.Uplink:
    carrier, method = uplinks.uplink(kind), algorithms.parse(settings.method)[0]
    return carrier(settings, method, carrier.carried(settings, weights(settings)))


def _classes(settings: Settings) -> int:
    return shares.samples(settings, settings.run.seed).classes


def weights(settings: Settings) -> int:
    """Return the number d of weights of a run's model that are trained, as a note tells it or the model itself.

    Arguments:
        settings: the run's ``Settings``.

    Raises:
        OtaflError: data that cannot be had, or a model that cannot be trained.
    """
    problem = settings.problem
    if not settings.classifies and not user_data.is_own(problem.dataset):
        return sources.source(problem).features or problem.dimension
    shape = shares.samples(settings, settings.run.seed).features.shape[1:]
    if not settings.classifies:
        return int(np.prod(shape))
    own = ":" in str(problem.model)
    name = "" if own else kept.name(["weights", problem.model, shape, _classes(settings), problem.adapter_rank], [])
    if (found := kept.read(name)) is None:
        kept.write(name, found := _of_network(settings, shape))
    return found


def _of_network(settings: Settings, shape: tuple[int, ...]) -> int:
    """Return the number of trained weights of a network, which is built for it."""
    from otafl.training.adapters import adapted
    from otafl.training.networks import network

    problem = settings.problem
    whole = network(problem.model, shape, _classes(settings), settings.run.precision)
    rank = problem.adapter_rank
    return (adapted(whole, rank, problem.adapter_alpha) if rank else whole).elements
