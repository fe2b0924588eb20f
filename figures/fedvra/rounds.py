"""Figures of the FedVRA paper: tables 3 and 4, the steps a and d, and a tenth of the samples labelled."""

import xarray as xr
from matplotlib.figure import Figure

from figures.gallery.pictures import Results
from figures.gallery.round_panels import Panel, grid, without
from otafl.results import style

WHOLE = (0.0, 1.0)
"""Limits of an axis of test accuracies."""
DUAL_STEPS = (1.0, 5.0)


def fedvra_table3(data: Results) -> Figure:
    """Return the test accuracy of methods against rounds, with a panel for each partition and work."""
    titles = "digits, IID", "digits, 80% from two classes", "the same, 1 to 5 epochs"
    return _methods(data, titles, WHOLE, (0.7, 0.8))


def fedvra_table4(data: Results) -> Figure:
    """Return the test accuracy of FedVRA and its rivals on MNIST against rounds, with a panel for each study."""
    return _methods(data, ("2 epochs, 3 seeds", "1 to 5 epochs, one seed"), (0.8, 1.0), (0.9, 0.95, 0.97))


def _methods(data: Results, titles: tuple[str, ...], limits: tuple[float, float], targets: tuple[float, ...]) -> Figure:
    parts = (without(part, "FedProx") for part in data.values())
    panels = zip(titles, parts, strict=True)
    return grid([[Panel(title, part, limits=limits, targets=targets) for title, part in panels]])


def fedvra_steps(data: Results) -> Figure:
    """Return the test accuracy of FedVRA against rounds, with a panel for each dual step a, on MNIST and digits."""
    on_mnist = _steps("MNIST", data["fedvra_steps_mnist"], (0.7, 1.0))
    return grid([on_mnist, _steps("digits", data["fedvra_steps_small"], WHOLE)])


def _steps(title: str, data: xr.Dataset, limits: tuple[float, float]) -> list[Panel]:
    data = data.squeeze("scheme", drop=True)
    return [
        Panel(f"{title}, {style.label('dual_step', a)}", data.sel(dual_step=a, drop=True), limits=limits)
        for a in DUAL_STEPS
    ]


def fedvra_labels(data: Results) -> Figure:
    """Return the test accuracy against rounds where a tenth of the labels is known, with pseudo labels and without."""
    pseudo = without(data["fedvra_labels_small"], "FedProx-U")
    alone = without(data["fedvra_labels_alone_small"], "FedProx")
    left = Panel("with pseudo labels", pseudo, limits=WHOLE)
    return grid([[left, Panel("the labelled tenth alone", alone, limits=WHOLE, first=1)]], own_legends=True)
