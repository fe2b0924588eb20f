"""Numbers of some runs, noted down: where a change brings others, kept runs of before must not be taken for new ones.

Then raise ``RESULTS_VERSION`` and note the new numbers: ``python -m tests.otafl.store.test_results_version``.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import otafl
from otafl.store.identity import RESULTS_VERSION
from tests.otafl.small import some

NOTED = Path(__file__).with_name("noted.json")
CONVEX = {"run.iterations": 40, "run.seeds": 1, "federation.workers": 6, "channel.snr_db": 10.0}
ROUNDS = {"run.iterations": 4, "run.seeds": 1, "federation.workers": 6, "channel.snr_db": 10.0}
ANALOG = CONVEX | {"method": "A-FADMM"}
DIGITAL = CONVEX | {"method": "D-FADMM", "uplink.bits_per_element": 64}
"""Not rounded to single precision, whose last bit may depend on the processor."""
COTAF = {"method": "SCAFFOLD", "uplink.kind": "analog", "uplink.scheme": "COTAF", "local.steps": 2}
COTAF |= {"uplink.inversion_threshold": 0.3, "channel.snr_db": 40.0}
STUDIES = {
    "A-FADMM": ("quickstart", CONVEX),
    "D-FADMM": ("quickstart", DIGITAL),
    "A-GD": ("quickstart", CONVEX),
    "A-SFADMM": ("digits_quickstart", ROUNDS | {"local.optimizer": "sgd", "local.learning_rate": 0.1}),
    "FedAvg": ("digits_quickstart", ROUNDS | {"federation.participation": 0.5, "uplink.kind": "analog"}),
    "FedADMM-Gong": ("digits_quickstart", ROUNDS | {"local.epochs": 2, "local.work": "uniform"}),
    "imperfections": ("quickstart", ANALOG | {"uplink.peak_backoff_db": 3.0, "channel.timing_error_s": 1e-6}),
    "retransmissions": ("quickstart", DIGITAL | {"uplink.code": "normal", "uplink.block_error": 0.1}),
    "5G NR": ("quickstart", DIGITAL | {"uplink.code": "nr", "uplink.block_error": 0.1}),
    "COTAF": ("digits_quickstart", ROUNDS | COTAF),
    "whole energy": ("quickstart", ANALOG | {"energy.whole": True, "channel.pilots": 2}),
}
"""Scenario and keys of each run; the method is the run's name where they have none."""
SINGLE = [name for name, (scenario, _) in STUDIES.items() if scenario == "digits_quickstart"]


def numbers(study: str) -> dict[str, list[float]]:
    """The last values of a run's curves, and those in the middle."""
    scenario, keys = STUDIES[study]
    data = otafl.run(scenario, {"method": study} | keys).isel(seed=0)
    places = [data.sizes["iteration"] // 2, -1]
    return {str(key): [float(curve[at]) for at in places] for key, curve in data.items() if key != "outcome"}


@pytest.mark.parametrize("study", some(STUDIES, STUDIES.keys() - {"FedADMM-Gong", "COTAF", "A-SFADMM"}))
def test_numbers_are_those_of_the_noted_version(study):
    """Regressions to rounding in double precision, networks in single. No noted run trains by Adam: it divides by
    gradients, and another order of sums changes four rounds by 2e-3."""
    if study == "5G NR":
        pytest.importorskip("sionna.sys", reason="sionna cannot be imported")
    noted = json.loads(NOTED.read_text())
    assert noted["version"] == RESULTS_VERSION, "note the numbers of this version, as the docstring says"
    found = numbers(study)
    assert found.keys() == noted[study].keys()
    for name, values in found.items():
        message = f"{name} is another: raise RESULTS_VERSION, as this file's docstring says"
        tolerance = 2e-4 if study in SINGLE else 1e-9
        np.testing.assert_allclose(values, noted[study][name], rtol=tolerance, err_msg=message)


if __name__ == "__main__":
    content = {"version": RESULTS_VERSION} | {study: numbers(study) for study in STUDIES}
    NOTED.write_text(json.dumps(content, indent=1) + "\n")
