"""Gallery of figures: ``python -m figures [NAME ...]`` runs missing studies, draws, and writes its pages."""

import sys
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure
from PIL import Image
from rich.progress import Progress

from figures import (
    cell_page,
    channel_panels,
    compare,
    notes_pages,
)
from figures.sections import CELL, CHANNELS, EVERY, FAMILIES, FIELD, PAPERS, PRIVACY, SCHEMES
from figures.study import FIGURES, command, load, result
from otafl.results import figure_files, style

HEADER = """# Gallery

Every figure is drawn by a script of this folder from results that its scenarios computed. `make figures` runs what is
missing, draws all of it and writes this page. `python -m figures NAME` draws one figure alone. Results of linear
regression take a minute and lie under `results/`. Those of networks take up to an hour each, so they are kept in
`computed/`, with their scenario and the revision of the source inside. They are computed anew where the scenario has
changed or they are deleted.

Claims of the papers beside what was measured: [A-FADMM](afadmm/README.md), [Gong](gong/README.md),
[Wang](wang/README.md), [FedVRA](fedvra/README.md), [Song](song/README.md); what [other channels](channels/README.md)
and [a cell](cells/README.md) change. Notes on figures: [schemes](../docs/claims/schemes.md),
[privacy](../docs/claims/privacy.md).

Sections: [figures of the papers](#quickstart-diabetes-data-20-workers), [channels](#channels),
[A-FADMM in a cell](#a-fadmm-in-a-cell), [schemes](#schemes), [published figures](#published-figures),
[families](#families), [privacy](#privacy).
"""


def main() -> None:
    """Draw the figures named on the command line, or all of them, the gallery page and the pages of claims.

    All is written below the working folder, which is the project's root where its gallery is to change.
    """
    names = sys.argv[1:] or EVERY
    if unknown := set(names) - set(EVERY):
        sys.exit(f"no figure called {', '.join(unknown)}; there are {', '.join(EVERY)}")
    for name in names:
        study = load(name)
        with matplotlib.rc_context(style.STYLE):
            drawn = study.draw({scenario: _result(scenario) for scenario in study.scenarios})
            print(save(drawn, FIGURES / name))
    if set(names) == set(EVERY):
        write()


def write() -> None:
    """Write the gallery page, figures/README.md, and the pages of claims, without drawing the figures."""
    page = [HEADER, *map(_entry, PAPERS), *_channels(), *_cell(), *_schemes(), *_field(), *_families(), *_privacy()]
    (FIGURES / "README.md").write_text("\n".join(page), encoding="utf-8")
    notes_pages.write()
    (notes_pages.FOLDER / "comparison.md").write_text(compare.page(), encoding="utf-8")


def save(drawn: Figure, stem: Path) -> Path:
    """Write a figure as ``stem.png`` in 256 colours, which take a third of the bytes.

    Arguments:
        drawn: the figure.
        stem: path of the file without suffix.

    Returns:
        Path of the file.
    """
    (path,) = figure_files.save(drawn, stem, formats=("png",))
    with Image.open(path) as image:
        image.convert("RGB").quantize(256).save(path, optimize=True)
    return path


def _channels() -> list[str]:
    """Return the section on channels, as Markdown."""
    return [channel_panels.HEAD, *map(_entry, CHANNELS), channel_panels.FOOT]


def _cell() -> list[str]:
    """Return the section on A-FADMM in a cell, as Markdown."""
    return [cell_page.HEAD, *map(_entry, CELL), cell_page.FOOT]


def _schemes() -> list[str]:
    """Return the section on schemes of uplinks, as Markdown."""
    head = (
        "\n# Schemes\n\nThis section compares schemes of uplinks; "
        "[costs, paired differences and all trials](../docs/claims/comparison.md).\n"
    )
    return [head, *map(_entry, SCHEMES)]


def _field() -> list[str]:
    """Return the section on figures of others, redone by their own settings, as Markdown."""
    names = {"a-dsgd": "A-DSGD", "baa": "BAA", "cotaf": "COTAF", "obda": "OBDA", "yao": "digital against analog"}
    links = ", ".join(f"[{title}](../docs/published/{name}.md)" for name, title in names.items())
    head = (
        "\n# Published figures\n\nThis section redoes what papers on learning over the air state in their abstracts. "
        f"Their figures could not be read, so settings are ours where the pages say so: {links}.\n"
    )
    return [head, *map(_entry, FIELD)]


def _families() -> list[str]:
    """Return the section on further families of aggregation over the air, as Markdown."""
    text = "This section shows votes without channel knowledge, digital sums, surfaces, many cells and adapters."
    return [f"\n# Families\n\n{text}\n", *map(_entry, FAMILIES)]


def _privacy() -> list[str]:
    """Return the section on the privacy of workers, as Markdown."""
    return [
        "\n# Privacy\n\nThis section shows what the server, and an eavesdropper elsewhere, learn of a worker.\n",
        *map(_entry, PRIVACY),
    ]


def _result(scenario: str):
    with Progress(transient=True) as bar:
        task = bar.add_task(scenario, total=None)
        return result(scenario, lambda _, done, total: bar.update(task, completed=done, total=total))


def _entry(name: str) -> str:
    study = load(name)
    runs = "; ".join(f"`{command(scenario)}`" for scenario in study.scenarios)
    drawn = f"Drawn by `python -m figures {name}`" + (f" from {runs}." if study.scenarios else ".")
    return "\n\n".join((f"\n## {study.title}", f"![{study.title}]({name}.png)", study.caption, drawn)) + "\n"


if __name__ == "__main__":
    main()
