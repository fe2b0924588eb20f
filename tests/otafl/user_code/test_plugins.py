"""Modules and functions of the user's own that are imported; and what goes wrong with them."""

import pytest

import otafl
from otafl.user_code import plugins

pytestmark = pytest.mark.usefixtures("registries")


def test_a_file_by_its_path_is_loaded_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "counting.py").write_text("import otafl\notafl.counted = getattr(otafl, 'counted', 0) + 1\n")
    plugins.load(["counting.py"])
    plugins.load([str(tmp_path / "counting.py")])
    assert otafl.__dict__.pop("counted") == 1


METHOD = "import otafl\nfrom otafl.algorithms.fedavg import FedAvg\n"
REGISTERED = (
    "import otafl.channels.fading\nfrom dataclasses import dataclass\n@otafl.channels.fading.register('foggy')\n"
)
FOGGY = (
    REGISTERED
    + "@dataclass(frozen=True)\nclass Foggy:\n    def sample(self, rng, num_workers, num_subcarriers):\n        "
)
FROZEN = "@dataclass(frozen=True)\nclass A"
PART = "from dataclasses import dataclass\nfrom otafl import compressors\nfrom otafl.channels import precoding\n"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import no_such_module", "cannot be imported: No module named 'no_such_module' (faulty.py, line 1)"),
        ("1 / 0", "cannot be imported: ZeroDivisionError: division by zero (faulty.py, line 1)"),
        ("raise SystemExit(1)", "cannot be imported: it ends the process"),
        ("import otafl\notafl.run('quickstart')", "put it under if __name__ == '__main__':"),
        (METHOD + "@otafl.method('FedAvg')\nclass A(FedAvg): ...", "is already the name of otafl.alg"),
        (METHOD + "@otafl.method('two words')\nclass A(FedAvg): ...", "must be a name without spaces"),
        (METHOD + "@otafl.method('A')\nclass A: ...", "derived from Method"),
        (METHOD + "@otafl.method('A', rho=otafl.key(1.0, 'x'))\nclass A(FedAvg): ...", "is already a key of otafl"),
        (METHOD + "@otafl.method('A', mine=1.0)\nclass A(FedAvg): ...", "must be made by otafl.key"),
        (METHOD + "@otafl.method('A', mine=otafl.key(2, 'x', lt=1))\nclass A(FedAvg): ...", "breaks its own rule"),
        (METHOD + "@otafl.method('A', mine=otafl.key(1, 'x', most=1))\nclass A(FedAvg): ...", "must be gt, ge"),
        (METHOD + "@otafl.uplink('digital')\nclass A(otafl.OtaflError): ...", "derived from Uplink"),
        (REGISTERED + "class Foggy: ...", "must be a frozen dataclass with a method sample"),
        (PART + "@precoding.register('mine')\n" + FROZEN + ": ...", "must be a frozen dataclass that is derived from"),
        (PART + "@compressors.register('top_k')\n" + FROZEN + "(compressors.Sign): ...", "the name of otafl.comp"),
        (FOGGY.replace("    def", "    density: float\n    def") + "return 1", "must have a default"),
        (FOGGY + "return 1.0", "must return that shape"),
        (FOGGY + "import numpy; return numpy.ones((num_workers, num_subcarriers))", "finite complex gains"),
        (FOGGY + "return fog", "its model fails: NameError: name 'fog' is not defined (faulty.py, line 7)"),
    ],
)
def test_a_faulty_module_is_refused_in_one_line(source, said, tmp_path, call):
    (tmp_path / "faulty.py").write_text(source)
    words = ["show", "quickstart", "--plugins", "faulty.py"]
    words += ["--channel.fading", "foggy"] if "def sample" in source else []
    answer = call(*words)
    assert answer.code == 2
    (line,) = answer.messages
    assert said in line
    assert answer.stderr == f"{line}\n"
