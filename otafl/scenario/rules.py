"""Rules between keys: what contradicts itself is refused before anything is computed."""

import math

from otafl import algorithms
from otafl.algorithms import Method
from otafl.errors import OtaflError
from otafl.scenario.keys import DATASETS, Settings, Table, schedule

FEDERATED = {
    "federation": ("labelled", "participation", "sampling", "probabilities", "weights"),
    "local": ("epochs", "work", "warm_start"),
}
"""Keys that only federated methods read."""
WARM = ("FedADMM-Gong", "FedADMM-Wang", "FedDR", "FedPD")
"""Methods whose workers keep a model that local training may start from."""
NO_PENALTY = ("FedProx", "FedAvg", "FedSGD", "FedNova", "SCAFFOLD", "VRL-SGD", "FedDR")
"""Methods that can do without a penalty."""
DUALS = ("FedVRA", "FedVRA-U")
"""Methods that can where their duals stay zero."""
LI = ("classification", "synthetic")
"""Kind and name of the data set whose samples belong to workers from the start."""


def check(settings: Settings) -> None:
    """Refuse settings whose parts contradict each other.

    Raises:
        OtaflError: names the key, its value and the rule.
    """
    method, factor = algorithms.parse(settings.method)
    _problem(settings, method)
    _uplink(settings, method, factor)
    _federation(settings, method)
    _partition(settings)
    if method.federated:
        _participation(settings, method)
        _weights(settings, method)
    _local(settings, method)
    _algorithm(settings, method)


def _problem(settings: Settings, method: Method) -> None:
    problem = settings.problem
    if problem.dataset not in DATASETS[problem.kind]:
        rule = f"must be one of {', '.join(DATASETS[problem.kind])} where problem.kind = {problem.kind!r}"
        raise OtaflError("problem.dataset", problem.dataset, rule)
    if problem.kind not in method.problems:
        rule = f"is for problem.kind = {' or '.join(map(repr, method.problems))}, not {problem.kind!r}"
        raise OtaflError("method", settings.method, rule)
    natural = settings.federation.partition == "natural"
    if not method.federated and (problem.dataset == "mixture" or (problem.kind, problem.dataset) == LI):
        raise OtaflError("problem.dataset", problem.dataset, f"is for federated methods, not {settings.method}")
    if natural != ((problem.kind, problem.dataset) == LI):
        rule = "goes with synthetic data for classification, which come as the workers' own, and only with them"
        raise OtaflError("federation.partition", settings.federation.partition, rule)
    if settings.run.record != "all" and "classification" in method.problems:
        raise OtaflError("run.record", settings.run.record, "must be 'all' where workers train on mini-batches")


def _uplink(settings: Settings, method: Method, factor: int) -> None:
    uplink = settings.uplink
    if uplink.kind is not None and uplink.kind not in method.uplinks:
        carried = f"{settings.method} is carried by the {' or '.join(method.uplinks)} uplink"
        reason = f", not by an analog one: {method.unheard}" if uplink.kind == "analog" and method.unheard else ""
        raise OtaflError("uplink.kind", uplink.kind, carried + reason)
    if uplink.downlink not in method.downlinks:
        raise OtaflError("uplink.downlink", uplink.downlink, f"{settings.method} has no {uplink.downlink} downlink")
    if factor > 1 and uplink.subcarriers == "one_slot":
        raise OtaflError("method", settings.method, 'contradicts uplink.subcarriers = "one_slot"')


def _federation(settings: Settings, method: Method) -> None:
    """Refuse keys of federated methods with other methods, where they are not left at their defaults."""
    for name, keys in FEDERATED.items():
        table: Table = getattr(settings, name)
        for key in keys:
            value = getattr(table, key)
            if not method.federated and value != type(table).model_fields[key].default:
                raise OtaflError(f"{name}.{key}", value, f"is for federated methods, and {settings.method} is none")


def _participation(settings: Settings, method: Method) -> None:
    federation, algorithm = settings.federation, settings.algorithm
    probabilities = federation.probabilities
    if probabilities:
        if len(probabilities) != federation.workers:
            rule = f"must have one entry for each of the {federation.workers} workers, not {len(probabilities)}"
            raise OtaflError("federation.probabilities", list(probabilities), rule)
        if abs(math.fsum(probabilities) - round(math.fsum(probabilities))) > 1e-6:
            rule = f"must add up to a whole number of workers, not to {math.fsum(probabilities):g}"
            raise OtaflError("federation.probabilities", list(probabilities), rule)
        if federation.participation != 1 or federation.sampling != "uniform":
            rule = "contradicts federation.probabilities, which say who takes part"
            key = "participation" if federation.participation != 1 else "sampling"
            raise OtaflError(f"federation.{key}", getattr(federation, key), rule)
    if round(federation.participation * federation.workers) < 1:
        rule = f"leaves none of {federation.workers} workers to take part"
        raise OtaflError("federation.participation", federation.participation, rule)
    if method.full and settings.participants < federation.workers:
        rule = f"must be 1: with {settings.method} all workers take part in every round"
        raise OtaflError("federation.participation", federation.participation, rule)
    uneven = bool(probabilities) or federation.sampling == "weighted"
    if uneven and settings.method in ("FedVRA", "FedVRA-U") and algorithm.aggregation_step == "inverse_probability":
        rule = "must be a number where workers take part with unequal probabilities"
        raise OtaflError("algorithm.aggregation_step", "inverse_probability", rule)


def _weights(settings: Settings, method: Method) -> None:
    federation = settings.federation
    if federation.weights == "samples" and not method.weighs:
        rule = f"must be 'equal' with {settings.method}, in whose objective all workers weigh alike"
        raise OtaflError("federation.weights", federation.weights, rule)
    if federation.weights == "samples" and federation.sampling == "weighted":
        rule = "must be 'equal' where federation.sampling = 'weighted', or volumes would count twice"
        raise OtaflError("federation.weights", federation.weights, rule)


def _partition(settings: Settings) -> None:
    federation, problem = settings.federation, settings.problem
    by_label = ("shards", "labels", "two_classes", "dirichlet", "imbalanced")
    if federation.partition in by_label and problem.kind != "classification":
        raise OtaflError("federation.partition", federation.partition, "needs labels, and linear regression has none")
    if federation.labelled < 1 and problem.kind != "classification":
        raise OtaflError("federation.labelled", federation.labelled, "must be 1 where there are no labels")


def _local(settings: Settings, method: Method) -> None:
    local = settings.local
    if local.steps and local.epochs:
        raise OtaflError("local.epochs", local.epochs, "must be left out where local.steps is given, or the other way")
    if local.batch_size == "all" and (not method.federated or local.steps):
        raise OtaflError("local.batch_size", "all", "goes with federated methods and local.epochs")
    if local.work == "uniform" and local.steps:
        raise OtaflError("local.work", local.work, "draws epochs, so local.steps must be left out")
    if method.even and local.work == "uniform":
        raise OtaflError("local.work", local.work, f"must be 'fixed' with {settings.method}: {method.even}")
    if method.sgd and local.optimizer not in (None, "sgd"):
        raise OtaflError("local.optimizer", local.optimizer, f"must be 'sgd' with {settings.method}: {method.sgd}")
    if settings.method in ("FedADMM-In", "FedADMM-InSa") and local.steps:
        rule = f"must be left out with {settings.method}, which looks at its residual after every epoch"
        raise OtaflError("local.steps", local.steps, rule)
    if local.warm_start and settings.method not in WARM:
        rule = f"is for {', '.join(WARM)}; {settings.method} has no choice"
        raise OtaflError("local.warm_start", local.warm_start, rule)


def _algorithm(settings: Settings, method: Method) -> None:
    algorithm = settings.algorithm
    if algorithm.regulariser not in method.regularisers:
        known = " or ".join(map(repr, method.regularisers))
        rule = f"must be {known} with {settings.method}, which has no other regulariser"
        raise OtaflError("algorithm.regulariser", algorithm.regulariser, rule)
    if algorithm.communication_probability != 1 and settings.method != "FedPD":
        rule = f"must be 1 with {settings.method}; only FedPD leaves uploads out"
        raise OtaflError("algorithm.communication_probability", algorithm.communication_probability, rule)
    without = settings.method in NO_PENALTY or (settings.method in DUALS and algorithm.dual_step == 0)
    if algorithm.rho == 0 and not without:
        raise OtaflError("algorithm.rho", 0, f"must be greater than 0 with {settings.method}")
    for name in ("rho", "server_step"):
        _schedule(settings, method, name)


def _schedule(settings: Settings, method: Method, name: str) -> None:
    text = getattr(settings.algorithm, f"{name}_schedule")
    if text and name not in method.scheduled:
        rule = f"must be left out with {settings.method}, which cannot change {name} on the way"
        raise OtaflError(f"algorithm.{name}_schedule", text, rule)
    if schedule(text) and max(schedule(text)) > settings.run.iterations:
        rule = f"must not name rounds beyond run.iterations = {settings.run.iterations}"
        raise OtaflError(f"algorithm.{name}_schedule", text, rule)
