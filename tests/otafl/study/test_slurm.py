"""Studies as jobs, by submitit's executor for one machine, and by the script that it writes for Slurm."""

import os
import re
import threading

import pytest

import otafl
from otafl.errors import OtaflError
from otafl.study.engines.engine import StudyContext
from otafl.study.engines.slurm import Slurm
from otafl.study.work import Task
from tests.otafl.small import SMALL

pytest.importorskip("submitit", reason="needs submitit, which the extra slurm brings")

KEYS = SMALL | {"method": ["A-FADMM", "A-GD"], "federation.workers": 4, "run.iterations": 3, "run.seeds": 1}
SBATCH = """#!/bin/sh
for word in "$@"; do script=$word; done
number=$(ls "$(dirname "$0")" | grep -c script)
cp "$script" "$(dirname "$0")/script$number.sh"
echo Submitted batch job 12$number
"""
REFUSES = """#!/bin/sh
echo "sbatch: error: Batch job submission failed:
Job violates accounting policy" >&2
exit 1
"""


@pytest.fixture
def cluster(tmp_path, monkeypatch):
    """A function that puts stand-ins for the commands of Slurm on the path."""

    def made(sbatch: str, scontrol: str = "") -> None:
        for name, text in (("sbatch", sbatch), ("scontrol", scontrol), ("srun", ""), ("sacct", ""), ("scancel", "")):
            (tmp_path / name).write_text(text or "#!/bin/sh\n")
            (tmp_path / name).chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)

    return made


@pytest.mark.slow
def test_jobs_compute_the_same_bits(tmp_path):
    computed = otafl.run("quickstart", KEYS, out=tmp_path, engine=Slurm(cluster="local"))
    assert computed.equals(otafl.run("quickstart", KEYS))


@pytest.mark.slow
def test_the_script_asks_for_what_the_user_says(tmp_path, cluster):
    """An array of two tasks; the commands of Slurm are stand-ins that keep the script, then the study is stopped."""
    cluster(SBATCH)

    def stop(label: str, done: int, total: int) -> None:
        if (tmp_path / "script0.sh").exists() or "A-GD" in label:
            raise KeyboardInterrupt

    wanted = {"timeout_min": 240, "slurm_partition": "cpu", "mem_gb": 4, "cpus_per_task": 2}
    with pytest.raises(KeyboardInterrupt):
        otafl.run("quickstart", KEYS, out=tmp_path / "out", engine=Slurm(wanted), progress=stop)
    script = (tmp_path / "script0.sh").read_text()
    asked = [line.removeprefix("#SBATCH --") for line in script.splitlines() if line.startswith("#SBATCH")]
    assert any(word.startswith("array=0-1") for word in asked)
    assert {"time=240", "partition=cpu", "mem=4GB", "cpus-per-task=2", "job-name=otafl"} <= set(asked)


@pytest.mark.parametrize(("most", "arrays"), [(3, [["2"], ["2"], []]), (9, [["6"]])])
def test_arrays_have_as_many_jobs_as_slurm_takes(most, arrays, tmp_path, cluster):
    cluster(SBATCH, f"#!/bin/sh\necho 'Configuration data\nMaxArraySize            = {most}'\n")
    engine = Slurm()
    engine.begin(StudyContext(lambda *_: None, threading.Event(), 7, [], tmp_path))
    engine.waiting = [Task(number, [], None) for number in range(7)]
    list(engine.ended())
    scripts = [path.read_text() for path in sorted(tmp_path.glob("script*.sh"))]
    assert [re.findall(r"array=0-(\d+)", script) for script in scripts] == arrays
    assert [task.number for _, task in engine.jobs] == list(range(7))


@pytest.mark.daily(1)
@pytest.mark.parametrize(("sbatch", "why"), [(REFUSES, "sbatch: error: "), ("#!/bin/sh\necho hi", "Could not")])
def test_a_cluster_that_refuses_is_heard_in_one_line(sbatch, why, tmp_path, cluster, capfd):
    cluster(sbatch)
    with pytest.raises(OtaflError) as refusal:
        otafl.run("quickstart", KEYS, out=tmp_path / "out", engine=Slurm({"timeout_min": 5}), progress=False)
    rule = f"slurm = {{'timeout_min': 5}}: must be parameters that Slurm accepts ({why}"
    assert str(refusal.value).startswith(rule)
    assert "\n" not in str(refusal.value)
    assert refusal.value.__suppress_context__
    assert capfd.readouterr().err == ""
    assert not (tmp_path / "out").exists()


def test_answers_of_jobs_that_somebody_else_has_left_are_not_read(tmp_path):
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "12_0_0_result.pkl").touch()
    engine = Slurm(cluster="local")
    engine.begin(StudyContext(lambda *_: None, threading.Event(), 1, [], tmp_path))
    assert engine.folder.is_relative_to(tmp_path)
    assert not engine.folder.exists()


@pytest.mark.parametrize("engine", [Slurm(), Slurm({"x": 1}, "local"), Slurm({"timeout_min": "a"}, "local")])
def test_a_cluster_or_a_parameter_that_is_not_there(engine, tmp_path):
    with pytest.raises(OtaflError, match="slurm"):
        otafl.run("quickstart", KEYS, out=tmp_path / "out", engine=engine)
    assert not (tmp_path / "out").exists()
