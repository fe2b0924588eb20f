"""Compiled programs are let go."""

import numpy as np
import tensorflow as tf

from otafl.engine.runtime import release


def compiled(size: int):
    return tf.function(lambda x: tf.reduce_sum(tf.sin(x) @ x * size, axis=0), jit_compile=True, autograph=False)


def programs() -> int:
    """Mapped machine code that belongs to no file."""
    return sum("r-xp 00000000 00:00 0" in line for line in release.MAPS.read_text().splitlines())


def test_programs_are_let_go_and_compiled_anew_to_the_same_bits():
    inputs = tf.random.stateless_uniform([7, 7], (1, 2))
    functions = [compiled(size) for size in range(1, 9)]
    before = [function(inputs).numpy() for function in functions]
    many = programs()
    assert release.release()
    assert programs() <= many - len(functions)
    assert not release.release()
    assert all(np.array_equal(function(inputs), result) for function, result in zip(functions, before, strict=True))


def test_programs_are_let_go_only_where_there_are_many_and_nobody_uses_them():
    function, forgotten = compiled(3), []
    function(tf.ones([5, 5]))
    few = release.in_use(lambda: forgotten.append("few"), most=release.maps() + 1000)
    with few, release.in_use(lambda: forgotten.append("in use"), most=0):
        assert not forgotten
    with release.in_use(lambda: forgotten.append("many"), most=0):
        assert forgotten == ["many"]
        assert not release.release()
