"""Rules between keys: contradictory settings are refused before anything is computed."""

import math
from collections.abc import Iterator

from otafl import algorithms
from otafl.algorithms import Method
from otafl.data import sources
from otafl.errors import OtaflError
from otafl.federation import partition
from otafl.metrics.result_variables import CURVES
from otafl.scenario import radio_rules
from otafl.scenario.variable_sources import variables
from otafl.settings.keys import Rule, Settings
from otafl.settings.types import schedule


def check(settings: Settings) -> None:
    """Refuse contradictory settings of a run; warn of surprising ones."""
    method, factor = algorithms.parse(settings.method)
    settings.require(_problem(settings, method))
    radio_rules.check(settings, method, factor)
    settings.require(_federation(settings))
    settings.require(_samples(settings))
    settings.require(_training(settings, method))
    settings.require(_target(settings))
    for limit in method.limits:
        if not limit.holds(settings):
            raise OtaflError(limit.key, settings.value(limit.key) or 0, limit.rule.format(method=settings.method))


def _problem(settings: Settings, method: Method) -> Iterator[Rule]:
    problem, family = settings.problem, settings.problem.family
    solved = " or ".join(map(repr, method.problems))
    rule = f"can be used only with problem.kind = {solved}, not {problem.kind!r}"
    yield "method", family not in method.problems, rule
    source, natural = sources.source(problem), settings.federation.partition == partition.NATURAL
    rule = f"can be used only with methods that train on mini-batches, not {settings.method}"
    yield "problem.dataset", method.solves_exactly and not source.solvable, rule
    rule = "data that name each sample's worker need 'natural', and only these can have it"
    yield "federation.partition", source.owned is not None and natural != source.owned, rule
    rule = "must be above 0 in ridge regression, as 0.1; without it, it is problem.kind = 'linear_regression'"
    yield "problem.l2_weight", problem.kind == "ridge_regression" and not settings.value("problem.l2_weight"), rule
    rule = "must be false where features are numbers of symbols"
    yield "problem.standardise", problem.standardise and source.symbols, rule
    rule = "needs samples that belong to no worker, not partition 'natural'"
    yield "problem.pretraining", problem.pretraining and natural, rule
    rule = "contradicts problem.pretraining, which trains an initial model: only one of them may be given"
    yield "problem.start", problem.start and problem.pretraining, rule
    rule = "must be 'common' with problem.pretraining, start or adapter_rank, whose base is one for all workers"
    based = problem.pretraining or problem.start or problem.adapter_rank
    yield "algorithm.start", based and settings.algorithm.start == "random", rule
    rule = "must be 'all' where workers train on mini-batches"
    yield "run.record", settings.run.record != "all" and not method.solves_exactly, rule


def _federation(settings: Settings) -> Iterator[Rule]:
    federation, workers, labelled = settings.federation, settings.federation.workers, settings.classifies
    given, total = len(federation.probabilities), math.fsum(federation.probabilities)
    rule = f"must have one entry for each of the {workers} workers, not {given}"
    yield "federation.probabilities", given not in (0, workers), rule
    rule = f"must add up to a whole number of workers of at least 1, not to {total:g}"
    yield "federation.probabilities", given and abs(total - max(1, round(total))) > 1e-6, rule
    rule = "contradicts federation.probabilities, which say who takes part"
    yield "federation.participation", given and federation.participation != 1, rule
    yield "federation.sampling", given and federation.sampling != "uniform", rule
    rule = f"leaves none of {workers} workers to take part"
    yield "federation.participation", round(federation.participation * workers) < 1, rule
    dealt = partition.PARTITIONS.get(federation.partition)
    by_label = not labelled and dealt is not None and dealt.by_label
    yield "federation.partition", by_label, "needs labels, but regressions have none"
    yield "federation.labelled", not labelled and federation.labelled < 1, "must be 1 where there are no labels"


def _samples(settings: Settings) -> Iterator[Rule]:
    """Yield a number of samples that cannot be drawn; refuse one that cannot be dealt to the workers."""
    source, federation = sources.source(settings.problem), settings.federation
    count = source.count(settings.problem)
    yield "problem.samples", 0 < count < source.fewest, f"must be at least {source.fewest} with this problem.dataset"
    if count and federation.partition != partition.NATURAL:
        partition.require_dealable(federation, count - partition.of_server(settings.problem.pretraining, count))


def _training(settings: Settings, method: Method) -> Iterator[Rule]:
    local, iterations = settings.local, settings.run.iterations
    yield "local.epochs", local.steps and local.epochs, "contradicts local.steps: only one of them may be given"
    whole = local.batch_size == "all" and local.steps
    yield "local.batch_size", whole, "can be used only with federated methods and local.epochs"
    yield "local.work", local.work == "uniform" and local.steps, "draws epochs, so local.steps must be left out"
    rule = f"must not name rounds beyond run.iterations = {iterations}"
    for key in (f"{key}_schedule" for key in method.scheduled):
        yield key, max(schedule(settings.value(key)), default=0) > iterations, rule


def require_networks(settings: Settings) -> None:
    """Refuse runs whose models are no networks, where these are asked for."""
    rule = "has vectors as models, not networks; a metric of your own, run.metrics, reads them while a study runs"
    settings.require([("problem.kind", not settings.classifies, rule)])


def _target(settings: Settings) -> Iterator[Rule]:
    """Yield a target that a run cannot have, or cannot reach: of variables but metrics all are positive."""
    for name, value in settings.run.stop_at.items():
        known = [curve for curve in variables(settings) if curve in CURVES and not CURVES[curve].is_cost]
        yield "run.stop_at", name not in known, f"must name one of {', '.join(known)}"
        least, most = 0.0 if CURVES[name].brought_by != "metric" else -math.inf, CURVES[name].most
        yield "run.stop_at", not least < value <= most, f"must be above {least:g} and at most {most:g}"
