"""Interface of kinds of learning problem and of convex losses, and the kinds by name."""

import dataclasses
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeVar

import numpy as np

from otafl.channels.registry import KINDS, Registry, parameter
from otafl.errors import OtaflError
from otafl.numerics.tensors import FlatModels, Tensor, tf
from otafl.user_code import modules

if TYPE_CHECKING:
    from otafl.settings.problem import Problem

Loss = TypeVar("Loss", bound=Callable[..., object])

GIVEN = 3
"""Arguments of a loss that are no keys: the model, features and targets."""
MOST_WEIGHT = 1e6
"""Largest weight λ, such that single precision holds ½λ‖θ‖² and its gradient."""


class WorkerData(NamedTuple):
    """Samples of independent local problems; a batch has an entry for each worker of each run.

    Arguments:
        x: features, in as many places as the worker with the most samples has. Shape [batch, places, features].
        y: targets. Shape [batch, places].
        share: factor of each sample's loss, 1 over the number of the worker's samples, 0 in empty places. Shape of y.
    """

    x: Tensor
    y: Tensor
    share: Tensor


class ProblemKind:
    """Base of kinds of learning problem, which say what the data are and which keys are read."""

    family: ClassVar[str] = "linear_regression"
    """Kind whose data sets, methods and targets it shares: "linear_regression" or "classification"."""


@dataclass(frozen=True)
class ConvexLoss(ProblemKind):
    """Base of convex losses: workers minimise f_n(θ), the mean of ``losses`` over their samples, plus ½λ‖θ‖².

    A model θ has as many elements as a sample has features.
    """

    l2_weight: float = parameter(
        0.0,
        "Convex losses of ridge, logistic and Huber regression and of your own: weight λ of ½‖θ‖² in every local loss. "
        "Linear regression has none, ridge regression needs one above 0",
        label="L2 weight λ",
        symbol="$\\lambda$",
        ge=0.0,
        le=MOST_WEIGHT,
    )

    @property
    def call(self) -> int:
        """Number of the study in this process where the loss is the user's, so that changed code counts; else 0."""
        return modules.studies if modules.of_part(type(self)) else 0

    def losses(self, model: Tensor, x: Tensor, y: Tensor) -> Tensor:
        """Return the loss of each sample, without ½λ‖θ‖². Shape [samples], or [] for the mean of all.

        The model θ is [features], features x are [samples, features], and targets y [samples].
        """
        raise NotImplementedError

    def regularised(self, model: Tensor, x: Tensor, y: Tensor) -> Tensor:
        """Return the loss of each sample with ½λ‖θ‖². Shape [samples]."""
        losses = self.losses(model, x, y)
        if not losses.shape.rank:  # a mean of all samples is asked for sample by sample
            losses = tf.vectorized_map(lambda sample: self.losses(model, sample[0][None], sample[1][None]), (x, y))
        return losses + 0.5 * self.l2_weight * tf.reduce_sum(tf.square(model))

    def solve(
        self, data: WorkerData, start: FlatModels, dual: FlatModels, weight: FlatModels, anchor: FlatModels
    ) -> FlatModels | None:
        """Return argmin_θ f_n(θ) + ⟨μ_n, θ⟩ + ½ Σ_i w_{n,i}(θ_i − Θ_i)² for every worker n of every run.

        Losses with a closed form return it, with ½λ‖θ‖² in f_n; by default there is none, and Newton's method is used.
        """
        return None

    def refusal(self, targets: np.ndarray) -> str:
        """Return the rule that the targets of all samples break; by default empty: they are allowed."""
        return ""


PROBLEMS = Registry("problem", ProblemKind)


@PROBLEMS.register("linear_regression")
@dataclass(frozen=True)
class LinearRegression(ProblemKind):
    """½(⟨x, θ⟩ − y)², solved exactly or trained."""


@PROBLEMS.register("classification")
@dataclass(frozen=True)
class Classification(ProblemKind):
    """Cross-entropy of a network, trained."""

    family = "classification"


def register(name: str) -> Callable[[Loss], Loss]:
    """Return a decorator that registers a convex loss as a kind of problem, for ``problem.kind``.

    The loss is a frozen dataclass derived from ``ConvexLoss``, or a function of ``(model, x, y)`` in TensorFlow. That
    returns the loss of each sample, [samples], or their mean, []; parameters that follow have defaults and are keys.

    Raises:
        ValueError: the name is taken, or it is no such class or function.
    """

    def taken(loss: Loss) -> Loss:
        PROBLEMS.register(name)(_class_of(name, loss))
        return loss

    return taken


def _class_of(name: str, function: Callable[..., Tensor]) -> type:
    """Return the class of a loss; that of a function has its further parameters as fields."""
    if isinstance(function, type):
        return function
    arguments = list(inspect.signature(function).parameters.values()) if inspect.isfunction(function) else []
    further = arguments[GIVEN:]
    if len(arguments) < GIVEN or any(argument.default is argument.empty for argument in further):
        rule = "must be a class, or a function of model, x, y, and of parameters with defaults"
        raise OtaflError("problem", name, f"{rule}, not {function!r}")
    for key, default in ((argument.name, argument.default) for argument in further):
        if type(default) not in KINDS:
            raise OtaflError(f"problem {name!r} {key}", default, "must be a truth value, a number or a text")
        if hasattr(ConvexLoss, key):
            raise OtaflError(f"problem {name!r}", key, "must have another name, which convex losses do not use")

    def losses(self: ConvexLoss, model: Tensor, x: Tensor, y: Tensor) -> Tensor:
        return function(model, x, y, **{argument.name: getattr(self, argument.name) for argument in further})

    fields = [(key.name, type(key.default), field(default=key.default)) for key in further]
    body = {"losses": losses, "__doc__": function.__doc__, "__module__": function.__module__}
    kind = dataclasses.make_dataclass(function.__name__, fields, bases=(ConvexLoss,), namespace=body, frozen=True)
    kind.__module__ = function.__module__
    return kind


def loss_of(problem: "Problem") -> ConvexLoss | None:
    """Return the convex loss of a run, with its parameters; None: linear regression or classification."""
    kind = PROBLEMS[problem.kind]
    if not issubclass(kind, ConvexLoss):
        return None
    return kind(**{key: getattr(problem, key) for key in PROBLEMS.parameters(problem.kind)})


def keys(kind: str) -> tuple[str, ...]:
    """Return the dotted keys of the parameters of a kind of problem.

    >>> keys("ridge_regression")
    ('problem.l2_weight',)
    """
    return tuple(f"problem.{name}" for name in PROBLEMS.parameters(kind))
