"""Low-rank adapters beside the frozen weights of a network: W = W0 + (alpha/r)·A·B (Hu et al., 2022, "LoRA")."""

import functools
from dataclasses import dataclass

import numpy as np
import tensorflow as tf

from otafl.errors import OtaflError
from otafl.numerics.optimizers import Tensors
from otafl.numerics.tensors import Tensor
from otafl.training.networks import Network


@dataclass(frozen=True, eq=False)
class Adapted(Network):
    """Network of which adapters alone are trained: A [m, r] and B [r, n] beside each weight matrix W0 [m, n].

    Convolutions count as matrices with all axes but the last one in m. Biases and other vectors stay as they are. The
    weights of the full network, without adapters, are the frozen base.
    """

    full: Network
    alpha: float

    @property
    def convolves(self) -> bool:
        return self.full.convolves

    def apply(self, weights: Tensors, inputs: Tensor, base: Tensor | None = None, seed: Tensor | None = None) -> Tensor:
        return self.full.apply(self.merged(weights, base), inputs, seed=seed)

    def regularisation(self, weights: Tensors, base: Tensor | None = None) -> Tensor:
        return self.full.regularisation(self.merged(weights, base))

    def merged(self, weights: Tensors, base: Tensor) -> Tensors:
        # W0 + (alpha/r)·A·B, from adapters A and B of each matrix in turn
        frozen = self.full.unflatten(base[0])
        pairs = iter(zip(weights[::2], weights[1::2], strict=True))
        return [self._moved(weight, *next(pairs)) if len(weight.shape) > 1 else weight for weight in frozen]

    def _moved(self, weight: Tensor, a: Tensor, b: Tensor) -> Tensor:
        return weight + tf.reshape(self.alpha / a.shape[1] * tf.matmul(a, b), weight.shape)

    def initial(self, seed: int) -> np.ndarray:
        """Return adapters that change nothing yet, A ~ N(0, 1/m) and B = 0."""
        rng = np.random.default_rng(seed)
        parts = [
            rng.standard_normal(shape, np.float32) / np.sqrt(shape[0]) if place % 2 == 0 else np.zeros(shape)
            for place, shape in enumerate(self.shapes)
        ]
        return np.concatenate([part.ravel() for part in parts]).astype(np.float32)


@functools.lru_cache(maxsize=8)
def with_adapters(full: Network, rank: int, alpha: float) -> Adapted:
    """Return a network of which adapters alone are trained, of a rank that is cut to min(m, n) for a matrix [m, n]."""
    sides = [(int(np.prod(shape[:-1])), shape[-1]) for shape in full.shapes if len(shape) > 1]
    if not sides:
        raise OtaflError("problem.adapter_rank", rank, "must be 0, as the model has no weight matrix")
    ranks = [min(rank, *pair) for pair in sides]
    shapes = [shape for (m, n), r in zip(sides, ranks, strict=True) for shape in ((m, r), (r, n))]
    return Adapted(full.name, full.build, full.model, tuple(shapes), full.outputs, full, alpha)
