"""Who takes part: sizes, probabilities, and streams of their own."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otafl.engine import participation
from tests.otafl.small import dotted, settings_of

COUNTS = np.arange(1, 21) * 10


def rounds(number: int, seed: int = 0, **keys) -> list[participation.Participants]:
    """The first rounds of 20 workers, if the keys say nothing else."""
    settings = settings_of("digits_quickstart", {"method": "FedADMM-Gong"} | dotted(keys))
    return list(islice(participation.Participation(settings, COUNTS, seed), number))


PROBABILITIES = [0.05, 0.15, 0.3, 0.5, 1.0]


@pytest.mark.parametrize(
    ("keys", "size", "expected"),
    [
        ({"federation__participation": 0.2}, 4, np.full(20, 0.2)),
        ({"federation__participation": 0.05, "federation__sampling": "weighted"}, 1, COUNTS / COUNTS.sum()),
        ({"federation__workers": 5, "federation__probabilities": PROBABILITIES}, 2, np.array(PROBABILITIES)),
    ],
    ids=["uniform", "by samples", "by hand"],
)
def test_workers_take_part_with_their_probabilities(keys, size, expected):
    """In a proper scheme of Wang et al., definition 4, too; as many in every round, each once."""
    drawn = rounds(6000, **keys)
    assert {len(set(who.workers)) for who in drawn} == {len(who.workers) for who in drawn} == {size}
    shares = np.bincount(np.concatenate([who.workers for who in drawn])) / 6000
    assert (np.abs(shares - expected) <= 5 * np.sqrt(expected * (1 - expected) / 6000)).all()


@given(st.lists(st.floats(0.05, 1.0), min_size=3, max_size=12), st.integers(0, 10**6))
def test_systematic_draws_have_a_fixed_size(weights, seed):
    total = max(1, round(sum(weights)))
    probabilities = np.minimum(1.0, np.array(weights) / sum(weights) * total)
    if abs(probabilities.sum() - round(probabilities.sum())) > 1e-9:
        return
    drawn = participation.systematic(probabilities, np.random.default_rng(seed))
    assert len(set(drawn)) == len(drawn) == round(probabilities.sum())
    assert np.all(np.diff(drawn) > 0)


def test_uneven_work_is_uniform_over_epochs():
    drawn = rounds(1000, local__epochs=5, local__work="uniform")
    epochs = np.bincount(np.concatenate([who.epochs for who in drawn]))[1:] / 20_000
    np.testing.assert_allclose(epochs, 0.2, atol=5 * np.sqrt(0.2 * 0.8 / 20_000))
    assert all((who.epochs == 5).all() for who in rounds(3, local__epochs=5))


def test_fedpd_uploads_with_its_probability():
    drawn = rounds(4000, method="FedPD", algorithm__communication_probability=0.3)
    assert np.mean([who.uploads for who in drawn]) == pytest.approx(0.3, abs=0.04)
    assert all(who.uploads for who in rounds(20))


def test_participants_do_not_depend_on_work_or_method():
    """Streams by purpose: the same workers under one seed, whatever they do."""
    share = {"federation__participation": 0.2}
    one = rounds(5, **share)
    other = rounds(5, **share, method="FedProx", local__work="uniform", algorithm__rho=0.1)
    assert all(np.array_equal(a.workers, b.workers) for a, b in zip(one, other, strict=True))
    assert not all(np.array_equal(a.workers, b.workers) for a, b in zip(one, rounds(5, seed=1, **share), strict=True))
