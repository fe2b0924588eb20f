"""Specification of a run, and the key of runs that can be computed side by side."""

from typing import NamedTuple

from otafl import algorithms, uplinks
from otafl.federation import partition
from otafl.settings.keys import Settings
from otafl.settings.types import Table, Vectorised
from otafl.uplinks import chain

OF_RADIO = ("channel", "uplink")
"""Tables whose vectorised keys have no effect on an exact upload."""


class RunSpec(NamedTuple):
    """Specification of one run: its settings and the seed of its random streams."""

    settings: Settings
    seed: int

    @property
    def threads(self) -> int | None:
        """Number of threads that compute one TensorFlow operation; None: any number, as no networks are trained."""
        return self.settings.threads if self.trains else None

    @property
    def trains(self) -> bool:
        return not algorithms.parse(self.settings.method)[0].solves_exactly

    @property
    def kind(self) -> tuple:
        """Settings, but for the SNR and the learning rate, on which the set-up, the programs and the time depend."""
        settings = self.settings
        local = settings.local.model_copy(update={"learning_rate": None})
        channel = settings.channel.model_copy(update={"snr_db": None})
        trains = local, settings.run.precision, settings.run.worker_chunk, settings.run.threads
        return settings.method, settings.problem, settings.federation, settings.uplink, settings.cell, channel, *trains


def group_key(column: RunSpec) -> str:
    """Return a text that is equal for runs which can be computed side by side: settings as JSON, and maybe the seed.

    A run that trains networks fills the machine, so such runs share a group only where an exact upload makes them
    equal. What is drawn under a seed or depends on an SNR keeps runs apart, as does a channel that changes in time.
    """
    settings, method = column.settings, algorithms.parse(column.settings.method)[0]
    exact, timed = uplinks.uplink(str(settings.uplink.kind)).exact, settings.channel.coherence_s is not None
    parts = chain.chain(settings)
    at_snr = parts.power_control.by_snr or parts.allocation.uses
    free = tuple(Settings.model_fields) if method.solves_exactly else OF_RADIO if exact else ()
    by_rate = settings.uplink.outage or settings.federation.deadline_s
    alike = () if by_rate or timed or at_snr else free
    tables = {name: _any(table) for name, table in settings if name in alike and isinstance(table, Table)}
    alone = timed or not method.solves_exactly or settings.partial or settings.federation.cut_chance > 0
    alone = alone or settings.federation.partition in partition.OF_DRAWN_SIZES
    return settings.model_copy(update=tables).model_dump_json() + (str(column.seed) if alone else "")


def _any(table: Table) -> Table:
    """Return a table with all vectorised keys at their defaults."""
    fields = type(table).model_fields.items()
    free = [(name, field) for name, field in fields if any(isinstance(mark, Vectorised) for mark in field.metadata)]
    return table.model_copy(update={name: field.default for name, field in free})
