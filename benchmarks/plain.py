"""Plain simulation that a user would write without otafl: one run at a time, in NumPy and real arithmetic.

Kept favourable to the user: the loss is taken only where the result keeps it, nothing is complex, and the random draws
are otafl's own, so that both sides can be compared number by number.
"""

import math
from typing import cast

import numpy as np

from otafl.engine.channel_process import BlockGains
from otafl.engine.group import Group
from otafl.engine.run_spec import RunSpec
from otafl.numerics import seeds
from otafl.problems.linear_regression import LinearRegression
from otafl.uplinks import physical_layer
from otafl.uplinks.analog_link import Radio
from otafl.uplinks.uplink import Senders


def losses(column: RunSpec, invert: bool) -> np.ndarray:
    """Return the loss at the recorded iterations of a run of A-FADMM or D-FADMM, NaN beyond its channel uses.

    The local systems are solved by ``np.linalg.solve`` in every iteration, or with ``invert`` by inverses kept for a
    coherence block, which is faster and less accurate.
    """
    settings = column.settings
    group = Group([column])
    problem = cast(LinearRegression, group.task.shared(np.array([0])))
    hessian, linear, optimum = (part.numpy()[..., 0] for part in problem)
    workers, dim = linear.shape
    slope = np.einsum("nij,j->ni", hessian, optimum[0]) - linear
    analog = not group.uplink.exact
    budget, noise_std = cast(Radio, group.uplink.radio)[:2] if analog else (math.inf, 0.0)
    rho, rng = settings.algorithm.rho, seeds.generator(column.seed, "noise")
    power, snr = physical_layer.power_w(settings), physical_layer.snr(settings)
    keep = set(settings.run.recorded - 1)
    theta, mu, model = np.zeros((workers, dim)), np.zeros((workers, dim)), np.zeros(dim)
    curve, used = [], 0.0
    for k in range(settings.run.iterations):
        changed = analog and k > 0 and k % 10 == 0
        if k % 10 == 0:
            gain = np.broadcast_to(group.channels([k // 10]).of_block(0).gain[..., 0], (workers, dim))
            weight, total = rho * gain, gain.sum(axis=0)
            matrix = hessian + weight[:, :, None] * np.eye(dim)
            inverse = np.linalg.inv(matrix) if invert else None
            gains = BlockGains(group.air, k // 10, group.seed_index)
            uses = group.uplink.cost(Senders(workers, gains, np.array([snr]), np.array([power]))).uses[0]
        used += uses
        if used > (settings.run.max_channel_uses or math.inf):
            break
        if changed:
            mu = linear - (hessian @ theta[..., None])[..., 0] - weight * (theta - model)
        else:
            right_side = (linear - mu + weight * model)[..., None]
            theta = (inverse @ right_side if invert else np.linalg.solve(matrix, right_side))[..., 0]
        contribution = gain * theta + mu / rho
        received = contribution.sum(axis=0)
        if analog:
            largest = np.max(np.sum(contribution**2 / gain, axis=1))
            noise = rng.standard_normal(dim)
            received = received + noise_std * np.sqrt(largest / budget) * noise
        model = received / total
        mu = mu + weight * (theta - model)
        if k in keep:
            away = theta - optimum
            curve.append(abs(np.sum(away * (0.5 * (hessian @ away[..., None])[..., 0] + slope))))
    return np.array(curve + [np.nan] * (len(keep) - len(curve)))
