"""Networks are trained in one part here, too, with products in single precision."""

import pytest
import tensorflow as tf

from tests.otafl.engine.conftest import one_part  # noqa: F401


@pytest.fixture(autouse=True)
def single_precision():
    """A GPU rounds factors of products to TF32 until it is told otherwise, which a simulation does for itself."""
    tf.config.experimental.enable_tensor_float_32_execution(False)
