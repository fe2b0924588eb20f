"""Theorem 1 of Elgabli et al. where server or workers have several antennas: noise-free, over the channel g that they
leave of h."""

import numpy as np
import pytest

from otafl.channels import antennas
from otafl.channels.combiners import COMBINERS
from otafl.problems.linear_regression import LinearRegression
from otafl.uplinks.analog import Analog
from tests.otafl.algorithms.conftest import over_channels
from tests.otafl.algorithms.test_fadmm import RHO, TINY, distance
from tests.otafl.small import SMALL, group_of
from tests.otafl.uplinks.links import in_tensors

WORKERS, ANTENNAS, SUBCARRIERS = 5, 4, 2
KEYS = SMALL | {"method": "A-FADMM", "channel.snr_db": np.inf, "federation.workers": WORKERS, "run.seeds": 2}
KEYS |= {"uplink.subcarriers": SUBCARRIERS, "algorithm.rho": RHO}
SIDES = {
    **{name: {"cell.antennas": ANTENNAS, "uplink.combiner": name} for name in ("first", "principal", "max_min")},
    "workers": {"cell.worker_antennas": ANTENNAS},
}
STATIC, CHANGING = np.inf, 10.0


@pytest.fixture(params=SIDES)
def side(request):
    """Antennas on each side, and what combines them."""
    return SIDES[request.param]


def group(side, coherence):
    return group_of("quickstart", KEYS | side | {"channel.coherence_iterations": coherence})


def iterations(made, count):
    """A-FADMM over the channels that a group has, iteration by iteration, and its problem."""
    problem = LinearRegression(*made.task.shared(np.array([0])))

    def channel(k):
        return made.channel(int(k // made.coherence)).each(lambda part: on_elements(made, part))

    radio = in_tensors(made.uplink.radio)
    return problem, over_channels(problem, count, made.coherence, channel, RHO, radio, Analog)


def on_elements(made, part):
    """From [workers, subcarriers, 1] to [workers, d, 1]."""
    return made.uplink.grid.on_elements(part[..., 0], made.elements)[..., None]


@pytest.mark.parametrize("coherence", [STATIC, CHANGING])
def test_theorem_1_holds_with_antennas(side, coherence):
    """(22) does not rise in any iteration, also where the channel changes; |g|² takes the place of |h|²."""
    changes = 0
    problem, run = iterations(group(side, coherence), 80)
    for it in run:
        before = distance(it.entered, it.before.model, it.gain, problem)
        after = distance(it.after.mu, it.after.model, it.gain, problem)
        moved = it.after.theta - it.before.model
        least = RHO * np.sum(it.gain * moved**2) * (1 - 1e-9)
        assert before - after >= least - TINY * max(before, 1.0)
        assert np.abs(it.after.mu.sum(axis=0)).max() <= TINY * max(np.abs(it.after.mu).sum(axis=0).max(), 1.0)
        changes += it.changed
    assert changes == (0 if coherence == STATIC else 7)


def test_what_antennas_send_and_hear_is_what_the_server_takes_for_the_sum(side):
    """The next model is Re{w^H·y}/Σ|g|² of y = Σ_n h_n·x_n, antenna by antenna, with x = conj(g)·θ + conj(λ)/ρ."""
    made = group(side, STATIC)
    h = made.uplink.grid.on_elements(made.air.fading[0].gains(0, SUBCARRIERS), made.elements)
    norm = antennas.amplitude(h)
    at_workers = made.settings.cell.worker_antennas > 1
    if at_workers:
        g, beams, weights = norm, h.conj() / norm[:, None], np.ones((made.elements, 1))
        h = h[:, None]
    else:
        weights = COMBINERS[made.settings.uplink.combiner]().weights(np.moveaxis(h, -1, 0))
        g, beams, h = np.einsum("im,nmi->ni", weights.conj(), h), np.ones((WORKERS, 1, made.elements)), h[:, :, None]
    _, run = iterations(made, 5)
    for it in run:
        theta, mu = it.after.theta[..., 0], it.entered[..., 0]
        symbols = g.conj() * theta + mu / (RHO * g)
        received = np.einsum("nrti,nti->ri", h, beams * symbols[:, None])
        heard = np.einsum("ir,ri->i", weights.conj(), received).real
        np.testing.assert_allclose(it.after.model[0, :, 0], heard / np.sum(np.abs(g) ** 2, axis=0), rtol=1e-9)
