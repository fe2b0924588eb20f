"""Classification: accuracy and loss against their definitions."""

import numpy as np
import pytest
import tensorflow as tf

from otafl.problems.classification import cross_entropy
from tests.otafl.training.test_learner import classification, compiled


def test_accuracy_counts_every_test_sample_once():
    problem = classification()
    accuracy = compiled(lambda: problem.test_accuracy(problem.start)).numpy()[0]
    logits = compiled(lambda: problem.learner.outputs(problem.start[0, :, 0], problem.shared.evaluation.features))
    assert accuracy == pytest.approx(np.mean(np.argmax(logits, axis=1) == problem.shared.evaluation.labels.numpy()))


def test_cross_entropy_of_even_logits_is_the_logarithm_of_their_number():
    np.testing.assert_allclose(cross_entropy(tf.zeros([4, 10]), tf.range(4)), np.log(10), rtol=1e-6)
