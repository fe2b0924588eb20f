"""Choice of the task of a group of runs, by the method and the kind of problem."""

from otafl.algorithms import Method
from otafl.losses import loss_of
from otafl.problems.exact_convex import ExactConvex
from otafl.problems.exact_regression import Exact
from otafl.problems.task import Task
from otafl.settings.keys import Settings


def task(settings: Settings, method: Method, run_seeds: list[int]) -> Task:
    """Return the data of the runs of a group, dealt to workers, for a method and a kind of problem.

    Raises:
        OtaflError: the data or the model cannot be had, or cannot be dealt to so many workers.
    """
    if not method.solves_exactly:
        from otafl.problems.training_task import Training  # here, as Keras takes long to import

        return Training(settings, method, run_seeds)
    convex = loss_of(settings.problem)
    return ExactConvex(settings, convex, run_seeds) if convex else Exact(settings, run_seeds)
