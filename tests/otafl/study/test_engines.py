"""Engines on this machine: the same results from all, and what happens to one process is no matter of the others."""

import os
import signal
import subprocess
import sys
import time

import pytest

import otafl
from otafl.errors import OtaflError, Remark, Unprepared
from otafl.results import result_file
from otafl.study import engines
from otafl.study.engines import local
from otafl.study.engines.local import Local
from otafl.study.run import Stopped
from otafl.study.status import point_statuses
from tests.otafl.engine.test_networks import run
from tests.otafl.small import SMALL
from tests.otafl.study.conftest import children
from tests.rounding import assert_results_close

pytestmark = pytest.mark.usefixtures("in_processes")
NETWORKS = {"method": ["A-SFADMM", "FedAvg"], "run.seeds": 2, "run.iterations": 3, "uplink.kind": "analog"}
LONG = SMALL | {"method": "A-FADMM", "run.iterations": 30_000, "run.record": "log"}


@pytest.mark.slow
def test_worker_processes_compute_the_same_bits(tmp_path):
    assert run(NETWORKS, out=tmp_path, engine=Local(2)).equals(run(NETWORKS))
    keys = SMALL | {"method": ["A-FADMM", "D-FADMM", "A-GD"], "run.iterations": 20, "run.seeds": 3}
    assert otafl.run("quickstart", keys, tmp_path, engine=Local(2)).equals(otafl.run("quickstart", keys))


@pytest.mark.slow
def test_a_lost_process_is_no_loss(tmp_path):
    """Killed in the middle of five runs that go together, it is replaced, and they are computed in two parts."""
    engine, lost, seen = Local(1), [], []
    keys = LONG | {"run.seeds": 5}

    def kill(label: str, done: int, total: int) -> None:
        if done and not lost:
            (worker,) = engine.workers
            worker.process.kill()
            lost.append(worker.task)
        elif lost and engine.workers and engine.workers[0].task not in (None, *lost, *seen):
            seen.append(engine.workers[0].task)

    data = otafl.run("quickstart", keys, tmp_path, engine=engine, progress=kill)
    assert [len(task.runs) for task in (*lost, *seen)] == [5, 2, 3]
    assert_results_close(data, otafl.run("quickstart", keys))


MODEL = """
import os
import keras

def net(shape, outputs):
    if os.path.exists("checked"):
        os._exit(7)
    open("checked", "w").close()
    return keras.Sequential([keras.Input(shape), keras.layers.Flatten(), keras.layers.Dense(outputs)])
"""


@pytest.mark.slow
def test_a_run_that_fails_leaves_the_others_alone(tmp_path, monkeypatch):
    """A model that ends its process, when it is made for the second time: it is tried three times, then noted."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MODEL)
    keys = {"problem.model": ["mine:net", "mlp_small"], "method": "FedAvg", "run.iterations": 2}
    with pytest.warns(Remark, match=r"mine:net.* failed 3 times: .*exit code 7"):
        data = run(keys, out=tmp_path / "out", engine=Local(2))
    assert data["outcome"].values.tolist() == [["failed"], ["completed"]]
    assert data["loss"][0].isnull().all()
    assert data["loss"][1].notnull().all()
    counts = [counts for _, _, counts in point_statuses(tmp_path / "out")]
    assert [dict(count) for count in counts] == [{"failed": 1}, {"done": 1}]
    assert "exit code 7" in next((tmp_path / "out").glob("*.runs/*/*.failed")).read_text()
    (tmp_path / "mine.py").write_text(MODEL.replace("os._exit(7)", "pass"))
    again = run(keys, out=tmp_path / "out", engine=Local(2))
    assert (again["outcome"] == "completed").all()
    assert not list((tmp_path / "out").glob("*.runs/*/*.failed"))


@pytest.mark.slow
def test_a_process_that_is_asked_to_leave_does_not_end_the_study(tmp_path):
    engine, asked = Local(1), []

    def terminate(label: str, done: int, total: int) -> None:
        if done and not asked:
            asked.append(engine.workers[0].process)
            asked[0].terminate()

    keys = LONG | {"run.seeds": 1}
    data = otafl.run("quickstart", keys, tmp_path, engine=engine, progress=terminate)
    assert asked[0].wait() == 0
    assert (data["outcome"] == "completed").all()
    assert data.equals(otafl.run("quickstart", keys))


@pytest.mark.slow
def test_a_process_that_ends_while_runs_are_set_up(tmp_path, monkeypatch):
    """Which is no want of memory. It is not tried again here, as ``test_lost`` shows that it is."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(local, "TRIES", 1)
    (tmp_path / "ends.py").write_text("import os\n\ndef net(shape, outputs):\n    os._exit(3)\n")
    with pytest.raises(Unprepared, match="exit code 3"):
        run({"problem.model": "ends:net"}, out=tmp_path / "out", engine=Local(1))
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_an_interrupted_study_goes_on(tmp_path):
    keys = NETWORKS | {"run.iterations": 12}

    def interrupt(label: str, done: int, total: int) -> None:
        if "round 3" in label:
            raise KeyboardInterrupt

    engine = Local(2)
    with pytest.raises(Stopped):
        run(keys, out=tmp_path, engine=engine, progress=interrupt)
    assert not engine.workers
    assert run(keys, out=tmp_path, engine=Local(2)).equals(run(keys))


DRIVER = """
import sys, otafl
otafl.run("digits_quickstart", {"run.iterations": int(sys.argv[1]), "run.seeds": 2, "method": "FedAvg"}, out="out")
assert "tensorflow" not in sys.modules
"""


@pytest.mark.slow
def test_the_study_itself_does_not_load_tensorflow(tmp_path):
    subprocess.run([sys.executable, "-c", DRIVER, "2"], cwd=tmp_path, check=True)
    assert (result_file.load(tmp_path / "out/digits_quickstart.nc")["outcome"] == "completed").all()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_processes_leave_with_the_study(number, tmp_path):
    study = subprocess.Popen([sys.executable, "-c", DRIVER, "100000"], cwd=tmp_path, stderr=subprocess.DEVNULL)
    workers = children(study.pid)
    while len(workers) < min(2, len(os.sched_getaffinity(0))) and study.poll() is None:
        time.sleep(0.1)
        workers = children(study.pid)
    time.sleep(3)
    study.send_signal(number)
    study.wait(60)
    deadline = time.monotonic() + 60
    while any(os.path.exists(f"/proc/{worker}") for worker in workers) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not [worker for worker in workers if os.path.exists(f"/proc/{worker}")]


def test_engines_and_numbers_of_processes_that_cannot_be(monkeypatch):
    with pytest.raises(OtaflError, match="processes = -1"):
        engines.engine(processes=-1)
    with pytest.raises(OtaflError, match="'rey': unknown engine; did you mean 'ray'"):
        engines.engine("rey")
    monkeypatch.setenv("OTAFL_PROCESSES", "many")
    with pytest.raises(OtaflError, match="OTAFL_PROCESSES = 'many'"):
        engines.engine()


SUMMED = {"problem.model": ["cnn", "mlp"], "method": "FedAvg", "federation.workers": 2, "run.iterations": 2}
SUMMED |= {"local.batch_size": 600, "local.steps": 2, "run.seeds": 1}
"""Gradients are sums over 600 samples, which are added in blocks."""
ON_CORES = f"""
import os, sys, otafl
from pathlib import Path
from otafl.study.engines import engine
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:int(sys.argv[2])])
otafl.run("digits_quickstart", {SUMMED}, Path(sys.argv[1]), store=False, engine=engine(processes=1))
"""


def _loss(folder, cores):
    subprocess.run([sys.executable, "-c", ON_CORES, str(folder), str(cores)], check=True)
    return result_file.load(folder / "digits_quickstart.nc")["loss"].values


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two cores")
@pytest.mark.slow
def test_the_number_of_cores_changes_no_bit(tmp_path):
    assert (_loss(tmp_path / "one", cores=1) == _loss(tmp_path / "two", cores=2)).all()
