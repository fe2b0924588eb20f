"""Times of whole commands, a process each, in imports of TensorFlow and NumPy; with a second checkout, ratios of both.

``python -m benchmarks.bench_commands [REPEATS [CHECKOUT]]`` also times another checkout of otafl, alternately, with the
libraries of this one.
"""

import os
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import NamedTuple

REPEATS = 3
HERE = Path(__file__).parents[1]
ELSEWHERE = "list, libraries in another folder"
"""Heading of a command whose libraries lie in a folder on PYTHONPATH, as ``pip install --target`` puts them."""
UNITS = ("import tensorflow", "import numpy")
"""Statements whose times are the units."""
STUDIES = ("quickstart", "digits_quickstart")
STATES = {
    "cold": {"store": "first", "out": "first"},
    "programs kept": {"store": "store", "out": "out"},
    "runs stored": {"store": "store", "out": "out"},
    "runs stored, new folder": {"store": "store", "out": "other"},
}
"""Folders of the store and of the result in successive runs of a study, by what is kept from the ones before."""
READING = {
    "version": "--version",
    "overview": "--help",
    "methods": "methods",
    "list": "list",
    "help": "help channel.snr_db",
    "show": "show quickstart",
    "status": "status out/quickstart",
    "collect": "collect out/quickstart",
    "plot": "plot out/quickstart/quickstart.nc",
    "report": "report out/quickstart/quickstart.nc",
    "plan": "plan digits_quickstart --store empty",
}
"""Words of the commands that read the folder of a study, or no file, by heading."""


class Taken(NamedTuple):
    """Times of a process and its children: wall clock, and processor time of user and system [s]."""

    wall: float
    processor: float


def taken(folder: Path, checkout: Path, *words: str, store: str = "store", libraries: str = "") -> Taken:
    """Return the times of a Python process with the modules of a checkout.

    Arguments:
        folder: working folder, with the folders of the cache and of the store.
        checkout: root of the checkout.
        words: arguments of Python.
        store: name of the folder with stored runs.
        libraries: name of a folder of libraries for a Python that has none itself; empty: those of this Python.
    """
    python = getattr(sys, "_base_executable", sys.executable) if libraries else sys.executable
    path = os.pathsep.join(filter(None, [str(checkout), libraries]))
    at = {"PYTHONPATH": path, "OTAFL_CACHE_DIR": folder / "cache", "OTAFL_STORE_DIR": folder / store}
    environment = os.environ | {name: str(path) for name, path in at.items()}
    silent = subprocess.DEVNULL
    began = time.perf_counter()
    process = subprocess.Popen([python, *words], cwd=folder, env=environment, stdout=silent, stderr=silent)
    _, status, used = os.wait4(process.pid, 0)
    wall, process.returncode = time.perf_counter() - began, os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(words)} ends with {process.returncode}")
    return Taken(wall, used.ru_utime + used.ru_stime)


def once(folder: Path, checkout: Path) -> dict[str, Taken]:
    """Return the times of all commands with a checkout, by heading; the folder must be new."""

    def otafl(words: str, store: str = "store") -> Taken:
        return taken(folder, checkout, "-m", "otafl.cli", *words.split(), store=store)

    folder.mkdir()
    found = {words: taken(folder, checkout, "-c", words) for words in (*UNITS, "import otafl")}
    for study in STUDIES:
        for state, names in STATES.items():
            found[f"{study}, {state}"] = otafl(f"run {study} --out {names['out']}/{study}", store=names["store"])
    found |= {heading: otafl(words) for heading, words in READING.items()}
    (folder / "libraries").mkdir()
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        (folder / "libraries" / entry.name).symlink_to(entry)
    return found | {ELSEWHERE: taken(folder, checkout, "-m", "otafl.cli", "list", libraries="libraries")}


def main(repeats: int = REPEATS, others: list[str] | None = None) -> None:
    """Print medians, and those of the ratios of times with this checkout to times with another one."""
    checkouts, times = [HERE, *map(Path, others or [])], defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(repeats):
            for place, checkout in enumerate(checkouts):
                for heading, one in once(Path(folder) / f"{number}-{place}", checkout).items():
                    times[place, heading].append(one)
    units = [_median(times[0, unit]) for unit in UNITS]
    said = " and ".join(f"{unit} {time.wall:.2f} s" for unit, time in zip(UNITS, units, strict=True))
    print(f"whole commands, in units of {said}; processor time in the first")
    for place, heading in times:
        if place == 0:
            print(f"  {heading:44}", *(_cells(times[which, heading], units) for which in range(len(checkouts))), end="")
            print(*(f"  ratio {_ratio(times[0, heading], times[1, heading]):.2f}" for _ in others or []))


def _median(found: list[Taken]) -> Taken:
    return Taken(*(median(column) for column in zip(*found, strict=True)))


def _cells(found: list[Taken], units: list[Taken]) -> str:
    wall, processor = _median(found)
    import_tensorflow, import_numpy = units
    cells = f"{wall / import_tensorflow.wall:5.2f} {wall / import_numpy.wall:6.1f}"
    return f"{cells} (processor {processor / import_tensorflow.processor:5.2f})"


def _ratio(here: list[Taken], there: list[Taken]) -> float:
    """Return the median of the ratios of processor times."""
    return median(one.processor / other.processor for one, other in zip(here, there, strict=True))


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else REPEATS, sys.argv[2:])
