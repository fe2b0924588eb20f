"""Reading of FedVRA's claims: how far two methods are apart."""

import xarray as xr


def apart(data: xr.Dataset, variable: str, schemes: list[str]) -> float:
    """Return the largest difference of two methods' curves, under any seed, as a share of the first one's."""
    first, second = (data[variable].sel(scheme=name, drop=True) for name in schemes)
    return float((abs(first - second) / first).max())
