"""Distributed gradient descent, the baseline of A. Elgabli et al., "Harnessing wireless channels for scalable and
privacy-preserving federated learning", section V-A: A-GD over truncated channel inversion, D-GD over error-free
orthogonal uploads; A-SGD and D-SGD where gradients are taken on mini-batches.
"""

from typing import ClassVar

from otafl.algorithms.local_problem import Local, Minimiser, Model, Nothing, Round
from otafl.algorithms.method import CLASSIFICATION, EVERYBODY, PARTICIPATION, REGRESSION, Method, method
from otafl.numerics.tensors import Totals, tf
from otafl.settings.keys import Settings
from otafl.settings.part_keys import key

REDUCTION = key(
    "sum", "A-(S)GD, D-(S)GD: server's step along the sum or mean of workers' gradients", choices=("sum", "mean")
)


class GradientDescent(Method):
    """Distributed gradient descent: Θ ← Θ − η Σ_n ∇f_n(Θ), η being the learning rate, or that over N workers."""

    reads = ("local.learning_rate", *PARTICIPATION)
    limits = (EVERYBODY,)
    problems = (REGRESSION,)
    solves_exactly = True
    noise_precision = "float64"
    defaults: ClassVar[dict[str, float | int | str]] = {"learning_rate": 1e-4}

    def parameters(self, settings: Settings, iteration: int) -> dict[str, float]:
        """Return {"step_size": η}, which multiplies the sum of gradients; for their mean it is divided by N."""
        share = 1 if settings.value("algorithm.gradient_reduction") == "sum" else settings.federation.workers
        return {"step_size": settings.value("local.learning_rate") / share}

    def local_update(self, server: Model, client: Nothing, now: Round) -> Local:
        """Return the local gradients ∇f_n(Θ), of all samples or of a mini-batch."""
        slope, losses = now.problem.sampled_gradient(server.model)
        return Local(client, Minimiser(server.model, losses, tf.ones_like(losses)), (slope,))

    def global_update(self, server: Model, totals: Totals, now: Round) -> Model:
        return Model(server.model - now.parameters.step_size * totals[0])


@method("A-GD", gradient_reduction=REDUCTION)
class AnalogGD(GradientDescent):
    """A-GD: gradient descent over analog uploads with truncated channel inversion."""

    uplinks = ("analog",)


@method("D-GD", gradient_reduction=REDUCTION)
class DigitalGD(GradientDescent):
    """D-GD: gradient descent over error-free orthogonal uploads."""

    uplinks = ("digital",)


class StochasticGD(GradientDescent):
    """Base of A-SGD and D-SGD: gradient descent on mini-batches; after several local steps models are averaged."""

    reads = (*GradientDescent.reads, "local.batch_size")
    shapes = ("local.steps",)
    problems = (CLASSIFICATION,)
    solves_exactly = False
    defaults: ClassVar[dict[str, float | int | str]] = {"learning_rate": 5e-3, "steps": 1}

    def sends_models(self, settings: Settings) -> bool:
        return settings.local.steps not in (None, 1)

    def local_update(self, server: Model, client: Nothing, now: Round) -> Local:
        """Return the local gradients ∇f_n(Θ), or after several steps the models trained from Θ."""
        if now.options.steps == 1:
            return super().local_update(server, client, now)
        done = now.problem.solve(server.model)
        return Local(client, done, (done.theta,))

    def global_update(self, server: Model, totals: Totals, now: Round) -> Model:
        if now.options.steps == 1:
            return super().global_update(server, totals, now)
        return Model(totals[0] / now.participants)


@method("A-SGD", gradient_reduction=REDUCTION)
class AnalogSGD(StochasticGD, AnalogGD):
    """A-SGD: A-GD with gradients on mini-batches."""


@method("D-SGD", gradient_reduction=REDUCTION)
class DigitalSGD(StochasticGD, DigitalGD):
    """D-SGD: D-GD with gradients on mini-batches."""
