"""Figures of methods over five channels, and of FedAvg over the air and digital, against each cost."""

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from figures.channels.panels import titled
from figures.gallery.panels import by_cost, finished
from figures.gallery.pictures import Results
from otafl.results import plot


def cell_methods(data: Results) -> Figure:
    """Return the loss of each method against each cost, with a column for each channel."""
    return by_cost(titled(data["cell_methods"]), "fading", "loss", (1e-6, 1e2))


def cell_federated(data: Results) -> Figure:
    """Return the test accuracy on MNIST of each method against each cost, on IID data, with a column a channel."""
    return by_cost(titled(data["cell_federated_iid"]), "fading", "test_accuracy", (0.5, 1.0))


def cell_seconds(data: Results) -> Figure:
    """Return the test accuracy against time slots, and against seconds, a panel each."""
    fig, axes = plt.subplots(1, 2, figsize=(7.2, 2.8), sharey=True)
    for x, ax in zip(("time_slots", "time"), axes, strict=True):
        plot.curves(data["air_seconds"], x=x, y="test_accuracy", ax=ax)
        ax.set_ylim(0.0, 1.0)
    return finished(fig, axes)
