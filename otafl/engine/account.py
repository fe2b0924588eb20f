"""Account of a group: sums of costs and of energy by its use, iteration by iteration, as result variables.

Approximations: a cyclic prefix is as strong as the symbol behind it. The server's computation and all receivers are
left out.
"""

from typing import NamedTuple

import numpy as np

from otafl.engine.costs import COSTS, Extra, further
from otafl.engine.group import Group
from otafl.engine.work_done import WorkDone
from otafl.uplinks.uplink import Cost


class Parts(NamedTuple):
    """Energy of iterations by its use [J], each named as its result variable. Shape [iterations, runs] each."""

    energy_data: np.ndarray
    energy_pilots: np.ndarray
    energy_feedback: np.ndarray
    energy_prefix: np.ndarray
    energy_downlink: np.ndarray
    energy_computation: np.ndarray
    energy_circuits: np.ndarray
    energy_amplifiers: np.ndarray
    total_energy: np.ndarray


def parts(group: Group, radiated: np.ndarray, extra: Extra, work: WorkDone | None) -> Parts:
    """Return the energy of iterations by its use, of all workers and the server together [J]."""
    keys = group.settings.energy
    passes, saved_on_s = (work.passes, work.saved_on_s) if work else (1.0, 0.0)
    prefix = group.uplink.grid.prefix_share(group.uplink.symbols) * (radiated + extra.downlink)
    computed = extra.samples * passes * keys.sample_j
    circuits = (extra.on_s - saved_on_s) * keys.circuit_power_w
    lost = (1 / keys.amplifier_efficiency - 1) * (radiated + prefix + extra.downlink)
    return Parts(
        energy_data=radiated - extra.pilots - extra.feedback,
        energy_pilots=extra.pilots,
        energy_feedback=extra.feedback,
        energy_prefix=prefix,
        energy_downlink=extra.downlink,
        energy_computation=computed,
        energy_circuits=circuits,
        energy_amplifiers=lost,
        total_energy=radiated + prefix + extra.downlink + computed + lost + circuits,
    )


class Account:
    """Sums of costs of a group's runs, iteration by iteration.

    Attributes: ``totals``, the sums so far, [names, runs], and ``names``, their result variables, such as "time_slots".
    """

    def __init__(self, group: Group) -> None:
        self.group, self.whole = group, group.settings.energy.whole
        self.names = (*COSTS.values(), *(Parts._fields if self.whole else ()), *further(group.settings))
        self.counts_work = self.whole or "time" in self.names
        self.totals = np.zeros((len(self.names), len(group.columns)))

    def add(self, costs: np.ndarray, analog_energy: np.ndarray, work: WorkDone | None = None) -> dict[str, np.ndarray]:
        """Add iterations, with analog energy [J] and work done; return totals after each, [iterations, runs]."""
        entered, others = np.moveaxis(costs, 1, 0), len(further(self.group.settings))
        extra, rest = np.split(entered[len(COSTS) :], [len(entered) - len(COSTS) - others])
        cost = Cost(*entered[: len(COSTS)])
        cost = cost._replace(energy=cost.energy + analog_energy)
        by_use = parts(self.group, cost.energy, Extra(*extra), work) if self.whole else ()
        rows = np.stack([*cost, *by_use, *rest], axis=1)
        if work and "time" in self.names:
            rows[:, self.names.index("time")] -= work.saved_s
        sums = np.cumsum(np.concatenate([self.totals[None], rows]), axis=0)[1:]
        self.totals = sums[-1]
        return dict(zip(self.names, np.moveaxis(sums, 1, 0), strict=True))
