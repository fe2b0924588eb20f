"""Ray tracing in a process of its own: free space, refusals."""

import numpy as np
import pytest

from channels.fading import Layout, RaytracedFading, realise
from channels.fading.waves import LIGHT_M_S


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("OTAFL_CACHE_DIR", str(tmp_path))


def realised(**given):
    return realise(RaytracedFading(**given), Layout(4, block_iterations=10), np.random.SeedSequence(0))


@pytest.fixture
def tracer():
    try:
        import sionna.rt  # noqa: F401
    except Exception as reason:  # it also fails on libraries it loads, as LLVM
        pytest.skip(f"sionna's ray tracer cannot be loaded: {reason!r}")


@pytest.mark.usefixtures("tracer")
def test_what_comes_straight_is_friis():
    """Without reflections each worker that is reached has one path, of the gain (λ/4πd)² at its distance, as far as a
    vertical antenna's pattern tells: within 1 dB, the elevation being small."""
    made = realised(max_depth=0, scene_server="0,0,5")
    distance = np.linalg.norm(made.paths.places - made.paths.server, axis=1)
    friis = 20 * np.log10(LIGHT_M_S / 3.5e9 / (4 * np.pi * distance))
    np.testing.assert_allclose(made.paths.gain_db, friis, atol=1.0)
    assert np.abs(made.gains(0, 8)).shape == (4, 1, 8)
    assert np.isnan(made.paths.outlines[:, 0]).sum() == 6  # buildings
    np.testing.assert_allclose(np.abs(made.gains(40, 1)), np.abs(made.gains(0, 1)), rtol=1e-3)


@pytest.mark.usefixtures("tracer")
def test_an_unknown_scene_is_refused_with_those_that_there_are():
    with pytest.raises(ValueError, match=r"scene = 'munch': is none of .*munich.*did you mean 'munich'"):
        realised(scene="munch")


@pytest.mark.usefixtures("tracer")
@pytest.mark.parametrize("place", ["a,b,c", "1,2,inf"])
def test_a_place_that_is_none_is_refused(place):
    with pytest.raises(ValueError, match="must be three numbers of metres"):
        realised(scene_server=place)
