"""Code of the user's own: which files it is made of, and that none runs under the digest of another."""

import importlib
import importlib.util
import itertools
import json
import os
import py_compile
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

import otafl
from otafl.errors import OtaflError
from otafl.scenario import user_classes
from otafl.store import identity
from otafl.user_code import loaded, module_files, plugins
from tests.registries import forgotten

FILES = {
    "NAME/__init__.py": "from .near import f\n",
    "NAME/near.py": "import numpy, os\nfrom . import far\nfrom .deep import *\n\ndef f():\n    import NAME_late\n",
    "NAME/far.py": "try:\n    import NAME_other.inside\nexcept ImportError:\n    pass\n",
    "NAME/deep/__init__.py": "from ..above import g\n",
    "NAME/above.py": "",
    "NAME/unused.py": "",
    "NAME_late.py": "from tensorflow import keras\nimport NAME\nimport no_such_module\n",
    "NAME_other/inside.py": "",
}
MADE_OF = {"NAME", "NAME.near", "NAME.far", "NAME.deep", "NAME.above", "NAME_late", "NAME_other.inside"}
KEY = "problem.model"
numbers = itertools.count()


@pytest.fixture
def name(tmp_path, monkeypatch) -> str:
    """A name for modules in the working folder that no other test has."""
    monkeypatch.chdir(tmp_path)
    return f"own{next(numbers)}"


def write(path: str, text: str) -> None:
    """A file with a time that does not tell it from another one."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)
    os.utime(path, (1, 1))


def call(name: str) -> int:
    """Call the function of a module as otafl imports it."""
    return plugins.function(KEY, f"{name}:f")()


def test_a_module_is_made_of_all_of_the_users_that_it_imports(name):
    """Relative, in packages with and without a file, within functions; nothing that is installed, nothing twice."""
    for path, text in FILES.items():
        write(path.replace("NAME", name), text.replace("NAME", name))
    found = plugins.module_digests(KEY, name)
    assert found.keys() == {one.replace("NAME", name) for one in MADE_OF}
    assert not found.keys() & sys.modules.keys(), "nothing is imported to find that out"


def test_python_and_what_is_installed_are_not_the_users():
    assert module_files.is_theirs(__file__)
    for module in (os, pytest, plugins, importlib.import_module("numpy"), importlib.import_module("otafl.channels")):
        assert not module_files.is_theirs(str(module.__file__))
    assert plugins.module_digests(KEY, "keras.applications").keys() == {"keras.applications"}


def test_what_runs_is_what_the_file_holds_now_and_no_kept_compilation(name):
    """Python takes a compilation for that of its source where second and size agree."""
    write(f"{name}.py", "def f():\n    return 1\n")
    py_compile.compile(f"{name}.py")
    write(f"{name}.py", "def f():\n    return 2\n")
    assert call(name) == 2


def test_a_module_that_the_user_has_imported_is_refused_once_its_file_is_another(name):
    """Before otafl has ever heard of it."""
    write(f"{name}.py", "def f():\n    return 1\n")
    with plugins.from_working_folder():
        module = importlib.import_module(name)
        write(f"{name}.py", "def f():\n    return 2\n")
        with pytest.raises(OtaflError, match=f"{KEY} = '{name}.py': has changed since it was imported"):
            call(name)
        importlib.reload(module)
    assert call(name) == 2


@pytest.mark.parametrize("reloaded", [["helper"], ["module"], ["module", "helper"]])
def test_a_module_with_an_old_helper_is_refused(name, reloaded):
    """Whichever of the two is imported anew, or both in the wrong order."""
    write(f"{name}.py", f"from {name}_helper import N\n\ndef f():\n    return N\n")
    write(f"{name}_helper.py", "N = 1\n")
    assert call(name) == 1
    write(f"{name}_helper.py", "N = 2\n")
    modules = {"module": sys.modules[name], "helper": sys.modules[f"{name}_helper"]}
    with plugins.from_working_folder():
        for which in reloaded:
            importlib.reload(modules[which])
        with pytest.raises(OtaflError, match=rf"{name}(_helper)?\.py': has changed since it was imported"):
            call(name)
        for which in ("helper", "module"):
            importlib.reload(modules[which])
    assert call(name) == 2


def test_a_study_may_be_run_while_a_module_is_imported(name):
    """A script that is imported, and not run, does so."""
    write(
        f"{name}.py",
        "from otafl.user_code import plugins\n\ndef f():\n    return 1\n\n"
        f"found = plugins.function('{KEY}', __name__ + ':f')\n",
    )
    assert call(name) == 1


def test_a_module_that_fails_while_it_is_imported_anew_is_refused(name):
    write(f"{name}.py", "def f():\n    return 1\n")
    assert call(name) == 1
    write(f"{name}.py", "N = 1 / 0\n")
    with plugins.from_working_folder(), pytest.raises(ZeroDivisionError):
        importlib.reload(sys.modules[name])
    with pytest.raises(OtaflError, match="has changed since it was imported"):
        call(name)


def test_a_module_of_that_name_in_another_folder_is_another_one(name, tmp_path, monkeypatch):
    for folder, number in (("one", 1), ("two", 2)):
        write(f"{folder}/{name}.py", f"def f():\n    return {number}\n")
    monkeypatch.chdir(tmp_path / "one")
    assert call(name) == 1
    monkeypatch.chdir(tmp_path / "two")
    with pytest.raises(OtaflError, match="has changed since it was imported"):
        call(name)


def test_a_function_whose_file_cannot_be_told_is_refused(name):
    write(f"{name}.py", f"import importlib\nf = importlib.import_module('{name}_hidden').f\n")
    write(f"{name}_hidden.py", "def f():\n    return 1\n")
    assert call(f"{name}_hidden") == 1
    with pytest.raises(OtaflError, match=f"imports {name}_hidden without an import statement"):
        call(name)


def test_a_module_with_the_name_of_a_standard_one_is_the_users(name):
    """A module of a standard name counts where it is found first, as beside a script; a loaded one is Python's."""
    for module in ("wave", "sys", "os", "json"):
        write(f"{module}.py", "N = 1\n")
    write(f"{name}.py", "import wave, sys, os, json\n")
    assert "wave" not in sys.modules
    assert json.__file__, "which is loaded"
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(os.getcwd())
        assert plugins.module_digests(KEY, name).keys() == {name, "wave"}
    assert plugins.module_digests(KEY, name).keys() == {name}, "as the working folder is searched last"


def test_packages_without_a_file_may_lie_in_each_other(name):
    write(f"{name}/deep/nets.py", f"from {name}.deep.other import f\n")
    write(f"{name}/deep/other.py", "def f():\n    return 1\n")
    assert plugins.module_digests(KEY, f"{name}.deep.nets").keys() == {f"{name}.deep.nets", f"{name}.deep.other"}
    assert call(f"{name}.deep.nets") == 1


def test_the_packages_of_a_module_belong_to_it(name):
    """Python imports them before it."""
    write(f"{name}/__init__.py", "from . import side\n")
    write(f"{name}/side.py", "")
    write(f"{name}/nets.py", "def f():\n    return 1\n")
    assert plugins.module_digests(KEY, f"{name}.nets").keys() == {f"{name}.nets", name, f"{name}.side"}


def test_a_script_that_is_run_as_a_module_of_a_package_has_relative_imports(name):
    """A module has the files that another process finds that imports it by its name."""
    write(f"{name}/helper.py", "")
    found = "code.sources(__name__, Path(__file__))"
    write(
        f"{name}/study.py",
        "from pathlib import Path\nfrom otafl.user_code import loaded as code\n"
        f"from . import helper\nprint(sorted({found}))\n",
    )
    words = [sys.executable, "-m", f"{name}.study"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout == f"{['__main__', f'{name}.helper']}\n"
    assert plugins.module_digests(KEY, f"{name}.study").keys() == {f"{name}.study", f"{name}.helper"}


@pytest.mark.parametrize("statement", ["from NAME_pkg import *", "import NAME_by_name"])
def test_a_module_that_no_statement_shows_is_refused_once_it_was_loaded(name, statement):
    """It is not known before the import, and so is none of what names a run elsewhere."""
    write(f"{name}_pkg/__init__.py", "__all__ = ['sub']\n")
    write(f"{name}_pkg/sub.py", "")
    write(f"{name}_by_name.py", f"import importlib\nimportlib.import_module('{name}_pkg.sub')\n")
    write(f"{name}.py", statement.replace("NAME", name) + "\n\ndef f():\n    return 1\n")
    with pytest.raises(OtaflError, match=rf"imports {name}_pkg(\.sub)? without an import statement"):
        call(name)


def test_a_module_that_a_statement_shows_may_be_loaded_by_another(name):
    write(f"{name}.py", f"import {name}_late\n\ndef f():\n    return 1\n")
    write(f"{name}_late.py", f"import importlib\nimportlib.import_module('{name}_seen')\nimport {name}_seen\n")
    write(f"{name}_seen.py", "")
    assert call(name) == 1


def test_a_module_that_sys_path_leads_to_later_is_not_said_to_have_changed(name, monkeypatch):
    """A model's helper is not found when its runs are named, and is once the model is imported."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    write(f"extra/{name}_helper.py", "")
    write(f"{name}.py", f"import sys\nsys.path.append({os.path.abspath('extra')!r})\nimport {name}_helper\n")
    ((_, settings),) = otafl.load("quickstart", {"method": "A-GD"}).points()
    keys = {"problem": settings.problem.model_copy(update={"model": f"{name}:f"})}
    settings = settings.model_copy(update=keys)
    known = identity.inputs(settings)
    with plugins.from_working_folder():
        importlib.import_module(name)
    with pytest.raises(OtaflError, match=f"{KEY} = '{name}_helper': is not found both before .* put the folder on PYT"):
        identity.require_unchanged(settings, known)
    write(f"{name}.py", f"import {name}_helper\n")
    with pytest.raises(OtaflError, match="has changed since the study began"):
        identity.require_unchanged(settings, known)


class Mapped:
    """A finder as an editable installation has one: of a package in a folder that is on no path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        file = self.folder / f"{name}.py"
        return importlib.util.spec_from_file_location(name, file) if file.is_file() else None


def test_a_helper_that_another_finder_brings_belongs_to_its_module(name, tmp_path, monkeypatch):
    """It is loaded from its source, too, and no kept compilation takes its place."""
    write(f"{name}.py", f"import {name}_helper\n\ndef f():\n    return {name}_helper.N\n")
    write(f"elsewhere/{name}_helper.py", "N = 1\n")
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Mapped(tmp_path / "elsewhere")])
    assert plugins.module_digests(KEY, name).keys() == {name, f"{name}_helper"}
    assert f"{name}_helper" not in sys.modules
    assert call(name) == 1
    assert f"{name}_helper" in loaded.loaded
    write(f"elsewhere/{name}_helper.py", "N = 2\n")
    with pytest.raises(OtaflError, match=f"{name}_helper.py': has changed since it was imported"):
        call(name)


def test_modules_of_the_same_installed_package_belong_to_a_module(name, tmp_path, monkeypatch):
    """Those of another one do not."""
    folder = tmp_path / "site-packages"
    for file, text in {
        f"{name}/__init__.py": "",
        f"{name}/models.py": f"from . import helpers\nimport {name}_other\n",
        f"{name}/helpers.py": "",
        f"{name}_other.py": "",
    }.items():
        write(f"site-packages/{file}", text)
    monkeypatch.syspath_prepend(folder)
    assert plugins.module_digests(KEY, f"{name}.models").keys() == {f"{name}.models", name, f"{name}.helpers"}


def test_a_package_that_is_loaded_has_the_folders_that_it_names_then(name):
    write(f"{name}/__init__.py", "import os\n__path__.append(os.path.abspath('extra'))\n")
    write("extra/helper.py", "N = 1\n")
    write(f"{name}/nets.py", "from .helper import N\n\ndef f():\n    return N\n")
    assert call(f"{name}.nets") == 1
    assert f"{name}.helper" in plugins.module_digests(KEY, f"{name}.nets")


@pytest.mark.parametrize(
    "text",
    [
        "import functools, importlib\nf = functools.partial(importlib.import_module('NAME_seen').f)\n",
        "import importlib\nseen = importlib.import_module('NAME_seen')\n\ndef f():\n    return seen.f()\n",
        "from NAME_pack import *\n",
    ],
    ids=["partial", "module", "star"],
)
def test_a_module_that_another_has_loaded_before_is_seen_in_what_uses_it(text, name):
    """No import is under way then that would tell."""
    write(f"{name}_seen.py", "def f():\n    return 1\n")
    write(f"{name}_pack.py", f"import importlib\nf = importlib.import_module('{name}_seen').f\n")
    assert call(f"{name}_seen") == 1
    write(f"{name}.py", text.replace("NAME", name))
    with pytest.raises(OtaflError, match=f"imports {name}_seen without an import statement"):
        call(name)


def test_a_module_that_was_imported_before_otafl_is_refused_if_its_file_is_newer_than_the_process(name, monkeypatch):
    """What was imported is anybody's guess, and a file from before is what was imported."""
    write(f"{name}.py", "def f():\n    return 1\n")
    spec = importlib.util.spec_from_file_location(name, f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(loaded, "STARTED", time.time() - 60)
    with pytest.raises(OtaflError, match=f"{name}.py': was written while this process ran.*import otafl first"):
        call(name)
    monkeypatch.setattr(loaded, "STARTED", time.time())
    assert call(name) == 1


def test_the_process_is_known_to_have_begun_before_this_test_and_not_long_before():
    program = (
        "import time; before = time.time(); from otafl.user_code import loaded as code; print(before - code.STARTED)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert -0.1 < float(done.stdout) < 10


def test_a_module_in_an_archive_is_refused_by_its_reason(name, monkeypatch):
    with zipfile.ZipFile("mine.zip", "w") as archive:
        archive.writestr(f"{name}.py", METHOD.replace("NAME", name))
    monkeypatch.syspath_prepend("mine.zip")
    said = r"lies in the archive mine.zip; unpack it"
    with forgotten(name):
        with pytest.raises(OtaflError, match=said):
            plugins.load([name])
        with pytest.raises(OtaflError, match=said):
            call(name)


def test_a_plugin_in_an_archive_that_registers_nothing_is_refused_too(name, monkeypatch):
    """It may change what is otafl's own."""
    with zipfile.ZipFile("plain.zip", "w") as archive:
        archive.writestr(f"{name}.py", "VALUE = 1\n")
    monkeypatch.syspath_prepend("plain.zip")
    with forgotten(name), pytest.raises(OtaflError, match=r"lies in the archive plain.zip; unpack it"):
        plugins.digests(name)


def test_a_function_of_a_script_is_said_to_be_the_scripts():
    with pytest.raises(OtaflError, match="'__main__:f': is unknown to worker processes"):
        call("__main__")


METHOD = """
import otafl
from otafl.algorithms import METHODS

@otafl.method("NAME")
class Mine(type(METHODS["A-GD"])):
    pass

def f():
    return 1
"""
FACTORY = """
import otafl
from otafl.channels import precoding
from dataclasses import dataclass
from otafl.algorithms import METHODS

def make(name, scale):
    @otafl.method(name)
    class Made(type(METHODS["A-GD"])):
        def global_update(self, server, totals, now):
            after = super().global_update(server, totals, now)
            return after._replace(model=scale * after.model)

    @precoding.register(name)
    @dataclass(frozen=True)
    class Precoder(precoding.PhaseCompensation):
        def power(self, gain):
            return scale * super().power(gain)
"""


@pytest.mark.parametrize("kind", ["method", "precoder"])
@pytest.mark.parametrize("how", ["imported", "plugin", "file"])
def test_a_scheme_is_made_of_the_module_that_makes_it_and_not_only_of_the_one_that_defines_it(name, kind, how):
    write(f"{name}_factory.py", FACTORY)
    write(f"{name}.py", f"from {name}_factory import make\nmake('{name}', 1.0)\n")
    keys: dict = {
        "method": {"method": name},
        "precoder": {"method": "A-GD", "uplink.precoder": name, "channel.fading": "rayleigh"},
    }[kind]
    with forgotten():
        if how == "imported":
            with plugins.from_working_folder():
                importlib.import_module(name)
        named = {"imported": [], "plugin": [name], "file": [f"{name}.py"]}[how]
        ((_, settings),) = otafl.load("quickstart", keys | {"plugins": named}).points()
        assert {f"{name}.py", f"{name}_factory.py"} <= {what for what, _ in user_classes.digests(settings)}
        assert how == "file" or name in settings.plugins, "so that other processes make it, too"
        write(f"{name}.py", f"from {name}_factory import make\nmake('{name}', 1.2)\n")
        with pytest.raises(OtaflError, match="has changed since it was imported"):
            user_classes.digests(settings)
