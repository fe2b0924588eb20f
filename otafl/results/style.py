"""Style of figures in the size and type of a journal column; lines differ by colour, dash and marker."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from otafl.scenario.axis_quantities import quantity
from otafl.variables import COSTS

WIDTHS = {1: 3.5, 2: 7.16}
"""Width of a figure [in], by the number of columns that it spans."""
HEIGHT = 2.6
"""Height of a figure with one row of panels [in]."""
STYLE: Any = {
    "figure.figsize": (WIDTHS[1], HEIGHT),
    "figure.constrained_layout.use": True,
    "font.size": 8,
    "axes.titlesize": 8,
    "font.family": "STIXGeneral",
    "mathtext.fontset": "stix",
    "text.usetex": False,
    "legend.fontsize": 7,
    "legend.framealpha": 0.85,
    "lines.linewidth": 1.1,
    "lines.markersize": 3.5,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "grid.linewidth": 0.4,
    "pdf.fonttype": 42,
    "savefig.dpi": 200,
}
FEW = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#7F7F7F")
"""Colours of Okabe and Ito, which readers with any colour vision can tell apart, and grey."""
COLOURS = (*FEW, "#332288", "#882255", "#999933", "#44AA99", "#AA4499", "#661100", "#6699CC", "#DDCC77")
"""Cycle of colours: those of Okabe and Ito, then those of Tol."""
DASHES = ((), (4, 1.5), (1, 1), (4, 1, 1, 1), (6, 2), (2, 1), (5, 1, 1, 1, 1, 1), (3, 3))
MARKERS = "os^Dv<>"
LARGE = 1000
"""Smallest cost that is shown without decimals."""
PHYSICAL = ("dB", "dBm", "s", "Hz", "W", "W/Hz", "J", "m", "m/s", "rad")
"""Units that legends and axes show."""


class LineStyle(NamedTuple):
    """Style of a line: colour, dash, and the marker that goes with the dash.

    Arguments:
        colour: number in the cycle of colours, from 0.
        dash: number in the cycles of dashes and of markers, from 0.
    """

    colour: int
    dash: int

    @property
    def line(self) -> dict[str, Any]:
        """Keyword arguments ``color``, ``dashes`` and ``marker`` of matplotlib's ``plot``."""
        dash = self.dash
        marker = MARKERS[dash % len(MARKERS)]
        return {"color": COLOURS[self.colour % len(COLOURS)], "dashes": DASHES[dash % len(DASHES)], "marker": marker}


def lines(data: Any, kept: tuple[str, ...], first: int = 0) -> Iterator[tuple[str, LineStyle, Any]]:
    """Yield a label, a style and the part of the data for each line of a figure.

    There is a line for each combination of the dimensions that are not kept. If schemes (methods with a label or an
    uplink) and other keys are swept, the colour shows the other keys and the dash the scheme. Else both change from
    line to line.

    Arguments:
        data: a dataset or an array of results, over swept keys, seed and iteration.
        kept: dimensions that a line's part keeps, such as seed and iteration.
        first: number of the first line, from 0, in the cycles of colours and dashes.

    Returns:
        Iterator of the label as text, the ``LineStyle``, and the part of the data, over the kept dimensions.
    """
    sizes = {str(name): size for name, size in data.sizes.items() if name not in kept}
    others = {name: size for name, size in sizes.items() if name != "scheme"}
    both = sizes.get("scheme", 1) > 1 and math.prod(others.values()) > 1
    shown = list(sizes) or [name for name in ("scheme",) if name in data.coords]
    for place, index in enumerate(np.ndindex(*sizes.values())):
        at = dict(zip(sizes, index, strict=True))
        part = data.isel(at)
        colour = int(np.ravel_multi_index([at[name] for name in others], [*others.values()])) if both else place
        words = ", ".join(label(name, part[name].item()) for name in shown)
        yield words, LineStyle(first + colour, first + (at["scheme"] if both else place)), part


def plain(text: str) -> str:
    """Return a text that matplotlib draws as it is: dollars escaped, and spaces in place of unprintable characters.

    Arguments:
        text: any text.
    """
    return printable(text).replace("$", r"\$")


def printable(text: str) -> str:
    """Return a text with spaces in place of characters that cannot be drawn.

    Arguments:
        text: any text.
    """
    return "".join(one if one.isprintable() else " " for one in text)


def label(name: str, value: Any) -> str:
    """Return a value of a swept key, or a budget of a cost, as a label in words and symbols, such as "ρ = 0.5".

    Arguments:
        name: dimension of the swept key, or name of the cost.
        value: number in its unit, or text.
    """
    if isinstance(value, str):
        return plain(value) or f"no {name.replace('_', ' ')}"
    words, shown = plain(name.replace("_", " ")), quantity(name)
    if name in COSTS:
        unit = f" {COSTS[name].unit}" if COSTS[name].unit in PHYSICAL else ""
        several = COSTS[name].heading.split(" [")[0].lower() or words
        return f"{value:{',.0f' if value >= LARGE else 'g'}}{unit} {several}"
    unit = f" {shown.unit}" if shown.unit in PHYSICAL else ""
    return f"{shown.symbol or words} = {value:.3g}{unit}".replace(" -", " \N{MINUS SIGN}")


def attributes(data: xr.Dataset, name: str) -> tuple[str, str]:
    """Return the name of a variable or a swept key in words, and its unit as axes show it, such as " [dB]" or empty.

    Arguments:
        data: a result, dataset over swept keys, seed and iteration.
        name: name of the variable, or dimension of the swept key.
    """
    told = data[name].attrs
    unit = str(told.get("units"))
    return printable(str(told.get("long_name", name))), f" [{unit}]" if unit in PHYSICAL else ""
