"""Rules between keys: contradictory settings are refused before anything is computed."""

import math
from collections.abc import Iterator

from otafl import algorithms
from otafl.algorithms import Method
from otafl.data import sources
from otafl.errors import OtaflError
from otafl.federation import partition
from otafl.scenario import radio_rules
from otafl.settings.keys import Rule, Settings
from otafl.settings.types import schedule


def check(settings: Settings) -> None:
    """Refuse contradictory settings of a run; warn of surprising ones."""
    method, factor = algorithms.parse(settings.method)
    _family(settings, method)
    settings.require(_problem(settings, method))
    radio_rules.check(settings, method, factor)
    _probabilities(settings)
    settings.require(_federation(settings))
    _samples(settings)
    settings.require(_local(settings))
    settings.require(_schedules(settings, method))
    for limit in method.limits:
        if not limit.holds(settings):
            raise OtaflError(limit.key, settings.value(limit.key) or 0, limit.rule.format(method=settings.method))


def _family(settings: Settings, method: Method) -> None:
    problem = settings.problem
    if problem.family not in method.problems:
        rule = f"can be used only with problem.kind = {' or '.join(map(repr, method.problems))}, not {problem.kind!r}"
        raise OtaflError("method", settings.method, rule)


def _problem(settings: Settings, method: Method) -> Iterator[Rule]:
    problem, source = settings.problem, sources.source(settings.problem)
    natural = settings.federation.partition == partition.NATURAL
    rule = f"can be used only with methods that train on mini-batches, not {settings.method}"
    yield "problem.dataset", method.solves_exactly and not source.solvable, rule
    rule = "data that name each sample's worker need 'natural', and only these can have it"
    yield "federation.partition", source.owned is not None and natural != source.owned, rule
    rule = "must be false where features are numbers of symbols"
    yield "problem.standardise", problem.standardise and source.symbols, rule
    rule = "needs samples that belong to no worker, not partition 'natural'"
    yield "problem.pretraining", problem.pretraining and natural, rule
    rule = "must be 'common' with problem.pretraining or problem.adapter_rank, whose base is one for all workers"
    based = problem.pretraining or problem.adapter_rank
    yield "algorithm.start", based and settings.algorithm.start == "random", rule
    rule = "must be 'all' where workers train on mini-batches"
    yield "run.record", settings.run.record != "all" and not method.solves_exactly, rule


def _probabilities(settings: Settings) -> None:
    values, workers = list(settings.federation.probabilities), settings.federation.workers
    if values and len(values) != workers:
        rule = f"must have one entry for each of the {workers} workers, not {len(values)}"
        raise OtaflError("federation.probabilities", values, rule)
    total = math.fsum(values)
    if values and abs(total - max(1, round(total))) > 1e-6:
        rule = f"must add up to a whole number of workers of at least 1, not to {total:g}"
        raise OtaflError("federation.probabilities", values, rule)


def _federation(settings: Settings) -> Iterator[Rule]:
    federation, given = settings.federation, bool(settings.federation.probabilities)
    rule = "contradicts federation.probabilities, which say who takes part"
    yield "federation.participation", given and federation.participation != 1, rule
    yield "federation.sampling", given and federation.sampling != "uniform", rule
    rule = f"leaves none of {federation.workers} workers to take part"
    yield "federation.participation", round(federation.participation * federation.workers) < 1, rule
    dealt = partition.PARTITIONS.get(federation.partition)
    by_label = not settings.classifies and dealt is not None and dealt.by_label
    yield "federation.partition", by_label, "needs labels, but regressions have none"
    unlabelled = not settings.classifies and federation.labelled < 1
    yield "federation.labelled", unlabelled, "must be 1 where there are no labels"


def _samples(settings: Settings) -> None:
    """Refuse a number of samples that keys tell, where it cannot be drawn or dealt to the workers."""
    source, federation = sources.source(settings.problem), settings.federation
    count = source.count(settings.problem)
    if 0 < count < source.fewest:
        raise settings.refusal("problem.samples", f"must be at least {source.fewest} with this problem.dataset")
    if count and federation.partition != partition.NATURAL:
        partition.require_dealable(federation, count - partition.of_server(settings.problem.pretraining, count))


def _local(settings: Settings) -> Iterator[Rule]:
    local = settings.local
    yield "local.epochs", local.steps and local.epochs, "contradicts local.steps: only one of them may be given"
    whole = local.batch_size == "all" and local.steps
    yield "local.batch_size", whole, "can be used only with federated methods and local.epochs"
    rule = "draws epochs, so local.steps must be left out"
    yield "local.work", local.work == "uniform" and local.steps, rule


def _schedules(settings: Settings, method: Method) -> Iterator[Rule]:
    rule = f"must not name rounds beyond run.iterations = {settings.run.iterations}"
    for key in (f"{key}_schedule" for key in method.scheduled):
        yield key, max(schedule(settings.value(key)), default=0) > settings.run.iterations, rule
