"""TensorFlow without Keras, and Keras without what no run needs, in a process of their own."""

import subprocess
import sys

ALONE = """
import sys
from otafl.engine.runtime import lean_import
lean_import.tensorflow()
import tensorflow
assert tensorflow.reduce_sum([1, 2]).numpy() == 3 and "keras" not in sys.modules
lean_import.keras()
assert not {"sklearn", "matplotlib", "pandas"} & set(sys.modules)
from tensorflow.keras import layers
import keras, pandas
assert keras.layers.Dense(2)(tensorflow.ones([1, 3])).shape == (1, 2) and layers.Dense
"""


def test_libraries_come_alone_and_serve():
    subprocess.run([sys.executable, "-c", ALONE], check=True)
