"""Studies that the user interrupts: what is kept, and what the next run takes up."""

import numpy as np
import pytest

import otafl
from otafl.engine import inputs
from otafl.engine import simulate as engine
from otafl.errors import OtaflError, Remark
from otafl.results import result_file
from otafl.store.store import Store
from otafl.study import compute
from otafl.study.run import Stopped
from tests.otafl.engine.test_networks import run
from tests.otafl.small import SMALL

KEYS = {"run.seeds": 2, "run.iterations": 4, "method": ["A-SFADMM", "D-SFADMM"]}


def interrupt_after(rounds: int, seen: list | None = None):
    def listen(label, done, total):
        if done >= rounds:
            raise KeyboardInterrupt
        if seen is not None:
            seen.append(label)

    return listen


def test_interruption_before_anything_is_done(tmp_path, monkeypatch):
    """An interrupt while a run is being set up keeps what was finished before, and nothing where nothing was."""
    monkeypatch.setattr(engine, "executor", interrupted)
    with pytest.raises(Stopped) as stopped:
        run(out=tmp_path / "new")
    assert (stopped.value.data["outcome"] == "stopped").all()
    assert not (tmp_path / "new").exists()


def interrupted(group):
    raise KeyboardInterrupt


def test_the_next_run_goes_on_with_what_is_missing(tmp_path):
    whole = run(KEYS)
    with pytest.raises(Stopped) as stopped:
        run(KEYS, out=tmp_path, progress=interrupt_after(5))
    part = stopped.value.data
    assert part["outcome"].values.tolist() == [["completed", "stopped"], ["stopped", "stopped"]]
    np.testing.assert_array_equal(part["loss"][0, 0], whole["loss"][0, 0])
    assert not (tmp_path / "digits_quickstart.nc").exists()
    seen: list = []
    with pytest.warns(Remark, match="1 of 4 runs are there already"):
        data = run(KEYS, out=tmp_path, progress=interrupt_after(1000, seen))
    assert data.equals(whole)
    assert not any("A-SFADMM, seed 0, round" in label for label in seen)
    assert result_file.load(tmp_path / "digits_quickstart.nc").equals(whole)
    with pytest.warns(Remark, match="4 of 4 runs are there already"):
        assert run(KEYS, out=tmp_path / "other", progress=interrupt_after(17)).equals(whole)


def test_a_run_goes_on_in_the_middle(tmp_path, monkeypatch):
    monkeypatch.setattr(inputs, "CHUNK_ROUNDS", 12)
    keys = {"run.iterations": 7}
    whole = run(keys)
    with pytest.raises(Stopped):
        run(keys, out=tmp_path, progress=interrupt_after(3))
    seen: list = []
    assert run(keys, out=tmp_path, progress=interrupt_after(1000, seen)).equals(whole)
    assert not any("round 2" in label for label in seen)
    assert any("round 6" in label for label in seen)


@pytest.mark.slow
def test_more_iterations_seeds_and_points_compute_what_is_missing(tmp_path):
    """Each equals the study that is computed at once; fewer iterations are read from longer runs."""
    run({"run.iterations": 3}, out=tmp_path)
    for keys in ({"run.iterations": 5}, {"run.iterations": 5, "run.seeds": 2}, {"method": ["A-SFADMM", "D-SFADMM"]}):
        keys = {"run.iterations": 5, "run.seeds": 2} | keys
        assert run(keys, out=tmp_path).equals(run(keys))
    short = run({"run.iterations": 3}, out=tmp_path / "short", progress=interrupt_after(4))
    assert short.equals(run({"run.iterations": 3}))


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"run.seeds": 1}, "has 1 runs of quickstart that this study does not have, such as seed 1"),
        ({"channel.snr_db": 3.0}, "has 2 runs of quickstart that were computed with other settings.*as seed 0"),
        ({"run.iterations": 3}, "with 4 iterations, and this study has 3"),
    ],
)
def test_a_result_is_not_replaced_by_one_of_other_runs(keys, words, tmp_path):
    base = SMALL | {"method": "A-GD", "run.seeds": 2, "run.iterations": 4}
    before = otafl.run("quickstart", base, out=tmp_path)
    with pytest.raises(OtaflError, match=words):
        otafl.run("quickstart", base | keys, out=tmp_path)
    assert result_file.load(tmp_path / "quickstart.nc").equals(before)
    after = otafl.run("quickstart", base | keys, out=tmp_path, overwrite=True)
    assert result_file.load(tmp_path / "quickstart.nc").equals(after)


def test_without_a_store_all_is_computed_anew(tmp_path):
    run(KEYS, out=tmp_path, store=False)
    with pytest.raises(Stopped):
        run(KEYS, out=tmp_path, store=False, progress=interrupt_after(5))
    with pytest.warns(Remark, match="1 of 4 runs"):
        assert run(KEYS, out=tmp_path, store=False).equals(run(KEYS))


@pytest.mark.slow
def test_a_shorter_run_leaves_the_state_of_a_longer_one(tmp_path, monkeypatch):
    """And its seconds of computing are those of all legs."""
    monkeypatch.setattr(inputs, "CHUNK_ROUNDS", 12)
    keys, store = {"run.iterations": 40}, Store(tmp_path / "store")
    with pytest.raises(Stopped):
        run(keys, out=tmp_path / "long", store=store.folder, progress=interrupt_after(20))
    (name,) = (path.stem for path in store.folder.glob("*/*.state"))
    before, start = store.checkpoint(name), store.start(name)
    assert 20 <= start < 40
    assert before.seconds > 0
    run({"run.iterations": 2}, out=tmp_path / "short", store=store.folder)
    assert store.start(name) == start
    assert run(keys, out=tmp_path / "long", store=store.folder).equals(run(keys))
    found = store.result(name)
    assert found.info["compute_time"] > before.seconds


def test_two_quick_interrupts_leave_states(tmp_path, monkeypatch):
    monkeypatch.setattr(inputs, "CHUNK_ROUNDS", 12)
    keys = {"run.iterations": 40}
    with pytest.raises(Stopped) as first:
        run(keys, out=tmp_path, store=False, progress=interrupt_after(20))
    assert first.value.kept
    monkeypatch.setattr(engine, "executor", interrupted)
    with pytest.raises(Stopped) as second:
        run(keys, out=tmp_path, store=False)
    assert second.value.kept
    assert list(tmp_path.glob("*.runs/*/*.state"))


def test_a_result_says_where_its_runs_were_computed(tmp_path, monkeypatch):
    monkeypatch.setattr(compute, "provenance", lambda: {"git_revision": "one"})
    run({"run.iterations": 2}, out=tmp_path)
    monkeypatch.setattr(compute, "provenance", lambda: {"git_revision": "two"})
    data = run({"run.iterations": 2, "run.seeds": 2}, out=tmp_path)
    assert data.attrs["git_revision"] == "one, two"


def test_another_result_is_left_alone(tmp_path):
    otafl.run("quickstart", {"method": "D-GD", "run.iterations": 2, "run.seeds": 1}, out=tmp_path)
    (tmp_path / "quickstart.runs" / "study.json").unlink()
    with pytest.raises(OtaflError, match="of another study"):
        otafl.run("quickstart", {"method": "D-GD", "run.iterations": 2, "run.seeds": 1}, out=tmp_path)


def test_a_folder_that_was_carried_elsewhere_has_its_runs(tmp_path):
    whole = run({"run.iterations": 3}, out=tmp_path / "out", store=tmp_path / "here")
    with pytest.warns(Remark, match="1 of 1 runs are there already"):
        again = run({"run.iterations": 3}, out=tmp_path / "out", store=tmp_path / "elsewhere")
    assert again.equals(whole)
    assert list((tmp_path / "elsewhere").glob("*/*.run"))


@pytest.mark.slow
def test_the_last_accuracy_of_a_shorter_run_is_computed_where_a_longer_one_has_none(tmp_path):
    """Once: both then have their own, and so have metrics that are read with it."""
    keys = {"run.evaluate_every": 4, "run.metrics": ("worker_accuracy",)}
    lengths = [{"run.iterations": iterations} | keys for iterations in (6, 3)]
    found = [run(length, out=tmp_path / str(length["run.iterations"])) for length in lengths]
    assert found[1].equals(run(lengths[1]))
    assert found[1][["test_accuracy", "worker_accuracy"]].isel(iteration=-1).notnull().all()
    for length, data in zip(lengths, found, strict=True):
        with pytest.warns(Remark, match="1 of 1 runs are there already"):
            assert run(length, out=tmp_path / f"{length} again").equals(data)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "keys", "chunk"),
    [
        ("digits_quickstart", {"method": "A-SFADMM", "run.evaluate_every": 100}, 1),
        ("quickstart", {"method": "A-FADMM", "run.record": "log", "channel.coherence_iterations": 106.0}, 106),
    ],
)
def test_a_longer_run_that_stopped_where_a_shorter_one_ends_lacks_its_last_reading(
    name, keys, chunk, tmp_path, monkeypatch
):
    monkeypatch.setattr(inputs, "CHUNK_ROUNDS", 12)
    monkeypatch.setattr(inputs, "CHUNK_ITERATIONS", 1)
    store, keys = Store(tmp_path / "store"), keys | {"run.seeds": 1}
    with pytest.raises(Stopped):
        otafl.run(name, keys | {"run.iterations": 200}, out=tmp_path, store=store.folder, progress=interrupt_after(1))
    (run_name,) = (path.stem for path in store.folder.glob("*/*.state"))
    assert store.start(run_name) == chunk
    short = keys | {"run.iterations": chunk}
    assert otafl.run(name, short, out=tmp_path / "short", store=store.folder).equals(otafl.run(name, short))
