"""Ray tracing in a process of its own: free space, refusals."""

import os
import subprocess
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import otafl
from otafl.channels.fading import Layout, RaytracedFading, realise
from otafl.channels.fading.plane_waves import LIGHT_M_S


def realised(antennas=1, worker_antennas=1, **given):
    layout = Layout(4, antennas, block_iterations=10, worker_antennas=worker_antennas)
    return realise(RaytracedFading(**given), layout, np.random.SeedSequence(0))


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
    server turn it by π·sin φ (plane waves), and moving changes no magnitude. With antennas on both sides gains are a
    matrix of rank one."""
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
    both = realised(6, worker_antennas=3, max_depth=0, scene_server="0,0,5").gains(0, 1)
    values = np.linalg.svd(both.reshape(4, 2, 3))[1]
    assert np.all(values[:, 1] < 1e-3 * values[:, 0])
    np.testing.assert_allclose(both[:, 0, 0] / both[:, 3, 0], h[:, 0, 0] / h[:, 1, 0], atol=1e-3)


@pytest.mark.usefixtures("tracer")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"scene": "munch"}, r"scene = 'munch': must be one of .*munich.*did you mean 'munich'"),
        ({"scene_server": "a,b,c"}, "must be three numbers of metres"),
        ({"scene_server": "1,2,inf"}, "must be three numbers of metres"),
    ],
)
def test_scenes_and_places_that_are_none_are_refused(given, said):
    with pytest.raises(ValueError, match=said):
        realised(**given)


@pytest.mark.parametrize(("stderr", "said"), [("", "ended"), ("ValueError: it was called", "it was called")])
def test_the_own_process_imports_the_package_from_the_folder_that_holds_it_and_nothing_else(monkeypatch, stderr, said):
    """No file of the package or the working folder is a module at the top, where it could hide another one."""
    called = []

    def run(program, env, **_):
        called.append((program, env["PYTHONPATH"].split(os.pathsep)))
        return SimpleNamespace(returncode=1, stderr=stderr)

    monkeypatch.setenv("PYTHONPATH", "")
    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(ValueError, match=said):
        realised()
    ((program, (first, *others)),) = called
    assert Path(first) / "otafl" == Path(otafl.__file__).parent
    assert "" not in others
    assert "-P" in program[: program.index("-c")]
