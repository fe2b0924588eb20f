"""What a method may ask of the local problems of all workers, whatever is learned."""

from typing import Any, NamedTuple, Protocol

from otafl.arrays import Tensor


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
    """The local problems of all workers: losses f_n, with a model common to all or one for each worker."""

    @property
    def start(self) -> Tensor:
        """The model that training starts from. Shape [1, d, runs]."""
        ...

    def at(self, iteration: Tensor) -> "Problem":
        """The problem in an iteration, which what is drawn at random depends on."""
        ...

    def gradient(self, theta: Tensor) -> Gradient:
        """∇f_n(θ_n), over all of a worker's samples, for θ of shape [workers or 1, d, runs]."""
        ...

    def sampled_gradient(self, theta: Tensor) -> Gradient:
        """An estimate of ∇f_n(θ_n) from one mini-batch, where the problem is trained on mini-batches."""
        ...

    def penalise(self, weight: Tensor) -> Any:
        """Prepare ``minimise`` for penalty weights w of shape [workers, d, runs]."""
        ...

    def minimise(self, penalised: Any, weight: Tensor, dual: Tensor, anchor: Tensor, start: Tensor) -> Minimiser:
        """argmin_θ f_n(θ) + ⟨μ_n, θ⟩ + ½ Σ_i w_{n,i}(θ_i − Θ_i)² for every worker, or training towards it.

        ``dual`` and ``start`` have shape [workers, d, runs], ``anchor`` Θ [workers or 1, d, runs].
        """
        ...

    def solve(
        self,
        start: Tensor,
        dual: Tensor | None = None,
        weight: Tensor | None = None,
        anchor: Tensor | None = None,
        accuracy: Accuracy | None = None,
    ) -> Minimiser:
        """``minimise`` where nothing was prepared, from ``start`` [workers or 1, d, runs].

        ``weight`` has shape [workers or 1, 1, runs]; without it there is no penalty, without ``dual`` no linear term.
        What solves exactly heeds no ``accuracy``.
        """
        ...

    def log_probabilities(self, theta: Tensor) -> Tensor:
        """Of a classification: log-probabilities of all classes. Shape [workers, places, classes]."""
        ...

    def with_pseudo_labels(self, probabilities: Tensor) -> "Problem":
        """Of a classification: with probabilities in place of labels that may not be used."""
        ...

    def loss(self, models: Tensor, losses: Tensor) -> Tensor:
        """What is reported as loss, of the local models or of the losses seen on the way. Shape [runs]."""
        ...

    def test_accuracy(self, model: Tensor) -> Tensor:
        """Share of test samples that a model [1, d, runs] gets right, NaN where there are none. Shape [runs]."""
        ...
