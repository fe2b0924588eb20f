"""Precision of networks' products: TensorFloat-32 where it is asked for, and nowhere else."""

import numpy as np
import pytest
import tensorflow as tf

import otafl
from otafl.engine.simulate import Listener, simulate
from tests.otafl.small import group_of

KEYS = {"method": "FedAvg@ideal", "run.iterations": 2, "run.seeds": 1, "federation.workers": 3}


class Watching(Listener):
    """Listener that notes if a card may round the factors of products."""

    def advanced(self, iterations: int, standing: str) -> None:
        self.rounds = tf.config.experimental.tensor_float_32_execution_enabled()


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("precision", ["float32", "tf32", "bfloat16"])
def test_factors_are_rounded_where_that_is_asked_for_and_settings_are_restored(before, precision):
    watching, group = Watching(), group_of("digits_quickstart", {**KEYS, "run.precision": precision})
    tf.config.experimental.enable_tensor_float_32_execution(before)
    try:
        simulate(group, watching)
        assert watching.rounds == (precision == "tf32")
        assert tf.config.experimental.tensor_float_32_execution_enabled() == before
    finally:
        tf.config.experimental.enable_tensor_float_32_execution(True)


def test_no_program_serves_two_precisions_and_a_processor_has_single_precision_for_both():
    """A card rounds factors to 10 bits."""
    forms = [group_of("digits_quickstart", {**KEYS, "run.precision": name}).form for name in ("float32", "tf32")]
    assert forms[0] != forms[1]
    single, rounded = (otafl.run("digits_quickstart", {**KEYS, "run.precision": name}) for name in ("float32", "tf32"))
    card = bool(tf.config.list_physical_devices("GPU"))
    np.testing.assert_allclose(rounded["loss"], single["loss"], rtol=1e-3 if card else 1e-6)
    assert not card or not np.array_equal(rounded["loss"], single["loss"])
