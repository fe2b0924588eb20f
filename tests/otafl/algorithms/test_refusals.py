"""What methods cannot do, and keys that contradict each other with them, is refused by key, value and reason."""

import pytest

import otafl
from otafl.errors import OtaflError
from tests.otafl.test_cli import otafl as command

UNREAD = " over the {} uplink does not read it"
REFUSED = [
    ({"method": "FedPD", "federation.participation": 0.5}, "federation.participation = 0.5: must be 1: with FedPD"),
    ({"method": "VRL-SGD", "federation.participation": 0.5}, "with VRL-SGD all workers take part"),
    (
        {"method": "FedAvg", "algorithm.regulariser": "l1"},
        "algorithm.regulariser = 'l1': FedAvg" + UNREAD.format("digital"),
    ),
    ({"method": "FedVRA-U", "algorithm.regulariser": "l1"}, "must be 'none' or 'box' with FedVRA-U"),
    ({"method": "FedAvg", "federation.partition": "shards", "federation.shards": 7}, "must divide the 1438 samples"),
    ({"method": "FedAvg", "local.epochs": 0}, "local.epochs = 0: must be greater than or equal to 1"),
    ({"method": "FedAvg", "federation.participation": 0.0}, "federation.participation = 0.0: must be greater than 0"),
    ({"method": "FedAvg", "federation.participation": 1.5}, "must be less than or equal to 1"),
    ({"method": "FedAvg", "federation.participation": 0.01}, "leaves none of 20 workers"),
    ({"method": "FedAvg", "federation.probabilities": [0.5, 0.5]}, "one entry for each of the 20 workers, not 2"),
    ({"method": "FedAvg", "federation.probabilities": [0.33] * 20}, "must add up to a whole number of workers"),
    ({"method": "FedAvg", "federation.probabilities": [0.5] * 20, "federation.participation": 0.5}, "contradicts"),
    (
        {"method": "A-SGD", "federation.participation": 0.5},
        "federation.participation = 0.5: must be 1: with A-SGD all workers take part",
    ),
    ({"method": "SCAFFOLD", "local.optimizer": "adam"}, "local.optimizer = 'adam': must be 'sgd' with SCAFFOLD"),
    ({"method": "VRL-SGD", "local.work": "uniform"}, "must be 'fixed' with VRL-SGD"),
    ({"method": "FedAvg", "local.steps": 5, "local.epochs": 5}, "contradicts local.steps"),
    ({"method": "FedAvg", "local.steps": 5, "local.work": "uniform"}, "draws epochs"),
    ({"method": "FedADMM-In", "local.steps": 5}, "looks at its residual after every epoch"),
    (
        {"method": "FedAvg", "local.warm_start": "local"},
        "local.warm_start = 'local': FedAvg" + UNREAD.format("digital") + ": it has only one start of local training",
    ),
    (
        {"method": "FedAvg", "algorithm.communication_probability": 0.5},
        "algorithm.communication_probability = 0.5: FedAvg" + UNREAD.format("digital"),
    ),
    ({"method": "FedADMM-Gong", "algorithm.rho": 0.0}, "algorithm.rho = 0: must be greater than 0 with FedADMM-Gong"),
    ({"method": "FedADMM-Gong", "algorithm.rho_schedule": "30 0.1"}, "must name rounds and positive values"),
    ({"method": "FedVRA", "federation.sampling": "weighted"}, "must be a number where workers take part with unequal"),
    ({"method": "FedAvg", "federation.partition": "natural"}, "data that name each sample's worker"),
    (
        {"method": "SCAFFOLD", "federation.weights": "samples"},
        "SCAFFOLD" + UNREAD.format("digital") + ": all workers have equal weights in its objective",
    ),
    (
        {"method": "FedAvg", "federation.weights": "samples", "federation.sampling": "weighted"},
        "or numbers of samples would count twice",
    ),
    ({"method": "VRL-SGD", "federation.partition": "imbalanced"}, "and VRL-SGD needs equal numbers"),
    ({"method": "FedNova", "local.optimizer": "momentum"}, "must be 'sgd' with FedNova: it divides by the number of"),
    (
        {"method": "FedADMM", "algorithm.rho_schedule": "3: 0.1"},
        "FedADMM" + UNREAD.format("digital") + ": it cannot change rho during a run",
    ),
    (
        {"method": "A-SFADMM", "algorithm.rho_schedule": "3: 0.1"},
        "A-SFADMM" + UNREAD.format("analog") + ": it cannot change rho",
    ),
    ({"method": "FedDyn", "algorithm.server_step_schedule": "3: 0.1"}, "cannot change server_step during a run"),
    ({"method": "FedAvg", "algorithm.server_step_schedule": "300: 0.1"}, "must not name rounds beyond run.iterations"),
    ({"method": "FedVRA", "algorithm.rho": 0.0}, "algorithm.rho = 0: must be greater than 0 with FedVRA"),
    (
        {"method": "FedAvg", "local.batch_size": "all", "local.steps": 3},
        "can be used only with federated methods and local.epochs",
    ),
]


@pytest.mark.parametrize(("overrides", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_contradictions_are_refused(overrides, message):
    with pytest.raises(OtaflError) as error:
        otafl.run("digits_quickstart", overrides)
    assert message in str(error.value)


@pytest.mark.slow
def test_probabilities_are_one_value_on_the_command_line(tmp_path):
    words = ["--method", "FedAvg", "--federation.workers", "3", "--federation.probabilities", "0.2", "0.8", "1.0"]
    answer = command(tmp_path, "show", "digits_quickstart", *words)
    assert answer.code == 0, answer
    assert "probabilities = [\n    0.2,\n    0.8,\n    1.0,\n]" in answer.stdout
    assert "# labels of a worker: 10" in answer.stdout
