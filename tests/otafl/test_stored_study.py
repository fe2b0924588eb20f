"""A study that is done answers from its files, imports nothing heavy, and leaves no figure of anything else."""

from pathlib import Path

import pytest

from otafl.results import figure_files, file, kept
from tests.command import command
from tests.otafl.test_cli import HEAVY, traced

RUN = ("run", "quickstart", "--run.iterations", "20", "--run.seeds", "1", "--method", "A-FADMM", "A-GD", "--out", "out")
RESULT = "out/quickstart.nc"
FIGURE = [Path("out/quickstart.png"), Path("out/quickstart.pdf")]
ANSWERS = (*RUN, "--processes", "0"), ("plot", RESULT), ("report", RESULT), ("status", "out")


@pytest.fixture
def here(tmp_path, monkeypatch, capfd):
    """``otafl`` in an empty folder with a cache of its own, where the study is done."""
    monkeypatch.setenv("OTAFL_CACHE_DIR", str(tmp_path / "cache"))
    otafl = command(tmp_path, monkeypatch, capfd)
    assert otafl(*RUN).code == 0
    return otafl


def test_answers_of_a_study_that_is_done_import_nothing_heavy(here, tmp_path):
    for words in ANSWERS:
        first = here(*words)
        code, imported, _ = traced(tmp_path, *words)
        assert (first.code, code) == (0, 0), words
        assert not imported & set(HEAVY), words


def test_the_second_answer_is_the_first(here):
    first, second = (here(*RUN).stdout.splitlines() for _ in range(2))
    assert [line for line in first if "━" not in line] == [line for line in second if "━" not in line]


@pytest.mark.parametrize(
    ("words", "path", "change"),
    [(RUN, FIGURE[0], lambda path: path.write_bytes(b"old")), (("plot", RESULT), FIGURE[1], Path.unlink)],
    ids=["other", "none"],
)
def test_a_figure_that_was_changed_is_drawn_again(here, words, path, change):
    drawn = path.read_bytes()
    change(path)
    assert here(*words).code == 0
    assert path.read_bytes() == drawn


def test_other_keys_of_a_figure_draw_another_one_and_back(here):
    drawn = FIGURE[0].read_bytes()
    here("plot", RESULT, "--plot.x", "energy")
    other = FIGURE[0].read_bytes()
    here(*RUN)
    assert drawn != other
    assert FIGURE[0].read_bytes() == drawn


def test_a_figure_follows_its_result(here, tmp_path):
    here("plot", RESULT)
    drawn = FIGURE[0].read_bytes()
    here(*RUN[:3], "30", *RUN[4:-1], "longer")
    Path(RESULT).write_bytes(Path("longer/quickstart.nc").read_bytes())
    here("plot", RESULT)
    assert FIGURE[0].read_bytes() == Path("longer/quickstart.png").read_bytes() != drawn


def test_a_result_that_was_replaced_is_written_again(here):
    result = Path(RESULT).read_bytes()
    Path(RESULT).write_bytes(b"another one")
    assert here(*RUN).code == 0
    assert Path(RESULT).read_bytes()[:4] == result[:4]


def test_a_run_that_was_damaged_is_computed_again(here, tmp_path):
    for path in tmp_path.glob("out/quickstart.runs/*/*.run"):
        damaged = path.read_bytes()[:-1] + b"?"
        path.unlink()
        path.write_bytes(damaged)
    assert here(*RUN).code == 0
    assert not [path for path in tmp_path.glob("out/quickstart.runs/*/*.run") if path.read_bytes()[-1:] == b"?"]


def test_notes_are_for_the_code_and_the_settings_of_now(monkeypatch, tmp_path):
    monkeypatch.setenv("MPLCONFIGDIR", str(tmp_path))
    first = kept.name("figure", [])
    (tmp_path / "matplotlibrc").write_text("lines.linewidth: 5")
    assert kept.name("figure", []) != first
    (tmp_path / "matplotlibrc").unlink()
    assert kept.name("figure", []) == first
    monkeypatch.setattr(kept, "_code", lambda: ["other"])
    assert kept.name("figure", []) == "", "code changed while this process runs"
    monkeypatch.setattr(kept, "BEGUN", (["other"], kept.BEGUN[1]))
    assert kept.name("figure", []) not in ("", first)


def test_links_that_lead_nowhere_are_no_code(tmp_path):
    (tmp_path / ".#plot.py").symlink_to("nobody@nowhere.123")
    (tmp_path / "plot.py").write_text("")
    assert [path for path, *_ in kept._states([str(tmp_path)])] == [str(tmp_path / "plot.py")]


def test_files_of_another_command_are_not_kept_as_those_of_this_one(here, tmp_path, monkeypatch):
    """Another command of the same name and runs, but with another figure, replaces the result before the note."""
    here(*RUN[:-1], "other", "--plot.x", "energy")
    theirs, written = Path("other/quickstart.nc").read_bytes(), figure_files.written

    def replaced(*asked):
        Path(RESULT).write_bytes(theirs)
        return written(*asked)

    Path(RESULT).unlink()
    with monkeypatch.context() as patched:
        patched.setattr(figure_files, "written", replaced)
        here(*RUN)
    assert here(*RUN).code == 0
    assert 'x = "time_slots"' in file.load(RESULT).attrs["scenario"]


@pytest.mark.slow
def test_a_forecast_of_another_number_of_runs_is_measured_anew(here):
    first = ("plan", "quickstart", "--method", "A-GD", "--run.iterations", "60", "--processes", "1", "--run.seeds")
    told = ["".join(here(*first, seeds)[1:]) for seeds in ("1", "1", "2")]
    assert "earlier" not in told[0]
    assert "earlier" in told[1]
    assert "earlier" not in told[2]


def test_no_note_is_read_that_is_damaged_or_misses_a_source(monkeypatch, tmp_path):
    monkeypatch.setenv("OTAFL_CACHE_DIR", str(tmp_path))
    kept.write("note", [1, 2])
    assert kept.read("note") == [1, 2]
    (tmp_path / "answers" / "note").write_text((tmp_path / "answers" / "note").read_text().replace("2]", "3]"))
    assert kept.read("note") is None
    assert kept.name("figure", [tmp_path / "none"]) == ""
    monkeypatch.setenv("OTAFL_CACHE_DIR", "")
    kept.write("note", [1])
    assert kept.read("note") is None
