"""Precoders of the user's, held against their own complex factor."""

from dataclasses import dataclass

import numpy as np
import pytest

import otafl
from otafl.channels import precoding
from otafl.errors import OtaflError
from tests.registries import forgotten


@dataclass(frozen=True)
class Compensated(precoding.Precoder):
    """Phases compensated, with a factor on each of three functions."""

    turn: float = 0.0
    louder: float = 1.0
    nearer: float = 1.0

    def coefficients(self, h):
        return np.exp(-1j * (np.angle(h) + self.turn))

    def power(self, gain):
        return self.louder * np.ones_like(gain)

    def arrival(self, gain):
        return self.nearer * np.sqrt(gain)


class Averaged(Compensated):
    def power(self, gain):
        return np.ones_like(gain).mean(axis=-1)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        *((made(), "") for made in precoding.PRECODERS.values()),
        (Compensated(), ""),
        (Compensated(turn=0.1), "its arrival contradicts"),
        (Compensated(louder=1.1), "its power contradicts"),
        (Compensated(nearer=0.9), "its arrival contradicts"),
        (Averaged(), "its power contradicts"),
        (precoding.Precoder(), "must have the functions"),
        (Compensated(louder="x"), "fails on drawn gains"),  # pyright: ignore[reportArgumentType]
    ],
)
def test_closed_forms_are_held_against_the_complex_factor(made, said):
    found = made.contradiction()
    assert found.startswith(said) if said else not found


def test_a_run_refuses_a_precoder_that_contradicts_itself():
    with forgotten():
        precoding.register("turned")(Compensated)
        keys = {"method": "FedAvg@analog", "uplink.precoder": "turned"}
        otafl.load("digits_quickstart", keys)
        with pytest.raises(OtaflError, match=r"uplink\.precoder = 'turned': its arrival contradicts"):
            otafl.load("digits_quickstart", keys | {"uplink.turn": 0.1})
