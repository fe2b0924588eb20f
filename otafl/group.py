"""Runs that can be computed side by side, because they differ in numbers alone."""

import math
from typing import NamedTuple

import numpy as np

from channels.fading import FADING, BlockFading
from channels.grid import Grid
from channels.noise import matched_filter_variance
from channels.power import transmit_power_w, upload_budget
from otafl import algorithms, datasets, partition, seeds
from otafl.problems import linear_regression
from otafl.problems.linear_regression import LinearRegression
from otafl.scenario import Problem, Settings

VECTORISED = {
    "algorithm": {"rho": 1.0},
    "local": {"learning_rate": None},
    "channel": {"snr_db": 0.0},
    "uplink": {"noise_psd_w_per_hz": 1.0, "power_budget": "per_upload", "inversion_threshold": 1.0},
}
"""Keys in which the runs of one group may differ, with the value that stands for any."""


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
        return algorithm.rho, self.settings.learning_rate / share

    def radio(self, elements: int) -> tuple[float, float, float, float]:
        """Budget of an upload [W], noise deviation [√W], inversion threshold and slot [s]."""
        uplink = self.settings.uplink
        budget = upload_budget(self.power_w, elements, uplink.power_budget)
        noise_std = math.sqrt(matched_filter_variance(uplink.noise_psd_w_per_hz, uplink.slot_s) / 2)
        return budget, noise_std, uplink.inversion_threshold, uplink.slot_s


def group_key(settings: Settings) -> str:
    """What runs must have in common to be computed side by side."""
    tables = {table: getattr(settings, table).model_copy(update=keys) for table, keys in VECTORISED.items()}
    return settings.model_copy(update=tables).model_dump_json()


def local_problems(problem: Problem, workers: int, seed: int) -> LinearRegression:
    """The local losses of one run, from its data set and its own random split.

    Raises:
        OtaflError: the data cannot be had, or there are fewer samples than workers.
    """
    data = datasets.load(problem, seed)
    shares = partition.iid(len(data.target), workers, seeds.generator(seed, "partition"))
    return linear_regression.build(data, shares, problem.loss_reduction)


class Group:
    """Runs of one method on problems of one shape, with their data and their fading.

    Arguments:
        columns: the runs, which agree in ``group_key``.

    Raises:
        OtaflError: data that cannot be loaded or dealt to so many workers.
    """

    def __init__(self, columns: list[Column]) -> None:
        self.columns = columns
        self.settings = columns[0].settings
        self.method = algorithms.parse(self.settings.method)[0]
        self.seeds = sorted({column.seed for column in columns})
        self.seed_index = np.array([self.seeds.index(column.seed) for column in columns])
        problem, workers = self.settings.problem, self.settings.federation.workers
        self.problem = linear_regression.stack([local_problems(problem, workers, seed) for seed in self.seeds])
        self.workers, self.elements, _ = self.problem.linear.shape
        model = FADING[self.settings.channel.fading]()
        self.fading = [BlockFading(model, seeds.sequence(seed, "fading")) for seed in self.seeds]
        self.coherence = math.inf if model.static else self.settings.channel.coherence_iterations

    @property
    def work(self) -> int:
        """Iterations to do, summed over runs."""
        return len(self.columns) * self.settings.run.iterations

    @property
    def weighted(self) -> bool:
        """Whether gains enter the arithmetic: over an exact uplink only where consensus is weighted by them."""
        return self.method.uplink == "analog" or self.settings.algorithm.consensus == "channel_weighted"

    @property
    def grid(self) -> Grid:
        """The grid of an analog upload; "one_slot" is as many subcarriers as elements."""
        count = self.settings.subcarriers
        return Grid(self.elements if count == "one_slot" else int(count))

    def gains(self, block: int, subcarriers: int) -> np.ndarray:
        """Complex gains of every seed in a coherence block. Shape [seeds, workers, subcarriers]."""
        return np.stack([fading.gains(block, self.workers, subcarriers) for fading in self.fading])

    def element_gains(self, block: int) -> np.ndarray:
        """|h|² on the subcarrier that each element rides, 1 for plain consensus. Shape [workers, d, seeds]."""
        if not self.weighted:
            return np.ones((self.workers, self.elements, len(self.seeds)))
        grid = self.grid
        gains = self.gains(block, grid.subcarriers_in_use(self.elements))
        return np.moveaxis(np.abs(gains[..., grid.subcarrier_of_element(self.elements)]) ** 2, 0, -1)
