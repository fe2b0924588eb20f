"""Distributed gradient descent, the baseline of A. Elgabli et al., "Harnessing wireless channels for scalable and
privacy-preserving federated learning", section V-A: A-GD over truncated channel inversion, D-GD over error-free
orthogonal uploads; A-SGD and D-SGD where gradients are taken on mini-batches.
"""

from typing import Any, ClassVar

from otafl.algorithms.local_problem import Local, Minimiser, Model, Nothing, Round
from otafl.algorithms.method import CLASSIFICATION, EVERYBODY, PARTICIPATION, REGRESSION, Method, method
from otafl.numerics.tensors import Tensor, tf
from otafl.settings.keys import Settings
from otafl.settings.part_keys import key

REDUCTION = key(
    "sum", "A-(S)GD, D-(S)GD: server's step along the sum or mean of workers' gradients", choices=("sum", "mean")
)


class GradientDescent(Method):
    """Distributed gradient descent: Θ ← Θ − η Σ_n ∇f_n(Θ), η being the learning rate, or that over N.

    Symbols: global model Θ, local losses f_n, number N of workers.
    """

    reads = ("local.learning_rate", *PARTICIPATION)
    limits = (EVERYBODY,)
    problems = (REGRESSION,)
    solves_exactly = True
    noise_precision = "float64"
    defaults: ClassVar[dict[str, Any]] = {"learning_rate": 1e-4}

    def parameters(self, settings: Settings, iteration: int) -> dict[str, float]:
        """Return {"step_size": η}, which multiplies the sum of gradients.

        The number η is the learning rate, or that over the number of workers for the mean of gradients.

        Arguments:
            settings: the run's ``Settings``, of which ``algorithm.gradient_reduction`` and ``local.learning_rate`` are
                read.
            iteration: unused.
        """
        share = 1 if settings.value("algorithm.gradient_reduction") == "sum" else settings.federation.workers
        return {"step_size": settings.value("local.learning_rate") / share}

    def init(self, start: Tensor, options: Any, parameters: Any) -> tuple[Model, Nothing]:
        """Return the server at the initial model; workers keep nothing.

        Arguments:
            start: initial model of d elements. Shape [1, d, runs].
            options: unused.
            parameters: unused.

        Returns:
            A ``Model`` for the server, [1, d, runs], and ``Nothing``, the empty state of a worker.
        """
        return Model(start), Nothing()

    def local_update(self, server: Model, client: Nothing, now: Round) -> Local:
        """Return the local gradients ∇f_n(Θ) at the global model Θ as received, of all samples or of a mini-batch.

        Arguments:
            server: the server's state as workers have received it, global model Θ. Shape [participants or 1, d, runs],
                for d elements of a model.
            client: unused, as workers keep nothing.
            now: inputs of the round, of which local problems are read.

        Returns:
            A ``Local`` with the model Θ, [participants or 1, d, runs]; losses f_n and epochs, all 1, [participants,
            runs] each; and one message, the gradients, [participants, d, runs].
        """
        slope, losses = now.problem.sampled_gradient(server.model)
        return Local(client, Minimiser(server.model, losses, tf.ones_like(losses)), (slope,))

    def global_update(self, server: Model, totals: tuple[Tensor, ...], now: Round) -> Model:
        """Return the server's new state, the model after a step along the sum of gradients. Shape [1, d, runs].

        Arguments:
            server: the server's state, its global model. Shape [1, d, runs], for d elements of a model.
            totals: one received sum, that of the workers' gradients. Shape [1, d, runs].
            now: inputs of the round, of which ``step_size``, [runs], is read.
        """
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
    defaults: ClassVar[dict[str, Any]] = {"learning_rate": 5e-3, "steps": 1}

    def sends_models(self, settings: Settings) -> bool:
        """Return True where a worker makes several local steps, so that it uploads models, not gradients.

        Arguments:
            settings: the run's ``Settings``, of which ``local.steps`` is read.
        """
        return settings.local.steps not in (None, 1)

    def local_update(self, server: Model, client: Nothing, now: Round) -> Local:
        """Return the local gradients ∇f_n(Θ) at the global model Θ as received, or models trained from there.

        Arguments:
            server: the server's state as workers have received it, global model Θ. Shape [participants or 1, d, runs],
                for d elements of a model.
            client: unused, as workers keep nothing.
            now: inputs of the round, of which local problems and ``steps``, the number of local steps, are read.

        Returns:
            A ``Local`` with models, [participants, d, runs], or at one local step Θ; mean losses over the local steps
            and epochs, [participants, runs] each; and one message, the gradients, or the models at several steps,
            [participants, d, runs].
        """
        if now.options.steps == 1:
            return super().local_update(server, client, now)
        done = now.problem.solve(server.model)
        return Local(client, done, (done.theta,))

    def global_update(self, server: Model, totals: tuple[Tensor, ...], now: Round) -> Model:
        """Return the server's new state, the model after a step along the sum of gradients, or the mean of models.

        Arguments:
            server: the server's state, its global model. Shape [1, d, runs], for d elements of a model.
            totals: one received sum, that of the workers' gradients, or of their models at several local steps. Shape
                [1, d, runs].
            now: inputs of the round, of which ``steps``, ``step_size`` and the number of participants are read.

        Returns:
            A ``Model``, the new global one. Shape [1, d, runs].
        """
        if now.options.steps == 1:
            return super().global_update(server, totals, now)
        return Model(totals[0] / now.participants)


@method("A-SGD", gradient_reduction=REDUCTION)
class AnalogSGD(StochasticGD, AnalogGD):
    """A-SGD: A-GD with gradients on mini-batches."""


@method("D-SGD", gradient_reduction=REDUCTION)
class DigitalSGD(StochasticGD, DigitalGD):
    """D-SGD: D-GD with gradients on mini-batches."""
