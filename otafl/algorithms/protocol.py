"""Interface of local problems to methods, and the records of one round of a method.

Tensors carry runs on their last axis: a model of each worker is [workers, d, runs], one common to all [1, d, runs].
"""

from typing import Any, NamedTuple, Protocol

from otafl.arrays import Tensor, tf
from otafl.round_draw import RoundDraw, on_elements


class Gradient(NamedTuple):
    """Local gradients of workers and the local losses at the same models.

    Arguments:
        slope: ∇f_n. Shape [workers, d, runs].
        losses: f_n on the samples read, 0 where it is not computed. Shape [workers, runs].
    """

    slope: Tensor
    losses: Tensor


class Minimiser(NamedTuple):
    """Local models that workers arrive at, with the losses and the epochs of their training.

    Arguments:
        theta: the models. Shape [workers, d, runs].
        losses: mean of f_n over the local steps, 0 where it is not computed. Shape [workers, runs].
        epochs: passes that each worker has made over its samples. Shape [workers, runs].
    """

    theta: Tensor
    losses: Tensor
    epochs: Tensor


class Accuracy(NamedTuple):
    """Stopping rule of local training: the residual falls to a share of the residual at a reference model.

    Arguments:
        reference: the reference model. Shape [workers or 1, d, runs].
        share: the share σ. Shape [workers or 1, 1, runs].
    """

    reference: Tensor
    share: Tensor


class Problem(Protocol):
    """Local problems of some workers: losses f_n of a model that is common to all or one for each worker."""

    @property
    def start(self) -> Tensor:
        """Initial model. Shape [1, d, runs]."""
        ...

    def gradient(self, theta: Tensor) -> Gradient:
        """Return ∇f_n(θ_n) over all of a worker's samples.

        Arguments:
            theta: θ. Shape [workers or 1, d, runs].
        """
        ...

    def sampled_gradient(self, theta: Tensor) -> Gradient:
        """Return an estimate of ∇f_n(θ_n) from one mini-batch; exact problems return ∇f_n(θ_n).

        Arguments:
            theta: θ. Shape [workers or 1, d, runs].
        """
        ...

    def penalise(self, weight: Tensor) -> Any:
        """Return factors that ``solve`` reuses for some penalty weights; None where there are none.

        Arguments:
            weight: w. Shape [workers, d, runs].
        """
        ...

    def solve(
        self,
        start: Tensor,
        dual: Tensor | None = None,
        weight: Tensor | None = None,
        anchor: Tensor | None = None,
        accuracy: Accuracy | None = None,
        penalised: Any = None,
    ) -> Minimiser:
        """Return argmin_θ f_n(θ) + ⟨μ_n, θ⟩ + ½ Σ_i w_{n,i}(θ_i − Θ_i)² for every worker, or train towards it.

        Arguments:
            start: initial model of training; exact solvers ignore it. Shape [workers or 1, d, runs].
            dual: μ; None: no linear term. Shape [workers, d, runs].
            weight: w; None: no penalty. Shape [workers or 1, d or 1, runs].
            anchor: Θ. Shape [workers or 1, d, runs].
            accuracy: stopping rule of training; exact solvers ignore it.
            penalised: result of ``penalise`` for these weights.
        """
        ...

    def log_probabilities(self, theta: Tensor) -> Tensor:
        """Return log-probabilities of all classes for a classification's samples. Shape [workers, places, classes]."""
        ...

    def with_pseudo_labels(self, probabilities: Tensor) -> "Problem":
        """Return a classification with class probabilities in place of labels that may not be used.

        Arguments:
            probabilities: Shape [workers, places, classes].
        """
        ...


class Round(NamedTuple):
    """Inputs of a method in one round: local problems, numbers, draws and the received global model.

    Arguments:
        problem: local problems of the participants.
        parameters: the method's numbers by name. Shape [runs] each.
        options: values that shape the method's program, by name: ``workers`` N, ``places`` for samples of a worker,
            ``classes``, and keys with texts or whole numbers that the method reads.
        draw: record of all that is drawn for the round or known before it; methods read it through the properties.
        prepared: result of ``Method.prepare`` for the coherence block.
        heard: global model as the participants have received it. Shape [participants or 1, d, runs].
    """

    problem: Problem
    parameters: Any
    options: Any
    draw: RoundDraw
    prepared: Any
    heard: Tensor

    @property
    def weight(self) -> Tensor:
        """ω, the participants' weights in the objective. Shape [participants, 1, 1].

        They add up to 1 over all workers.
        """
        return self.draw.weight

    @property
    def steps(self) -> Tensor:
        """Q, numbers of local steps of the participants, if known beforehand. Shape [participants, 1, 1]."""
        return self.draw.steps

    @property
    def uploads(self) -> Tensor:
        """1 where the round ends with an upload, else 0. Shape [1, 1, 1]."""
        return tf.ones([1, 1, 1], self.heard.dtype) if self.draw.uploads is None else self.draw.uploads

    @property
    def gain(self) -> Tensor:
        """Estimated |h|² of the participants where the method weighs by gains, else 1. Shape [participants, d, runs].

        It is 0 for workers that are computed and do not take part. Where the server knows the sum alone, that stands in
        one row.
        """
        return self.draw.of_active(on_elements(self.draw.channel.gain, self.heard.shape[1]))

    @property
    def changed(self) -> Any:
        """True where the channel differs from a participant's last round, and the method reacts to it.

        It is known beforehand or a scalar tensor where it holds for all workers alike. Shape [] or [participants, 1,
        1].
        """
        return self.draw.changed

    @property
    def participants(self) -> int:
        """Number of the workers that take part."""
        return self.weight.shape[0]

    @property
    def total_weight(self) -> Tensor:
        """Σω over the participants, which the server knows. Shape [1, 1, 1]."""
        return tf.reduce_sum(self.weight, axis=0, keepdims=True)

    def start(self, own: Tensor, common: Tensor) -> Tensor:
        """Return the model from which a worker trains, by ``local.warm_start``.

        Arguments:
            own: the worker's own model. Shape [participants, d, runs].
            common: the global model. Shape [1, d, runs].
        """
        return common if self.options.warm_start == "global" else own


class Local(NamedTuple):
    """Result of the participants' part of a round.

    Arguments:
        client: the participants' new states.
        done: the trained models, their losses and epochs.
        messages: vectors to upload, where they are formed on the way and not by ``Method.upload``.
    """

    client: Any
    done: Minimiser
    messages: tuple[Tensor, ...] = ()


class Model(NamedTuple):
    """State of a server that keeps nothing but the global model.

    Arguments:
        model: Shape [1, d, runs].
    """

    model: Tensor


class Nothing(NamedTuple):
    """State of a worker that keeps nothing from round to round."""
