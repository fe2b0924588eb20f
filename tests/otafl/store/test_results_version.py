"""Numbers of some runs, noted down: where a change brings others, kept runs of before must not be taken for new ones.

Then raise ``RESULTS_VERSION`` and note the new numbers: ``python -m tests.otafl.store.test_results_version``.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import otafl
from otafl.store.identity import RESULTS_VERSION

NOTED = Path(__file__).with_name("noted.json")
CONVEX = {"run.iterations": 40, "run.seeds": 1, "federation.workers": 6, "channel.snr_db": 10.0}
ROUNDS = {"run.iterations": 4, "run.seeds": 1, "federation.workers": 6, "channel.snr_db": 10.0}
STUDIES = {
    "A-FADMM": ("quickstart", CONVEX),
    "D-FADMM": ("quickstart", CONVEX),
    "A-GD": ("quickstart", CONVEX),
    "A-SFADMM": ("digits_quickstart", ROUNDS),
    "FedAvg": ("digits_quickstart", ROUNDS | {"federation.participation": 0.5, "uplink.kind": "analog"}),
    "FedADMM-Gong": ("digits_quickstart", ROUNDS | {"local.epochs": 2, "local.work": "uniform"}),
}


def numbers(method: str) -> dict[str, list[float]]:
    """The last values of a run's curves, and those in the middle."""
    name, keys = STUDIES[method]
    data = otafl.run(name, keys | {"method": method}).isel(seed=0)
    places = [data.sizes["iteration"] // 2, -1]
    return {str(key): [float(curve[at]) for at in places] for key, curve in data.items() if key != "outcome"}


@pytest.mark.parametrize("method", STUDIES)
def test_numbers_are_those_of_the_noted_version(method):
    """Regressions to rounding in double precision, networks in single."""
    noted = json.loads(NOTED.read_text())
    assert noted["version"] == RESULTS_VERSION, "note the numbers of this version, as the docstring says"
    tolerance = 1e-9 if method in ("A-FADMM", "D-FADMM", "A-GD") else 2e-4
    found = numbers(method)
    assert found.keys() == noted[method].keys()
    for name, values in found.items():
        message = f"{name} is another: raise RESULTS_VERSION, as this file's docstring says"
        np.testing.assert_allclose(values, noted[method][name], rtol=tolerance, err_msg=message)


if __name__ == "__main__":
    content = {"version": RESULTS_VERSION} | {method: numbers(method) for method in STUDIES}
    NOTED.write_text(json.dumps(content, indent=1) + "\n")
