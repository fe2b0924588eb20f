"""What a method may ask of the local problems of all workers, whatever is learned."""

from typing import Any, NamedTuple, Protocol

from otafl.arrays import Tensor


class Gradient(NamedTuple):
    """Local gradients, [workers, d, runs], and the local losses seen on the way, [workers, runs] (0 where none are)."""

    slope: Tensor
    losses: Tensor


class Minimiser(NamedTuple):
    """Local models, [workers, d, runs], and the local losses seen on the way, [workers, runs] (0 where none are)."""

    theta: Tensor
    losses: Tensor


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

    def loss(self, models: Tensor, losses: Tensor) -> Tensor:
        """What is reported as loss, of the local models or of the losses seen on the way. Shape [runs]."""
        ...

    def test_accuracy(self, model: Tensor) -> Tensor:
        """Share of test samples that a model [1, d, runs] gets right, NaN where there are none. Shape [runs]."""
        ...
