"""Help: words that people of the field type, and the key that answers; papers behind a study, as BibTeX."""

import re

import pytest

import otafl
from otafl.algorithms import METHODS
from otafl.cli import citations, key_reference
from otafl.cli.glossary import terms
from otafl.cli.help_search import explain
from otafl.data.sources import DATASETS
from otafl.schemes import SCHEMES
from otafl.settings import problem
from otafl.settings.part_keys import of_package
from otafl.uplinks.chain import PARTS

QUERIES = {
    "epochs": "local.epochs",
    "truncation": "uplink.scheme",
    "30khz": "uplink.symbols_per_slot",
    "snr_db": "channel.snr_db [dB]: number; default 40.0",
    "algorithm.rho": "read by A-FADMM",
    "plot.reached": '"held" or "first"',
    "FedProx": "from: Federated optimization in heterogeneous networks",
    "rayleigh": "|h|² is exponential with mean 1",
    "nr": "Modulation and coding of 5G NR",
    "energy_pilots": "it needs energy.whole = true",
    "FSK": 'uplink.compressor = "fsk"',
    "amiri": "M. M. Amiri and D. Gündüz",
}
"""Words that the glossary does not have, with a text that the first lines of the answer hold."""


@pytest.fixture(scope="module")
def topics() -> list:
    return list(key_reference.topics())


@pytest.mark.parametrize("word", QUERIES)
def test_a_word_of_the_field_leads_to_the_key_that_answers(topics, word):
    assert QUERIES[word] in "\n".join(explain(topics, word).splitlines()[:8])


def test_a_word_of_the_glossary_leads_to_the_names_of_its_term(topics):
    for term in terms():
        for word in term.words:
            answer = "\n".join(explain(topics, word).splitlines()[:8])
            assert not term.named or any(name in answer for name in term.named), word


def test_a_word_of_the_glossary_has_one_meaning_and_names_what_there_is(topics):
    words = [word for term in terms() for word in (term.term, *filter(None, term.synonyms.split(", ")))]
    assert sorted({word for word in words if words.count(word) > 1}) == []
    known = {name for topic in topics if not topic.refers for name in topic.names}
    tables = {name.partition(".")[0] for name in known if "." in name}
    names = {name.partition(" = ")[0] for term in terms() for name in term.named}
    keys = {name for name in names if name.partition(".")[0] in tables and "." in name}
    assert keys - known == set()


def test_every_scheme_and_part_is_explained(topics):
    for name, scheme in SCHEMES.items():
        assert f'uplink.scheme = "{name}"' in explain(topics, name)
        assert scheme.paper.split(" and ")[0] in explain(topics, name)
    for key, registry in PARTS.items():
        for name in registry:
            assert f'uplink.{key} = "{name}"' in explain(topics, name)
    assert "keys: uplink.update_norm, uplink.update_norm_decay" in explain(topics, "scheduled")


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


@pytest.mark.slow
def test_a_result_cites_what_its_runs_have_read_and_no_more(call, tmp_path):
    keys = {"uplink.scheme": "QSGD", "channel.fading": "rayleigh", "run.iterations": 1, "run.seeds": 1}
    otafl.run("digits_quickstart", {"method": ["FedAvg", "FedProx"], **keys}, out=tmp_path, store=False)
    answer = call("cite", "digits_quickstart.nc")
    papers = {"otafl", "mcmahan2017communication", "li2020prox", "alistarh2016qsgd", "alpaydin1998optical"}
    assert set(re.findall(r"^@\w+\{(.+),$", answer.stdout, re.MULTILINE)) == papers
    assert f"version = {{{otafl.__version__}}}" in answer.stdout
    assert "keywords" not in answer.stdout
    assert "year = {2026}" in answer.stdout
    assert "% problem.dataset = digits" in answer.stdout
    assert answer.stdout.count("{") == answer.stdout.count("}")
    (tmp_path / "bad.nc").write_bytes(b"CDF")
    assert [call("cite", name).code for name in ("bad.nc", "none.nc", "none")] == [2, 2, 2]
