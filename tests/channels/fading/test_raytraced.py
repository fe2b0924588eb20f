"""Ray tracing in a process of its own: free space, refusals."""

import itertools
import os
import subprocess
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import otafl
from otafl.channels.fading import Layout, RaytracedFading, realise
from otafl.channels.fading.plane_waves import LIGHT_M_S
from otafl.channels.fading.raytraced import _outlines


def realised(antennas=1, **given):
    return realise(RaytracedFading(**given), Layout(4, antennas, block_iterations=10), np.random.SeedSequence(0))


@pytest.fixture
def tracer():
    try:
        import sionna.rt  # noqa: F401
    except Exception as reason:  # it also fails on libraries it loads, as LLVM
        pytest.skip(f"sionna's ray tracer cannot be loaded: {reason!r}")


@pytest.mark.usefixtures("tracer")
def test_what_comes_straight_is_friis():
    """Without reflections each worker that is reached has one path, of the gain (λ/4πd)² at its distance, as far as a
    vertical antenna's pattern tells: within 1 dB, the elevation being small. It comes without delay, antennas of the
    server turn it by π·sin φ (plane waves), and moving changes no magnitude."""
    made = realised(2, max_depth=0, scene_server="0,0,5")
    away = made.paths.places - made.paths.server
    distance = np.linalg.norm(away, axis=1)
    friis = 20 * np.log10(LIGHT_M_S / 3.5e9 / (4 * np.pi * distance))
    np.testing.assert_allclose(made.paths.gain_db, friis, atol=1.0)
    h = made.gains(0, 8)
    assert h.shape == (4, 2, 8)
    apart = h[:, 0, 0] * h[:, 1, 0].conj() / np.abs(h[:, 0, 0] * h[:, 1, 0])
    np.testing.assert_allclose(apart.real, np.cos(np.pi * away[:, 1] / distance), atol=1e-3)
    np.testing.assert_array_equal(made.paths.delays_s[np.abs(made.paths.amplitudes[:, 0, :, 0]) > 0], 0.0)
    assert np.isnan(made.paths.outlines[:, 0]).sum() == 6  # buildings
    np.testing.assert_allclose(np.abs(made.gains(40, 1)), np.abs(made.gains(0, 1)), rtol=1e-3)


@pytest.mark.usefixtures("tracer")
def test_an_unknown_scene_is_refused_with_those_that_there_are():
    with pytest.raises(ValueError, match=r"scene = 'munch': must be one of .*munich.*did you mean 'munich'"):
        realised(scene="munch")


@pytest.mark.usefixtures("tracer")
@pytest.mark.parametrize("place", ["a,b,c", "1,2,inf"])
def test_a_place_that_is_none_is_refused(place):
    with pytest.raises(ValueError, match="must be three numbers of metres"):
        realised(scene_server=place)


def shape(corners, faces):
    """A mesh as the ray tracer has it, flat."""
    return SimpleNamespace(vertex_positions_buffer=lambda: np.ravel(corners), faces_buffer=lambda: np.ravel(faces))


def box(low, high):
    """A box of 12 triangles."""
    corners = np.array(list(itertools.product(*zip(low, high, strict=True))))
    sides = [
        corner for corner in itertools.combinations(range(8), 4) if np.ptp(corners[list(corner)], axis=0).min() == 0
    ]
    return shape(corners, [half for one, *two, three in sides for half in ([one, *two], [*two, three])])


@pytest.mark.parametrize("thin", [0, 1, 2])
def test_outlines_are_those_of_what_is_high_long_and_wide(thin):
    """Of a box of 8 by 6 by 4 m, closed, seen from above; not of a ground, a wall of half a metre, or a kerb."""
    place = np.array([20.0, 20.0, 0.0])
    other = box(place, place + np.where(np.arange(3) == thin, 0.5, 3.0))
    scene = SimpleNamespace(mi_scene=SimpleNamespace(shapes=lambda: [box((1, 2, 0), (9, 8, 4)), other]))
    outline = _outlines(scene)
    assert np.isnan(outline[-1]).all()
    np.testing.assert_array_equal(outline[0], outline[-2])
    assert {tuple(corner) for corner in outline[:-1]} == {(1, 2), (9, 2), (9, 8), (1, 8)}
    np.testing.assert_array_equal(np.sort(np.linalg.norm(np.diff(outline[:-1], axis=0), axis=1)), [6, 6, 8, 8])


def test_the_own_process_imports_the_package_from_the_folder_that_holds_it(monkeypatch):
    """No file of the package is a module at the top there, where it could hide another one."""
    found = []

    def run(program, env, **_):
        found.append(env["PYTHONPATH"].split(os.pathsep)[0])
        return SimpleNamespace(returncode=1, stderr="ValueError: it was called")

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(ValueError, match="it was called"):
        realised()
    assert [Path(folder) / "otafl" for folder in found] == [Path(otafl.__file__).parent]
