"""Studies whose processes are killed: started anew, they end in the curves of undisturbed ones."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import otafl
from otafl.results import result_file
from otafl.store import array_file
from tests.otafl.small import SMALL
from tests.otafl.study.conftest import children
from tests.rounding import assert_results_close

pytestmark = pytest.mark.usefixtures("in_processes")
NETWORKS = {"method": ["A-SFADMM", "FedAvg", "A-SGD"], "run.iterations": 30, "run.seeds": 2}
NETWORKS |= {"uplink.kind": "analog", "federation.workers": 20}
MANY_NETWORKS = NETWORKS | {"method": [*NETWORKS["method"], "FedADMM-Gong"], "run.seeds": 5}
REGRESSIONS = SMALL | {"method": ["A-FADMM", "A-GD"], "federation.workers": [3, 4, 5, 6, 7], "run.seeds": 2}
REGRESSIONS |= {"run.iterations": 100_000, "run.record": "log"}
PATIENCE_S = 4.0, 12.0
"""Between these a study is killed that has not stored a run more."""


def command(name: str, keys: dict) -> list[str]:
    words = [(f"--{key}", *map(str, value if isinstance(value, list) else [value])) for key, value in keys.items()]
    study = [sys.executable, "-m", "otafl.cli", "run", name, *(word for part in words for word in part)]
    return [*study, "--out", "out", "--store", "store"]


@pytest.mark.slow
def test_killed_studies_go_on(tmp_path):
    """At random moments, every other time with the processes that compute: what is stored is whole, and is used."""
    studies, kills = {"digits_quickstart": MANY_NETWORKS, "quickstart": REGRESSIONS}, 20
    rng, stored, killed = random.Random(3), {}, 0
    for kill in range(kills):
        name, keys = list(studies.items())[kill * len(studies) // kills]
        killed += _killed(command(name, keys), tmp_path, len(stored), rng, bool(kill % 2))
        for path, written in stored.items():
            assert path.stat().st_mtime_ns == written, "it was computed twice"
        stored = {path: path.stat().st_mtime_ns for path in _runs(tmp_path)}
        for path in tmp_path.glob("store/*/*.[rs][ut]*"):
            array_file.read(path, lambda *content: content)
    assert killed > 0.7 * kills
    for name, keys in studies.items():
        subprocess.run(command(name, keys), cwd=tmp_path, check=True, capture_output=True)
        assert_results_close(result_file.load(tmp_path / f"out/{name}.nc"), otafl.run(name, keys))
    for path, written in stored.items():
        assert path.stat().st_mtime_ns == written, "it was computed twice"


def _killed(words: list[str], folder: Path, stored: int, rng: random.Random, wholly: bool) -> bool:
    """Start a study, and kill it some time after it has stored a run more; returns whether it was still at work."""
    study = subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    latest = time.monotonic() + rng.uniform(*PATIENCE_S)
    while study.poll() is None and len(_runs(folder)) <= stored and time.monotonic() < latest:
        time.sleep(0.05)
    time.sleep(rng.uniform(0, 1))
    workers = children(study.pid) if wholly else []
    study.kill()
    for worker in workers:
        os.kill(worker, signal.SIGKILL)
    return study.wait() == -signal.SIGKILL


def _runs(folder: Path) -> list[Path]:
    return list(folder.glob("store/*/*.run"))


@pytest.mark.slow
def test_two_commands_share_a_study(tmp_path):
    words = command("digits_quickstart", NETWORKS)
    both = [subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(2)]
    assert [(one.wait(300), one.stderr.read() if one.stderr else b"")[0] for one in both] == [0, 0]
    assert result_file.load(tmp_path / "out/digits_quickstart.nc").equals(otafl.run("digits_quickstart", NETWORKS))
    assert len(_runs(tmp_path)) == 6
