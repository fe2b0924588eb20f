"""What methods cannot do, and keys that contradict each other with them, is refused by key, value and reason."""

import re

import pytest

import otafl
from otafl.errors import OtaflError
from tests.otafl.small import chosen

HALF, PROBABILITIES = {"federation__participation": 0.5}, "federation__probabilities"
REFUSED = [
    (chosen("FedPD", HALF), "federation.participation = 0.5: must be 1: with FedPD"),
    (chosen("VRL-SGD", HALF), "with VRL-SGD all workers take part"),
    (chosen("A-SGD", HALF), "federation.participation = 0.5: must be 1: with A-SGD all workers take part"),
    (chosen("FedAvg", federation__participation=0.0), "federation.participation = 0.0: must be greater than 0"),
    (chosen("FedAvg", federation__participation=1.5), "must be less than or equal to 1"),
    (chosen("FedAvg", federation__participation=0.01), "leaves none of 20 workers"),
    (chosen("FedAvg", {PROBABILITIES: [0.5, 0.5]}), "one entry for each of the 20 workers, not 2"),
    (chosen("FedAvg", {PROBABILITIES: [0.33] * 20}), "must add up to a whole number of workers"),
    (chosen("FedAvg", HALF, federation__probabilities=[0.5] * 20), "contradicts"),
    (chosen("FedAvg", algorithm__regulariser="l1"), "'l1': FedAvg over the digital uplink does not read it"),
    (chosen("FedVRA-U", algorithm__regulariser="l1"), "must be 'none' or 'box' with FedVRA-U"),
    (chosen("FedAvg", federation__partition="shards", federation__shards=7), "must divide the 1438 samples"),
    (chosen("FedAvg", federation__partition="natural"), "data that name each sample's worker"),
    (chosen("VRL-SGD", federation__partition="imbalanced"), "and VRL-SGD needs equal numbers"),
    (chosen("FedAvg", local__epochs=0), "local.epochs = 0: must be greater than or equal to 1"),
    (chosen("FedAvg", local__steps=5, local__epochs=5), "contradicts local.steps"),
    (chosen("FedAvg", local__steps=5, local__work="uniform"), "draws epochs"),
    (chosen("FedAvg", local__batch_size="all", local__steps=3), "only with federated methods and local.epochs"),
    (chosen("FedAvg", local__warm_start="local"), "does not read it: it has only one start of local training"),
    (chosen("FedADMM-In", local__steps=5), "looks at its residual after every epoch"),
    (chosen("VRL-SGD", local__work="uniform"), "must be 'fixed' with VRL-SGD"),
    (chosen("SCAFFOLD", local__optimizer="adam"), "local.optimizer = 'adam': must be 'sgd' with SCAFFOLD"),
    (chosen("FedNova", local__optimizer="momentum"), "must be 'sgd' with FedNova: it divides by the number of"),
    (chosen("FedAvg", algorithm__communication_probability=0.5), "communication_probability = 0.5: FedAvg over the"),
    (chosen("FedADMM-Gong", algorithm__rho=0.0), "algorithm.rho = 0: must be greater than 0 with FedADMM-Gong"),
    (chosen("FedVRA", algorithm__rho=0.0), "algorithm.rho = 0: must be greater than 0 with FedVRA"),
    (chosen("FedADMM-Gong", algorithm__rho_schedule="30 0.1"), "must name rounds and positive values"),
    (chosen("FedADMM", algorithm__rho_schedule="3: 0.1"), "does not read it: it cannot change rho during a run"),
    (
        chosen("A-SFADMM", algorithm__rho_schedule="3: 0.1"),
        "over the analog uplink does not read it: it cannot change",
    ),
    (chosen("FedDyn", algorithm__server_step_schedule="3: 0.1"), "cannot change server_step during a run"),
    (chosen("FedAvg", algorithm__server_step_schedule="300: 0.1"), "must not name rounds beyond run.iterations"),
    (
        chosen("D-FADMM", algorithm__weight_exponent=1.0),
        "weight_exponent = 1.0: D-FADMM over the digital uplink",
    ),
    (chosen("A-SFADMM", algorithm__weight_exponent=-1.0), "weight_exponent = -1"),
    (chosen("FedVRA", federation__sampling="weighted"), "must be a number where workers take part with unequal"),
    (chosen("SCAFFOLD", federation__weights="samples"), "all workers have equal weights in its objective"),
    (
        chosen("FedAvg", federation__weights="samples", federation__sampling="weighted"),
        "or numbers of samples would count twice",
    ),
]


@pytest.mark.parametrize(("keys", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_contradictions_are_refused(keys, message):
    scenario = "quickstart" if keys["method"] == "D-FADMM" else "digits_quickstart"
    with pytest.raises(OtaflError, match=re.escape(message)):
        otafl.run(scenario, keys)
