"""Sources of result variables that a run has: its method, its uplink, its problem and its ledger."""

from otafl import algorithms, uplinks
from otafl.metrics.result_variables import VARIABLES, Source
from otafl.settings.keys import Settings


def sources(settings: Settings) -> frozenset[Source]:
    """Return the sources of result variables that a run has; variables of other sources are NaN for it."""
    method, _ = algorithms.parse(settings.method)
    has: dict[Source, bool] = {
        "ledger": True,
        "problem": True,
        "study": True,
        "metric": bool(settings.run.metrics),
        "residuals": method.has_residuals,
        "penalty": method.has_penalty,
        "air": uplinks.uplink(uplinks.kind(settings)).superposes,
        "truncation": uplinks.truncates(settings),
        "sum": not uplinks.is_exact(settings),
        "energy": settings.energy.whole,
        "deadline": settings.federation.deadline_s is not None,
        "classification": settings.classifies,
        "training": settings.classifies or not method.solves_exactly,
    }
    return frozenset(source for source, there in has.items() if there)


def variables(settings: Settings) -> list[str]:
    """Return the names of the result variables that a run has, in the order of their table."""
    brought, metrics = sources(settings) - {"metric"}, settings.run.metrics
    return [name for name, variable in VARIABLES.items() if variable.brought_by in brought or name in metrics]
