"""Networks are trained in one part here, too, with products in single precision."""

from collections.abc import Iterator

import pytest
import tensorflow as tf

from otafl.system import process
from tests.otafl.engine.conftest import one_part  # noqa: F401


@pytest.fixture(autouse=True)
def single_precision() -> Iterator[None]:
    """A GPU rounds factors of products to TF32 until it is told otherwise, which a simulation does for itself."""
    config = tf.config.experimental
    rounds, allow = config.tensor_float_32_execution_enabled, config.enable_tensor_float_32_execution
    with process.changed(rounds, allow, False):
        yield
