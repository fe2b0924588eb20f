"""How lines look, in the size and type of a journal column: by colour and by dash, for readers without colour too."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from otafl.scenario.axis_quantities import quantity
from otafl.variables import COSTS

WIDTHS = {1: 3.5, 2: 7.16}
"""Inches of a figure that is so many columns wide."""
HEIGHT = 2.6
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
"""The colours of Okabe and Ito, which people with any colour vision can tell apart, and grey."""
COLOURS = (*FEW, "#332288", "#882255", "#999933", "#44AA99", "#AA4499", "#661100", "#6699CC", "#DDCC77")
"""And those of Tol for more lines than that."""
DASHES = ((), (4, 1.5), (1, 1), (4, 1, 1, 1), (6, 2), (2, 1), (5, 1, 1, 1, 1, 1), (3, 3))
MARKERS = "os^Dv<>"
LARGE = 1000
"""Least cost that is shown without decimals."""
PHYSICAL = ("dB", "dBm", "s", "Hz", "W", "W/Hz", "J", "m", "m/s", "rad")
"""Units that stand behind a value in a legend, and on axes."""


class LineStyle(NamedTuple):
    """Places in the cycles of colours and of dashes, whose markers go with these."""

    colour: int
    dash: int

    @property
    def line(self) -> dict[str, Any]:
        """As matplotlib takes it."""
        dash = self.dash
        marker = MARKERS[dash % len(MARKERS)]
        return {"color": COLOURS[self.colour % len(COLOURS)], "dashes": DASHES[dash % len(DASHES)], "marker": marker}


def lines(data: Any, kept: tuple[str, ...], first: int = 0) -> Iterator[tuple[str, LineStyle, Any]]:
    """Every combination of the dimensions that are not kept, with its label and look.

    Where schemes and values of other keys are swept, colour tells the values and dash the schemes; else both change
    from line to line, from place ``first`` on.
    """
    names = [str(name) for name in data.dims if name not in kept]
    sizes = [data.sizes[name] for name in names]
    shown = names or [name for name in ("scheme",) if name in data.coords]
    several = [at for at, size in enumerate(sizes) if size > 1]
    for place, index in enumerate(np.ndindex(*sizes)):
        part = data.isel(dict(zip(names, index, strict=True)))
        own = [names[at] for at in several], [sizes[at] for at in several], [index[at] for at in several]
        look = _look(*own) or LineStyle(place, place)
        words = ", ".join(label(name, part[name].item()) for name in shown)
        yield words, LineStyle(first + look.colour, first + look.dash), part


def _look(names: list[str], sizes: list[int], index: list[int]) -> LineStyle | None:
    """Where both are swept, the place among the values of other keys, and that of the scheme."""
    if "scheme" not in names or len(names) == 1:
        return None
    at = names.index("scheme")
    others, rest = index[:at] + index[at + 1 :], sizes[:at] + sizes[at + 1 :]
    return LineStyle(int(np.ravel_multi_index(others, rest)), index[at])


def plain(text: str) -> str:
    """Return a text in which no dollar begins a formula, and every character can be drawn."""
    return printable(text).replace("$", r"\$")


def printable(text: str) -> str:
    """Return a text with spaces in place of characters that cannot be drawn."""
    return "".join(one if one.isprintable() else " " for one in text)


def label(name: str, value: Any) -> str:
    """A swept value in words and symbols."""
    if isinstance(value, str):
        return plain(value) or f"no {name.replace('_', ' ')}"
    words, shown = plain(name.replace("_", " ")), quantity(name)
    if name in COSTS:
        unit = f" {COSTS[name].unit}" if COSTS[name].unit in PHYSICAL else ""
        return f"{value:{',.0f' if value >= LARGE else 'g'}}{unit} {words}"
    unit = f" {shown.unit}" if shown.unit in PHYSICAL else ""
    return f"{shown.symbol or words} = {value:.3g}{unit}".replace(" -", " \N{MINUS SIGN}")


def attributes(data: xr.Dataset, name: str) -> tuple[str, str]:
    """A variable's or key's name in words, and its unit as axes show it."""
    told = data[name].attrs
    unit = str(told.get("units"))
    return printable(str(told.get("long_name", name))), f" [{unit}]" if unit in PHYSICAL else ""
