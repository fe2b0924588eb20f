"""Forecast of a study, in a terminal."""

import warnings
from pathlib import Path

from rich.table import Table

from otafl.errors import Remark
from otafl.results.time_text import duration
from otafl.scenario import study_size
from otafl.scenario.scenario import Scenario
from otafl.store.store import Store, default_folder
from otafl.study.forecast import Forecast
from otafl.study.forecast import forecast as forecast_of
from otafl.study.plan import Study
from otafl.study.study_curves import StudyCurves
from otafl.system.memory import GIB


def shown(scenario: Scenario, store: Path | None, processes: int | None) -> tuple[Table, str]:
    """Return the forecast of a study: a table of its kinds of runs, and a line on the whole study.

    The table has runs, tasks, set-up time, iterations per second and computing time; the line has time and memory.

    Raises:
        OtaflError: a run cannot be set up, or does not fit into memory.
    """
    study_size.require(scenario)
    study = Study(scenario)
    curves = StudyCurves(study)
    runs = Store(store or default_folder(), only_read=True)
    curves.take(runs)
    forecast = forecast_of(study, curves.missing, processes, runs)
    for remark in forecast.remarks:
        warnings.warn(remark, Remark, stacklevel=1)
    grid = Table(box=None)
    for heading in ("runs", "tasks", "set-up", "iterations/s", "compute"):
        grid.add_column(heading, justify="left" if heading == "runs" else "right")
    for kind in forecast.kinds:
        cells = str(kind.tasks), duration(kind.timed.setup_s), f"{kind.timed.rate:,.3g}", duration(kind.compute_s)
        grid.add_row(kind.label, *cells)
    return grid, _line(forecast, len(study.columns) - len(curves.missing))


def _line(forecast: Forecast, stored: int) -> str:
    if not forecast.kinds:
        return f"all {stored} runs are there already"
    rest = f"; {stored} runs are there already" if stored else ""
    processes = f"{forecast.processes} process{'es' if forecast.processes > 1 else ''}"
    return f"about {duration(forecast.time_s)} and {forecast.memory / GIB:.1f} GiB with {processes}{rest}"
