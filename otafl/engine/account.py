"""Account of a group: sums of costs, iteration by iteration, as result variables."""

import numpy as np

from otafl.engine.costs import COSTS, SLOTS, USES, further
from otafl.engine.energy_by_use import Extra, Parts, parts
from otafl.engine.group import Group
from otafl.engine.work_done import WorkDone
from otafl.uplinks.uplink import Cost


class Account:
    """Sums of costs of a group's runs, iteration by iteration.

    Attributes: ``totals``, the sums so far, [names, runs], and ``names``, their result variables, such as "time_slots".
    """

    def __init__(self, group: Group) -> None:
        self.group, self.whole = group, group.settings.energy.whole
        self.names = (*COSTS.values(), *(Parts._fields if self.whole else ()), *further(group.settings))
        self.totals = np.zeros((len(self.names), len(group.columns)))

    def add(self, costs: np.ndarray, analog_energy: np.ndarray, work: WorkDone | None = None) -> dict[str, np.ndarray]:
        """Add the costs of the next iterations, with the energy of analog symbols [J] and the work that was done.

        Returns:
            Totals at the end of each iteration, by result variable, [iterations, runs]; NaN after a run's end.
        """
        entered, others = np.moveaxis(costs, 1, 0), len(further(self.group.settings))
        extra, rest = np.split(entered[len(COSTS) :], [len(entered) - len(COSTS) - others])
        cost = Cost(*entered[: len(COSTS)])
        cost = cost._replace(energy=cost.energy + analog_energy)
        by_use = parts(self.group, cost.energy, Extra(*extra), work.passes if work else 1.0) if self.whole else ()
        rows = np.stack([*cost, *by_use, *rest], axis=1)
        if work and "time" in self.names:
            rows[:, self.names.index("time")] -= work.saved_s
        sums = np.cumsum(np.concatenate([self.totals[None], rows]), axis=0)[1:]
        self.totals = sums[-1]
        return dict(zip(self.names, np.moveaxis(sums, 1, 0), strict=True))

    @property
    def slots(self) -> np.ndarray:
        """Time slots of each run so far. Shape [runs]."""
        return self.totals[SLOTS]

    @property
    def finished(self) -> np.ndarray:
        """Marks of runs that have used up their channel uses. Shape [runs]."""
        return self.group.finished(self.totals[USES])
