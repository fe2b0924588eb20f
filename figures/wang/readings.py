"""Readings of Wang et al.'s claims: how far two methods are apart."""

import xarray as xr

from figures.wang.toy import Toy, apart

ROUNDING = 1e-12
"""Difference in double precision below which models are equal; it differs from machine to machine."""


def apart_over_height(data: xr.Dataset, variable: str, height: float | None = None) -> float:
    """Return the largest difference of FedADMM's and FedDR's curves, under any seed, as a share of a figure's height.

    Arguments:
        data: a result over both methods, seed and iteration.
        variable: "test_accuracy" or "loss".
        height: the height; None: the largest number of all.
    """
    one, other = (data[variable].sel(scheme=name, drop=True) for name in ("FedADMM-Wang", "FedDR"))
    return float(abs(one - other).max()) / (height or float(data[variable].max()))


def apart_on_toy(start: str) -> float:
    """Return the largest difference of the global models of algorithms 1 and 2, as a share of the largest element.

    It is 0 up to rounding.

    Arguments:
        start: "map" if FedDR starts as theorem 1's map asks, "printed" if it starts as algorithm 1 prints.
    """
    toy = Toy()
    found = apart(toy.fedadmm(), toy.feddr(printed=start == "printed"))
    return found if found > ROUNDING else 0.0
