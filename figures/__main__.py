"""Draw the gallery: ``python -m figures [NAME ...]`` runs what is missing, draws, and writes figures/README.md."""

import importlib
import sys
from pathlib import Path

import matplotlib
from rich.progress import Progress

from figures import claims
from figures.study import Study, result
from otafl import plot

NAMES = (
    "quickstart",
    "linreg_communication",
    "linreg_energy",
    "linreg_scalability",
    "linreg_penalty",
    "linreg_readings",
)
HERE = Path(__file__).parent
HEADER = """# Gallery

Every figure is drawn by a script of this folder from results that its scenarios computed. `make figures` runs what is
missing under `results/`, draws all of it and writes this page; one figure alone is `python -m figures NAME`.
"""


def main() -> None:
    """Draw the named figures, or all of them and the gallery page."""
    names = sys.argv[1:] or NAMES
    if unknown := set(names) - set(NAMES):
        sys.exit(f"no figure called {', '.join(unknown)}; there are {', '.join(NAMES)}")
    for name in names:
        study = load(name)
        with matplotlib.rc_context(plot.STYLE):
            drawn = study.draw({scenario: _result(scenario) for scenario in study.scenarios})
            print(*plot.save(drawn, HERE / name, formats=("png",)))
    if set(names) == set(NAMES):
        page = [HEADER, *map(_entry, NAMES), claims.table()]
        (HERE / "README.md").write_text("\n".join(page), encoding="utf-8")


def load(name: str) -> Study:
    """The study of a figure."""
    return importlib.import_module(f"figures.{name}").STUDY


def _result(scenario: str):
    with Progress(transient=True) as bar:
        task = bar.add_task(scenario, total=None)
        return result(scenario, lambda _, done, total: bar.update(task, completed=done, total=total))


def _entry(name: str) -> str:
    study = load(name)
    runs = "; ".join(f"`otafl run {scenario}`" for scenario in study.scenarios)
    drawn = f"Drawn by `python -m figures {name}` from {runs}."
    return "\n\n".join((f"\n## {study.title}", f"![{study.title}]({name}.png)", study.caption, drawn)) + "\n"


if __name__ == "__main__":
    main()
