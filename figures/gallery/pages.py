"""Pages of the gallery: figures/README.md, and README.md of each folder with its figures and claims."""

import importlib

from figures.gallery import claim_page, claims
from figures.gallery.pictures import FOLDERS, page, pictures
from figures.gallery.study import FIGURES

HEAD = """# Gallery

Each folder has the figures of a paper or subject, and the results of studies that take up to an hour
(in `computed/*.zip`; once unzipped, xarray and `otafl table` open them). The five papers of methods, channels and cells
have a table of claims, too, beside what was measured. In a clone `python -m figures` runs what is missing, draws all
and writes these pages; `python -m figures afadmm` does so for one folder, and `python -m figures linreg_energy` draws
one figure. With the wheel, too, `otafl run linreg_energy` runs a study and draws its own figure.
"""


def write(folders: tuple[str, ...] = FOLDERS) -> None:
    """Write the gallery's page, and those of folders, below the working folder.

    Arguments:
        folders: names of the folders.
    """
    texts = {folder: folder_page(folder) for folder in folders}
    for folder, text in ({"": gallery()} | texts).items():
        (FIGURES / folder).mkdir(parents=True, exist_ok=True)
        (FIGURES / folder / "README.md").write_text(text, encoding="utf-8")


def gallery() -> str:
    """Return the gallery's page: a picture, a sentence and a link for each folder."""
    return "\n".join([HEAD, *map(_link, FOLDERS)])


def _link(folder: str) -> str:
    about = page(folder)
    title, picture = about["title"], about["picture"]
    linked = f"[![{title}]({folder}/{picture}.png)]({folder}/README.md)"
    return f"## [{title}]({folder}/README.md)\n\n{about['sentence']}\n\n{linked}\n"


def folder_page(folder: str) -> str:
    """Return the page of a folder: the answer of its claims, figures with captions, and the table of claims.

    Arguments:
        folder: name of the folder.
    """
    about, has_claims = page(folder), folder in claims.folders()
    parts = [f"# {about['title']}", claim_page.answer(folder) if has_claims else "", about.get("intro", "")]
    parts += ["## Figures", *(picture.entry for picture in pictures(folder)), _after(folder)]
    parts += [claim_page.section(folder)] if has_claims else []
    return "\n\n".join(filter(None, map(str.strip, parts))) + "\n"


def _after(folder: str) -> str:
    """Return the text below a folder's figures; a module ``tables`` of the folder completes it."""
    about = page(folder)
    if "tables" not in about:
        return about.get("after", "")
    return importlib.import_module(f"figures.{folder}.{about['tables']}").page(about)
