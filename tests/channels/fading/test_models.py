"""The fading models by name: what each reads, what all have in common, and laws of gains against SciPy's."""

from dataclasses import dataclass
from itertools import islice

import numpy as np
import pytest
from scipy import stats

from otafl.channels import registry
from otafl.channels.fading import (
    FADING,
    Fading,
    Layout,
    RayleighFading,
    RicianFading,
    fading_model,
    plane_waves,
    realise,
    require_sound,
)

CHEAP = [name for name, made in FADING.items() if not made.costly]


def test_a_model_takes_the_parameters_it_reads_and_an_unknown_name_is_refused_with_those_known():
    assert FADING.parameters("rician") == ("rician_k_db",)
    assert FADING.make("rician", rician_k_db=2.0, scale=3.0) == RicianFading(2.0)
    for ask in (FADING.parameters, FADING.make):
        with pytest.raises(ValueError, match="fading = 'fog': must be one of none, rayleigh, rician"):
            ask("fog")


def realised(name, seed=0, workers=3, antennas=1, spacing_hz=15e3, **given):
    layout = Layout(workers, antennas, spacing_hz, 10)
    return realise(FADING.make(name, **given), layout, np.random.SeedSequence(seed))


@pytest.mark.parametrize("name", CHEAP)
def test_static_models_never_change_and_others_do(name):
    process = realised(name)
    assert np.array_equal(process.gains(0, 4), process.gains(1, 4)) == FADING[name].static
    assert name != "none" or (process.gains(5, 4) == np.ones((3, 1, 4))).all()


@pytest.mark.parametrize("antennas", [1, 4])
@pytest.mark.parametrize("name", CHEAP)
def test_gains_are_complex_of_mean_square_one(name, antennas):
    """Over independent channels; the bound is that of the wildest, whose squares have a variance of 1."""
    h = np.stack([realised(name, seed, 10, antennas).gains(0, 5) for seed in range(100)])
    assert h.shape == (100, 10, antennas, 5)
    assert h.dtype == np.complex128
    assert np.mean(np.abs(h) ** 2) == pytest.approx(1.0, abs=5 / np.sqrt(100 * 10 * antennas))


@pytest.mark.parametrize("name", CHEAP)
def test_what_is_asked_for_before_or_beside_changes_nothing(name):
    """Blocks in any order, narrower bands first, as pieces, or a process of one's own for each."""
    busy = realised(name, 1)
    busy.gains(40, 3)
    first = np.concatenate(list(islice(busy.pieces(7), 3)), axis=-1)
    for block, width in ((7, 20), (0, 2), (33, 9), (7, 4)):
        np.testing.assert_allclose(busy.gains(block, width), realised(name, 1).gains(block, width), atol=0)
    np.testing.assert_allclose(first[..., :20], busy.gains(7, 20), atol=1e-12)
    np.testing.assert_allclose(busy.gains(7, 4), busy.gains(7, 20)[..., :4], atol=1e-12)


@pytest.mark.parametrize("name", [name for name in CHEAP if name != "none"])
def test_workers_antennas_and_seeds_fade_independently(name):
    h = np.stack([realised(name, seed, 2, 2).gains(0, 1)[..., 0] for seed in range(1000)])
    alone = h - (np.mean(h, axis=0) if name == "rician" else 0)
    for other in (alone[:, 1, 0], alone[:, 0, 1], np.roll(alone[:, 0, 0], 1)):
        assert abs(np.mean(alone[:, 0, 0] * other.conj())) < 5 / np.sqrt(1000)


@pytest.mark.parametrize(("name", "given"), [("rician", {"rician_k_db": 300.0}), ("tdl", {"tdl_model": "E"})])
def test_a_line_of_sight_between_antennas_on_both_sides_is_a_plane_wave(name, given):
    """Its matrix has rank one, also where it is all of the gain; pairs of the first antennas are those of one side."""
    layout, seed = Layout(5, 6, worker_antennas=3), np.random.SeedSequence(2)
    phases = plane_waves.in_sight(np.random.default_rng(2), layout).reshape(5, 2, 3)
    drawn = np.random.default_rng(2).uniform(0, 2 * np.pi, (5, 2, 3))
    np.testing.assert_array_equal(phases[:, 0], drawn[:, 0])
    np.testing.assert_array_equal(phases[:, :, 0], drawn[:, :, 0])
    h = realise(FADING.make(name, **given), layout, seed).gains(0, 4)
    values = np.linalg.svd(np.moveaxis(h.reshape(5, 2, 3, 4), -1, 1))[1]
    weakest = 1e-12 if name == "rician" else 0.5
    assert np.all(values[..., 1] < weakest * values[..., 0])
    if name == "rician":
        np.testing.assert_allclose(values[..., 0], np.sqrt(6))


def test_subcarriers_fade_together_where_a_model_says_so():
    for name in ("rayleigh", "jakes", "tdl"):
        h = np.stack([realised(name, seed, 20).gains(0, 2)[:, 0] for seed in range(100)])
        together = abs(np.mean(h[..., 0] * h[..., 1].conj()))
        assert (together > 0.9) == FADING[name].correlated, name


def test_a_model_that_says_nothing_changes_from_block_to_block_and_is_nothing_else(monkeypatch):
    monkeypatch.setattr(registry.class_origins, "note", lambda made: None)
    register = fading_model.Models("fading", methods=("sample",)).register
    made = register("quiet")(dataclass(frozen=True)(type("Quiet", (), {"sample": lambda self, *given: None})))
    assert [getattr(made, word) for word in ("static", "correlated", "costly", "placed", "rayleigh")] == [False] * 5


WORKERS, SUBCARRIERS = 200, 1000
SAMPLES = WORKERS * SUBCARRIERS


def gains(model, block=0):
    return realise(model, Layout(WORKERS), np.random.SeedSequence(0)).gains(block, SUBCARRIERS)[:, 0]


def test_rayleigh_gains_are_circular_complex_normal_ones():
    """By the laws of power and phase; moments and independence are tested of blocks (``test_block``)."""
    h = gains(RayleighFading())
    assert stats.kstest(np.abs(h.ravel()) ** 2, "expon").pvalue > 1e-3
    assert stats.kstest(np.angle(h.ravel()), stats.uniform(-np.pi, 2 * np.pi).cdf).pvalue > 1e-3


@pytest.mark.parametrize("k_db", [-10.0, 0.0, 6.0, 20.0])
def test_the_envelope_is_rician(k_db):
    """Also E|h|⁴ = 1 + (2K + 1)/(K + 1)², within 5 standard errors."""
    k, envelope = 10 ** (k_db / 10), np.abs(gains(RicianFading(k_db))).ravel()
    theirs = stats.rice(np.sqrt(2 * k), scale=np.sqrt(1 / (2 * (k + 1))))
    assert stats.kstest(envelope[::10], theirs.cdf).pvalue > 1e-4
    fourth = envelope**4
    error = fourth.std() / np.sqrt(SAMPLES)
    assert fourth.mean() == pytest.approx(1 + (2 * k + 1) / (k + 1) ** 2, abs=5 * error)


def test_a_worker_keeps_the_phase_of_its_line_of_sight():
    """Its mean over subcarriers, which points there, is the same in all blocks; phases of workers are uniform."""
    now, later = (gains(RicianFading(20.0), block).mean(axis=1) for block in (0, 9))
    assert np.abs(np.angle(now / later)).max() < 0.1
    assert stats.kstest(np.angle(now) / (2 * np.pi) + 0.5, "uniform").pvalue > 1e-4


def test_limits_of_rician_fading_are_rayleigh_fading_and_none():
    np.testing.assert_allclose(gains(RicianFading(-400.0)), gains(RayleighFading()), atol=1e-12)
    np.testing.assert_allclose(np.abs(gains(RicianFading(400.0))), 1.0)


@dataclass(frozen=True)
class Walking(Fading):
    """A phase that goes on from that of the last call."""

    phase = np.ones(1, complex)

    def sample(self, rng, workers, subcarriers):
        self.phase[:] *= 1j
        return np.full((workers, subcarriers), self.phase)


def test_gains_that_depend_on_the_order_of_calls_are_refused():
    with pytest.raises(ValueError, match="must depend on seed and block alone"):
        require_sound(Walking())
