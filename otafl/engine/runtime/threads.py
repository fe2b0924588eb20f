"""How many threads an operation has: the order of additions depends on it, in convolutions and in long sums."""

import os

import tensorflow as tf

from otafl.machine import cores

VARIABLE = "TF_NUM_INTRAOP_THREADS"


def fix(number: int) -> int:
    """Let operations have so many threads in this process, however many cores there are.

    Returns how many they have: others, where TensorFlow is in use already.
    """
    try:
        tf.config.threading.set_intra_op_parallelism_threads(number)
    except RuntimeError:
        return tf.config.threading.get_intra_op_parallelism_threads() or int(os.environ.get(VARIABLE, len(cores())))
    return number
