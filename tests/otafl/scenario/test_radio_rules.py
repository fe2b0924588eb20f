"""Fading models of the user's own that fail, or whose gains have another mean square."""

from pathlib import Path

import numpy as np
import pytest

import otafl
from otafl.channels.fading import FADING
from otafl.errors import OtaflError, Remark
from otafl.scenario import user_classes
from tests.registries import forgotten

REGISTERED = (
    "import otafl.channels.fading\nfrom dataclasses import dataclass\n@otafl.channels.fading.register('foggy')\n"
)
FOGGY = (
    REGISTERED
    + "@dataclass(frozen=True)\nclass Foggy:\n    def sample(self, rng, num_workers, num_subcarriers):\n        "
)


@pytest.fixture(autouse=True)
def _forgotten():
    """What a test registers is unknown to the next one."""
    with forgotten():
        yield


def test_a_refused_fading_model_leaves_other_studies_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("foggy.py").write_text(FOGGY.replace("    def", "    density: float\n    def") + "return 1")
    with pytest.raises(OtaflError, match="must have a default"):
        otafl.load("quickstart", {"plugins": ["foggy.py"]})
    otafl.load("quickstart")


UNSOUND = FOGGY + "return 1.0\n"
SOUND = FOGGY + "import numpy; return numpy.ones((num_workers, num_subcarriers)) + 0j\n"
FAILS_FOR_SOME = (
    FOGGY.replace("    def", "    density: float = 0.5\n    def")
    + "import numpy; return numpy.ones((num_workers, num_subcarriers)) + 0j if self.density < 1 else None\n"
)
BESIDE = "import otafl\nfrom otafl.algorithms.fedavg import FedAvg\n@otafl.method('Mine')\nclass Mine(FedAvg): ...\n"


def test_a_fading_model_that_fails_does_not_stay_registered(tmp_path, monkeypatch):
    """Its file can be mended, and another file can take its name."""
    monkeypatch.chdir(tmp_path)
    for name in ("foggy.py", "other.py"):
        Path(name).write_text(UNSOUND)
        with pytest.raises(OtaflError, match=r"its model fails: .* must return that shape"):
            otafl.load("quickstart", {"plugins": [name], "channel.fading": "foggy"})
        assert "foggy" not in FADING
    Path("foggy.py").write_text(SOUND)
    keys = {"plugins": ["foggy.py"], "channel.fading": "foggy", "method": "A-GD", "run.iterations": 2, "run.seeds": 1}
    assert np.isfinite(otafl.run("quickstart", keys)["loss"]).all()


def test_what_stands_beside_a_refused_fading_model_is_imported_anew(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("both.py").write_text(BESIDE + UNSOUND)
    with pytest.raises(OtaflError, match="its model fails"):
        otafl.load("quickstart", {"plugins": ["both.py"], "channel.fading": "foggy"})
    points = otafl.load("quickstart", {"method": "Mine"}).points()
    assert user_classes.only_here(settings for _, settings in points)
    scenario = otafl.load("quickstart", {"method": "Mine", "plugins": ["both.py"]})
    assert not user_classes.only_here(settings for _, settings in scenario.points())


def test_a_fading_model_that_fails_for_some_parameters_stays_registered(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("foggy.py").write_text(FAILS_FOR_SOME)
    keys = {"plugins": ["foggy.py"], "channel.fading": "foggy"}
    with pytest.raises(OtaflError, match="its model fails"):
        otafl.load("quickstart", keys | {"channel.density": 2.0})
    otafl.load("quickstart", {"channel.fading": "foggy", "channel.density": 0.2})


def test_gains_of_another_mean_square_are_remarked_upon(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    body = "return 2 * numpy.ones((num_workers, num_subcarriers)) + 0j"
    Path("loud.py").write_text("import numpy\n" + FOGGY.replace("foggy", "loud").replace("Foggy", "Loud") + body)
    with pytest.warns(Remark, match="mean square of 4,"):
        otafl.load("quickstart", {"plugins": ["loud.py"], "channel.fading": "loud"})
