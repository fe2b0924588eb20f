"""Readings of Song et al.'s claims: local work that is left out, and what is left of a gap."""

import xarray as xr


def left_out(data: xr.Dataset, most: int) -> xr.DataArray:
    """Return the share of a client's local epochs that a method leaves out. Shape [penalties, seeds].

    Arguments:
        data: the part of a result.
        most: epochs of a client in a round if none is left out.
    """
    return 1 - data["local_epochs"].mean("iteration") / most


def left_of_gap(data: xr.Dataset, variable: str) -> float:
    """Return the gap in the last round as a share of that after the first, the largest of all seeds.

    Arguments:
        data: the part of a result.
        variable: name of the gap.
    """
    gap = data[variable]
    return float((gap.isel(iteration=-1) / gap.isel(iteration=0)).max())
