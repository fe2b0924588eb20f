"""Rules between keys: what contradicts itself is refused before anything is computed."""

import math

from otafl import algorithms
from otafl.algorithms import Method
from otafl.data import partition, sources
from otafl.errors import OtaflError
from otafl.scenario import radio_rules
from otafl.settings.keys import Settings, schedule


def check(settings: Settings) -> None:
    """Refuse settings whose parts contradict each other.

    Raises:
        OtaflError: names the key, its value and the rule.
    """
    method, factor = algorithms.parse(settings.method)
    _problem(settings, method)
    radio_rules.check(settings, method, factor)
    _participation(settings)
    _partition(settings)
    _local(settings)
    _schedules(settings, method)
    _limits(settings, method)


def _problem(settings: Settings, method: Method) -> None:
    problem, source = settings.problem, sources.source(settings.problem)
    if problem.kind not in method.problems:
        rule = f"is for problem.kind = {' or '.join(map(repr, method.problems))}, not {problem.kind!r}"
        raise OtaflError("method", settings.method, rule)
    if method.exact and not source.exact:
        rule = f"is for methods that train on mini-batches, not {settings.method}"
        raise OtaflError("problem.dataset", problem.dataset, rule)
    if source.owned is not None and (settings.federation.partition == partition.NATURAL) != source.owned:
        rule = "goes with synthetic data for classification, which come as the workers' own, and data of the user's"
        raise OtaflError("federation.partition", settings.federation.partition, rule)
    if settings.run.record != "all" and not method.exact:
        raise OtaflError("run.record", settings.run.record, "must be 'all' where workers train on mini-batches")


def _participation(settings: Settings) -> None:
    federation = settings.federation
    if federation.probabilities:
        _probabilities(settings)
    if round(federation.participation * federation.workers) < 1:
        rule = f"leaves none of {federation.workers} workers to take part"
        raise OtaflError("federation.participation", federation.participation, rule)


def _probabilities(settings: Settings) -> None:
    federation = settings.federation
    values = list(federation.probabilities)
    if len(values) != federation.workers:
        rule = f"must have one entry for each of the {federation.workers} workers, not {len(values)}"
        raise OtaflError("federation.probabilities", values, rule)
    if abs(math.fsum(values) - max(1, round(math.fsum(values)))) > 1e-6:
        rule = f"must add up to a whole number of workers of at least 1, not to {math.fsum(values):g}"
        raise OtaflError("federation.probabilities", values, rule)
    for key, default in (("participation", 1), ("sampling", "uniform")):
        if getattr(federation, key) != default:
            rule = "contradicts federation.probabilities, which say who takes part"
            raise OtaflError(f"federation.{key}", getattr(federation, key), rule)


def _partition(settings: Settings) -> None:
    federation = settings.federation
    if settings.problem.kind == "classification":
        return
    dealt = partition.PARTITIONS.get(federation.partition)
    if dealt and dealt.by_label:
        raise OtaflError("federation.partition", federation.partition, "needs labels, and linear regression has none")
    if federation.labelled < 1:
        raise OtaflError("federation.labelled", federation.labelled, "must be 1 where there are no labels")


def _local(settings: Settings) -> None:
    local = settings.local
    if local.steps and local.epochs:
        raise OtaflError("local.epochs", local.epochs, "must be left out where local.steps is given, or the other way")
    if local.batch_size == "all" and local.steps:
        raise OtaflError("local.batch_size", "all", "goes with federated methods and local.epochs")
    if local.work == "uniform" and local.steps:
        raise OtaflError("local.work", local.work, "draws epochs, so local.steps must be left out")


def _schedules(settings: Settings, method: Method) -> None:
    for key in method.scheduled:
        text = settings.value(f"{key}_schedule")
        if schedule(text) and max(schedule(text)) > settings.run.iterations:
            rule = f"must not name rounds beyond run.iterations = {settings.run.iterations}"
            raise OtaflError(f"{key}_schedule", text, rule)


def _limits(settings: Settings, method: Method) -> None:
    """What the method itself cannot do."""
    for limit in method.limits:
        if not limit.holds(settings):
            raise OtaflError(limit.key, settings.value(limit.key) or 0, limit.rule.format(method=settings.method))
