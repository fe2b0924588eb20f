"""Style of figures in the size and type of a journal column; lines differ by colour, dash and marker."""

import itertools
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from otafl.metrics.result_variables import COSTS, ITERATION
from otafl.plain_text import printable, shortened
from otafl.results import formulas
from otafl.results.matplotlib_setup import Axes, Line2D, colors, matplotlib
from otafl.results.result_schema import NUMBERS, Curves
from otafl.scenario.dotted_keys import quantity
from otafl.scenario.sweeps import NAMED
from otafl.scenario.variants import lineage
from otafl.schemes import SCHEMES
from otafl.settings.plot import value_name

STYLE: Any = matplotlib.rc_params_from_file(Path(__file__).with_name("paper.mplstyle"), use_default_template=False)
WIDTHS = {1: 3.5, 2: 7.16}
"""Width of a figure [in], by the number of columns that it spans."""
FEW = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#7F7F7F")
"""Colours of Okabe and Ito, which readers with any colour vision can tell apart, and grey."""
COLOURS = (*FEW, "#332288", "#882255", "#999933", "#44AA99", "#AA4499", "#661100", "#6699CC", "#DDCC77")
"""Cycle of colours: those of Okabe and Ito, then those of Tol."""
BLACK, GREY = 6, 7
"""Numbers of the colours of entries that are about dashes, and about shades, alone."""
UNLIKE = 2
"""Step from the numbers of black and grey to those of other colours, which schemes have where lines are shaded."""
ORDERED, PLAIN = -1, -1
"""Number of the ordered colour map in place of a colour, and of no marker and no dash."""
PALEST, END_OF_MAP = 0.4, 0.9
"""Depth of the palest shade of a colour, and the end of the ordered colour map, beyond which it is too light."""
DASHES = ((), (4, 1.5), (1, 1), (4, 1, 1, 1), (6, 2), (2, 1), (5, 1, 1, 1, 1, 1), (3, 3))
MARKERS = "os^Dv<>"
LOOKS: dict[str, int] = tomllib.loads(Path(__file__).with_name("looks.toml").read_text(encoding="utf-8"))
"""Numbers in the cycles of colours, dashes and markers of methods and published schemes, the same in all figures."""
Labels = Mapping[str, str]
"""Texts of the legend by name of a scheme or value, in their order."""
LONGEST = 300
"""Largest number of characters of a text in a figure."""
LARGE = 1000
"""Smallest cost that is shown without decimals."""
PHYSICAL = ("dB", "dBm", "s", "Hz", "ppm", "W", "W/Hz", "J", "m", "m/s", "rad")
"""Units that legends and axes show."""


class LineStyle(NamedTuple):
    """Style of a line by its numbers in the cycles of colours, and of dashes and markers.

    Arguments:
        colour: number of the colour, or ORDERED for the ordered colour map.
        dash: number of the dash and the marker, or PLAIN for neither.
        joined: False for markers alone.
        shade: place of a number among those of its key, from 0 (pale) to 1; None for the colour as it is.
        entries: what stands for the line in the legend: 0, 1 or 2 for its colour, shade or dash, text and style.
    """

    colour: int
    dash: int
    joined: bool = True
    shade: float | None = None
    entries: tuple[tuple[int, str, "LineStyle"], ...] = ()

    @property
    def line(self) -> dict[str, Any]:
        """Keyword arguments ``color``, ``dashes`` (or ``linestyle``) and ``marker`` of matplotlib's ``plot``."""
        style = {"color": _colour(self.colour, self.shade), "marker": MARKERS[max(self.dash, 0) % len(MARKERS)]}
        if not self.joined:
            return style | {"linestyle": "none"}
        return style | ({"marker": ""} if self.dash == PLAIN else {"dashes": DASHES[self.dash % len(DASHES)]})


class ResultLine(Line2D):
    """Line of a result, which knows the entries of the legend that stand for it."""

    look: LineStyle

    def entries(self) -> list[tuple[int, Line2D]]:
        """Return lines of the legend with their roles: 0, 1, 2 for colour, shade, dash. A single one is the line."""
        looks = self.look.entries
        if len(looks) < 2:
            return [(looks[0][0] if looks else 0, self)]
        styles = [(role, text, look._replace(joined=self.look.joined).line) for role, text, look in looks]
        return [(role, Line2D([], [], label=text, **style)) for role, text, style in styles]


def draw_line(ax: Axes, x: np.ndarray, y: np.ndarray, look: LineStyle, **keys: Any) -> None:
    """Draw a line on axes, with further keyword arguments of matplotlib's lines."""
    line = ResultLine(x, y, **look.line, **keys)
    line.look = look
    ax.add_line(line)
    ax.autoscale_view()


def _colour(number: int, shade: float | None) -> str:
    """Return a colour, paler the lower its shade is."""
    if number == ORDERED:
        return colors.to_hex(matplotlib.colormaps["viridis"](END_OF_MAP * (shade or 0)))
    colour = COLOURS[number % len(COLOURS)]
    if shade is None:
        return colour
    depth = PALEST + (1 - PALEST) * shade
    red, green, blue = (1 - depth * (1 - part) for part in colors.to_rgb(colour))
    return colors.to_hex((red, green, blue))


def _look(scheme: str) -> int | None:
    """Return the number of a scheme in LOOKS: of a label that is a published scheme, or of the method without label."""
    words = scheme.partition(" ")[2]
    names = (scheme, *({words} & SCHEMES.keys())) if words else reversed(lineage(scheme))
    return next((LOOKS[name] for name in names if name in LOOKS), None)


def distinct_looks(schemes: Collection[str], first: int = 0, shaded: bool = False) -> list[int]:
    """Return numbers of schemes in the cycles of colours, dashes and markers, no two of one colour if possible."""
    kept = (BLACK, GREY) if shaded else ()  # for the legend, whose entries of shades alone are grey
    looks = [_look(scheme) for scheme in schemes]
    fixed = [look + UNLIKE if look is not None and look % len(COLOURS) in kept else look for look in looks]
    numbers = [number if number not in fixed[:place] else None for place, number in enumerate(fixed)]
    for place, number in enumerate(numbers):
        if number is None:
            numbers[place] = _free(first + place, [*kept, *(taken for taken in numbers if taken is not None)])
    return [number for number in numbers if number is not None]


def _free(first: int, taken: Collection[int]) -> int:
    """Return the first number whose colour is not taken, or which is not, where all colours are."""
    colours = {number % len(COLOURS) for number in taken}
    colours = set() if len(colours) == len(COLOURS) else colours
    return next(n for n in itertools.count(first) if n not in taken and n % len(COLOURS) not in colours)


def lines(
    data: Curves, kept: tuple[str, ...], first: int = 0, labels: Labels | None = None
) -> Iterator[tuple[str, LineStyle, Curves]]:
    """Yield a label, a style and the part of the data for each line of a figure.

    There is a line for each combination of the dimensions that are not kept. Schemes are methods with a label or an
    uplink, or else schemes of uplinks. They, or else other words, have a colour and a dash each, those of all figures
    if they have one. A number has shades of them, or an ordered colour map where there are none. Dashes show the rest.
    """
    labels, sizes = labels or {}, {str(name): size for name, size in data.sizes.items() if name not in kept}
    varied = [name for name, size in sizes.items() if size > 1 or name == "scheme"]
    roles = _roles(data, varied)
    coloured = "".join(roles[0]) or "scheme"
    names = np.atleast_1d(data.coords[coloured].values) if coloured in data.coords else [""]
    numbers = distinct_looks([str(name) for name in names], first, shaded=bool(roles[1]))
    shown = varied or (["scheme"] if "scheme" in data.coords else list(sizes))
    for index in itertools.product(*(in_order(data.coords[name].values, labels) for name in sizes)):
        at = dict(zip(sizes, index, strict=True))
        part = data.isel(at)
        texts = {name: label(name, part[name].item(), labels) for name in shown}
        yield ", ".join(texts.values()), _style(data, at, roles, numbers[at.get(coloured, 0)], texts), part


def _roles(data: Curves, varied: list[str]) -> tuple[list[str], ...]:
    """Return the dimensions that lines show by colour, by shade, and by dash; one at most of the first two each."""
    words = [name for name in varied if name in NAMED.values() or data[name].dtype.kind not in NUMBERS]
    words.sort(key=lambda name: name not in NAMED.values())
    numbers = sorted((name for name in varied if name not in words), key=lambda name: -data.sizes[name])
    return words[:1], numbers[:1], words[1:] + numbers[1:]


def _style(
    data: Curves, at: Mapping[str, int], roles: tuple[list[str], ...], number: int, texts: Mapping[str, str]
) -> LineStyle:
    """Return the style of a line, whose colour has a number, with the entries of the legend for its roles."""
    look, (by_colour, by_shade, by_dash) = LineStyle(number, number), roles
    for name in by_shade:
        values = data.coords[name].values
        rank = int((values < values[at[name]]).sum())
        look = look._replace(shade=rank / (data.sizes[name] - 1))
        look = look if by_colour else look._replace(colour=ORDERED, dash=rank)
    if by_dash:
        places, sizes = zip(*((at[name], data.sizes[name]) for name in by_dash), strict=True)
        look = look._replace(dash=int(np.ravel_multi_index(places, sizes)))
    of_colour = LineStyle(number, PLAIN if by_dash else number)
    of_shade = LineStyle(GREY if by_colour else ORDERED, PLAIN, shade=look.shade)
    styles = of_colour, of_shade, LineStyle(BLACK, look.dash)
    words = [", ".join(texts[name] for name in names) for names in roles]
    return look._replace(entries=tuple((role, words[role], styles[role]) for role in range(3) if roles[role]))


def in_order(values: Sequence[object] | np.ndarray, labels: Labels) -> list[int]:
    """Return the places of values in the order of a legend: those with a text first, by the order of the texts."""
    places = {value_name(name): place for place, name in enumerate(labels)}
    return sorted(range(len(values)), key=lambda at: places.get(value_name(values[at]), len(places)))


def short_names(schemes: Sequence[str]) -> dict[str, str]:
    """Return texts of schemes for the legend, without what all share, or the uplink where no other has the method."""
    if shared := shared_name(schemes):
        return {scheme: plain(scheme[len(shared) :]) for scheme in schemes}
    methods, texts = [lineage(scheme)[0] for scheme in schemes], {}
    for scheme, method in zip(schemes, methods, strict=True):
        head, space, words = scheme.partition(" ")
        texts[scheme] = plain(head.partition("@")[0] + space + words if methods.count(method) == 1 else scheme)
    return texts


def shared_name(schemes: Sequence[str]) -> str:
    """Return the beginning that several schemes share, up to an uplink or a label, such as "FedAvg@"; else empty."""
    alike = itertools.takewhile(lambda letters: len({*letters}) == 1 < len(letters), zip(*schemes, strict=False))
    shared = "".join(letters[0] for letters in alike)
    return shared[: max(map(shared.rfind, "@ ")) + 1]


def plain(text: str) -> str:
    """Return a text that matplotlib draws as it is: dollars escaped, and spaces in place of unprintable characters."""
    return shortened(printable(text), LONGEST).replace("$", r"\$")


def drawable(text: str) -> str:
    """Return a text in which matplotlib draws formulas between dollars, and other dollars as they are."""
    parts = formulas.parts(shortened(text, LONGEST))
    return "".join(f"${part}$" if math else plain(part) for part, math in parts)


def label(name: str, value: float | str, labels: Labels | None = None) -> str:
    """Return a value of a swept key, or a budget of a cost, as a label in words and symbols, such as "ρ = 0.5"."""
    texts = {value_name(key): text for key, text in (labels or {}).items()}
    if (known := value_name(value)) in texts:
        return drawable(texts[known])
    if isinstance(value, str):
        return plain(value) or f"no {name.replace('_', ' ')}"
    words, shown = plain(name.replace("_", " ")), quantity(name)
    if name in COSTS:
        unit = f" {COSTS[name].unit}" if COSTS[name].unit in PHYSICAL else ""
        several = COSTS[name].heading.split(" [")[0].lower() or words
        return f"{value:{',.0f' if value >= LARGE else 'g'}}{unit} {several}"
    unit = f" {shown.unit}" if shown.unit in PHYSICAL else ""
    words = plain(shown.long_name) if unit else words
    return f"{shown.symbol or words} = {value:g}{unit}".replace(" -", " \N{MINUS SIGN}")


def attributes(data: xr.Dataset, name: str) -> tuple[str, str]:
    """Return the name of a variable or a swept key in words, and its unit as axes show it, such as " [dB]" or empty."""
    attrs = data[name].attrs | ({"long_name": ITERATION.long_name} if name == ITERATION.name else {})
    unit = str(attrs.get("units"))
    words = printable(str(attrs.get("long_name") or name))
    return capitalised(words), f" [{unit}]" if unit in PHYSICAL else ""


def heading(key: str) -> str:
    """Return the name of a swept key in words, with its unit, such as "SNR [dB]"."""
    shown = quantity(key)
    return capitalised(shown.long_name) + (f" [{shown.unit}]" if shown.unit in PHYSICAL else "")


def capitalised(words: str) -> str:
    """Return the name of a quantity with a capital first; symbols, such as "v" or "k/d", stay."""
    return words[0].upper() + words[1:] if len(words) > 1 and words[:2].isalpha() else words
