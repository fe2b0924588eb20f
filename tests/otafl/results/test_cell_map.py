"""Maps of studies."""

import numpy as np
import pytest

import otafl
from otafl.results import cell_map, result_file

SMALL = {"run.seeds": 1, "run.iterations": 2, "federation.workers": 12, "method": "A-FADMM"}


@pytest.mark.slow
def test_a_map_shows_every_worker_within_the_ring():
    data = otafl.run("quickstart", SMALL | {"cell.radius_m": 150.0})
    ax, colours = cell_map.figure(data).axes
    places = np.asarray(ax.collections[0].get_offsets())
    assert len(places) == 12
    assert np.all(np.linalg.norm(places, axis=1) < 150)
    for place, (low, high) in zip(places.T, (ax.get_xlim(), ax.get_ylim()), strict=True):
        assert low < min(0, *place)
        assert max(0, *place) < high
    assert colours.get_ylabel() == "Mean path gain [dB]"


def test_workers_without_places_have_no_map(study, tmp_path, call):
    result_file.save(study, tmp_path / "quickstart.nc")
    answer = call("plot", "quickstart.nc", "--map")
    assert answer.code == 2
    assert "has workers without places" in answer.stderr
    assert not list(tmp_path.glob("*-map*"))
