"""Kinds of problem with minimisers or training of their own (``otafl.problems``): no loss stands here."""

from dataclasses import dataclass

from otafl.losses.problem_kind import PROBLEMS, ProblemKind


@PROBLEMS.register("linear_regression")
@dataclass(frozen=True)
class LinearRegression(ProblemKind):
    """½(⟨x, θ⟩ − y)², solved exactly or trained."""


@PROBLEMS.register("classification")
@dataclass(frozen=True)
class Classification(ProblemKind):
    """Cross-entropy of a network, trained."""

    family = "classification"
