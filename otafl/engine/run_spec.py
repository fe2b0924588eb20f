"""One run, and which runs can be computed side by side because they differ in numbers alone."""

from typing import NamedTuple

from otafl import algorithms, uplinks
from otafl.settings.keys import Settings, Table
from otafl.settings.types import VECTORISED
from otafl.uplinks import chain

OF_RADIO = ("channel", "uplink")
"""Tables of which an error-free upload does not depend on those keys that are vectorised."""


class RunSpec(NamedTuple):
    """One run: its settings and its seed."""

    settings: Settings
    seed: int

    @property
    def threads(self) -> int | None:
        """Threads of an operation; None, where no networks are trained: any number."""
        return None if algorithms.parse(self.settings.method)[0].exact else self.settings.threads


def group_key(column: RunSpec) -> str:
    """What runs must have in common to be computed side by side.

    A run that trains networks fills the machine: only what an error-free uplink makes one and the same goes together.
    Where not all workers take part, those that do are drawn under a seed, or chosen by their rates at an SNR; where the
    channel changes in time, each run meets it when its own uploads do, and power control may depend on the SNR.
    """
    settings, method = column.settings, algorithms.parse(column.settings.method)[0]
    exact, timed = uplinks.uplink(str(settings.uplink.kind)).exact, settings.channel.coherence_s is not None
    at_snr = chain.chain(settings).power_control.by_snr
    free = tuple(Settings.model_fields) if method.exact else OF_RADIO if exact else ()
    alike = () if settings.uplink.outage or timed or at_snr else free
    tables = {name: _any(table) for name, table in settings if name in alike and isinstance(table, Table)}
    alone = timed or not method.exact or settings.participants < settings.federation.workers
    return settings.model_copy(update=tables).model_dump_json() + (str(column.seed) if alone else "")


def _any(table: Table) -> Table:
    """Return a table in which the default stands for any value of a key that is vectorised."""
    fields = type(table).model_fields.items()
    return table.model_copy(update={name: field.default for name, field in fields if VECTORISED in field.metadata})
