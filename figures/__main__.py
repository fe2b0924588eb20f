"""Gallery of figures: ``python -m figures [NAME ...]`` runs missing studies, draws, and writes its pages.

A name is that of a figure, or of a folder.
"""

import sys
from pathlib import Path

from matplotlib.figure import Figure
from PIL import Image
from rich.progress import Progress

from figures.gallery import pages
from figures.gallery.pictures import FOLDERS, known, pictures
from figures.gallery.study import FIGURES, result
from otafl.results import figure_files


def main() -> None:
    """Draw the figures and folders named on the command line, or all of them, and write the pages of the folders.

    All is written below the working folder, which is the project's root where its gallery is to change.
    """
    by_name, names = known(), sys.argv[1:] or list(FOLDERS)
    if unknown := set(names) - {*by_name, *FOLDERS}:
        sys.exit(f"no figure or folder called {', '.join(unknown)}; folders are {', '.join(FOLDERS)}")
    for name in names:
        for picture in pictures(name) if name in FOLDERS else [by_name[name]]:
            drawn = picture.draw({study: _result(study) for study in picture.studies})
            print(save(drawn, FIGURES / picture.folder / picture.name))
    if folders := tuple(name for name in names if name in FOLDERS):
        pages.write(folders)


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


def _result(study: str):
    with Progress(transient=True) as bar:
        task = bar.add_task(study, total=None)
        return result(study, lambda _, done, total: bar.update(task, completed=done, total=total))


if __name__ == "__main__":
    main()
