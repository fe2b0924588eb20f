"""Figures of the FedADMM-InSa paper: examples 1 and 2 of its table 2, and penalties that adapt themselves."""

import xarray as xr
from matplotlib.figure import Figure

from figures.gallery.pictures import Results
from figures.gallery.round_panels import Panel, grid, worded

WORKERS, MOST_EPOCHS = 200, 20
METHODS = ("FedADMM", "FedADMM-In", "FedADMM-InSa")


def insa_regression(data: Results) -> Figure:
    """Return the optimality gap of a linear regression against rounds, with a panel for each method."""
    whole, average = (_gap(part) for part in data.values())
    average = average.isel(rho=0, drop=True) if "rho" in average.dims else average
    whole = worded(whole, "rho", lambda beta: f"β = {beta:g}")
    parts = {str(name): whole.sel(scheme=name, drop=True) for name in whole["scheme"].values}
    return grid([[Panel(name, part, "loss", (4e-3, 0.4), (0.01,), "log", 0, average) for name, part in parts.items()]])


def _gap(data: xr.Dataset) -> xr.Dataset:
    """Return a result with the mean over workers of the loss in place of its sum."""
    mean = (data["loss"] / WORKERS).assign_attrs(data["loss"].attrs, long_name="Gap to the least mean loss")
    return data.assign(loss=mean)


def insa_mnist(data: Results) -> Figure:
    """Return the test accuracy by penalty against rounds, with a panel for each method and data set."""
    on_mnist = _methods("MNIST", data["insa_mnist_300"], (0.8, 1.0))
    return grid([on_mnist, _methods("digits", data["insa_mnist_small"], (0.0, 1.0))])


def _methods(title: str, data: xr.Dataset, limits: tuple[float, float]) -> list[Panel]:
    data = worded(data, "rho", lambda beta: f"β = {beta:g}")
    average = data.sel(scheme="FedAvg").isel(rho=0, drop=True)
    parts = {name: data.sel(scheme=name, drop=True) for name in METHODS}
    return [Panel(f"{title}, {name}", part, limits=limits, aside=average) for name, part in parts.items()]


def insa_penalty(data: Results) -> Figure:
    """Return FedADMM-InSa's mean penalty and local epochs against rounds, with a line for each first penalty."""
    example_1 = _adaptation("example 1", data["insa_regression_insa"])
    return grid([example_1, _adaptation("example 2, MNIST", data["insa_mnist_adaptive"])])


def _adaptation(title: str, data: xr.Dataset) -> list[Panel]:
    part = data.sel(scheme="FedADMM-InSa", drop=True) if "scheme" in data.dims else data
    part = worded(part, "rho", lambda beta: f"first β = {beta:g}")
    part["penalty"] = part["penalty"].assign_attrs(long_name="Mean penalty β of the workers")
    penalty = Panel(title, part, "penalty", scale="log")
    return [penalty, Panel(title, part, "local_epochs", (0.0, MOST_EPOCHS + 1.0), (MOST_EPOCHS,))]
