"""Privacy of workers, in a terminal and as files."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from otafl.cli.arguments import Keys, Name, Small, scenario_of
from otafl.cli.terminal import grid, print_whole, say
from otafl.cli.words import described
from otafl.system.whole_files import made

if TYPE_CHECKING:
    import xarray as xr
    from rich.table import Table

Out = Annotated[
    Path | None, described("DIR", "folder for NAME-privacy.nc, NAME-privacy.png and NAME-privacy.pdf", "results/NAME")
]
COLUMNS = ["unknowns", "equations"]
COLUMNS += [f"{name}{at}" for name in ("private", "model_nmse", "gradient_nmse") for at in ("", "_elsewhere")]
BOUNDS = {"epsilon": "ε", "epsilon_exact": "ε, exact"}
"""Headings of the bounds on epsilon, which the table shows at the last iteration."""
DEFINITION = (
    "unknowns, equations: as theorem 2 counts them. private: share of models (of gradients, where these are sent) that "
    "do not follow from all that is received, those of the first and the last round in brackets; that is not "
    "differential privacy. overheard: at an eavesdropper. NMSE: error over that from the global models alone, 0 "
    "where all know what is estimated. ε: with COTAF, else nan"
)


def privacy(
    name: Name,
    overrides: Keys,
    small: Small = False,
    out: Out = None,
    delta: Annotated[float, tyro.conf.arg(metavar="PROBABILITY", help="δ of differential privacy")] = 1e-5,
    worker: Annotated[int, tyro.conf.arg(metavar="NUMBER", help="worker whose model and gradient are estimated")] = 0,
) -> None:
    """Assess the privacy of a worker towards the server and an eavesdropper: unknowns and equations of the received
    signals, the best linear estimates of its model and gradient, and the differential privacy by noise.
    """
    from otafl.system.machine import require_docstrings

    require_docstrings()
    resolved = scenario_of(name, overrides, small)
    from otafl.scenario import privacy_rules

    privacy_rules.check(resolved, worker, delta)
    from otafl.privacy import assess
    from otafl.privacy.error_figure import figure
    from otafl.results import figure_files, result_file

    stem = (out or Path("results") / resolved.name) / f"{resolved.name}-privacy"
    result = stem.with_name(f"{stem.name}.nc")
    with made(stem.parent):
        data = assess(resolved, delta=delta, worker=worker)
        result_file.save(data, result)
        paths = [result, *figure_files.save(figure(data), stem)]
    print_whole(table(data))
    say("wrote " + ", ".join(map(str, paths)))


def table(data: "xr.Dataset") -> "Table":
    """Return a table of rich on what ``otafl.privacy.assess`` found, with a row for each point of the sweep."""
    from otafl.results import analysis

    swept = [str(name) for name in data["private"].dims if name not in ("seed", "iteration")]
    headings = [name.replace("_nmse", " NMSE").replace("_elsewhere", ",\noverheard") for name in COLUMNS]
    rows = []
    for point in analysis.points(data):
        names = [str(point[name].item()) for name in swept]
        means = [_mean(point[column], "private" in column) for column in COLUMNS]
        bounds = (float(point[bound].isel(iteration=-1).mean()) for bound in BOUNDS)
        rows.append([*names, *means, *(f"{bound:.4g}" for bound in bounds)])
    return grid(swept, [*headings, *BOUNDS.values()], rows, DEFINITION)


def _mean(values: "xr.DataArray", by_round: bool) -> str:
    """Return a mean over seeds and iterations, and if wanted those of the first and last iteration, if they differ."""
    ends = (values.isel(iteration=place) for place in (0, -1))
    mean, first, last = (f"{float(part.mean()):.4g}" for part in (values, *ends))
    return f"{mean} ({first}, {last})" if by_round and first != last else mean
