"""What a method may ask of local problems, and what one round of it is given and gives.

Tensors carry runs side by side on their last axis: a model of each worker is [workers, d, runs], one common to all
[1, d, runs].
"""

from typing import Any, NamedTuple, Protocol

from otafl.arrays import Tensor, tf
from otafl.round_draw import RoundDraw, on_elements


class Gradient(NamedTuple):
    """Local gradients, [workers, d, runs], and the local losses seen on the way, [workers, runs] (0 where none are)."""

    slope: Tensor
    losses: Tensor


class Minimiser(NamedTuple):
    """Local models, [workers, d, runs], the local losses seen on the way, [workers, runs] (0 where none are), and the
    passes over its samples that each worker has made, likewise."""

    theta: Tensor
    losses: Tensor
    epochs: Tensor


class Accuracy(NamedTuple):
    """How accurate a local minimiser must be: its residual at most a share of that at another model.

    Arguments:
        reference: the other model. Shape [workers or 1, d, runs].
        share: Shape [workers or 1, 1, runs].
    """

    reference: Tensor
    share: Tensor


class Problem(Protocol):
    """The local problems of some workers: losses f_n, with a model common to all or one for each worker."""

    @property
    def start(self) -> Tensor:
        """The model that training starts from. Shape [1, d, runs]."""
        ...

    def gradient(self, theta: Tensor) -> Gradient:
        """∇f_n(θ_n), over all of a worker's samples, for θ of shape [workers or 1, d, runs]."""
        ...

    def sampled_gradient(self, theta: Tensor) -> Gradient:
        """An estimate of ∇f_n(θ_n) from one mini-batch, where the problem is trained on mini-batches."""
        ...

    def penalise(self, weight: Tensor) -> Any:
        """Prepare ``solve`` for penalty weights w of shape [workers, d, runs]; None where nothing can be prepared."""
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
        """argmin_θ f_n(θ) + ⟨μ_n, θ⟩ + ½ Σ_i w_{n,i}(θ_i − Θ_i)² for every worker, or training towards it.

        Arguments:
            start: where training starts; exact solvers do not heed it. Shape [workers or 1, d, runs].
            dual: μ; without it there is no linear term. Shape [workers, d, runs].
            weight: w; without it there is no penalty. Shape [workers or 1, d or 1, runs].
            anchor: Θ. Shape [workers or 1, d, runs].
            accuracy: when training may end; exact solvers do not heed it.
            penalised: what ``penalise`` has prepared for these weights.
        """
        ...

    def log_probabilities(self, theta: Tensor) -> Tensor:
        """Of a classification: log-probabilities of all classes. Shape [workers, places, classes]."""
        ...

    def with_pseudo_labels(self, probabilities: Tensor) -> "Problem":
        """Of a classification: with probabilities in place of labels that may not be used."""
        ...


class Round(NamedTuple):
    """A round as a method sees it: all workers of it take part, the participants.

    Arguments:
        problem: the local problems of the participants.
        parameters: the method's numbers by name, each of shape [runs].
        options: what shapes the method's program, by name: ``workers`` N, ``places`` for samples of a worker,
            ``classes``, and the keys with words or whole numbers that it reads.
        draw: all that was drawn or known beforehand; methods read it through the properties.
        prepared: what the method has prepared for the coherence block.
        heard: the global model as the participants have received it. Shape [participants or 1, d, runs].
    """

    problem: Problem
    parameters: Any
    options: Any
    draw: RoundDraw
    prepared: Any
    heard: Tensor

    @property
    def weight(self) -> Tensor:
        """ω, the participants' weights in the objective, which add up to 1 over all workers. Shape [participants, 1,
        1]."""
        return self.draw.weight

    @property
    def steps(self) -> Tensor:
        """Q, local steps of each participant, where they are known beforehand. Shape [participants, 1, 1]."""
        return self.draw.steps

    @property
    def uploads(self) -> Tensor:
        """1 where the round ends with an upload, else 0. Shape [1, 1, 1]."""
        return tf.ones([1, 1, 1], self.heard.dtype) if self.draw.uploads is None else self.draw.uploads

    @property
    def gain(self) -> Tensor:
        """|h|² as workers and server believe it, where the method weighs by it, else 1; 0 for workers that are computed
        and do not take part. The server may be given its sum alone, in one row. Shape [participants, d, runs]."""
        return self.draw.of_active(on_elements(self.draw.channel.gain, self.heard.shape[1]))

    @property
    def changed(self) -> Any:
        """True where the channel differs from a participant's last round and the method heeds it: for all alike, known
        beforehand or as a scalar tensor, or for each. Shape [] or [participants, 1, 1]."""
        return self.draw.changed

    @property
    def participants(self) -> int:
        """Number of those that take part."""
        return self.weight.shape[0]

    @property
    def total_weight(self) -> Tensor:
        """Σω over the participants, which the server knows. Shape [1, 1, 1]."""
        return tf.reduce_sum(self.weight, axis=0, keepdims=True)

    def start(self, own: Tensor, common: Tensor) -> Tensor:
        """Where local training starts, ``local.warm_start``."""
        return common if self.options.warm_start == "global" else own


class Local(NamedTuple):
    """What the participants have done.

    Arguments:
        client: what they keep.
        done: how training went.
        messages: what they upload, where it is formed on the way and not by ``Method.upload``.
    """

    client: Any
    done: Minimiser
    messages: tuple[Tensor, ...] = ()


class Model(NamedTuple):
    """A server that keeps nothing but the global model. Shape [1, d, runs]."""

    model: Tensor


class Nothing(NamedTuple):
    """What a worker keeps that keeps nothing."""
