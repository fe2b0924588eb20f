"""Samples and labels that are missed where workers never take part."""

import numpy as np

from otafl.data import shares
from tests.otafl.small import settings_of


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
