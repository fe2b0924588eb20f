"""Account of a group: sums of costs and of energy by its use, iteration by iteration, as result variables.

Approximations: a cyclic prefix is as strong as the symbol behind it. The server's computation and receivers are free.
"""

import numpy as np

from otafl.engine.costs import COSTS, Extra, further
from otafl.engine.group import Group
from otafl.engine.work_done import WorkDone
from otafl.metrics.result_variables import VARIABLES
from otafl.uplinks.uplink import Cost

ENERGIES = tuple(name for name, variable in VARIABLES.items() if variable.brought_by == "energy")
"""Result variables of the whole energy: each use of it, and the total."""


def parts(group: Group, radiated: np.ndarray, extra: Extra, work: WorkDone | None) -> dict[str, np.ndarray]:
    """Return ``ENERGIES`` of iterations, of all workers and the server together [J]. Shape [iterations, runs] each."""
    keys = group.settings.energy
    passes, saved_on_s = (work.passes, work.saved_on_s) if work else (1.0, 0.0)
    prefix = group.uplink.grid.prefix_share(group.uplink.symbols) * (radiated + extra.downlink)
    sample_j = keys.switched_capacitance * keys.cycles_per_sample * keys.clock_hz**2  # at the highest clock, κ·C·f²
    computed = extra.samples * passes * sample_j
    circuits = (extra.on_s - saved_on_s) * keys.circuit_power_w
    lost = (1 / keys.amplifier_efficiency - 1) * (radiated + prefix + extra.downlink)
    return {
        "energy_data": radiated - extra.pilots - extra.feedback,
        "energy_pilots": extra.pilots,
        "energy_feedback": extra.feedback,
        "energy_prefix": prefix,
        "energy_downlink": extra.downlink,
        "energy_computation": computed,
        "energy_circuits": circuits,
        "energy_amplifiers": lost,
        "total_energy": radiated + prefix + extra.downlink + computed + lost + circuits,
    }


class Account:
    """Sums of costs of a group's runs so far, ``totals`` [names, runs], of the result variables ``names``."""

    def __init__(self, group: Group) -> None:
        self.group, self.energies = group, ENERGIES if group.settings.energy.whole else ()
        self.names = (*COSTS.values(), *self.energies, *further(group.settings))
        self.counts_work = bool(self.energies) or "time" in self.names
        self.totals = np.zeros((len(self.names), len(group.columns)))

    def add(self, costs: np.ndarray, analog_energy: np.ndarray, work: WorkDone | None = None) -> dict[str, np.ndarray]:
        """Add iterations, with analog energy [J] and work done; return totals after each, [iterations, runs]."""
        entered, others = np.moveaxis(costs, 1, 0), len(further(self.group.settings))
        extra, rest = np.split(entered[len(COSTS) :], [len(entered) - len(COSTS) - others])
        cost = Cost(*entered[: len(COSTS)])
        cost = cost._replace(energy=cost.energy + analog_energy)
        by_use = parts(self.group, cost.energy, Extra(*extra), work) if self.energies else {}
        rows = np.stack([*cost, *(by_use[name] for name in self.energies), *rest], axis=1)
        if work and "time" in self.names:
            rows[:, self.names.index("time")] -= work.saved_s
        sums = np.cumsum(np.concatenate([self.totals[None], rows]), axis=0)[1:]
        self.totals = sums[-1]
        return dict(zip(self.names, np.moveaxis(sums, 1, 0), strict=True))
