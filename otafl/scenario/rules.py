"""Rules between keys: contradictory settings are refused before anything is computed."""

import math

from otafl import algorithms
from otafl.algorithms import Method
from otafl.data import sources
from otafl.errors import OtaflError
from otafl.federation import partition
from otafl.scenario import radio_rules
from otafl.settings.keys import Settings
from otafl.settings.types import schedule


def check(settings: Settings) -> None:
    """Refuse contradictory settings of a run; warn of surprising ones."""
    method, factor = algorithms.parse(settings.method)
    _problem(settings, method)
    radio_rules.check(settings, method, factor)
    _participation(settings)
    _partition(settings)
    _samples(settings)
    _local(settings)
    _schedules(settings, method)
    _limits(settings, method)


def _problem(settings: Settings, method: Method) -> None:
    problem, source = settings.problem, sources.source(settings.problem)
    if problem.family not in method.problems:
        rule = f"can be used only with problem.kind = {' or '.join(map(repr, method.problems))}, not {problem.kind!r}"
        raise OtaflError("method", settings.method, rule)
    if method.solves_exactly and not source.solvable:
        rule = f"can be used only with methods that train on mini-batches, not {settings.method}"
        raise settings.refusal("problem.dataset", rule)
    if source.owned is not None and (settings.federation.partition == partition.NATURAL) != source.owned:
        rule = "data that name each sample's worker need 'natural', and only these can have it"
        raise settings.refusal("federation.partition", rule)
    if problem.standardise and source.symbols:
        raise settings.refusal("problem.standardise", "must be false where features are numbers of symbols")
    if problem.pretraining and settings.federation.partition == partition.NATURAL:
        raise settings.refusal("problem.pretraining", "needs samples that belong to no worker, not partition 'natural'")
    if (problem.pretraining or problem.adapter_rank) and settings.algorithm.start == "random":
        rule = "must be 'common' with problem.pretraining or problem.adapter_rank, whose base is one for all workers"
        raise settings.refusal("algorithm.start", rule)
    if settings.run.record != "all" and not method.solves_exactly:
        raise settings.refusal("run.record", "must be 'all' where workers train on mini-batches")


def _participation(settings: Settings) -> None:
    federation = settings.federation
    if federation.probabilities:
        _probabilities(settings)
    if round(federation.participation * federation.workers) < 1:
        raise settings.refusal("federation.participation", f"leaves none of {federation.workers} workers to take part")


def _probabilities(settings: Settings) -> None:
    federation = settings.federation
    values = list(federation.probabilities)
    if len(values) != federation.workers:
        rule = f"must have one entry for each of the {federation.workers} workers, not {len(values)}"
        raise OtaflError("federation.probabilities", values, rule)
    if abs(math.fsum(values) - max(1, round(math.fsum(values)))) > 1e-6:
        rule = f"must add up to a whole number of workers of at least 1, not to {math.fsum(values):g}"
        raise OtaflError("federation.probabilities", values, rule)
    for key, default in (("federation.participation", 1), ("federation.sampling", "uniform")):
        if settings.value(key) != default:
            raise settings.refusal(key, "contradicts federation.probabilities, which say who takes part")


def _partition(settings: Settings) -> None:
    if settings.classifies:
        return
    dealt = partition.PARTITIONS.get(settings.federation.partition)
    if dealt and dealt.by_label:
        raise settings.refusal("federation.partition", "needs labels, but regressions have none")
    if settings.federation.labelled < 1:
        raise settings.refusal("federation.labelled", "must be 1 where there are no labels")


def _samples(settings: Settings) -> None:
    """Refuse a number of samples that keys tell, where it cannot be drawn or dealt to the workers."""
    source, federation = sources.source(settings.problem), settings.federation
    count = source.count(settings.problem)
    if 0 < count < source.fewest:
        raise settings.refusal("problem.samples", f"must be at least {source.fewest} with this problem.dataset")
    if count and federation.partition != partition.NATURAL:
        partition.require_dealable(federation, count - partition.of_server(settings.problem.pretraining, count))


def _local(settings: Settings) -> None:
    local = settings.local
    if local.steps and local.epochs:
        raise settings.refusal("local.epochs", "contradicts local.steps: only one of them may be given")
    if local.batch_size == "all" and local.steps:
        raise settings.refusal("local.batch_size", "can be used only with federated methods and local.epochs")
    if local.work == "uniform" and local.steps:
        raise settings.refusal("local.work", "draws epochs, so local.steps must be left out")


def _schedules(settings: Settings, method: Method) -> None:
    for key in method.scheduled:
        if max(schedule(settings.value(f"{key}_schedule")), default=0) > settings.run.iterations:
            rule = f"must not name rounds beyond run.iterations = {settings.run.iterations}"
            raise settings.refusal(f"{key}_schedule", rule)


def _limits(settings: Settings, method: Method) -> None:
    """Refuse settings that the method does not allow."""
    for limit in method.limits:
        if not limit.holds(settings):
            raise OtaflError(limit.key, settings.value(limit.key) or 0, limit.rule.format(method=settings.method))
