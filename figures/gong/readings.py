"""Readings of Gong et al.'s claims: sizes of networks, unequal volumes, ends of losses, and the lead in rounds."""

import numpy as np
import xarray as xr

from figures.gallery.readings import cost
from otafl.federation.partition import deal
from otafl.settings.federation import Federation
from otafl.training.models import MODELS

CLIENTS, CLASSES = 200, 10


def weights(model: str, image: list[int]) -> float:
    """Return the number of weights of a network on images of this shape."""
    return MODELS[model](tuple(image), CLASSES).count_params()


def deviation(samples: int) -> float:
    """Return the standard deviation of the volumes that clients get of so many samples."""
    federation = Federation(workers=CLIENTS, partition="imbalanced")
    dealt = deal(np.arange(samples) % CLASSES, federation, np.random.default_rng(0))
    return float(np.std([len(part) for part in dealt], ddof=1))


def highest(data: xr.Dataset, variable: str, last: int) -> float:
    """Return the mean of a variable over the last rounds, the highest of all seeds."""
    return float(data[variable].isel(iteration=slice(-last, None)).mean("iteration").max())


def lead(data: xr.Dataset, unit: str, to: float) -> xr.DataArray:
    """Return the rounds of the best other method over those of FedADMM to an accuracy. Shape [clients, seeds]."""
    rounds = cost(data, unit, to, "test_accuracy", "first").values
    return rounds.drop_sel(scheme="FedADMM-Gong").min("scheme") / rounds.sel(scheme="FedADMM-Gong", drop=True)
