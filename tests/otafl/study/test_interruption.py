"""Studies that the user interrupts: what is kept, and what the next run takes up."""

import numpy as np
import pytest

import otafl
from otafl.engine import simulate as engine
from otafl.errors import Remark
from otafl.results import file
from otafl.study.run import Stopped
from tests.otafl.engine.test_networks import DIGITS, run


def test_interruption_before_anything_is_done(tmp_path, monkeypatch):
    """An interrupt while a run is being set up keeps what was finished before, and nothing where nothing was."""
    monkeypatch.setattr(engine, "Resident", interrupted)
    with pytest.raises(Stopped) as stopped:
        run(out=tmp_path / "new")
    assert (stopped.value.data["outcome"] == "stopped").all()
    assert not (tmp_path / "new").exists()


def interrupted(group):
    raise KeyboardInterrupt


def test_interruption_leaves_a_finished_result_alone(tmp_path):
    whole = run({"run.seeds": 2, "run.iterations": 2}, out=tmp_path)
    with pytest.raises(Stopped):
        run({"run.seeds": 2, "run.iterations": 2}, out=tmp_path, progress=interrupt_after(2))
    assert file.load(tmp_path / "digits_quickstart.nc").equals(whole)
    assert (tmp_path / "digits_quickstart.part.nc").is_file()


def interrupt_after(rounds: int):
    def listen(label, done, total):
        if done >= rounds:
            raise KeyboardInterrupt

    return listen


def test_interruption_keeps_a_valid_result_and_the_next_run_takes_it_up(tmp_path, monkeypatch):
    monkeypatch.setattr(file, "_git_revision", lambda: "0" * 40)
    keys = {"run.seeds": 2, "run.iterations": 4, "method": ["A-SFADMM", "D-SFADMM"]}
    whole = run(keys)
    with pytest.raises(Stopped):
        run(keys, out=tmp_path, progress=interrupt_after(5))
    saved = tmp_path / "digits_quickstart.nc"
    assert not saved.exists()
    part = file.load(tmp_path / "digits_quickstart.part.nc")
    assert part["outcome"].values.tolist() == [["completed", "stopped"], ["stopped", "stopped"]]
    np.testing.assert_array_equal(part["loss"][0, 0], whole["loss"][0, 0])
    seen = []
    with pytest.warns(Remark, match="1 of 4 runs are taken up"):
        data = run(keys, out=tmp_path, progress=lambda label, done, total: seen.append(label))
    assert data.equals(whole)
    assert not (tmp_path / "digits_quickstart.part.nc").exists()
    assert not any("A-SFADMM, seed 0, round" in label for label in seen)
    assert file.load(saved).equals(whole)


def test_result_of_other_source_is_not_taken_up(tmp_path, monkeypatch):
    monkeypatch.setattr(file, "_git_revision", lambda: "0" * 40)
    with pytest.raises(Stopped):
        run({"run.seeds": 2}, out=tmp_path, progress=interrupt_after(6))
    scenario = otafl.load("digits_quickstart").override(DIGITS | {"run.seeds": 2})
    assert file.unfinished(tmp_path, scenario) is not None
    assert file.unfinished(tmp_path, scenario.override({"channel.snr_db": 1.0})) is None
    monkeypatch.setattr(file, "_git_revision", lambda: "1" * 40)
    assert file.unfinished(tmp_path, scenario) is None
