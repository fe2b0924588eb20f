"""Keys of the table local: local training."""

from typing import Annotated, Literal

from pydantic import Field

from otafl.metrics.result_variables import Quantity
from otafl.numerics.optimizers import OPTIMIZERS
from otafl.settings.types import ALWAYS, LONGEST_S, OF_METHOD, Count, FromZero, Positive, Table, between, one_of


class Local(Table, frozen=True):
    """Local training of networks, and the step of gradient methods."""

    learning_rate: Annotated[Positive | None, Quantity("Learning rate", symbol="$\\eta$"), OF_METHOD] = None
    """Learning rate; left out, the method's default (A-GD, D-GD: 1e-4; A-SFADMM, D-SFADMM: 0.01; A-SGD, D-SGD: 0.005;
    federated methods: 0.1)."""
    optimizer: Annotated[str, one_of(OPTIMIZERS)] | None = None
    """Optimiser of local training, fresh in every round; left out, adam for A-SFADMM and D-SFADMM, else sgd."""
    momentum: Annotated[float, Field(gt=0, lt=1)] = 0.9
    """Optimiser momentum: share of the velocity that stays in every step."""
    batch_size: Annotated[Count | Literal["all"], Quantity("Batch size")] = 100
    """Samples in a mini-batch; federated methods also "all": all samples of a worker."""
    minibatch: Literal["every_step", "every_round"] = "every_step"
    """A-SFADMM, D-SFADMM: a new mini-batch for every local step, or one for all steps of a round."""
    steps: Annotated[Count | None, Quantity("Local steps")] = None
    """Local steps in a round; left out, 20 for A-SFADMM and D-SFADMM. A-SGD and D-SGD upload a gradient, or after this
    number of steps a model."""
    epochs: Count | None = None
    """Federated methods: passes over a worker's samples in a round; left out, 5 unless steps is given."""
    compute_s: Annotated[
        Annotated[FromZero, between(0, LONGEST_S)] | Literal["by_clock"], Quantity("Local training", "s"), ALWAYS
    ] = 0.0
    """Duration of local training in an iteration, the same for all workers [s]. by_clock: energy.cycles_per_sample for
    each sample of a worker's training, at its own clock, energy.clock_hz and energy.clock_spread. An iteration waits
    for its slowest participant."""
    work: Literal["fixed", "uniform"] = "fixed"
    """Federated methods: number of epochs. fixed: all epochs for every worker; uniform: from 1 to all, at random."""
    warm_start: Literal["local", "global"] | None = None
    """FedADMM-Gong, FedADMM-Wang, FedDR, FedPD: first model of local training, the worker's own (the default) or the
    global one. Other federated methods start from the global one."""
