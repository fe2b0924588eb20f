"""Which files beside a file count, by import statements alone: nothing is imported, and nothing installed is read."""

import sys
from pathlib import Path

import pytest

from otafl.user_code import files_beside


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder / next(iter(files))


def names(first: Path) -> set[str]:
    return {name for name, _ in files_beside.files(first).values()}


STATEMENTS = {
    "import helper": {"helper.py"},
    "import helper as h, other": {"helper.py", "other.py"},
    "from helper import f": {"helper.py"},
    "from pkg import f": {"pkg/__init__.py"},
    "from pkg import sub": {"pkg/__init__.py", "pkg/sub.py"},
    "import pkg.deep.leaf": {"pkg/__init__.py", "pkg/deep/__init__.py", "pkg/deep/leaf.py", "pkg/sub.py"},
    "from pkg import *": {"pkg/__init__.py", "pkg/sub.py"},
    "import bare.inner": {"bare/inner.py"},
    "import wave, sys, os, numpy, no_such": set(),
    "def f():\n    import helper": {"helper.py"},
    "try:\n    import helper\nexcept ImportError:\n    pass": {"helper.py"},
    "import chain": {"chain.py", "helper.py"},
    "import circle": {"circle.py"},
    "import compiled": {"compiled.so"},
    "import importlib\nimportlib.import_module('helper')": set(),
    "import broken": {"broken.py"},
}
AROUND = {
    "helper.py": "",
    "other.py": "",
    "chain.py": "import helper",
    "circle.py": "import mine, circle",
    "broken.py": "def (",
    "compiled.so": "import helper",
    "pkg/__init__.py": "",
    "pkg/sub.py": "",
    "pkg/deep/__init__.py": "",
    "pkg/deep/leaf.py": "from .. import sub\nfrom .nothing import here",
    "bare/inner.py": "",
    "unused.py": "",
}


@pytest.mark.parametrize("statement", STATEMENTS)
def test_files_of_the_same_folder(statement, tmp_path):
    loaded = set(sys.modules)
    assert names(written(tmp_path, {"mine.py": statement} | AROUND)) == {"mine.py"} | STATEMENTS[statement]
    assert set(sys.modules) == loaded


PACKAGE = {
    "lib/part.py": "from . import near\nfrom .deep import f\nimport lib.far\nimport beside",
    "lib/__init__.py": "from .first import *",
    "lib/first.py": "",
    "lib/near.py": "from ..above import no",
    "lib/deep/__init__.py": "from ..near import g\nimport lib.deep.leaf",
    "lib/deep/leaf.py": "",
    "lib/far.py": "",
    "lib/unused.py": "",
    "beside.py": "",
    "above.py": "",
}
COUNTED = {"part.py", "__init__.py", "first.py", "near.py", "deep/__init__.py", "deep/leaf.py", "far.py"}


def test_files_of_the_same_package_and_of_its_folder(tmp_path):
    assert names(written(tmp_path, PACKAGE)) == COUNTED | {"../beside.py", "../above.py"}


def test_of_installed_packages_the_files_own_alone(tmp_path):
    """As pip installs them, into whatever folder; a file that lies there by itself is a package of its own."""
    first = written(tmp_path, PACKAGE | {"other-1.0.dist-info/METADATA": "", "alone.py": "import beside, lib.far"})
    assert names(first) == COUNTED | {"../above.py"}
    assert names(tmp_path / "alone.py") == {"alone.py"}


def test_a_package_without_a_file_is_told_by_the_names_in_statements(tmp_path):
    first = written(
        tmp_path, {"lib/deep/part.py": "import lib.deep.near, lib.far", "lib/deep/near.py": "", "lib/far.py": ""}
    )
    assert names(first) == {"part.py", "near.py", "../far.py"}


def test_otafl_beside_a_file_is_not_read(tmp_path):
    assert names(written(tmp_path, {"mine.py": "import otafl.run", "otafl/__init__.py": "", "otafl/run.py": ""})) == {
        "mine.py"
    }


def test_digests_tell_contents_apart_and_not_places(tmp_path):
    def found(folder: str, helper: str) -> list:
        first = written(tmp_path / folder, {"mine.py": "import helper", "helper.py": helper})
        return sorted(files_beside.files(first).values())

    assert found("one", "N = 1") == found("two", "N = 1") != found("two", "N = 2")
    assert all(len(digest) == 64 for _, digest in found("one", ""))
