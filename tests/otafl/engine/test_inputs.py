"""Random inputs: how they fall into chunks leaves no trace, and methods under one seed share them."""

import numpy as np

from otafl.engine import inputs
from otafl.engine.draws import Draws
from otafl.engine.group import Group
from otafl.engine.run_spec import RunSpec
from otafl.scenario.keys_read import resolved
from otafl.settings.keys import Settings
from tests.otafl.engine.test_simulate import run


def test_chunks_of_work_leave_no_trace(monkeypatch):
    whole = run({"method": "A-FADMM", "run.iterations": 95})
    monkeypatch.setattr(inputs, "CHUNK_ITERATIONS", 20)
    monkeypatch.setattr(inputs, "LONGEST_SEGMENT", 7)
    pieces = run({"method": "A-FADMM", "run.iterations": 95})
    for name in set(whole.data_vars) - {"outcome"}:
        np.testing.assert_allclose(pieces[name], whole[name], rtol=1e-9, atol=1e-15)


def group(method: str, seed: int = 5, **tables) -> Group:
    base = {"problem": {"dataset": "synthetic", "samples": 100}, "federation": {"workers": 10}}
    return Group([RunSpec(resolved(Settings.model_validate(base | {"method": method} | tables)), seed)])


def first_chunk(made: Group):
    draws, parts = Draws(made), next(inputs.chunks(made))
    return inputs.chunk_of(draws, list(map(draws.done, parts)))


def test_methods_under_one_seed_share_data_fading_and_noise():
    """A receiver of digital uploads draws no noise."""
    analog, gradients = group("A-FADMM"), group("A-GD")
    digital = group("D-FADMM-10x", algorithm={"consensus": "channel_weighted"})
    np.testing.assert_array_equal(analog.task.stacked.hessian, digital.task.stacked.hessian)
    np.testing.assert_array_equal(analog.channel(3).gain, digital.channel(3).gain)
    np.testing.assert_array_equal(analog.air.alone(3, 6), digital.air.alone(3, 100)[..., :6])
    noise = [first_chunk(made).draws.noise for made in (analog, gradients)]
    np.testing.assert_array_equal(*noise)
    assert noise[0][noise[0] != 0].std() > 0.9  # the rest is room for longer runs
    assert first_chunk(digital).draws.noise.shape[3] == 0
    assert not np.array_equal(first_chunk(group("A-FADMM", seed=6)).draws.noise, noise[0])
