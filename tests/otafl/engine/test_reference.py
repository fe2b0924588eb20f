"""Runs of A-FADMM against the paper's algorithm in complex numbers."""

import numpy as np
import pytest

from otafl.channels import multiple_access
from otafl.channels.grid import Grid
from otafl.channels.power import common_scaling, transmitted_energy_j
from otafl.engine import participation
from otafl.engine.group import Group
from otafl.engine.simulate import simulate
from otafl.numerics import seeds
from tests.otafl.small import group_of

WORKERS, RHO, SNR_DB, W, N0, T = 8, 0.5, 15.0, 30e3, 2e-9, 2e-3
BASE = {
    "method": "A-FADMM",
    "federation.workers": WORKERS,
    "channel.snr_db": SNR_DB,
    "uplink.subcarriers": 4,
    "uplink.noise_psd_w_per_hz": N0,
    "uplink.slot_s": T,
    "uplink.subcarrier_spacing_hz": W,
}
"""Runs with 10 elements on 4 subcarriers."""


def complex_run(made: Group) -> tuple[np.ndarray, np.ndarray]:
    """Losses and energies of algorithm 1 of Elgabli et al., with the run's own data, gains, noise and participants."""
    settings, grid = made.settings, Grid(4)
    hessian, linear, optimum = (part[..., 0] for part in made.task.stacked)
    workers, dim = linear.shape
    noise, downlink = (seeds.generator(made.seeds[0], name) for name in ("noise", "downlink"))
    deviation, budget = np.sqrt(N0 / (2 * T)), 10 ** (SNR_DB / 10) * W * N0 * dim
    theta, dual = np.zeros((workers, dim)), np.zeros((workers, dim), complex)
    heard, last_block = np.zeros((workers, dim)), np.full(workers, -1)
    losses, energies = [], []
    who = participation.Participation(settings, made.task.counts, made.seeds[0])
    for k in range(settings.run.iterations):
        block = k // int(settings.channel.coherence_iterations)
        h = grid.on_elements(made.air.alone(block, 4)[0], dim)
        active = next(who).workers
        for n in active:
            slope, weight = hessian[n] @ theta[n] - linear[n], RHO * np.abs(h[n]) ** 2
            if last_block[n] not in (-1, block):
                dual[n] = np.conj((-slope - weight * (theta[n] - heard[n])) / h[n])
            else:
                pull = linear[n] - (np.conj(dual[n]) * h[n]).real + weight * heard[n]
                theta[n] = np.linalg.solve(hessian[n] + np.diag(weight), pull)
            last_block[n] = block
        signals = np.conj(h) * theta + np.conj(dual) / RHO
        z = deviation * noise.standard_normal((1, dim))[0]
        received = multiple_access.aggregate(signals[active], h[active], z, budget)
        model = received.real / np.sum(np.abs(h[active]) ** 2, axis=0)
        heard[:] = model
        if settings.uplink.downlink == "analog":
            alpha = np.sqrt(budget / np.sum(model**2))
            z = deviation * downlink.standard_normal((1, workers, dim))[0] * h / np.abs(h)
            heard = ((h * alpha * model + z) / (h * alpha)).real
        dual[active] += RHO * (h * (theta - heard))[active]
        away = theta - optimum
        gap = 0.5 * np.einsum("ni,nij,nj", away, hessian, away)
        losses.append(abs(gap + np.sum(away * (hessian @ optimum[0] - linear))))
        alpha = common_scaling(signals[active], budget)
        energies.append(transmitted_energy_j(signals[active], alpha, T).sum())
    return np.array(losses), np.cumsum(energies)


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    "keys",
    [{}, {"uplink.downlink": "analog"}, {"federation.participation": 0.5}],
    ids=["digital downlink", "analog downlink", "half of the workers"],
)
def test_run_is_the_papers_algorithm_in_complex_numbers(keys):
    """Over changes of channel, in which workers solve for their duals, and over noise."""
    made = group_of("quickstart", BASE | {"channel.coherence_iterations": 4.0, "run.iterations": 22} | keys, [3])
    losses, energies = complex_run(made)
    curves = simulate(made)
    np.testing.assert_allclose(curves.values["loss"][0], losses, rtol=1e-7)
    np.testing.assert_allclose(curves.values["energy"][0], energies, rtol=1e-8)
    assert np.unique(losses).size > 5
