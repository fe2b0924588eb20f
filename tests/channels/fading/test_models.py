"""The fading models by name: what each reads, and what all have in common."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pytest

from channels import fading
from channels.fading import FADING, BlockFading, NoFading, RayleighFading


@dataclass(frozen=True)
class Scaled:
    """A model with parameters of its own, one of them without a default, and a field that is none."""

    name: ClassVar[str] = "scaled"
    static: ClassVar[bool] = False
    scale: float
    offset: float = 0.0
    derived: float = field(init=False, default=1.0)

    def sample(self, rng, num_workers, num_subcarriers):
        return np.full((num_workers, num_subcarriers), self.scale + self.offset, complex)


@pytest.fixture
def scaled(monkeypatch):
    monkeypatch.setitem(FADING, Scaled.name, Scaled)


def test_models_are_known_by_name():
    assert FADING["none"] is NoFading
    assert FADING["rayleigh"] is RayleighFading


@pytest.mark.parametrize("name", ["none", "rayleigh"])
def test_models_without_parameters_leave_all_aside(name):
    assert fading.parameters(name) == ()
    assert fading.model(name, scale=2.0) == FADING[name]()


@pytest.mark.usefixtures("scaled")
def test_a_model_takes_the_parameters_it_reads():
    assert fading.parameters("scaled") == ("scale", "offset")
    assert fading.model("scaled", scale=2.0, decay=3.0) == Scaled(2.0)
    assert fading.model("scaled", scale=2.0, offset=1.0, derived=5.0) == Scaled(2.0, 1.0)


@pytest.mark.usefixtures("scaled")
def test_a_parameter_without_default_is_asked_for():
    with pytest.raises(TypeError, match="scale"):
        fading.model("scaled")


@pytest.mark.parametrize("ask", [fading.parameters, fading.model])
def test_unknown_name_is_refused_with_those_known(ask):
    with pytest.raises(ValueError, match="fading = 'fog': known are none, rayleigh"):
        ask("fog")


@pytest.mark.parametrize("name", FADING)
def test_static_models_never_change_and_others_do(name):
    process = BlockFading(fading.model(name), np.random.SeedSequence(0))
    same = np.array_equal(process.gains(0, 3, 4), process.gains(1, 3, 4))
    assert same == FADING[name].static


@pytest.mark.parametrize("name", FADING)
def test_gains_are_complex_of_mean_square_one(name):
    h = fading.model(name).sample(np.random.default_rng(0), 50, 2000)
    assert h.shape == (50, 2000)
    assert h.dtype == np.complex128
    assert np.mean(np.abs(h) ** 2) == pytest.approx(1.0, abs=5 / np.sqrt(h.size))


def test_no_fading_is_a_static_unit_gain():
    assert NoFading.static
    assert not RayleighFading.static
    gains = BlockFading(NoFading(), np.random.SeedSequence(0)).gains(5, 3, 4)
    np.testing.assert_array_equal(gains, np.ones((3, 4), complex))
