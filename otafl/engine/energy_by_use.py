"""Energy of a group's runs, by its use.

Approximations: a cyclic prefix is as strong as the symbol behind it. The server's computation and all receivers are
left out.
"""

from typing import NamedTuple

import numpy as np

from otafl.engine.group import Group


class Extra(NamedTuple):
    """Entries of the ledger for the whole energy of iterations, of all workers together. Shape [iterations, runs] each.

    Arguments:
        pilots: energy that workers radiate in pilots [J].
        feedback: energy that workers radiate in digital reports, such as scaling factors [J].
        downlink: energy that the server radiates [J].
        samples: number of samples of all steps of workers; where they train in epochs, of one epoch. Each is counted
            by (f_n/f)², the worker's clock over the highest one, as its energy is.
    """

    pilots: np.ndarray
    feedback: np.ndarray
    downlink: np.ndarray
    samples: np.ndarray


class Parts(NamedTuple):
    """Energy of iterations by its use [J], each named as its result variable. Shape [iterations, runs] each.

    In order: data symbols, pilots, feedback, cyclic prefixes, downlink, computation of workers, losses of amplifiers,
    and the total of all.
    """

    energy_data: np.ndarray
    energy_pilots: np.ndarray
    energy_feedback: np.ndarray
    energy_prefix: np.ndarray
    energy_downlink: np.ndarray
    energy_computation: np.ndarray
    energy_amplifiers: np.ndarray
    total_energy: np.ndarray


def parts(group: Group, radiated: np.ndarray, extra: Extra, passes: np.ndarray | float) -> Parts:
    """Return the energy of iterations by its use, of all workers and the server together [J]."""
    keys = group.settings.energy
    prefix = group.uplink.grid.prefix_share(group.uplink.symbols) * (radiated + extra.downlink)
    computed = extra.samples * passes * keys.sample_j
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
