"""Studies whose process is killed: started anew, they end in the curves of an undisturbed one."""

import os
import random
import subprocess
import sys
import time

import otafl
from otafl.results import file

KEYS = {
    "method": ["A-SFADMM", "FedAvg", "A-SGD"],
    "run.iterations": 30,
    "run.seeds": 2,
    "uplink.kind": "analog",
    "federation.workers": 20,
}
WORDS = [str(word) for key, value in KEYS.items() for word in (f"--{key}", *(value if "method" in key else [value]))]
COMMAND = [sys.executable, "-m", "otafl.cli", "run", "digits_quickstart", *WORDS, "--out", "out", "--store", "store"]


def test_killed_studies_go_on(tmp_path):
    """Three times, at random moments after the first run has ended; what was stored is not computed again."""
    rng, stored = random.Random(3), {}
    for _ in range(3):
        process = subprocess.Popen(COMMAND, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and len(runs(tmp_path)) <= len(stored):
            time.sleep(0.05)
        time.sleep(rng.uniform(0, 1))
        process.kill()
        process.wait()
        for path, written in stored.items():
            assert path.stat().st_mtime_ns == written, "it was computed twice"
        stored = {path: path.stat().st_mtime_ns for path in runs(tmp_path)}
        assert stored
    subprocess.run(COMMAND, cwd=tmp_path, check=True, capture_output=True, env=os.environ)
    assert file.load(tmp_path / "out/digits_quickstart.nc").equals(otafl.run("digits_quickstart", KEYS))
    assert len(runs(tmp_path)) == 6


def runs(folder) -> list:
    """The runs that are stored."""
    return list(folder.glob("store/*/*.run"))
