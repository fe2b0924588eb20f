"""Workers that are left out because of their path loss, and the SNR given to the worst worker."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import otafl
from otafl.engine.coherence_blocks import Segment
from otafl.engine.draws import Draws
from otafl.engine.executors import Resident
from otafl.engine.group import Group
from otafl.errors import Remark
from tests.otafl.small import SMALL, dotted, group_of

CELL: dict[str, Any] = {"federation.workers": 12, "cell.radius_m": 400.0, "cell.snr_at": "median", "run.seeds": 1}
CELL |= {"cell.shadowing_db": 8.0}
DIGITS = CELL | {"method": "FedAvg@analog", "local.steps": 2, "run.iterations": 4}
MOST_DB = 100.0


def group(seed: int = 0, **keys) -> Group:
    return group_of("digits_quickstart", DIGITS | dotted(keys), [seed])


def taking_part(made: Group, rounds: int = 4) -> list[np.ndarray]:
    draws = Draws(made)
    return [draws.who(Segment(number, number, 1, True))[0].workers for number in range(rounds)]


def losses_db(made: Group) -> np.ndarray:
    return -made.air.drops[0].gain_db


@pytest.mark.parametrize("method", ["FedAvg@analog", "FedAvg@digital", "A-SFADMM"])
def test_workers_beyond_the_loss_never_take_part(method):
    made = group(method=method, federation__largest_loss_db=MOST_DB)
    near = np.flatnonzero(losses_db(made) <= MOST_DB)
    assert 0 < len(near) < 12
    for who in taking_part(made):
        np.testing.assert_array_equal(who, near)


def test_of_those_drawn_the_near_ones_take_part_or_else_the_nearest():
    made = group(federation__largest_loss_db=MOST_DB, federation__participation=0.25)
    loss, drawn = losses_db(made), taking_part(group(federation__participation=0.25), 40)
    alone = 0
    for who, all_drawn in zip(taking_part(made, 40), drawn, strict=True):
        near = all_drawn[loss[all_drawn] <= MOST_DB]
        alone += not near.size
        np.testing.assert_array_equal(who, near if near.size else [all_drawn[loss[all_drawn].argmin()]])
    assert alone


@pytest.mark.slow
def test_a_regression_ends_at_the_optimum_of_those_who_take_part():
    """Without noise, and not at that of all, by NumPy; users are told."""
    keys = SMALL | CELL | {"method": "D-FADMM", "run.iterations": 3000, "algorithm.rho": 1.0}
    keys |= {"uplink.bits_per_element": 64}
    keys |= {"federation.largest_loss_db": MOST_DB, "channel.snr_db": 60.0, "channel.coherence_iterations": 3000.0}
    with pytest.warns(Remark, match=r"of 12 workers of the first seed are left out, and the model is biased"):
        otafl.run("quickstart", keys | {"run.iterations": 2})
    made = group_of("quickstart", keys)
    executor = Resident(made)
    with ThreadPoolExecutor(1) as pool:
        for drawn in executor.inputs():
            executor.advance(drawn.inputs, pool)
    model = executor.states()[0][0].squeeze()
    hessian, linear, optimum = (part.numpy()[..., 0] for part in made.task.shared(np.array([0])))
    near = losses_db(made) <= MOST_DB
    theirs = np.linalg.solve(hessian[near].sum(axis=0), linear[near].sum(axis=0))
    np.testing.assert_allclose(model, theirs, rtol=1e-6)
    assert np.linalg.norm(theirs - optimum[0]) > 1e-2


def test_the_worst_worker_has_the_snr():
    for seed in range(3):
        powers = group(seed=seed, cell__snr_at="worst").air.mean[0, :, 0]
        assert powers.min() == pytest.approx(1.0)
        median = group(seed=seed).air.mean[0, :, 0]
        np.testing.assert_allclose(powers / powers.min(), median / median.min())


def test_the_worst_worker_of_a_sector_has_the_snr():
    pytest.importorskip("sionna.phy")
    given = {"federation.workers": 8, "method": "A-FADMM", "channel.fading": "umi", "run.seeds": 1}
    more = {}, {"cell.snr_at": "worst"}, {"federation.largest_loss_db": 115.0}
    groups = [group_of("quickstart", given | keys) for keys in more]
    median, worst, bound = (made.air for made in groups)
    assert worst.mean.min() == pytest.approx(1.0)
    ratio = np.abs(worst.alone(1, 4)) / np.abs(median.alone(1, 4))
    np.testing.assert_allclose(ratio, median.mean.min() ** -0.5, rtol=1e-5)
    np.testing.assert_allclose(worst.split(1, np.arange(8), 2, 0), ratio[0, 0, 0] * median.split(1, np.arange(8), 2, 0))
    np.testing.assert_array_equal(worst.located().gain_db, median.located().gain_db)
    near = np.flatnonzero(-bound.located().gain_db <= 115.0)
    np.testing.assert_array_equal(taking_part(groups[2], 1)[0], near)


@pytest.mark.slow
def test_a_charged_broadcast_waits_for_workers_within_reach_alone():
    """Its rate is that of the weakest listener; who is left out does not listen."""
    keys = DIGITS | {"method": "FedAvg@analog", "uplink.charge_downlink": True}
    every, near = (
        otafl.run("digits_quickstart", keys | more) for more in ({}, {"federation.largest_loss_db": MOST_DB})
    )
    assert (near["time"].isel(iteration=-1) < every["time"].isel(iteration=-1)).all()
