"""Forecast of a study, in a terminal."""

import warnings
from pathlib import Path

from otafl.cli.terminal import grid, print_whole, say
from otafl.errors import Remark
from otafl.plain_text import duration
from otafl.scenario import study_size
from otafl.scenario.scenario import Scenario
from otafl.store.store import Store, default_folder
from otafl.study.forecast import Forecast, Kind
from otafl.study.forecast import forecast as forecast_of
from otafl.study.plan import Study
from otafl.study.study_curves import StudyCurves
from otafl.system.memory import GIB


def show(scenario: Scenario, store: Path | None, processes: int | None) -> None:
    """Print the forecast of a study: a table of its kinds of runs, and a line with its time and memory."""
    study_size.require(scenario)
    study = Study(scenario)
    curves = StudyCurves(study)
    runs = Store(store or default_folder(), only_read=True)
    curves.take(runs)
    if curves.missing:
        kinds = len(study.setups(study.together(curves.missing)))
        say(f"starts processes, and times some iterations of each kind of runs: {kinds}", error=True)
    forecast = forecast_of(study, curves.missing, processes, runs)
    for remark in forecast.remarks:
        warnings.warn(remark, Remark, stacklevel=1)
    print_whole(grid(["runs"], ["tasks", "set-up", "iterations/s", "compute"], map(_row, forecast.kinds)))
    say(_line(forecast, len(study.columns) - len(curves.missing)))


def _row(kind: Kind) -> list[str]:
    timed = kind.timed
    return [kind.label, str(kind.tasks), duration(timed.setup_s), f"{timed.rate:,.3g}", duration(kind.compute_s)]


def _line(forecast: Forecast, stored: int) -> str:
    if not forecast.kinds:
        return f"all {stored} runs are there already"
    rest = f"; {stored} runs are there already" if stored else ""
    processes = f"{forecast.processes} process{'es' if forecast.processes > 1 else ''}"
    return f"about {duration(forecast.time_s)} and {forecast.memory / GIB:.1f} GiB with {processes}{rest}"
