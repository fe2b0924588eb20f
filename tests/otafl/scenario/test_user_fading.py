"""Fading models of the user's own that fail, or whose gains have another mean square."""

from pathlib import Path

import numpy as np
import pytest

import otafl
from otafl.channels.fading import FADING
from otafl.errors import OtaflError, Remark
from otafl.scenario import user_classes
from tests.otafl.user_code.test_plugins import FOGGY

SOUND = FOGGY + "import numpy; return numpy.ones((num_workers, num_subcarriers)) + 0j\n"
UNSOUND = FOGGY + "return 1.0\n"
FAILS_FOR_SOME = (
    FOGGY.replace("    def", "    density: float = 0.5\n    def")
    + "import numpy; return numpy.ones((num_workers, num_subcarriers)) + 0j if self.density < 1 else None\n"
)
BESIDE = "import otafl\nfrom otafl.algorithms.fedavg import FedAvg\n@otafl.method('Mine')\nclass Mine(FedAvg): ...\n"
OWN = {"plugins": ["foggy.py"], "channel.fading": "foggy"}


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch, registries):
    monkeypatch.chdir(tmp_path)


def test_a_fading_model_that_fails_does_not_stay_registered():
    """Its file can be mended, and another file can take its name."""
    for name in ("foggy.py", "other.py"):
        Path(name).write_text(UNSOUND)
        with pytest.raises(OtaflError, match=r"its model fails: .* must return that shape"):
            otafl.load("quickstart", OWN | {"plugins": [name]})
        assert "foggy" not in FADING
    Path("foggy.py").write_text(SOUND)
    data = otafl.run("quickstart", OWN | {"method": "A-GD", "run.iterations": 2, "run.seeds": 1})
    assert np.isfinite(data["loss"]).all()


def test_what_stands_beside_a_refused_fading_model_is_imported_anew():
    Path("foggy.py").write_text(BESIDE + UNSOUND)
    with pytest.raises(OtaflError, match="its model fails"):
        otafl.load("quickstart", OWN)
    points = otafl.load("quickstart", {"method": "Mine"}).points()
    assert user_classes.only_here(settings for _, settings in points)
    scenario = otafl.load("quickstart", {"method": "Mine", "plugins": ["foggy.py"]})
    assert not user_classes.only_here(settings for _, settings in scenario.points())


def test_a_fading_model_that_fails_for_some_parameters_stays_registered():
    Path("foggy.py").write_text(FAILS_FOR_SOME)
    with pytest.raises(OtaflError, match="its model fails"):
        otafl.load("quickstart", OWN | {"channel.density": 2.0})
    otafl.load("quickstart")
    otafl.load("quickstart", {"channel.fading": "foggy", "channel.density": 0.2})


def test_gains_of_another_mean_square_are_remarked_upon():
    Path("foggy.py").write_text(SOUND.replace("numpy.ones", "2 * numpy.ones"))
    with pytest.warns(Remark, match="mean square of 4,"):
        otafl.load("quickstart", OWN)
