"""One run, and which runs can be computed side by side because they differ in numbers alone."""

from typing import NamedTuple

from otafl import algorithms, uplinks
from otafl.settings.keys import Settings
from otafl.uplinks import chain

VECTORISED = {
    "algorithm": {"rho": 1.0},
    "local": {"learning_rate": None},
    "channel": {"snr_db": 0.0},
    "uplink": {"noise_psd_w_per_hz": 1.0, "power_budget": "per_upload"},
}
"""Keys in which the runs of one group may differ, with the value that stands for any."""
UNHEARD = {"channel": VECTORISED["channel"], "uplink": VECTORISED["uplink"]}
"""Keys that an error-free upload does not depend on."""


class Column(NamedTuple):
    """One run: its settings and its seed."""

    settings: Settings
    seed: int

    @property
    def threads(self) -> int | None:
        """Threads of an operation; None, where no networks are trained: any number."""
        return None if algorithms.parse(self.settings.method)[0].exact else self.settings.threads


def group_key(column: Column) -> str:
    """What runs must have in common to be computed side by side.

    A run that trains networks fills the machine: only what an error-free uplink makes one and the same goes together.
    Where not all workers take part, those that do are drawn under a seed, or chosen by their rates at an SNR; where the
    channel changes in time, each run meets it when its own uploads do, and power control may depend on the SNR.
    """
    settings, method = column.settings, algorithms.parse(column.settings.method)[0]
    exact, timed = uplinks.uplink(str(settings.uplink.kind)).exact, settings.channel.coherence_s is not None
    alike = VECTORISED if method.exact else UNHEARD if exact else {}
    at_snr = chain.chain(settings).power_control.by_snr
    free = {} if settings.uplink.outage or timed or at_snr else alike
    tables = {table: getattr(settings, table).model_copy(update=keys) for table, keys in free.items()}
    alone = timed or not method.exact or settings.participants < settings.federation.workers
    return settings.model_copy(update=tables).model_dump_json() + (str(column.seed) if alone else "")
