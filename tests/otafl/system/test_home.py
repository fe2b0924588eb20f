"""Paths that begin with ~, wherever one is given: they lie in the user's home folder, and none has that name."""

import numpy as np
import pytest

import otafl
from otafl.channels import cache
from otafl.data import files
from otafl.store.store import default_folder
from tests.otafl.study.test_slurm import KEYS

TOML = """base = "quickstart"
plugins = ["~/mine.py"]
[problem]
dataset = "~/data.npz"
[channel]
fading = "file"
file = "~/channels.npz"
"""


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.chdir(tmp_path)
    yield folder
    assert not (tmp_path / "~").exists()


def test_folders_of_the_environment(home, monkeypatch):
    for name in ("OTAFL_STORE_DIR", "OTAFL_DATA_DIR", "OTAFL_CACHE_DIR"):
        monkeypatch.setenv(name, "~/mine")
    (home / "mine").mkdir()
    (home / "mine" / "data.csv").touch()
    assert files.data_file("data.csv") == home / "mine" / "data.csv"
    assert (default_folder(), cache.folder("a")) == (home / "mine", home / "mine" / "a")


def test_paths_of_arguments_keys_and_files(home, call, registries):
    rng, plain = np.random.default_rng(0), {key: KEYS[key] for key in ("method", "run.iterations", "run.seeds")}
    np.savez(home / "data.npz", x_train=rng.standard_normal((60, 4)), y_train=rng.standard_normal(60))
    np.savez(home / "channels.npz", h=rng.standard_normal((9, 4, 5)) + 1j)
    (home / "mine.py").touch()
    (home / "mine.toml").write_text(TOML)
    scenario = otafl.load("~/mine.toml", {"federation.workers": 4, "uplink.subcarriers": 5})
    given = [scenario.settings.value(key) for key in ("problem.dataset", "channel.file")]
    assert [*given, *scenario.settings.plugins] == [
        str(home / name) for name in ("data.npz", "channels.npz", "mine.py")
    ]
    keys = plain | {"problem.dataset": "~/data.npz", "federation.workers": 4}
    otafl.run("quickstart", keys, out="~/out", store="~/store")
    words = "run quickstart --problem.dataset ~/data.npz --run.iterations 2 --run.seeds 1 --federation.workers 4"
    assert call(*words.split(), "--out=~/other").code == 0
    assert {path.name for path in home.iterdir()} >= {"out", "store", "other"}
