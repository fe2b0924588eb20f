"""Threads of an operation: their number decides the order of additions in convolutions and long sums."""

import os

import tensorflow as tf

from otafl.system.machine import cores

VARIABLE = "TF_NUM_INTRAOP_THREADS"


def fix(number: int) -> int:
    """Set the number of threads of one TensorFlow operation in this process, whatever the number of cores."""
    try:
        tf.config.threading.set_intra_op_parallelism_threads(number)
    except RuntimeError:
        return tf.config.threading.get_intra_op_parallelism_threads() or int(os.environ.get(VARIABLE, len(cores())))
    return number
