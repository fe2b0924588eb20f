"""Tables of results as text: Markdown, LaTeX with booktabs, and CSV with all digits."""

import csv
import io
import math
from collections.abc import Callable, Iterable

from otafl.results.escapes import SUPERSCRIPTS, csv_text, latex_text, markdown_text
from otafl.results.formulas import typeset
from otafl.results.summary import NONE
from otafl.results.table import Cell, Column, ResultTable

SMALL, LARGE, TINY = 1e-3, 1e7, 1e-300
"""Magnitudes below and from which numbers have a power of ten, and below which they count as zero."""
DIGITS, DIGITS_ALONE, MOST_DIGITS = 2, 4, 6
"""Significant digits of the half width of an interval, of a number without one, and most of a number with one."""


def markdown(table: ResultTable) -> str:
    """Return a table as Markdown, with its caption below."""
    head, *texts = _texts(table)
    align = ["---"] * len(table.keys) + ["---:"] * len(table.columns)
    rows = [f"| {' | '.join(map(markdown_text, line))} |" for line in (head, align, *texts)]
    return "\n".join([*rows, "", f"{markdown_text(table.caption[0].upper() + table.caption[1:])}.", ""])


def latex(table: ResultTable) -> str:
    """Return a table as a ``tabular`` of LaTeX with the rules of booktabs, with its caption as a comment."""
    head, *texts = _texts(table)
    lines = [" & ".join(map(latex_text, line)) + r" \\" for line in (map(typeset, head), *texts)]
    align = "l" * len(table.keys) + "r" * len(table.columns)
    begin = [f"% {latex_text(table.caption)}", r"% \usepackage{booktabs}", rf"\begin{{tabular}}{{{align}}}"]
    rules = [r"\toprule", lines[0], r"\midrule", *lines[1:], r"\bottomrule"]
    return "\n".join([*begin, *rules, r"\end{tabular}", ""])


def comma_separated(table: ResultTable) -> str:
    """Return a table as CSV: of each column the statistic, the ends of its interval, and numbers of seeds."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    parts = (f" {table.statistic}", " low", " high", " seeds with a value", " seeds")
    headings = [*table.keys, *(_heading(column) + part for column in table.columns for part in parts)]
    writer.writerow(map(csv_text, headings))
    for names, cells in table.rows:
        numbers = ("" if math.isnan(value) else repr(value) for cell in cells for value in cell)
        writer.writerow([*map(csv_text, names), *numbers])
    return text.getvalue()


FORMATS: dict[str, Callable[[ResultTable], str]] = {"csv": comma_separated, "latex": latex, "markdown": markdown}
SUFFIXES = {".csv": "csv", ".tex": "latex", ".md": "markdown"}


def _heading(column: Column) -> str:
    return f"{column.heading} [{column.unit}]" if column.unit else column.heading


def _texts(table: ResultTable) -> list[list[str]]:
    lines = [[*table.keys, *map(_heading, table.columns)]]
    decimals = [_decimals(cells) for cells in zip(*(cells for _, cells in table.rows), strict=True)]
    for names, cells in table.rows:
        columns = zip(cells, table.columns, decimals, strict=True)
        lines.append([*names, *(_text(cell, column, table.statistic, most) for cell, column, most in columns)])
    return lines


def _decimals(cells: Iterable[Cell]) -> int | None:
    """Return the most decimals that the intervals of a column warrant; None if all its intervals are points."""
    halves = [(cell.centre, _half(cell)) for cell in cells if math.isfinite(cell.centre)]
    return max((_digits(centre, half) for centre, half in halves if half > 0), default=None)


def _half(cell: Cell) -> float:
    """Return the larger half width of a cell's interval; NaN without an interval."""
    return max((abs(end - cell.centre) for end in cell[1:3] if math.isfinite(end)), default=math.nan)


def _text(cell: Cell, column: Column, statistic: str, decimals: int | None) -> str:
    """Return a cell as text, such as "1,230 ± 45"; (k of n) says that k of n seeds have a finite value."""
    if not cell.runs:
        return NONE
    share = f" ({cell.count} of {cell.runs})"
    if not math.isfinite(cell.centre):
        return column.absent + share
    return _interval(cell, statistic, decimals) + share * (cell.count < cell.runs)


def _interval(cell: Cell, statistic: str, decimals: int | None) -> str:
    """Return a statistic with its interval, as many digits as that or else its column warrants, and a power of ten."""
    half = _half(cell)
    size = max(abs(cell.centre), half if half > 0 else 0)
    power = 0 if size < TINY or SMALL <= size < LARGE else math.floor(math.log10(size))
    scale, shared = 10.0**power, decimals if half == power == 0 else None
    digits = _digits(cell.centre, half) + power if shared is None else shared

    def shown(value: float) -> str:
        return f"{value / scale:,.{max(digits, 0)}f}".replace("-", "−").replace("inf", "∞")

    text = shown(cell.centre)
    if math.isfinite(half) and statistic == "mean":
        text += f" ± {shown(half)}"
    elif math.isfinite(half):
        text += f" ({shown(cell.low)} … {shown(cell.high)})"
    bracketed = f"({text})" if math.isfinite(half) and power else text
    return bracketed + (f"×10{str(power).translate(SUPERSCRIPTS)}" if power else "")


def _digits(centre: float, half: float) -> int:
    """Return the number of decimals, negative before the point, that an interval of a half width warrants."""
    sizes = [(DIGITS, half), (MOST_DIGITS, abs(centre))] if half > 0 else [(DIGITS_ALONE, abs(centre))]
    decimals = min((count - 1 - math.floor(math.log10(size)) for count, size in sizes if size >= TINY), default=0)
    return min(decimals, 0) if not half > 0 and centre.is_integer() else decimals
