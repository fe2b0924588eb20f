"""How many threads an operation has: the order of additions depends on it, in convolutions and in long sums."""

import os
import warnings

import tensorflow as tf

from otafl.errors import Remark
from otafl.machine import cores

VARIABLE = "TF_NUM_INTRAOP_THREADS"


def fix(number: int) -> None:
    """Let operations have so many threads in this process, however many cores there are.

    Where TensorFlow is in use already, and with another number, a remark says so.
    """
    try:
        tf.config.threading.set_intra_op_parallelism_threads(number)
    except RuntimeError:
        found = tf.config.threading.get_intra_op_parallelism_threads() or int(os.environ.get(VARIABLE, len(cores())))
        if found != number:
            rule = f"operations have {found} threads, in place of {number}, as TensorFlow was in use already: "
            warnings.warn(f"{rule}results differ by rounding from those of a fresh process", Remark, stacklevel=2)
