"""The number of cores changes no bit of networks: threads decide in which order sums are added, and theirs is fixed."""

import os
import subprocess
import sys

import pytest

import otafl
from otafl.errors import OtaflError
from otafl.results import result_file
from otafl.study.plan import Study

KEYS = {
    "problem.model": ["cnn", "mlp"],
    "method": "FedAvg",
    "federation.workers": 2,
    "local.batch_size": 600,
    "local.steps": 2,
    "run.iterations": 2,
    "run.seeds": 1,
}
"""Gradients are sums over 600 samples, which are added in blocks."""
DRIVER = f"""
import os, sys, otafl
from pathlib import Path
from otafl.study.engines import engine
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:int(sys.argv[2])])
otafl.run("digits_quickstart", {KEYS}, Path(sys.argv[1]), store=False, engine=engine(processes=1))
"""


def _loss(folder, cores):
    subprocess.run([sys.executable, "-c", DRIVER, str(folder), str(cores)], check=True)
    return result_file.load(folder / "digits_quickstart.nc")["loss"].values


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two cores")
@pytest.mark.slow
def test_the_number_of_cores_changes_no_bit(tmp_path):
    assert (_loss(tmp_path / "one", cores=1) == _loss(tmp_path / "two", cores=2)).all()


def test_convolutions_have_one_thread_and_other_networks_two():
    study = Study(otafl.load("digits_quickstart", KEYS | {"problem.model": ["cnn", "mlp", "mine:net"]}))
    assert [column.threads for column in study.columns] == [1, 2, 1]
    assert Study(otafl.load("quickstart")).threads([[0]]) == []
    chosen = Study(otafl.load("digits_quickstart", KEYS | {"run.threads": 7}))
    assert chosen.threads([[0], [1]]) == [7]
    assert not set(chosen.names) & set(Study(otafl.load("digits_quickstart", KEYS)).names)


def test_a_number_of_threads_that_cannot_be():
    with pytest.raises(OtaflError, match=r"run\.threads = 0"):
        otafl.load("digits_quickstart", {"run.threads": 0})
