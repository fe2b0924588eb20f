"""User's code that fails as runs are computed: one line with its file and line, at once, and nothing written."""

import pytest

from otafl.errors import OtaflError
from otafl.scenario import user_classes
from otafl.scenario.user_classes import contained
from otafl.settings.keys import Settings
from tests.command import listing

pytestmark = pytest.mark.usefixtures("registries")
FORGOTTEN = ("own",)
HEAD = "import otafl\nimport tensorflow as tf\nfrom otafl.algorithms.fedavg import FedAvg\n\n"
METHOD = (
    HEAD + "@otafl.method('Broken')\nclass Broken(FedAvg):\n    def local_update(self, server, client, now):\n        "
)
METRIC = HEAD + "@otafl.metric('broken')\ndef broken(seen):\n    "
CALLED = (
    METRIC
    + "return tf.ensure_shape(tf.numpy_function(late, [seen.number], tf.float32), [1])\n\ndef late(number):\n    "
)
PRECODER = (
    "from dataclasses import dataclass\nfrom otafl.channels import precoding\n\n@precoding.register('broken')\n"
    "@dataclass(frozen=True)\nclass Broken(precoding.Precoder):\n    def coefficients(self, h):\n        "
)
LOSS = HEAD + "@otafl.problem('broken')\ndef broken(model, x, y):\n    "
NETWORK = ["digits_quickstart", "--method", "Broken", "--problem.model", "linear", "--federation.workers", "2"]
MEASURED = [*NETWORK, "--method", "FedAvg", "--run.metrics", "broken"]
CONVEX = ["quickstart", "--method", "D-FADMM", "--problem.kind", "broken"]
SIZE = ["--run.iterations", "2", "--run.seeds", "1", "--plugins", "own.py", "--out", "out", "--store", "store"]
FAILING = {
    "attribute": (
        METHOD + "return now.nonsense",
        NETWORK,
        "AttributeError: 'Round' object has no attribute 'nonsense'",
    ),
    "shape": (METHOD + "return tf.zeros([2]) + tf.zeros([3])", NETWORK, "ValueError: Dimensions must be equal"),
    "loss": (LOSS + "return nonsense * model", CONVEX, "its loss fails: NameError: name 'nonsense' is not defined"),
    "metric": (METRIC + "return seen.nonsense", MEASURED, "run.metrics = 'broken': reads 'nonsense', which a round"),
    "called by a program": (CALLED + "raise RuntimeError('late')", MEASURED, "runs need fails: RuntimeError: late"),
    "precoder": (
        PRECODER + "return h.no",
        ["digits_quickstart", "--method", "FedAvg@analog", "--uplink.precoder", "broken"],
        "drawn gains: AttributeError",
    ),
}


@pytest.mark.parametrize(("source", "words", "said"), FAILING.values(), ids=FAILING)
def test_failing_code_is_named_with_its_line(tmp_path, call, source, words, said):
    (tmp_path / "own.py").write_text(source)
    answer = call("run", *words, *SIZE, "--processes", "0")
    assert answer.code == 2
    assert answer.stderr.count("\n") == 1
    assert said in answer.stderr
    assert f"(own.py, line {len(source.splitlines())})" in answer.stderr
    assert [path for path in listing(tmp_path) if path.suffix not in ("", ".py", ".pyc", ".lock")] == []
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_worker_processes_answer_alike_and_try_once(tmp_path, call):
    (tmp_path / "own.py").write_text(FAILING["attribute"][0].replace("return", "open('tried', 'a').write('x'); return"))
    answer = call("run", *NETWORK, *SIZE, "--processes", "1")
    assert (answer.code, answer.stderr.count("\n")) == (2, 1)
    assert "(own.py, line 8)" in answer.stderr
    assert (tmp_path / "tried").read_text() == "x"


@pytest.mark.parametrize(
    "error", [MemoryError(), OSError("a disk"), type("ResourceExhaustedError", (Exception,), {})()]
)
def test_failures_of_the_machine_pass_as_they_may_not_come_again(monkeypatch, error):
    monkeypatch.setattr(user_classes, "all_modules", lambda _: {"own"})
    with pytest.raises(type(error)), contained(Settings()):
        raise error
    monkeypatch.undo()
    with pytest.raises(KeyError), contained(Settings()):
        raise KeyError  # without code of the user's


def test_failures_that_no_line_of_the_users_raises_are_one_line_all_the_same(monkeypatch):
    monkeypatch.setattr(user_classes, "all_modules", lambda _: {"own"})
    said = r"^method = 'A-FADMM': code that its runs need fails: AttributeError: nothing \("
    with pytest.raises(OtaflError, match=said), contained(Settings()):
        raise AttributeError("nothing")
