"""The whole energy of a group's runs, by what takes it.

Approximations: a cyclic prefix is as strong as the symbol behind it; workers who pass over their samples a different
number of times count with the mean of these numbers; the server's computation and all receivers are left out.
"""

from typing import NamedTuple

import numpy as np

from otafl.engine.group import Group


class Extra(NamedTuple):
    """What the ledger enters of an iteration for this, of all workers together.

    Arguments:
        pilots, feedback: of the radiated energy, what pilots and digital reports take [J].
        downlink: what the server radiates [J].
        samples: that workers compute with; where they count passes, in one of them.
    """

    pilots: np.ndarray
    feedback: np.ndarray
    downlink: np.ndarray
    samples: np.ndarray


class Parts(NamedTuple):
    """The energy of an iteration by what takes it [J]; the names are those of variables of results."""

    energy_data: np.ndarray
    energy_pilots: np.ndarray
    energy_feedback: np.ndarray
    energy_prefix: np.ndarray
    energy_downlink: np.ndarray
    energy_computation: np.ndarray
    energy_amplifiers: np.ndarray
    total_energy: np.ndarray


def samples(group: Group, workers: np.ndarray) -> float:
    """Samples that some workers compute with in an iteration, or where they count passes, in one of them."""
    steps = group.task.steps(workers, np.zeros(len(workers), int)).sum()
    batch = group.task.learner.batch_size if group.task.learner else 0
    return float(steps * batch or group.task.counts[workers].sum())


def parts(group: Group, radiated: np.ndarray, extra: Extra, passes: np.ndarray | float) -> Parts:
    """The whole energy of iterations. Shape [iterations, runs] each.

    Arguments:
        radiated: energy of all that workers send [J].
        extra: see there.
        passes: over its samples that a worker makes in the mean.
    """
    keys = group.settings.energy
    prefix = group.uplink.grid.prefix_share(group.uplink.symbols) * (radiated + extra.downlink)
    computed = extra.samples * (passes if group.in_epochs else 1.0) * keys.sample_j
    lost = (1 / keys.amplifier_efficiency - 1) * (radiated + prefix + extra.downlink)
    return Parts(
        energy_data=radiated - extra.pilots - extra.feedback,
        energy_pilots=extra.pilots,
        energy_feedback=extra.feedback,
        energy_prefix=prefix,
        energy_downlink=extra.downlink,
        energy_computation=computed,
        energy_amplifiers=lost,
        total_energy=radiated + prefix + extra.downlink + computed + lost,
    )
