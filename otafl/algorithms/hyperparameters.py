"""Parameters of the methods, as vectors over runs."""

from typing import NamedTuple

from otafl.arrays import Tensor


class Hyperparameters(NamedTuple):
    """Parameters of a method, each of shape [runs].

    Arguments:
        rho: ρ, the penalty of ADMM.
        step_size: what a gradient method multiplies the sum of gradients by.
    """

    rho: Tensor
    step_size: Tensor
