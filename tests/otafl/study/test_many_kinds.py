"""A study of more kinds of run than there is room for in a process."""

import numpy as np
import pytest

import otafl
from otafl.engine.runtime import release

KEYS = {"method": "A-GD", "run.seeds": 1, "run.iterations": 3, "uplink.subcarriers": 1}


def run(workers: list[int], seen: list[int]):
    """A study with a kind of run for each number of workers; ``seen`` gets the memory maps on the way."""
    keys = KEYS | {"federation.workers": workers}
    return otafl.run("quickstart", keys, progress=lambda *_: seen.append(release.maps()))


@pytest.mark.slow
def test_memory_maps_of_many_kinds_are_bounded(monkeypatch):
    """With room for a few kinds, those done are let go, and nothing changes in the results."""
    before: list[int] = []
    alone = run([7], before)
    room = release.maps() + 120
    monkeypatch.setattr(release, "_most", lambda: room)
    monkeypatch.setattr(release, "CHECK_EVERY_S", 0.0)
    seen: list[int] = []
    data = run(list(range(4, 10)), seen)
    assert max(seen) < room + 300
    assert (np.diff(seen) < -50).any()
    assert (data["outcome"] == "completed").all()
    np.testing.assert_array_equal(data["loss"].sel(workers=7).squeeze(), alone["loss"].squeeze())


@pytest.mark.slow
def test_a_study_of_400_kinds_completes():
    """By themselves they would take some 40,000 maps of the 65,530 that Linux allows."""
    seen: list[int] = []
    data = run(list(range(2, 402)), seen)
    assert (data["outcome"] == "completed").all()
    assert max(seen) < 0.25 * int(release.LIMIT.read_text())
