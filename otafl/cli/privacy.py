"""Privacy of workers, in a terminal and as files."""

from pathlib import Path
from typing import Annotated, Any

import tyro

from otafl.cli.arguments import Keys, Name, Small, folder
from otafl.cli.options import values
from otafl.cli.terminal import print_whole, remarks, say
from otafl.scenario import file as scenarios
from otafl.scenario import privacy_rules
from otafl.system.whole_files import made

Out = Annotated[Path | None, folder("for NAME-privacy.nc, NAME-privacy.png and NAME-privacy.pdf", "results/NAME")]
COLUMNS = ["unknowns", "equations"]
COLUMNS += [f"{name}{at}" for name in ("private", "model_nmse", "gradient_nmse") for at in ("", "_elsewhere")]
"""Names of the variables whose means the table shows."""
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

    Arguments:
        name: scenario name or path to a TOML file.
        overrides: scenario keys given as options; several values of a key sweep it.
        small: True for the small study beside it.
        out: folder for NAME-privacy.nc, NAME-privacy.png and NAME-privacy.pdf; None: results/NAME.
        delta: δ of differential privacy, between 0 and 1.
        worker: number of the worker whose model and gradient are estimated, from 0.
    """
    from otafl.system.machine import require_docstrings

    require_docstrings()
    with remarks():
        resolved = scenarios.load(name, values(overrides), small)
        privacy_rules.check(resolved, worker, delta)
        from otafl.privacy import assess
        from otafl.privacy.error_figure import figure
        from otafl.results import figure_files, file

        stem = (out or Path("results") / resolved.name) / f"{resolved.name}-privacy"
        result = stem.with_name(f"{stem.name}.nc")
        with made(stem.parent):
            data = assess(resolved, delta=delta, worker=worker)
            file.save(data, result)
            paths = [result, *figure_files.save(figure(data), stem)]
    print_whole(table(data))
    say("wrote " + ", ".join(map(str, paths)))


def table(data: Any) -> Any:
    """Return a table of rich on the privacy of workers, with a row for each point of the sweep.

    Its columns are swept keys, means over seeds and iterations of counts, shares of private models and NMSE, and ε of
    differential privacy at the last iteration.

    Arguments:
        data: result of ``otafl.privacy.assess``, an xarray Dataset over swept keys, seed and iteration.
    """
    from rich.table import Table

    from otafl.results import analysis

    swept = [name for name in data["private"].dims if name not in ("seed", "iteration")]
    grid = Table(box=None, caption=DEFINITION)
    headings = [name.replace("_nmse", " NMSE").replace("_elsewhere", ",\noverheard") for name in COLUMNS]
    for heading in (*swept, *headings, *BOUNDS.values()):
        grid.add_column(heading, justify="left" if heading in swept else "right")
    for one in analysis.points(data):
        names = [str(one[name].item()) for name in swept]
        means = [_mean(one[each], "private" in each) for each in COLUMNS]
        grid.add_row(*names, *means, *(f"{float(one[each].isel(iteration=-1).mean()):.4g}" for each in BOUNDS))
    return grid


def _mean(values: Any, by_round: bool) -> str:
    """Return a mean over seeds and iterations, and if wanted those of the first and last iteration, if they differ."""
    ends = (values.isel(iteration=place) for place in (0, -1))
    mean, first, last = (f"{float(each.mean()):.4g}" for each in (values, *ends))
    return f"{mean} ({first}, {last})" if by_round and first != last else mean
