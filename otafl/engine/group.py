"""Runs that can be computed side by side, because they differ in numbers alone."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from channels.fading import FADING, BlockFading
from channels.grid import Grid
from channels.noise import matched_filter_variance
from channels.power import transmit_power_w, upload_budget
from otafl import algorithms, seeds
from otafl.engine import task
from otafl.scenario.keys import Settings, schedule

VECTORISED = {
    "algorithm": {"rho": 1.0},
    "local": {"learning_rate": None},
    "channel": {"snr_db": 0.0},
    "uplink": {"noise_psd_w_per_hz": 1.0, "power_budget": "per_upload", "inversion_threshold": 1.0},
}
"""Keys in which the runs of one group may differ, with the value that stands for any."""
UNHEARD = {"channel": VECTORISED["channel"], "uplink": VECTORISED["uplink"]}
"""Keys that an error-free upload does not depend on."""


class Column(NamedTuple):
    """One run: its settings and its seed."""

    settings: Settings
    seed: int

    @property
    def snr(self) -> float:
        """P/(W·N0), linear."""
        return float(np.power(10.0, self.settings.channel.snr_db / 10))

    @property
    def power_w(self) -> float:
        """Transmit power P on one subcarrier [W]."""
        uplink, snr_db = self.settings.uplink, self.settings.channel.snr_db
        return float(transmit_power_w(snr_db, uplink.subcarrier_spacing_hz, uplink.noise_psd_w_per_hz))

    def hyperparameters(self, workers: int) -> tuple[float, float]:
        """ρ and the step size on the sum of gradients."""
        algorithm = self.settings.algorithm
        share = 1 if algorithm.gradient_reduction == "sum" else workers
        return algorithm.rho, (self.settings.local.learning_rate or math.nan) / share

    def parameters(self, iteration: int) -> dict[str, float]:
        """What a federated method may read in a round, by the names of ``Parameters``."""
        algorithm, share = self.settings.algorithm, self.settings.participants / self.settings.federation.workers
        given = algorithm.model_dump() | {"learning_rate": self.settings.local.learning_rate}
        for name in ("rho", "server_step"):
            for first, value in sorted(schedule(getattr(algorithm, f"{name}_schedule")).items()):
                given[name] = value if iteration >= first else given[name]
        named = {"participation": share, "inverse_probability": 1 / share}
        given = {key: named.get(str(value), value) for key, value in given.items()}
        return {key: value for key, value in given.items() if isinstance(value, float)}

    def radio(self, elements: int) -> tuple[float, float, float, float]:
        """Budget of an upload [W], noise deviation [√W], inversion threshold and slot [s]."""
        uplink = self.settings.uplink
        budget = upload_budget(self.power_w, elements, uplink.power_budget)
        noise_std = math.sqrt(matched_filter_variance(uplink.noise_psd_w_per_hz, uplink.slot_s) / 2)
        return budget, noise_std, uplink.inversion_threshold, uplink.slot_s


def group_key(column: Column) -> str:
    """What runs must have in common to be computed side by side.

    A run that trains networks fills the machine: only what an error-free uplink makes one and the same goes together.
    """
    settings = column.settings
    trains = settings.problem.kind == "classification" or algorithms.parse(settings.method)[0].federated
    free = VECTORISED if not trains else UNHEARD if settings.uplink.kind != "analog" else {}
    tables = {table: getattr(settings, table).model_copy(update=keys) for table, keys in free.items()}
    return settings.model_copy(update=tables).model_dump_json() + (str(column.seed) if trains else "")


class Group:
    """Runs of one method on problems of one shape, with their data and their fading.

    Arguments:
        columns: the runs, which agree in ``group_key``.

    Raises:
        OtaflError: data that cannot be loaded or dealt to so many workers, a model that cannot be trained.
    """

    def __init__(self, columns: list[Column]) -> None:
        self.columns = columns
        self.settings = columns[0].settings
        self.method = algorithms.parse(self.settings.method)[0]
        self.seeds = sorted({column.seed for column in columns})
        self.seed_index = np.array([self.seeds.index(column.seed) for column in columns])
        self.task = task.task(self.settings, self.seeds)
        self.workers, self.elements = self.settings.federation.workers, self.task.elements
        model = FADING[self.settings.channel.fading]()
        self.fading = [BlockFading(model, seeds.sequence(seed, "fading")) for seed in self.seeds]
        self.coherence = math.inf if model.static else self.settings.channel.coherence_iterations

    @property
    def work(self) -> int:
        """Iterations to do, summed over runs."""
        return len(self.columns) * self.settings.run.iterations

    @property
    def uplink(self) -> algorithms.UplinkKind:
        """What carries uploads."""
        return self.settings.uplink.kind or self.method.uplinks[0]

    @property
    def weighted(self) -> bool:
        """Whether gains enter the arithmetic: over an exact uplink only where consensus is weighted by them."""
        weighs = self.method.residuals and self.settings.algorithm.consensus == "channel_weighted"
        return self.uplink == "analog" or weighs

    @property
    def grid(self) -> Grid:
        """The grid of an analog upload; "one_slot" is as many subcarriers as elements."""
        count = self.settings.subcarriers
        return Grid(self.elements if count == "one_slot" else int(count))

    def gains(self, block: int, subcarriers: int) -> np.ndarray:
        """Complex gains of every seed in a coherence block. Shape [seeds, workers, subcarriers]."""
        return np.stack([fading.gains(block, self.workers, subcarriers) for fading in self.fading])

    def pieces(self, block: int) -> Iterator[np.ndarray]:
        """The gains of a coherence block, more and more subcarriers at a time. Shape [seeds, workers, subcarriers]."""
        streams = [fading.pieces(block, self.workers) for fading in self.fading]
        return (np.stack(parts) for parts in zip(*streams, strict=True))

    def power_gains(self, block: int) -> np.ndarray:
        """|h|² on the subcarriers in use, [workers, subcarriers, seeds]; 1 for all of them in plain consensus."""
        if not self.weighted:
            return np.ones((self.workers, 1, len(self.seeds)), self.task.dtype)
        gains = self.gains(block, self.grid.subcarriers_in_use(self.elements))
        return np.moveaxis((gains.real**2 + gains.imag**2).astype(self.task.dtype), 0, -1)

    @property
    def trains(self) -> bool:
        """Whether networks are trained."""
        return self.method.federated or self.settings.problem.kind == "classification"

    @property
    def flips(self) -> bool:
        """Whether a change of channel changes what workers do: they solve for duals."""
        wanted = not self.trains or self.settings.algorithm.on_channel_change == "dual_flip"
        return wanted and self.weighted and self.method.residuals
