"""Papers behind a study, as BibTeX."""

import re

import pytest

import otafl
from otafl.algorithms import METHODS
from otafl.cli import citations, key_reference
from otafl.data.sources import DATASETS
from otafl.schemes import SCHEMES
from otafl.settings import problem
from otafl.settings.part_keys import of_package
from tests.command import command

SOURCES = [name for entry in citations.entries() for name in citations.keywords(entry)]
OWN = {"linear_regression = synthetic", "classification = characters"}
"""Data that otafl draws by a rule of its own."""
MODELS = [f"problem.model = {name}" for name in problem.MODELS]


def test_methods_schemes_and_data_have_papers():
    data = {f"{family} = {name}" for family, known in DATASETS.items() for name in known}
    methods = {f"method = {name}" for name in of_package({name: type(one) for name, one in METHODS.items()})}
    assert methods | {f"uplink.scheme = {name}" for name in SCHEMES} | data - OWN <= set(SOURCES)


def test_papers_are_of_keys_and_choices_that_there_are():
    topics = {topic.title: topic.choices for topic in key_reference.topics()}
    for name in SOURCES:
        key, _, choice = name.partition(" = ")
        listed = choice in {*DATASETS.get(key, ()), *topics.get(key, ())} or name in MODELS
        assert listed or f'{key} = "{choice}"' in topics or (not choice and key in topics), name


@pytest.fixture
def call(tmp_path, monkeypatch, capfd):
    return command(tmp_path, monkeypatch, capfd)


def cited(text: str) -> set[str]:
    return set(re.findall(r"^@\w+\{(.+),$", text, re.MULTILINE))


def test_a_result_cites_what_its_runs_have_read_and_no_more(call, tmp_path):
    keys = {"uplink.scheme": "QSGD", "channel.fading": "rayleigh", "run.iterations": 1, "run.seeds": 1}
    otafl.run("digits_quickstart", {"method": ["FedAvg", "FedProx"], **keys}, out=tmp_path, store=False)
    answer = call("cite", "digits_quickstart.nc")
    papers = {"otafl", "mcmahan2017communication", "li2020prox", "alistarh2016qsgd", "alpaydin1998optical"}
    assert cited(answer.stdout) == papers
    assert f"version = {{{otafl.__version__}}}" in answer.stdout
    assert "keywords" not in answer.stdout
    assert answer.stdout.count("{") == answer.stdout.count("}")
    (tmp_path / "bad.nc").write_bytes(b"CDF")
    assert [call("cite", name).code for name in ("bad.nc", "none.nc", "none")] == [2, 2, 2]
