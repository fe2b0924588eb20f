"""Memory of a study as far as its keys tell, before any data is loaded."""

from otafl import algorithms
from otafl.data import sources
from otafl.scenario.scenario import Scenario
from otafl.settings.keys import Settings
from otafl.settings.problem import Problem
from otafl.settings.run import Run
from otafl.system import machine, memory
from otafl.system.memory import COPIES, Demand

CURVES = 130
"""Bytes of a result for one iteration of a run while it is put together, as measured."""


def require(scenario: Scenario) -> None:
    """Refuse a study that takes too much for the free memory."""
    machine.require_docstrings()
    plan, points = scenario.settings.run, [settings for _, settings in scenario.points()]
    runs = len(points) * plan.seeds
    drawn = max((_drawn(settings, plan.seeds) for settings in points), key=lambda demand: demand.size)
    memory.require([curves(plan, runs), drawn, _equations(points, plan.seeds)], memory.available())


def require_curves(plan: Run, runs: int) -> None:
    """Refuse stored runs whose curves do not fit into the free memory, as in a damaged study."""
    memory.require([curves(plan, runs)], memory.available())


def curves(plan: Run, runs: int) -> Demand:
    """Return the memory for the values of all variables in each iteration of a number of runs."""
    recorded = plan.iterations if plan.record == "all" else 0  # a logarithmic record is small
    text = f"curves of {runs:,} runs take {{size}} of memory with run.record = {plan.record!r}"
    return Demand("run.iterations", plan.iterations, CURVES * runs * recorded, text)


def _drawn(settings: Settings, seeds: int) -> Demand:
    """Return the memory for generated data, of all seeds at a time where runs are computed side by side."""
    problem, workers = settings.problem, settings.federation.workers
    source = sources.source(problem)
    sets = seeds if _exact(settings) and problem.seed is None else 1
    text = f"problem.dataset = {problem.dataset!r} takes {{size}} of memory for {sets:,} seeds at a time"
    largest = max("problem.samples", "problem.dimension", key=settings.value)
    key = "federation.workers" if source.owned else largest
    return Demand(key, settings.value(key), 8 * COPIES * sets * source.drawn(problem, workers), text)


def _equations(points: list[Settings], seeds: int) -> Demand:
    """Return the memory for the normal equations of all workers and seeds; every kind of run has its own."""
    kinds = {(point.method, point.problem, point.federation) for point in points if _exact(point)}
    size = sum(8 * seeds * dealt.workers * _unknowns(problem) ** 2 for _, problem, dealt in kinds)
    workers, most = max((point.federation.workers, _unknowns(point.problem)) for point in points)
    text = f"the equations of all workers, with {most:,} unknowns and for {seeds:,} seeds, take {{size}} of memory"
    key, value = ("federation.workers", workers) if workers > most else ("problem.dimension", most)
    return Demand(key, value, size, text)


def _exact(settings: Settings) -> bool:
    return algorithms.parse(settings.method)[0].solves_exactly


def _unknowns(problem: Problem) -> int:
    return sources.source(problem).features or problem.dimension
