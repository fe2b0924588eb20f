"""Whether files hold what this process has imported, and what is computed each time as nobody can tell."""

import importlib
import itertools
import subprocess
import sys
import time
from pathlib import Path

import pytest

import otafl
from otafl.errors import OtaflError, Remark
from otafl.scenario import user_classes
from otafl.store.identity import run_name
from otafl.study import engines
from otafl.user_code import modules, plugins
from tests.otafl.small import dotted
from tests.stale.kinds import METHOD, number

SMALL = {"run.iterations": 2, "run.seeds": 1, "federation.workers": 2, "problem.dataset": "diabetes"}
numbers = itertools.count()


@pytest.fixture
def name(tmp_path, monkeypatch, registries):
    """A name that nothing else has, for modules in the working folder, which is on Python's path."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return f"own{next(numbers)}"


def write(file: str, text: str) -> None:
    Path(file).write_text(text)
    importlib.invalidate_caches()


def changed(name: str, surely: bool = True) -> list[str]:
    return modules.changed(modules.files([name]), surely)


def method(name: str, helper: str = "") -> str:
    """A module with a method whose number is in it, or in a helper."""
    return (f"from {helper} import SCALE\n" if helper else number(1)) + METHOD.replace("{N}", name)


@pytest.mark.parametrize("how", ["by name", "by path", "imported"])
def test_a_file_that_changes_once_it_is_imported(name, how, monkeypatch):
    write(f"{name}.py", method(name, f"{name}_helper"))
    write(f"{name}_helper.py", "SCALE = 1.0")
    if how == "imported":
        importlib.import_module(name)
    else:
        plugins.load([name if how == "by name" else f"{name}.py"])
    monkeypatch.setattr(modules, "STARTED", time.time())
    module = plugins.module_of(f"{name}.py") if how == "by path" else name
    assert changed(module, surely=False) == []
    time.sleep(0.02)  # of which clocks of files are sure
    write(f"{name}_helper.py", "SCALE = 2.0")
    assert changed(module, surely=False) == [f"{name}_helper.py"]
    assert changed(module) == ([] if how == "imported" else [f"{name}_helper.py"]), "nobody noted what it held"


def test_a_module_that_is_imported_anew_is_what_its_file_holds_but_an_old_helper_is_not(name):
    write(f"{name}.py", method(name, f"{name}_helper"))
    write(f"{name}_helper.py", "SCALE = 1.0")
    plugins.load([name])
    write(f"{name}.py", method(name, f"{name}_helper") + "# changed")
    assert changed(name) == [f"{name}.py"]
    importlib.reload(sys.modules[name])
    assert changed(name, surely=False) == []
    write(f"{name}_helper.py", "SCALE = 2.0")
    importlib.reload(sys.modules[name])
    assert changed(name) == [f"{name}_helper.py"]


def test_the_begin_of_the_process_is_known():
    program = "import time; before = time.time(); from otafl.user_code.modules import STARTED; print(before - STARTED)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert 0.9 < float(done.stdout) < 20


def test_a_class_that_a_function_of_another_file_makes_is_of_both_files(name):
    write(f"{name}.py", f"from {name}_made import make\nmake()")
    write(f"{name}_made.py", "def make():\n    " + method(name).replace("\n", "\n    "))
    importlib.import_module(name)
    ((_, settings),) = otafl.load("quickstart", SMALL | {"method": name}).points()
    both = {Path(f"{name}{end}.py").absolute() for end in ("", "_made")}
    assert set(modules.files(user_classes.all_modules([settings]))) == both
    assert name in settings.plugins, "so that other processes make it, too"


def run(name: str, **how):
    return otafl.run("quickstart", SMALL | {"method": name}, progress=False, overwrite=True, **how)["loss"].values


def test_a_part_of_a_script_is_computed_here_with_a_remark_and_not_stored(name, tmp_path):
    session = {"__name__": "__main__"}
    exec(method(name), session)
    kept = {"out": tmp_path / "out", "store": tmp_path / "store"}
    with pytest.warns(Remark, match="what a script or notebook defines is computed each time, in this process"):
        before = run(name, **kept)
    session["SCALE"] = 2.0
    with pytest.warns(Remark, match="not stored"):
        assert (run(name, **kept) != before).any()
    assert not (tmp_path / "store").exists()
    with pytest.raises(OtaflError, match="cannot compute with what a script or notebook defines: put it in a file"):
        run(name, engine=engines.engine(processes=1), **kept)


def test_what_names_a_run(name):
    """Each plugin, as it may change what is otafl's own, and then how many iterations there are."""

    def named(**keys) -> str:
        ((_, settings),) = otafl.load("quickstart", SMALL | {"method": "A-GD"} | dotted(keys)).points()
        return run_name(settings, 0)

    write(f"{name}.py", "VALUE = 1")
    assert named() == named(run__iterations=5) != named(plugins=[name]) != named(plugins=[name], run__iterations=5)
    before = named(plugins=[f"{name}.py"])
    assert before == named(plugins=[str(Path(f"{name}.py").absolute())]) == named(plugins=[name])
    write(f"{name}.py", "VALUE = 2")
    assert named(plugins=[name]) != before


def test_helpers_of_one_name_belong_each_to_their_own_module(name):

    def named(*helpers: int) -> str:
        for place, helper in zip(places, helpers, strict=True):
            Path(place).mkdir(exist_ok=True)
            write(f"{place}/part.py", f"from .helper import N\nPLACE = '{place}'")
            write(f"{place}/helper.py", f"N = {helper}")
        return run_name(settings, 0)

    ((_, settings),) = otafl.load("quickstart", SMALL | {"method": "A-GD"}).points()
    places = f"{name}a", f"{name}b"
    settings = settings.model_copy(update={"plugins": tuple(f"{place}.part" for place in places)})
    assert named(1, 2) == named(1, 2) != named(2, 1)


def test_the_file_of_a_module_in_a_folder_without_init_below_a_package_is_found(tmp_path, monkeypatch):
    file = tmp_path / "outer" / "inner" / "part.py"
    file.parent.mkdir(parents=True)
    file.write_text("")
    (tmp_path / "outer" / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    assert modules.found("outer.inner.part") == str(file)
    assert modules.found("outer.inner.other") is modules.found("outer.inner") is None
