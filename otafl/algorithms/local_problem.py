"""Interface of local problems to methods, and the records of one round of a method.

Tensors carry runs on their last axis: a model of each worker is [workers, d, runs], one common to all [1, d, runs].
"""

from typing import Any, NamedTuple, Protocol

from otafl.federation.round_draw import RoundDraw, on_elements
from otafl.numerics.tensors import Tensor, tf


class Gradient(NamedTuple):
    """Local gradients of workers and the local losses at the same models.

    Axes: workers, d elements of a model, and runs that are computed side by side.

    Arguments:
        slope: gradient ∇f_n of each worker n's local loss f_n. Shape [workers, d, runs].
        losses: f_n on the samples read, 0 where it is not computed. Shape [workers, runs].
    """

    slope: Tensor
    losses: Tensor


class Minimiser(NamedTuple):
    """Local models that workers arrive at, with the losses and the epochs of their training.

    Axes: workers, d elements of a model, and runs that are computed side by side.

    Arguments:
        theta: local models θ_n. Shape [workers, d, runs].
        losses: mean of the local loss f_n over the local steps, 0 where it is not computed. Shape [workers, runs].
        epochs: passes that each worker has made over its samples, by which its computation is charged where it trains
            in epochs. Shape [workers, runs].
    """

    theta: Tensor
    losses: Tensor
    epochs: Tensor


class Accuracy(NamedTuple):
    """Stopping rule of local training: the residual falls to a share of the residual at a reference model.

    The residual is the 2-norm over elements of the gradient of all that a worker minimises, penalty included.

    Arguments:
        reference: the reference model, of each worker or common to all. Shape [workers or 1, d, runs], for d elements
            of a model.
        share: the share σ, between 0 and 1. Shape [workers or 1, 1, runs].
    """

    reference: Tensor
    share: Tensor


class Problem(Protocol):
    """Local problems of some workers: losses f_n of a model that is common to all or one for each worker.

    Axes: workers n, d elements of a model, runs side by side, and sample slots of a worker. Workers with few samples
    leave slots without a meaning.
    """

    @property
    def start(self) -> Tensor:
        """Initial model of d elements. Shape [1, d, runs]."""
        ...

    def gradient(self, theta: Tensor) -> Gradient:
        """Return gradients ∇f_n(θ_n), [workers, d, runs], and losses f_n over all of a worker's samples.

        Arguments:
            theta: models θ_n of the workers, or one common to all. Shape [workers or 1, d, runs], for d elements of a
                model.

        Returns:
            Gradients, [workers, d, runs], and losses, [workers, runs], 0 where they are not computed.
        """
        ...

    def sampled_gradient(self, theta: Tensor) -> Gradient:
        """Return an estimate of ∇f_n(θ_n) from one mini-batch; exact problems return ∇f_n(θ_n).

        Arguments:
            theta: models θ_n of the workers, or one common to all. Shape [workers or 1, d, runs], for d elements of a
                model.

        Returns:
            Gradients, [workers, d, runs], and losses on the mini-batch, [workers, runs], 0 where they are not computed.
        """
        ...

    def penalise(self, weight: Tensor) -> Any:
        """Return factors that ``solve`` reuses for some penalty weights, such as Cholesky's; None where there are none.

        Arguments:
            weight: penalty weights w_n of each worker, one for each element. Shape [workers, d, runs], for d elements
                of a model.
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
            start: initial model of training; exact solvers ignore it. Shape [workers or 1, d, runs], for d elements of
                a model.
            dual: μ_n, slope of the linear term; None: no linear term. Shape [workers, d, runs].
            weight: w_n, penalty weights; None: no penalty. Shape [workers or 1, d or 1, runs].
            anchor: Θ, model to which the penalty pulls; None: 0. Shape [workers or 1, d, runs].
            accuracy: stopping rule of training; None: it goes on to its last epoch; exact solvers ignore it.
            penalised: result of ``penalise`` for these weights; None: exact solvers compute it.

        Returns:
            A ``Minimiser`` with models, [workers, d, runs], mean losses over the local steps, 0 where they are not
            computed, and epochs, [workers, runs] each.
        """
        ...

    def log_probabilities(self, theta: Tensor) -> Tensor:
        """Return log-probabilities of all classes for a classification's samples, [workers, sample slots, classes].

        Slots beyond a worker's number of samples repeat some of them.

        Arguments:
            theta: model, common to all or one for each worker. Shape [workers or 1, d, runs], for d elements of a
                model.
        """
        ...

    def with_pseudo_labels(self, probabilities: Tensor) -> "Problem":
        """Return a classification with class probabilities in place of labels that may not be used.

        Arguments:
            probabilities: probability of each class for every sample slot of a worker. Shape [workers, sample slots,
                classes].
        """
        ...


class Round(NamedTuple):
    """Inputs of a method in one round: local problems, parameters, draws and the received global model.

    Axes: participants are the workers computed in the round, d the elements of a model, runs those side by side.

    Arguments:
        problem: local problems of the participants, a ``Problem``.
        parameters: named tuple of the method's parameters, such as ``parameters.rho``. Shape [runs] each.
        options: named tuple of values that shape the method's program. They are ``workers`` N, ``places`` (sample slots
            of a worker), ``classes``, and keys with texts or whole numbers that the method reads.
        draw: record of all that is drawn for the round or known before it; methods read it through the properties.
        prepared: result of ``Method.prepare`` for the coherence block, None where there is none, the rounds over which
            the channel is constant.
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
        """ω, the participants' weights in the objective Σ_n ω_n f_n. Shape [participants, 1, 1].

        They add up to 1 over all workers, so over the participants to 1 at most.
        """
        return self.draw.weight

    @property
    def steps(self) -> Tensor:
        """Q, numbers of local steps of the participants, if known beforehand. Shape [participants, 1, 1].

        They are real numbers; None where idle workers are computed, too.
        """
        return self.draw.steps

    @property
    def uploads(self) -> Tensor:
        """1 where the round ends with an upload, else 0; a real number. Shape [1, 1, 1]."""
        return tf.ones([1, 1, 1], self.heard.dtype) if self.draw.uploads is None else self.draw.uploads

    @property
    def gain(self) -> Tensor:
        """Consensus weight of the participants (the estimated |h|² by default) where the method has weights, else 1.

        It is linear, for the subcarrier that carries each of the d elements, and 0 for workers that are computed and do
        not take part. Where the server knows the sum alone, that stands in one row. Shape [participants or 1, d, runs].
        """
        return self.draw.of_active(on_elements(self.draw.channel.gain, self.heard.shape[1]))

    @property
    def changed(self) -> Any:
        """True where the channel differs from a participant's last round, and the method reacts to it.

        It is a truth value known beforehand, False if the method does not react, or a boolean tensor: a scalar where it
        holds for all workers alike, else [participants, 1, 1].
        """
        return self.draw.changed

    @property
    def participants(self) -> int:
        """Number of the workers that take part."""
        return self.weight.shape[0]

    @property
    def total_weight(self) -> Tensor:
        """Σω, the sum of the participants' weights in the objective, which the server knows. Shape [1, 1, 1]."""
        return tf.reduce_sum(self.weight, axis=0, keepdims=True)

    def start(self, own: Tensor, common: Tensor) -> Tensor:
        """Return the model from which a worker trains, by ``local.warm_start``. Shape [participants or 1, d, runs].

        Arguments:
            own: the worker's own model, returned unless the key is "global". Shape [participants, d, runs], for d
                elements of a model.
            common: the global model as received, returned where the key is "global". Shape [participants or 1, d,
                runs].
        """
        return common if self.options.warm_start == "global" else own


class Local(NamedTuple):
    """Result of the participants' part of a round, for models of d elements.

    Arguments:
        client: the participants' new states, a named tuple of tensors of shape [participants, ..., runs].
        done: a ``Minimiser`` with the trained models, [participants, d, runs], mean local losses over the local steps
            and epochs, [participants, runs] each.
        messages: vectors to upload, [participants, d, runs], and single numbers, [participants, 1, runs]. They are
            empty where ``Method.upload`` forms them.
    """

    client: Any
    done: Minimiser
    messages: tuple[Tensor, ...] = ()


class Model(NamedTuple):
    """State of a server that keeps nothing but the global model.

    Arguments:
        model: global model of d elements for each run. Shape [1, d, runs].
    """

    model: Tensor


class Nothing(NamedTuple):
    """State of a worker that keeps nothing from round to round."""
