"""Section II-D of the A-FADMM paper: the transmit power that inversion of the dual by the channel takes."""

from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import otafl
from figures.gallery.panels import legend_under
from figures.gallery.pictures import Results
from otafl.channels.fading import RayleighFading
from otafl.problems.exact_regression import Exact

DRAWS, SEED = 200, 0
"""Number of channels drawn, and the seed of the data and of the generator."""


class Rest(NamedTuple):
    """Fixed point of A-FADMM without noise, for N workers and models of d elements.

    Arguments:
        theta: model θ*. Shape [1, d].
        mu: duals μ_n = −∇f_n(θ*), f_n being the local losses of workers n. Shape [N, d].
        rho: penalty ρ.
    """

    theta: np.ndarray
    mu: np.ndarray
    rho: float


def rest() -> Rest:
    """Return the fixed point of A-FADMM, models and duals, in the study of figure 3(b) of its paper."""
    _, settings = next(otafl.load("linreg_energy").points())
    hessian, linear, optimum = (part[..., 0] for part in Exact(settings, [SEED]).stacked)
    return Rest(optimum, linear - np.einsum("nij,j->ni", hessian, optimum[0]), settings.algorithm.rho)


def power(point: Rest, gain: np.ndarray) -> np.ndarray:
    """Return the squared symbols |x|² = |conj(h)θ + μ/(ρh)|² before power control, [..., N, d], from |h|²."""
    return (gain * point.theta + point.mu / point.rho) ** 2 / gain


def linreg_inversion(_: Results) -> Figure:
    """Return the transmit power before power control against |h|², and each worker's share in its strongest symbol."""
    point = rest()
    workers, elements = point.mu.shape
    rng = np.random.default_rng(SEED)
    gain = np.abs(np.array([RayleighFading().sample(rng, workers, elements) for _ in range(DRAWS)])) ** 2
    fig, axes = plt.subplots(1, 2, figsize=(7.0, 2.6))
    _against_gain(axes[0], point, gain[0])
    _shares(axes[1], power(point, gain))
    return fig


def _against_gain(ax: Axes, point: Rest, gain: np.ndarray) -> None:
    """Draw the symbols of one channel, and the mean power of workers and elements at each |h|², with both its parts."""
    grid = np.logspace(-4, 1, 100)
    ax.plot(gain.ravel(), power(point, gain).ravel(), ".", color="0.7", markersize=2, label="a symbol")
    model, dual = np.mean(point.theta**2), np.mean((point.mu / point.rho) ** 2)
    ax.plot(grid, power(point, grid[:, None, None]).mean(axis=(1, 2)), label="mean")
    ax.plot(grid, grid * model, "--", label="of conj(h)θ")
    ax.plot(grid, dual / grid, ":", label="of μ/(ρh)")
    ax.set(xscale="log", yscale="log", ylim=(1e-6, 1e3), xlabel="$|h|^2$", ylabel="Power $|x|^2$")
    legend_under(ax)


def _shares(ax: Axes, powers: np.ndarray) -> None:
    """Draw the distribution of the strongest symbol's share of power, for all workers and for the one that sets α."""
    total = powers.sum(axis=-1)
    share = powers.max(axis=-1) / total
    parts = {"all workers": share.ravel(), "the one that sets α": share[range(DRAWS), total.argmax(axis=-1)]}
    for label, values in parts.items():
        ax.plot(np.sort(values), np.arange(1, values.size + 1) / values.size, label=label)
    ax.axvline(1 / powers.shape[-1], color="0.7", linestyle=":")
    ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="Share of the strongest symbol", ylabel="Workers with at most that")
    legend_under(ax)
