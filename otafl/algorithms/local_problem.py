"""Interface of local problems to methods, and the records of one round of a method.

Layouts of tensors are those of ``otafl.numerics.tensors``; workers are the participants that a program computes.
"""

from typing import Any, NamedTuple, Protocol, TypeAlias

from otafl.federation.round_draw import RoundDraw, on_elements
from otafl.numerics.tensors import (
    GlobalModel,
    Losses,
    Messages,
    Models,
    ModelsOrOne,
    PerRun,
    Tensor,
    WorkerNumbers,
    WorkerScalars,
    tf,
)

State: TypeAlias = Any
"""Named tuple of tensors that a method keeps from round to round: of the server [1, ..., runs], with a field ``model``,
or of the workers [workers, ..., runs]. Each method has classes of its own."""


class Parameters(Protocol):
    """Parameters of a method by name, such as ``parameters.rho``; a new value needs no new program."""

    def __getattr__(self, name: str) -> PerRun: ...


class Options(Protocol):
    """Values that shape a method's program, by name: three numbers, and the texts and whole numbers that it reads."""

    workers: int
    places: int
    """Sample slots of a worker, as many as the worker with the most samples has."""
    classes: int
    """Number of classes; 0 in a regression."""

    def __getattr__(self, name: str) -> Any: ...


class Gradient(NamedTuple):
    """Gradient ∇f_n of each worker's local loss f_n, and f_n at the same model, 0 where it is not computed."""

    slope: Models
    losses: Losses


class Minimiser(NamedTuple):
    """Local models θ_n that workers arrive at, with the losses and the epochs of their training.

    Losses are means of f_n over the local steps, 0 where they are not computed. Epochs are passes over samples, by
    which computation is charged where workers train in epochs.
    """

    theta: Models
    losses: Losses
    epochs: Losses


class Accuracy(NamedTuple):
    """Stopping rule of local training: the residual falls to a share, 0 to 1, of that at a reference model.

    The residual is the 2-norm over elements of the gradient of all that a worker minimises, penalty included.
    """

    reference: ModelsOrOne
    share: WorkerNumbers


class Problem(Protocol):
    """Local problems of some workers n: losses f_n of a model that is common to all or one for each worker."""

    @property
    def start(self) -> GlobalModel:
        """Initial model."""
        ...

    def gradient(self, theta: ModelsOrOne) -> Gradient:
        """Return gradients ∇f_n(θ_n) and losses f_n over all of a worker's samples."""
        ...

    def sampled_gradient(self, theta: ModelsOrOne) -> Gradient:
        """Return an estimate of ∇f_n(θ_n) from one mini-batch; exact problems return ∇f_n(θ_n)."""
        ...

    def penalise(self, weight: Models) -> Any:
        """Return factors that ``solve`` reuses for some penalty weights, such as Cholesky's, or None."""
        ...

    def solve(
        self,
        start: ModelsOrOne,
        dual: Models | None = None,
        weight: ModelsOrOne | None = None,
        anchor: ModelsOrOne | None = None,
        accuracy: Accuracy | None = None,
        penalised: Any = None,
    ) -> Minimiser:
        """Return argmin_θ f_n(θ) + ⟨μ_n, θ⟩ + ½ Σ_i w_{n,i}(θ_i − Θ_i)² for every worker, or train towards it.

        Arguments:
            start: initial model of training; exact solvers ignore it.
            dual: μ_n; None: no linear term.
            weight: w_n, for each element or [workers or 1, 1, runs]; None: no penalty.
            anchor: Θ; None: 0.
            accuracy: stopping rule of training; None: it goes on to its last epoch; exact solvers ignore it.
            penalised: result of ``penalise`` for these weights; None: exact solvers compute it.
        """
        ...

    def reported_loss(self, models: ModelsOrOne, trained: PerRun) -> PerRun:
        """Return the loss that results report, from models and the weighted mean of the losses seen in training."""
        ...

    def test_accuracy(self, model: GlobalModel) -> PerRun:
        """Return the share of test samples that a model classifies correctly, 0 to 1; NaN in a regression."""
        ...


class ClassificationProblem(Problem, Protocol):
    """Local problems of a classification, whose samples have labels."""

    def accuracies(self, model: GlobalModel) -> Losses:
        """Return the share of each worker's own samples that a model classifies correctly."""
        ...

    def log_probabilities(self, theta: ModelsOrOne) -> Tensor:
        """Return log-probabilities of all classes for the samples, [workers, sample slots, classes]."""
        ...

    def with_pseudo_labels(self, probabilities: Tensor) -> "ClassificationProblem":
        """Return the problem with probabilities, [workers, sample slots, classes], for labels that may not be used."""
        ...


class Round(NamedTuple):
    """Inputs of a method in one round: local problems, parameters, draws and the received global model.

    Arguments:
        draw: record of all that is drawn for the round or known before it; methods read it through the properties.
        prepared: result of ``Method.prepare`` for the coherence block, the rounds over which the channel is constant.
        heard: global model as the participants have received it.
    """

    problem: Problem
    parameters: Parameters
    options: Options
    draw: RoundDraw
    prepared: Any
    heard: ModelsOrOne

    @property
    def weight(self) -> WorkerScalars:
        """ω, the participants' weights in the objective Σ_n ω_n f_n, which add up to 1 over all workers."""
        return self.draw.weight

    @property
    def steps(self) -> WorkerScalars:
        """Q, numbers of local steps, if known beforehand; None where idle workers are computed, too."""
        return self.draw.steps

    @property
    def uploads(self) -> WorkerScalars:
        """1 where the round ends with an upload, else 0. Shape [1, 1, 1]."""
        return tf.ones([1, 1, 1], self.heard.dtype) if self.draw.uploads is None else self.draw.uploads

    @property
    def gain(self) -> ModelsOrOne:
        """Consensus weight of the participants (the estimated |h|² by default) where the method has weights, else 1.

        It is for the subcarrier of each element, and 0 for idle workers. A sum that is known alone has one row.
        """
        return self.draw.of_active(on_elements(self.draw.channel.gain, self.heard.shape[1]))

    @property
    def changed(self) -> bool | Tensor:
        """True where the channel differs from a participant's last round: False, a scalar, or [workers, 1, 1]."""
        return self.draw.changed

    @property
    def participants(self) -> int:
        """Number of the workers that take part."""
        return self.weight.shape[0]

    @property
    def total_weight(self) -> WorkerScalars:
        """Σω, the sum of the participants' weights in the objective, which the server knows. Shape [1, 1, 1]."""
        return tf.reduce_sum(self.weight, axis=0, keepdims=True)

    def start(self, local: Models, common: ModelsOrOne) -> ModelsOrOne:
        """Return the model from which a worker trains: its local one, or the common one by ``local.warm_start``."""
        return common if self.options.warm_start == "global" else local


class Local(NamedTuple):
    """New states of a round's participants, their training, and their messages unless ``Method.upload`` forms them."""

    client: State
    done: Minimiser
    messages: Messages = ()


class Model(NamedTuple):
    """State of a server that keeps nothing but the global model."""

    model: GlobalModel


class Nothing(NamedTuple):
    """State of a worker that keeps nothing from round to round."""
