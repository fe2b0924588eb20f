"""Keys of the table algorithm: parameters of methods."""

from typing import Annotated, Literal

from otafl.metrics.result_variables import Quantity
from otafl.settings.types import OF_METHOD, Penalty, Positive, Schedule, Table


class Algorithm(Table, frozen=True):
    """Parameters that several methods share."""

    rho: Annotated[Penalty, Quantity("Penalty ρ", symbol="$\\rho$"), OF_METHOD] = 0.5
    """Penalty on the difference of local and global model: ρ of A-FADMM, FedADMM-Gong and FedProx, η of FedADMM-Wang,
    1/η of FedPD, β of FedADMM, -In and -InSa, γ of FedVRA, α of FedDyn."""
    start: Literal["common", "random"] = "common"
    """A-FADMM, D-FADMM and their stochastic versions: first models of workers. common: the same model, and duals of 0.
    random: a model for each worker, drawn as initial models are, and duals ρ times as large."""
    rho_schedule: Schedule = ""
    """Changes of rho: rounds from which other values hold, as "30: 0.1, 60: 1"."""
    server_step: Positive | Literal["participation"] = 1.0
    """FedAvg and related methods, SCAFFOLD, FedADMM-Gong: step of the server along the mean of updates. participation:
    the share of workers that take part, with which FedADMM-Gong keeps the mean of all."""
    server_step_schedule: Schedule = ""
    """Changes of server_step: rounds from which other values hold, as "30: 0.1, 60: 1"."""
