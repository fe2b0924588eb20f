"""What is installed: the wheel, the source distribution, and the checkout; beside files of the same names."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
RAISES = "raise RuntimeError('otafl has imported a file of the user's')\n"
IMPORT_CHANNELS = """
import importlib, pkgutil, sys, channels
for module in pkgutil.walk_packages(channels.__path__, "channels."):
    importlib.import_module(module.name)
assert not {name.split(".")[0] for name in sys.modules} & {"otafl", "tensorflow", "sionna"}
"""


def call(*words: object, cwd: Path) -> str:
    done = subprocess.run(list(map(str, words)), cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_channels_are_imported_alone():
    call(sys.executable, "-c", IMPORT_CHANNELS, cwd=ROOT)


@pytest.fixture(params=["module", "package"])
def crowded(request, tmp_path) -> Path:
    folder = tmp_path / "of the user"
    for room in ("channels", "figures", "scenarios", "benchmarks", "tests"):
        module = folder / (f"{room}.py" if request.param == "module" else f"{room}/__init__.py")
        module.parent.mkdir(parents=True, exist_ok=True)
        module.write_text(RAISES)
    (folder / "scenarios").mkdir(exist_ok=True)
    return folder


def test_checkout_among_files_of_the_same_names(crowded):
    assert "quickstart" in call(sys.executable, "-m", "otafl.cli", "list", cwd=crowded)


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """Folder with the source distribution, the wheel made from it, and in ``direct`` the wheel made from the source."""
    folder = tmp_path_factory.mktemp("dist")
    for words in (["--outdir", folder], ["--wheel", "--outdir", folder / "direct"]):
        call(sys.executable, "-m", "build", *words, ROOT, cwd=folder)
    return folder


def names(folder: Path) -> list[str]:
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return sorted(archive.namelist())


@pytest.mark.slow
@pytest.mark.parametrize("made", ["", "direct"], ids=["from the source distribution", "from the source"])
def test_wheel_has_every_file_once_below_otafl(built, made):
    found = names(built / made)
    assert len(set(found)) == len(found)
    rooms = {name.split("/")[0] for name in found}
    assert "otafl" in rooms
    assert [room for room in rooms - {"otafl"} if not room.endswith(".dist-info")] == []
    assert "otafl/cli/paper.bib" in found
    for room, suffix in (("channels", ".py"), ("scenarios", ".toml")):
        inside = {name.removeprefix(f"otafl/{room}/") for name in found if name.startswith(f"otafl/{room}/")}
        assert {path.relative_to(ROOT / room).as_posix() for path in (ROOT / room).rglob(f"*{suffix}")} <= inside


@pytest.fixture(scope="module", params=["wheel", "editable"])
def command(request, built, tmp_path_factory) -> Path:
    """The command in an otherwise empty environment, from the wheel or an unpacked source distribution."""
    env, uv = tmp_path_factory.mktemp("env"), Path(sys.executable).with_name("uv")
    call(uv, "venv", "--quiet", "--python", sys.executable, env / "venv", cwd=env)
    (what,) = map(str, built.glob("*.whl"))
    if request.param == "editable":
        with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
            archive.extractall(env, filter="data")
        what = f"--editable={next(env.glob('otafl-*'))}"
    options: list[Any] = ["--quiet", "--python", env / "venv", "--constraint", ROOT / "constraints.txt"]
    call(uv, "pip", "install", *options, what, cwd=env)
    return env / "venv" / "bin" / "otafl"


@pytest.mark.slow
def test_commands_in_an_empty_environment(command, crowded):
    """Scenarios are listed; a study is run, in a worker process and in a script's own, and its result shown."""
    for folder in ("", "gong"):
        listed = call(command, "list", *filter(None, [folder]), cwd=crowded)
        assert {path.stem for path in (ROOT / "scenarios" / folder).glob("*.toml")} <= set(listed.split())
    size = ["--method", "A-FADMM", "--run.iterations", 20, "--run.seeds", 2]
    call(command, "run", "quickstart", *size, "--processes", 1, cwd=crowded)
    result = Path("results/quickstart/quickstart.nc")
    assert "| A-FADMM |" in call(command, "table", result, cwd=crowded)
    call(command, "report", result, cwd=crowded)
    assert "20 iterations" in (crowded / result.with_suffix(".html")).read_text()
    script = "import otafl; otafl.run('quickstart', {'run.iterations': 2, 'run.seeds': 1})"
    call(command.with_name("python"), "-c", script, cwd=crowded)
