"""A study that is done is shown again without computing, and its files follow from its runs and keys."""

from pathlib import Path

import pytest

from tests.otafl.test_cli import traced

RUN = ("run", "quickstart", "--run.iterations", "20", "--run.seeds", "1", "--method", "A-GD", "--out", "out")
RESULT, FIGURE = Path("out/quickstart.nc"), Path("out/quickstart.png")
READING = (*RUN, "--processes", "1"), ("plot", str(RESULT)), ("report", str(RESULT)), ("status", "out")
COMPUTING = {"tensorflow", "sionna", "keras"}


@pytest.fixture
def here(call):
    assert call(*RUN).code == 0
    return call


@pytest.mark.slow
def test_commands_on_a_finished_study_import_nothing_that_computes(here, tmp_path):
    for words in READING:
        code, imported, _ = traced(tmp_path, *words)
        assert code == 0, words
        assert not imported & COMPUTING, words


@pytest.mark.slow
def test_the_second_answer_is_the_first_and_replaces_changed_files_and_damaged_runs(here):
    first = here(*RUN).stdout.splitlines()
    files = {path: path.read_bytes() for path in (RESULT, FIGURE, FIGURE.with_suffix(".pdf"))}
    RESULT.write_bytes(b"another one")
    FIGURE.write_bytes(b"old")
    FIGURE.with_suffix(".pdf").unlink()
    second = here(*RUN).stdout.splitlines()
    assert [line for line in first if "━" not in line] == [line for line in second if "━" not in line]
    assert all(path.read_bytes()[:4] == content[:4] for path, content in files.items())
    assert FIGURE.read_bytes() == files[FIGURE]
    here("plot", str(RESULT), "--plot.x", "energy")
    assert FIGURE.read_bytes() != files[FIGURE]
    here(*RUN)
    assert FIGURE.read_bytes() == files[FIGURE]
    for path in Path("out/quickstart.runs").glob("*/*.run"):
        damaged = path.read_bytes()[:-1] + b"?"
        path.unlink()
        path.write_bytes(damaged)
    assert here(*RUN).code == 0
    assert not [path for path in Path("out/quickstart.runs").glob("*/*.run") if path.read_bytes()[-1:] == b"?"]
