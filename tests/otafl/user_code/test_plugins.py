"""Schemes of the user's own: registered, swept, run elsewhere, found again; and what goes wrong with them."""

import dataclasses
import importlib
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import otafl
from otafl.algorithms import METHODS, Method
from otafl.channels.fading import FADING
from otafl.channels.power_control import POWER_CONTROLS
from otafl.channels.precoding import PRECODERS
from otafl.errors import OtaflError, Remark
from otafl.receivers import RECEIVERS
from otafl.results import file
from otafl.settings.user_keys import RENAMED, add_parts
from otafl.store.identity import run_name
from otafl.study import engines
from otafl.uplinks import UPLINKS, Digital, Uplink
from otafl.user_code import plugins
from tests.command import command
from tests.registries import forgotten
from tests.rounding import SINGLE, assert_close

SCHEMES = (Path(__file__).parents[3] / "docs" / "examples" / "my_schemes.py").read_text(encoding="utf-8")
IMPORTS = "\nfrom otafl.study import engines\n"
LEARNING = {
    "problem.kind": "classification",
    "problem.dataset": "digits",
    "problem.model": "mlp_small",
    "federation.workers": 4,
    "local.steps": 2,
    "run.iterations": 3,
    "run.seeds": 1,
}


@pytest.fixture(autouse=True)
def _forgotten():
    """What a test registers is unknown to the next one."""
    with forgotten("my_schemes"):
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder with a module of schemes, and a scenario that names it."""
    made = tmp_path_factory.mktemp("schemes")
    (made / "my_schemes.py").write_text(SCHEMES)
    return made


@pytest.fixture
def schemes(folder, monkeypatch) -> str:
    monkeypatch.chdir(folder)
    return "my_schemes"


def run(schemes: str, **keys):
    """The result of a small study with schemes of the user's own."""
    named = {key.replace("__", "."): value for key, value in keys.items()}
    return otafl.run("quickstart", LEARNING | {"plugins": [schemes]} | named)


def test_a_method_of_ones_own_has_keys_that_sweep_and_its_limit_is_what_it_is_made_from(schemes):
    swept = run(schemes, method="FedAvgM", algorithm__server_momentum=[0.0, 0.5])
    plain = run(schemes, method="FedAvg")
    assert_close(swept["loss"].sel(server_momentum=0.0).squeeze(), plain["loss"].squeeze(), SINGLE)
    assert (swept["loss"].sel(server_momentum=0.5) != plain["loss"]).any()


def test_a_fading_model_of_ones_own_has_no_fading_as_a_limit(schemes):
    base = {"problem.dataset": "diabetes", "federation.workers": 4, "run.iterations": 5, "run.seeds": 1}
    base |= {"plugins": [schemes], "method": "A-FADMM"}
    swept = otafl.run("quickstart", base | {"channel.fading": "nakagami", "channel.nakagami_m": [1.0, 1e10]})
    known = otafl.run("quickstart", base | {"channel.fading": "none"})["loss"].squeeze()
    np.testing.assert_allclose(swept["loss"].sel(nakagami_m=1e10).squeeze(), known, rtol=1e-2)
    assert not np.allclose(swept["loss"].sel(nakagami_m=1.0).squeeze(), known, rtol=1e-2)


def test_an_uplink_of_ones_own_carries_what_it_is_derived_from_carries(schemes):
    with_header = run(schemes, method="FedAvg", uplink__kind="with_header", uplink__header_bits=[0, 10**6])
    plain = run(schemes, method="FedAvg", uplink__kind="digital")
    uses = with_header["channel_uses"].isel(iteration=-1, seed=0)
    assert uses.sel(header_bits=0).item() == plain["channel_uses"].isel(iteration=-1, seed=0).item()
    assert uses.sel(header_bits=10**6) > 2 * uses.sel(header_bits=0)


@pytest.mark.slow
def test_worker_processes_load_the_schemes_and_a_plot_elsewhere_does_not(schemes, tmp_path):
    keys = {"method": "FedAvgM", "channel.fading": "nakagami", "channel.snr_db": [0.0, 10.0], "plugins": [schemes]}
    otafl.run("quickstart", LEARNING | keys, out=tmp_path, engine=engines.engine(processes=1), store=False)
    result = tmp_path / "quickstart.nc"
    program = f"import otafl.cli, sys; sys.argv[1:] = ['plot', {str(result)!r}]; otafl.cli.main(); print(*sys.modules)"
    drawn = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert (tmp_path / "quickstart.png").exists()
    assert schemes not in drawn.stdout
    assert not drawn.stderr


def test_a_scenario_names_the_modules_of_schemes_that_are_registered_already(schemes):
    plugins.load([schemes])
    scenario = otafl.load("quickstart", LEARNING | {"method": "FedAvgM"})
    assert scenario.settings.plugins == (schemes,)
    assert otafl.load("quickstart", LEARNING | {"method": "FedAvg"}).settings.plugins == ()


def test_a_run_is_another_one_once_the_file_of_its_scheme_has_changed(schemes, folder, monkeypatch):
    """Under the old name nothing new is kept: what was imported before is refused until it is imported anew."""

    def named(method: str) -> str:
        ((_, settings),) = otafl.load("quickstart", LEARNING | {"plugins": [schemes], "method": method}).points()
        return run_name(settings, 0)

    monkeypatch.syspath_prepend(folder)
    before, path = named("FedAvgM"), folder / "my_schemes.py"
    path.write_text(SCHEMES + "\n# changed\n")
    try:
        for method in ("FedAvgM", "FedAvg"):  # a plugin that is named may have changed what is otafl's own
            with pytest.raises(OtaflError, match=r"my_schemes\.py': has changed since it was imported"):
                named(method)
        importlib.reload(sys.modules[schemes])
        assert named("FedAvgM") != before
    finally:
        path.write_text(SCHEMES)
        importlib.reload(sys.modules[schemes])
    assert named("FedAvgM") == before


def test_a_file_by_its_path_is_loaded_once(schemes, folder):
    (folder / "counting.py").write_text("import otafl\notafl.counted = getattr(otafl, 'counted', 0) + 1\n")
    plugins.load(["counting.py"])
    plugins.load([str(folder / "counting.py")])
    assert otafl.__dict__.pop("counted") == 1


METHOD = "import otafl\nfrom otafl.algorithms.fedavg import FedAvg\n"
REGISTERED = (
    "import otafl.channels.fading\nfrom dataclasses import dataclass\n@otafl.channels.fading.register('foggy')\n"
)
FOGGY = (
    REGISTERED
    + "@dataclass(frozen=True)\nclass Foggy:\n    def sample(self, rng, num_workers, num_subcarriers):\n        "
)
PRECODER = (
    "from dataclasses import dataclass\nfrom otafl.channels import precoding\n"
    "@precoding.register('phase_compensation')\n@dataclass(frozen=True)\n"
)
COMPRESSOR = (
    "from dataclasses import dataclass\nfrom otafl import compressors\n"
    "@compressors.register('top_k')\n@dataclass(frozen=True)\n"
)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import no_such_module", "cannot be imported: No module named 'no_such_module'"),
        ("def (", "cannot be imported: invalid syntax"),
        ("1 / 0", "cannot be imported: ZeroDivisionError: division by zero (faulty.py, line 1)"),
        ("raise SystemExit(1)", "cannot be imported: it ends the process"),
        ("import otafl\notafl.run('quickstart')", "put it under if __name__ == '__main__':"),
        (METHOD + "@otafl.method('FedAvg')\nclass A(FedAvg): ...", "is already the name of otafl.alg"),
        (METHOD + "@otafl.method('two words')\nclass A(FedAvg): ...", "must be a name without spaces"),
        (METHOD + "@otafl.method('A')\nclass A: ...", "derived from Method"),
        (METHOD + "@otafl.method('A', rho=otafl.key(1.0, 'x'))\nclass A(FedAvg): ...", "is already a key of otafl"),
        (METHOD + "@otafl.method('A', mine=1.0)\nclass A(FedAvg): ...", "must be made by otafl.key"),
        (METHOD + "@otafl.method('A', mine=otafl.key(2, 'x', lt=1))\nclass A(FedAvg): ...", "breaks its own rule"),
        (
            METHOD + "@otafl.method('A', mine=otafl.key([], 'x'))\nclass A(FedAvg): ...",
            "must be a truth value",
        ),
        (
            METHOD + "@otafl.method('A', mine=otafl.key(1, 'x', most=1))\nclass A(FedAvg): ...",
            "must be gt, ge",
        ),
        (METHOD + "@otafl.uplink('digital')\nclass A(otafl.OtaflError): ...", "derived from Uplink"),
        (REGISTERED + "class Foggy: ...", "must be a frozen dataclass with a method sample"),
        (
            REGISTERED.replace("foggy", "rayleigh") + "@dataclass(frozen=True)\nclass A:\n    sample = 1",
            "RayleighFading",
        ),
        (
            PRECODER + "class A(precoding.PhaseCompensation): ...",
            "is already the name of otafl.channels.precoding.phase_compensation.PhaseCompensation",
        ),
        (
            PRECODER.replace("phase_compensation", "mine") + "class A: ...",
            "must be a frozen dataclass that is derived from",
        ),
        (COMPRESSOR + "class A(compressors.Sign): ...", "is already the name of otafl.compressors.top_k.TopK"),
        (FOGGY.replace("    def", "    density: float\n    def") + "return 1", "must have a default"),
        (FOGGY + "return 1.0", "must return that shape"),
        (FOGGY + "import numpy; return numpy.ones((num_workers, num_subcarriers))", "finite complex gains"),
        (FOGGY + "return fog", "its model fails: NameError: name 'fog' is not defined (faulty.py, line 7)"),
    ],
)
def test_a_faulty_module_is_refused_in_one_line(source, said, tmp_path, monkeypatch, capsys):
    (tmp_path / "faulty.py").write_text(source)
    words = ["show", "quickstart", "--plugins", "faulty.py"]
    words += ["--channel.fading", "foggy"] if "def sample" in source else []
    answer = command(tmp_path, monkeypatch, capsys)(*words)
    assert answer.code == 2
    (line,) = answer.messages
    assert said in line
    assert answer.stderr == f"{line}\n"


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
BESIDE = METHOD + "@otafl.method('Mine')\nclass Mine(FedAvg): ...\n"


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
    with pytest.raises(OtaflError, match="was forgotten, as a class of it was refused; import Mine anew"):
        otafl.load("quickstart", {"method": "Mine"})
    otafl.load("quickstart", {"method": "Mine", "plugins": ["both.py"]})


def test_a_fading_model_that_fails_for_some_parameters_stays_registered(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("foggy.py").write_text(FAILS_FOR_SOME)
    keys = {"plugins": ["foggy.py"], "channel.fading": "foggy"}
    with pytest.raises(OtaflError, match="its model fails"):
        otafl.load("quickstart", keys | {"channel.density": 2.0})
    otafl.load("quickstart", {"channel.fading": "foggy", "channel.density": 0.2})


@pytest.mark.parametrize("old", sorted(RENAMED["method"]))
def test_a_method_with_an_attribute_of_before_is_refused(old):
    new = RENAMED["method"][old]
    with pytest.raises(OtaflError, match=f"method Mine = '{old}': is an attribute that is not read any more; {new} "):
        otafl.method("Mine")(type("Mine", (METHODS["A-GD"].__class__,), {old: True}))
    assert "Mine" not in METHODS
    assert hasattr(Method, new)


@pytest.mark.parametrize("old", sorted(RENAMED["uplink"]))
def test_an_uplink_with_an_attribute_of_before_is_refused(old):
    new = RENAMED["uplink"][old]
    with pytest.raises(OtaflError, match=f"uplink mine = '{old}': is an attribute that is not read any more; {new} "):
        otafl.uplink("mine")(type("Mine", (Digital,), {old: True}))
    assert "mine" not in UPLINKS
    assert hasattr(Uplink, new)


@pytest.mark.parametrize("registry", [PRECODERS, POWER_CONTROLS, RECEIVERS], ids=lambda one: one.kind)
def test_a_part_with_an_attribute_of_before_is_refused(registry):
    made = dataclasses.dataclass(frozen=True)(type("Mine", (registry.base,), {"combiner": None}))
    registry.register("mine")(made)
    with pytest.raises(OtaflError, match=f"{registry.kind} mine = 'combiner': is an attribute that is not read any"):
        add_parts()
    assert "mine" not in registry
    assert hasattr(registry.base, "receive_scaling")


def test_plugins_must_be_a_list_of_names(schemes):
    for wrong in ("my_schemes", [1], [""]):
        with pytest.raises(OtaflError, match="plugins = "):
            otafl.load("quickstart", {"plugins": wrong})


def test_gains_of_another_mean_square_are_remarked_upon(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    body = "return 2 * numpy.ones((num_workers, num_subcarriers)) + 0j"
    Path("loud.py").write_text("import numpy\n" + FOGGY.replace("foggy", "loud").replace("Foggy", "Loud") + body)
    with pytest.warns(Remark, match="mean square of 4,"):
        otafl.load("quickstart", {"plugins": ["loud.py"], "channel.fading": "loud"})


@pytest.mark.slow
def test_an_interactive_session_computes_by_itself(tmp_path):
    program = (
        SCHEMES
        + IMPORTS
        + f"""
keys = {LEARNING!r} | {{"method": "FedAvgM"}}
print(otafl.run("quickstart", keys, out="here", store=False)["loss"].shape)
try:
    otafl.run("quickstart", keys, out="here", store=False, engine=engines.engine(processes=1), overwrite=True)
except otafl.OtaflError as error:
    print(error)
"""
    )
    said = subprocess.run([sys.executable, "-"], input=program, capture_output=True, text=True, cwd=tmp_path).stdout
    assert "cannot compute with what is registered in an interactive session" in said


@pytest.mark.slow
def test_a_script_is_run_by_worker_processes_too(tmp_path):
    program = (
        SCHEMES
        + IMPORTS
        + f"""
if __name__ == "__main__":
    keys = {LEARNING!r} | {{"method": "FedAvgM"}}
    print(otafl.run("quickstart", keys, out="there", store=False, engine=engines.engine(processes=1)).attrs["scenario"])
"""
    )
    (tmp_path / "study.py").write_text(program)
    done = subprocess.run([sys.executable, "study.py"], capture_output=True, text=True, cwd=tmp_path)
    assert str(tmp_path / "study.py") in done.stdout, done.stderr
    assert file.load(tmp_path / "there" / "quickstart.nc").sizes["iteration"] == 3


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
FADED = {"channel.fading": "idle", "method": "FedAvg@analog", "channel.idle_depth": 3.0}


@pytest.mark.parametrize(
    ("text", "body", "keys", "said"),
    [
        (IDLE_METHOD, "pass", {"algorithm.idle_pace": 0.3}, r"algorithm\.idle_pace = 0\.3: no code of Idle names it"),
        (IDLE_METHOD, "now.parameters.idle_pace", {"algorithm.idle_pace": 0.3}, ""),
        (IDLE_METHOD, "getattr(now.parameters, 'idle_pace')", {"algorithm.idle_pace": 0.3}, ""),
        (IDLE_METHOD, "helper.helped(now)", {"algorithm.idle_pace": 0.3}, ""),
        (IDLE_METHOD, "pass", {}, ""),
        (IDLE_FADING, "", FADED, r"channel\.idle_depth = 3\.0: no code of fading 'idle' names it; it has no effect"),
        (IDLE_FADING, "self.idle_depth * ", FADED, ""),
    ],
)
def test_a_key_of_ones_own_that_no_code_names_is_remarked_upon(tmp_path, monkeypatch, recwarn, text, body, keys, said):
    monkeypatch.chdir(tmp_path)
    helped = "helper" in body
    if helped:
        (tmp_path / "helper.py").write_text("def helped(now):\n    return now.parameters.idle_pace\n")
    (tmp_path / "idle.py").write_text(HEAD + "import helper\n" * helped + text.format(body=body))
    with forgotten("helper"):
        otafl.load("digits_quickstart").override({"method": "Idle", "plugins": ["idle.py"]} | keys)
    remarks = [str(one.message) for one in recwarn if issubclass(one.category, Remark)]
    found = [one for one in remarks if "names it" in one]
    assert len(found) == bool(said)
    assert all(re.match(said, one) for one in found)


def test_keys_of_the_packages_methods_are_not_remarked_upon(recwarn):
    otafl.load("quickstart", {"algorithm.weight_exponent": 1.0})
    assert not [one for one in recwarn if "names it" in str(one.message)]
