"""Schemes of the user's own: swept, run elsewhere, found again; idle keys; and fading models that fail."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import otafl
from otafl.channels.fading import FADING
from otafl.errors import OtaflError, Remark
from otafl.scenario import user_classes
from otafl.study import engines
from otafl.user_code import plugins
from tests.otafl.small import SMALL, dotted
from tests.otafl.user_code.test_plugins import FOGGY
from tests.registries import forgotten
from tests.rounding import SINGLE, assert_close

pytestmark = pytest.mark.usefixtures("registries")
FORGOTTEN = ("my_schemes",)
SCHEMES = (Path(__file__).parents[3] / "docs" / "examples" / "my_schemes.py").read_text(encoding="utf-8")
RUN = SMALL | {"federation.workers": 4, "run.iterations": 3, "run.seeds": 1}
TRAINED = RUN | {"local.steps": 2, "local.learning_rate": 0.01}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("schemes")
    (folder / "my_schemes.py").write_text(SCHEMES)
    return folder


@pytest.fixture
def schemes(folder, monkeypatch) -> str:
    monkeypatch.chdir(folder)
    return "my_schemes"


@pytest.fixture(scope="module")
def plain():
    """The result of FedAvg, which schemes of the user's own are made from."""
    return otafl.run("quickstart", TRAINED | {"method": "FedAvg", "uplink.kind": "digital"}, store=False)


def run(schemes: str, **keys):
    return otafl.run("quickstart", TRAINED | {"plugins": [schemes]} | dotted(keys))


def test_a_method_of_ones_own_has_keys_that_sweep_and_its_limit_is_what_it_is_made_from(schemes, plain):
    swept = run(schemes, method="FedAvgM", uplink__kind="digital", algorithm__server_momentum=[0.0, 0.5])
    assert_close(swept["loss"].sel(server_momentum=0.0).squeeze(), plain["loss"].squeeze(), SINGLE)
    assert (swept["loss"].sel(server_momentum=0.5) != plain["loss"]).any()


@pytest.mark.slow
def test_a_fading_model_of_ones_own_has_no_fading_as_a_limit(schemes):
    base = RUN | {"plugins": [schemes], "method": "A-FADMM"}
    swept = otafl.run("quickstart", base | {"channel.fading": "nakagami", "channel.nakagami_m": [1.0, 1e10]})
    known = otafl.run("quickstart", base | {"channel.fading": "none"})["loss"].squeeze()
    np.testing.assert_allclose(swept["loss"].sel(nakagami_m=1e10).squeeze(), known, rtol=1e-2)
    assert not np.allclose(swept["loss"].sel(nakagami_m=1.0).squeeze(), known, rtol=1e-2)


def test_an_uplink_of_ones_own_carries_what_it_is_derived_from_carries(schemes, plain):
    with_header = run(schemes, method="FedAvg", uplink__kind="with_header", uplink__header_bits=[0, 10**6])
    uses = with_header["channel_uses"].isel(iteration=-1, seed=0)
    assert uses.sel(header_bits=0).item() == plain["channel_uses"].isel(iteration=-1, seed=0).item()
    assert uses.sel(header_bits=10**6) > 2 * uses.sel(header_bits=0)


@pytest.mark.slow
def test_worker_processes_load_the_schemes_and_a_plot_elsewhere_does_not(schemes, tmp_path):
    keys = {"method": "FedAvgM", "channel.fading": "nakagami", "channel.snr_db": [0.0, 10.0], "plugins": [schemes]}
    keys = TRAINED | keys | {"run.seeds": 2}
    otafl.run("quickstart", keys, out=tmp_path, engine=engines.engine(processes=1), store=False)
    result = tmp_path / "quickstart.nc"
    program = f"import otafl.cli, sys; sys.argv[1:] = ['plot', {str(result)!r}]; otafl.cli.main(); print(*sys.modules)"
    drawn = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert (tmp_path / "quickstart.png").exists()
    assert schemes not in drawn.stdout
    assert not drawn.stderr


def test_a_scenario_names_the_modules_of_schemes_that_are_registered_already(schemes):
    plugins.load([schemes])
    scenario = otafl.load("quickstart", TRAINED | {"method": "FedAvgM"})
    assert scenario.settings.plugins == (schemes,)
    assert otafl.load("quickstart", TRAINED | {"method": "FedAvg"}).settings.plugins == ()


HEAD = """
from dataclasses import dataclass

import otafl.channels.fading
import otafl
from otafl.channels.fading.rayleigh import RayleighFading
from otafl.algorithms.fedavg import FedAvg

"""
IDLE_METHOD = """
@otafl.method("Idle", idle_pace=otafl.key(0.5, "has no effect"))
class Idle(FedAvg):
    def global_update(self, server, totals, now):
        {body}
        return super().global_update(server, totals, now)
"""
IDLE_FADING = """
@otafl.channels.fading.register("idle")
@dataclass(frozen=True)
class IdleFading:
    idle_depth: float = 2.0

    def sample(self, rng, num_workers, num_subcarriers):
        return {body}RayleighFading().sample(rng, num_workers, num_subcarriers)
"""
PACED = {"algorithm.idle_pace": 0.3}
FADED = {"channel.fading": "idle", "method": "FedAvg@analog", "channel.idle_depth": 3.0}


@pytest.mark.parametrize(
    ("text", "body", "keys", "said"),
    [
        (IDLE_METHOD, "pass", PACED, r"algorithm\.idle_pace = 0\.3: no file of Idle names it"),
        (IDLE_METHOD, "now.parameters.idle_pace", PACED, ""),
        (IDLE_METHOD, "getattr(now.parameters, 'idle_pace')", PACED, ""),
        (IDLE_METHOD, "helper.helped(now)", PACED, ""),
        (IDLE_METHOD, "if False: import other_python", PACED, r"algorithm\.idle_pace = 0\.3: no file of Idle names it"),
        (IDLE_METHOD, "pass", {}, ""),
        (IDLE_FADING, "", FADED, r"channel\.idle_depth = 3\.0: no file of fading 'idle' names it; unless"),
        (IDLE_FADING, "self.idle_depth * ", FADED, ""),
    ],
)
def test_a_key_of_ones_own_that_no_code_names_is_remarked_upon(tmp_path, monkeypatch, recwarn, text, body, keys, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "helper.py").write_text("def helped(now):\n    return now.parameters.idle_pace\n")
    (tmp_path / "other_python.py").write_text("print 'of another version'\n")
    (tmp_path / "idle.py").write_text(HEAD + "import helper\n" * ("helper" in body) + text.format(body=body))
    with forgotten("helper"):
        otafl.load("quickstart", {"algorithm.weight_exponent": 1.0})
        otafl.load("digits_quickstart").override({"method": "Idle", "plugins": ["idle.py"]} | keys)
    remarks = [str(heard.message) for heard in recwarn if "names it" in str(heard.message)]
    assert len(remarks) == bool(said)
    assert all(re.match(said, remark) for remark in remarks)


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
