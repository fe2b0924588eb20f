"""Dealing samples to workers: each sample once, the shares that every rule promises, and what is missed of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otafl.data import shares, synthetic
from otafl.federation import partition
from otafl.settings.federation import Federation
from otafl.settings.keys import Settings
from otafl.settings.problem import Problem
from tests.otafl.small import dotted, settings_of

LABELS = np.random.default_rng(0).integers(0, 10, 6000).astype(np.int32)
KINDS = sorted(partition.PARTITIONS)


def deal(kind: str, workers: int = 20, seed: int = 1, labels: np.ndarray = LABELS, **keys) -> list[np.ndarray]:
    federation = Federation(workers=workers, partition=kind, **keys)
    return partition.deal(labels, federation, np.random.default_rng(seed))


@given(st.sampled_from(KINDS), st.integers(0, 2**32 - 1), st.sampled_from([2, 10, 20]))
def test_no_sample_is_dealt_twice(kind, seed, workers):
    shares = deal(kind, workers, seed)
    assert len(shares) == workers
    together = np.concatenate(shares)
    assert len(np.unique(together)) == len(together)
    assert min(map(len, shares)) > 0
    assert len(together) >= 0.9 * len(LABELS) or workers < 20
    assert all(map(np.array_equal, shares, deal(kind, workers, seed)))
    assert not all(map(np.array_equal, shares, deal(kind, workers, seed + 1)))


def test_two_shards_hold_few_labels():
    shares = deal("shards")
    assert {len(share) for share in shares} == {300}
    assert max(len(np.unique(LABELS[share])) for share in shares) <= 4
    assert np.mean([len(np.unique(LABELS[share])) for share in shares]) < 3


@pytest.mark.parametrize("most", [1, 2, 5])
def test_workers_have_at_most_so_many_labels(most):
    shares = deal("labels", labels_per_worker=most)
    assert max(len(np.unique(LABELS[share])) for share in shares) <= most
    assert len({len(share) for share in shares}) == 1


@pytest.mark.parametrize(
    ("kind", "keys", "most", "low", "high"),
    [
        ("two_classes", {}, 2, 0.75, 0.95),
        ("dirichlet", {"concentration": 0.1}, 1, 0.5, 1.0),
        ("dirichlet", {"concentration": 100.0}, 1, 0.1, 0.2),
    ],
)
def test_leading_labels_make_up_the_share_that_is_asked_for(kind, keys, most, low, high):
    """80% are of two classes, on which a fifth of the rest falls, too; small concentrations give a worker one class."""
    counts = [np.sort(np.bincount(LABELS[share], minlength=10)) for share in deal(kind, **keys)]
    assert low < np.mean([count[-most:].sum() / count.sum() for count in counts]) < high


def test_imbalanced_volumes_are_those_of_table_vi():
    """200 workers in pairs with 1 to 99 shards of 6 samples, the last pair the rest: 300 ± 171 (Gong et al.)."""
    counts = np.array([len(share) for share in deal("imbalanced", 200, labels=np.repeat(np.arange(10), 6000))])
    assert counts.sum() == 60_000
    np.testing.assert_array_equal(counts[:4], [6, 6, 12, 12])
    assert counts.mean() == 300
    assert counts.std() == pytest.approx(171.03, abs=3)


@pytest.mark.parametrize("exponent", [1.2, 3.0])
def test_sizes_follow_the_power_law(exponent):
    """Logarithms of draws are exponential, so their mean over the least one is 1/a."""
    sizes = [len(s) for s in deal("power_law", 2000, labels=np.zeros(10**6), size_exponent=exponent)]
    assert sum(sizes) == 10**6
    assert np.mean(np.log(sizes / np.min(sizes))) == pytest.approx(1 / exponent, rel=0.1)
    equal = [len(share) for share in deal("power_law", size_exponent=100.0)]
    assert max(equal) < 1.2 * min(equal)


def digits(method: str = "FedAvg", **keys) -> Settings:
    return settings_of("digits_quickstart", {"method": method, "federation.workers": 10} | dotted(keys))


def test_a_tenth_keeps_its_labels():
    """Supervised methods get a tenth of each worker's samples, FedVRA-U all, the labelled ones first."""
    whole, part = shares.shares(digits(), 0), shares.shares(digits(federation__labelled=0.1), 0)
    both = shares.shares(digits("FedVRA-U", federation__labelled=0.1), 0)
    for all_of, some, mixed in zip(whole, part, both, strict=True):
        assert len(some) == round(0.1 * len(all_of))
        assert set(some) < set(all_of)
        np.testing.assert_array_equal(mixed[: len(some)], some)
        assert set(mixed) == set(all_of)


def test_summary_names_samples_and_labels():
    lines = shares.summary(digits(federation__partition="labels"), 3)
    size = len(shares.shares(digits(federation__partition="labels"), 3)[0])
    assert lines[0] == f"samples of a worker, seed 3: {size}; {10 * size:,} in all"
    assert lines[1] == "labels of a worker: 2; share of its most frequent one: 50% on average"
    few = digits("FedVRA-U", federation__labelled=0.1)
    assert shares.summary(few, 3)[-1] == "of which with a label that may be used: 14"


def test_bias_of_nobody_and_of_everybody_left_out():
    settings = settings_of("digits_quickstart", {})
    nobody, everybody = (shares.bias(settings, 0, np.full(20, out)) for out in (False, True))
    assert nobody.startswith("0 workers are left out, with 0% of the samples; shares of labels differ by 0.0%")
    assert "with 100% of the samples; shares of labels differ by 50.0%" in everybody


def test_the_share_of_samples_and_the_distance_of_labels_by_hand():
    settings, out = settings_of("digits_quickstart", {"federation.partition": "two_classes"}), np.arange(20) >= 3
    dealt, labels = shares.shares(settings, 0), shares.samples(settings, 0).targets
    heard = [label for worker in range(3) for label in labels[dealt[worker]]]
    every = [label for share in dealt for label in labels[share]]
    apart = sum(abs(heard.count(one) / len(heard) - every.count(one) / len(every)) for one in range(10)) / 2
    said = shares.bias(settings, 0, out)
    assert apart > 0.01
    assert f"with {1 - len(heard) / len(every):.0%} of the samples" in said
    assert f"differ by {apart:.1%}" in said


def test_synthetic_samples_belong_to_workers():
    """60 features, 10 classes, unequal volumes; with α = β = 0 workers' models still differ in their entries."""
    data = synthetic.load(Problem(kind="classification", dataset="synthetic"), 30, 5)
    assert data.features.shape[1] == 60
    assert len(data.shares) == 30
    assert np.array_equal(np.sort(np.concatenate(data.shares)), np.arange(len(data.targets)))
    counts = np.array([len(share) for share in data.shares])
    assert counts.min() >= 40
    assert counts.std() > 0.5 * counts.mean()
    assert 0.08 < len(data.test_targets) / (len(data.targets) + len(data.test_targets)) < 0.12
    again = synthetic.load(Problem(kind="classification", dataset="synthetic"), 30, 5)
    np.testing.assert_array_equal(again.features, data.features)
