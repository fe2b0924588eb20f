"""Kinds of learning problem: what workers minimise, and the losses of convex problems; a file for each.

A convex loss is a frozen dataclass, or a function, that ``register`` has given a name; its fields, or the function's
parameters, are keys of the table ``problem``.
"""

# ruff: isort: skip_file
from otafl.losses.problem_kind import PROBLEMS, ConvexLoss, ProblemKind, WorkerData, loss_of, keys, register
from otafl.losses.problem_kind import Classification, LinearRegression  # whose minimisers and training are their own

# kinds, in the order in which they are listed
from otafl.losses.ridge_regression import RidgeRegression
from otafl.losses.huber_regression import HuberRegression
from otafl.losses.logistic_regression import LogisticRegression
