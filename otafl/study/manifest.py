"""List of the runs of a study, study.json, in its folder of runs."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field

from otafl.errors import OtaflError
from otafl.system.whole_files import read_text

MANIFEST, SUFFIX = "study.json", ".runs"


def place(point: dict[str, Any], seed: int) -> str:
    """Return a point of the sweep and a seed as one text."""
    return str((sorted((key, str(value)) for key, value in point.items()), seed))


def digest(names: Iterable[str]) -> str:
    """Return one text for the runs of a study, by their names, which its result has among its attributes."""
    return hashlib.sha256(" ".join(names).encode()).hexdigest()


class ListedRun(BaseModel, strict=True):
    """Entry of a run in study.json; its ``kind`` is its name under seed 0, or empty in files of earlier versions."""

    name: Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
    point: dict[str, Any]
    seed: int
    kind: str = ""

    @property
    def place(self) -> str:
        return place(self.point, self.seed)


class Manifest(BaseModel, strict=True):
    """Content of study.json; the scenario is TOML, and comes from a file or, by its name, with otafl."""

    study: Annotated[str, Field(pattern=r"^[^/\x00]+$")]
    file: str
    scenario: str
    iterations: int
    runs: Annotated[list[ListedRun], Field(min_length=1)]
    store: Annotated[str, Field(pattern=r"^[^\x00]+$")]

    @property
    def digest(self) -> str:
        return digest(run.name for run in self.runs)


def manifest(runs: Path) -> Manifest | None:
    """Read the list of a study's runs in a folder NAME.runs; None if there is no valid one."""
    try:
        return Manifest.model_validate(json.loads(read_text(runs / MANIFEST)))
    except (OSError, ValueError, RecursionError):
        return None


def studies(folder: Path) -> dict[Path, Manifest]:
    """Return the studies in a folder (``--out`` of studies, or NAME.runs) by the folder of their runs."""
    paths = (folder, *sorted(folder.glob(f"*{SUFFIX}")))
    listed = {path: found for path in paths if (found := manifest(path))}
    if not listed:
        rule = f"must be the --out folder of a study, or NAME{SUFFIX} in it; there is no {MANIFEST} that can be read"
        raise OtaflError("DIR", str(folder), rule)
    return listed
