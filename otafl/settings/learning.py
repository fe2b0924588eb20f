"""Keys of the tables problem, federation, algorithm and local: data, workers, parameters of methods, local training."""

from typing import Annotated, Literal

from pydantic import Field

from otafl.optimizers import OPTIMIZERS
from otafl.partition import NATURAL, PARTITIONS
from otafl.settings.types import (
    ALWAYS,
    LONGEST_S,
    VECTORISED,
    Count,
    FromZero,
    Penalty,
    Positive,
    Schedule,
    Seconds,
    Seed,
    Share,
    Table,
    between,
    one_of,
)
from otafl.variables import Quantity

MOST_DEVIATION = 1e6
"""Largest heterogeneity of synthetic data, such that single precision holds features and targets."""
WORST_CONDITION = 1e12
"""Largest condition number of equations that double precision solves."""


class Problem(Table, frozen=True):
    """Learning problem, data set and model.

    Table ``problem`` of scenario keys.

    Data set and model are names, or "package.module:function" of the user's. Generated data are ``samples`` of
    ``dimension`` features, whose covariance has ``condition_number``; heterogeneities are standard deviations between
    workers. The loss of a regression reduces ½·residual² over a worker's samples; in results it is that of local
    losses, or "global", of their mean.
    """

    kind: Annotated[Literal["linear_regression", "classification"], ALWAYS] = "linear_regression"
    """Kind of learning problem."""
    dataset: Annotated[str, Field(min_length=1), ALWAYS] = "diabetes"
    """Data set. Linear regression: california_housing, diabetes, mixture (normal, Student's t and uniform samples).
    Classification: mnist, fashion_mnist, cifar10, digits. Both: synthetic, a Gaussian regression or synthetic(alpha,
    beta) of Li et al. A user's own: a path to a .npz file with x_train, y_train, x_test and y_test, or
    package.module:function, which returns these."""
    model: Annotated[str, Field(min_length=1)] = "mlp"
    """Classification: mlp (784-128-64-10 on MNIST), mlp_small, mlp_biased (one hidden layer of 32), linear, cnn, cnn1
    and cnn2 (Gong et al.), resnet20 (group normalisation). cnn1_torch, cnn1_linear, cnn1_softmax: one change each
    towards the published code; cnn1_released: all three. A user's own: package.module:function, which takes the shape
    of an input and the number of classes, and returns a Keras model that ends in logits. A run's name depends on its
    module and on the user's modules that it imports, not on files and variables that these read."""
    standardise: bool = False
    """Classification: scale inputs so that each channel has mean 0 and standard deviation 1 over the training
    samples."""
    loss_reduction: Literal["mean", "sum"] = "mean"
    """Linear regression: mean or sum of ½·residual² over a worker's samples."""
    loss_function: Literal["local", "global"] = "local"
    """Linear regression: function f of the loss |Σ_n [f(θ_n) − f(θ*)]| in results. local: each worker's own f_n;
    global: the mean of all, as the A-FADMM paper prints it."""
    dimension: Count = 6
    """Synthetic and mixture data: number of features d."""
    samples: Count = 20_000
    """Synthetic and mixture data: number of samples."""
    model_heterogeneity: Annotated[FromZero, between(0, MOST_DEVIATION)] = 1.0
    """Synthetic data for classification: standard deviation alpha between the workers' true models."""
    data_heterogeneity: Annotated[FromZero, between(0, MOST_DEVIATION)] = 1.0
    """Synthetic data for classification: standard deviation beta between the workers' features."""
    condition_number: Annotated[float, Field(ge=1, le=WORST_CONDITION)] = 10.0
    """Synthetic data: condition number of the features' covariance."""
    seed: Seed | None = None
    """Synthetic data: seed of the data set; left out, every seed of a run has its own data."""


class Federation(Table, frozen=True):
    """Workers, their data and their participation.

    Table ``federation`` of scenario keys.

    Samples are dealt by ``partition``: so many ``shards`` or ``labels_per_worker``, or a Dirichlet law of
    ``concentration``. Of each worker's samples, a share ``labelled`` has labels. A share ``participation`` of workers,
    selected by ``sampling``, takes part in a round, or each with its own of ``probabilities``. Weights are those of
    workers in the objective.
    """

    workers: Annotated[Count, Quantity("Workers", linear=True, symbol="$N$"), ALWAYS] = 100
    """Number of workers N."""
    partition: Annotated[str, one_of((*PARTITIONS, NATURAL)), ALWAYS] = "iid"
    """Partition of the samples among workers. iid: equal, at random. shards: sorted by label and cut, some for each
    worker (Gong et al.). labels: a limited number of labels for each worker (Song et al.). two_classes: 80% from two
    classes (Acar et al.). dirichlet: shares of classes by a Dirichlet distribution. imbalanced: shards sorted by
    label, more for later workers (Gong et al., table VI). natural: by the array of that name in the data, with the
    worker of each sample."""
    shards: Count = 2
    """Partition shards: shards of each worker."""
    labels_per_worker: Count = 2
    """Partition labels: most classes of a worker."""
    concentration: Positive = 0.3
    """Partition dirichlet: concentration of the Dirichlet distribution."""
    samples_per_worker: Annotated[Count | None, ALWAYS] = None
    """Samples of each worker that are used; left out, all of its samples."""
    labelled: Share = 1.0
    """Share of each worker's samples with a label; FedVRA-U and other -U methods use the rest."""
    participation: Share = 1.0
    """Federated methods and ADMM: share of the workers that take part in a round."""
    sampling: Literal["uniform", "weighted", "channel"] = "uniform"
    """Selection of the participants of a round. uniform: without replacement, with equal odds. weighted: with odds by
    number of samples. channel: the largest mean gains over the subcarriers in use. For channel, all workers report
    their mean gain in every coherence block: by pilots, or else in a digital report of one number, which is charged."""
    deadline_s: Annotated[Seconds | None, Quantity("Deadline", "s")] = None
    """Time from the begin of a round until a participant's computation and its own upload must end [s]; left out, there
    is none. Workers that would be late are left out of the round, the latest one first, and counted. Digital workers
    share the band of those left out. If all would be late, the fastest one stays."""
    probabilities: tuple[Share, ...] = Field(default=(), strict=False)
    """Probability of each worker to take part in a round, in place of participation and sampling. The sum is the number
    of participants."""
    weights: Literal["equal", "samples"] = "equal"
    """Federated methods: weights of workers in the objective, equal or by their samples."""


class Algorithm(Table, frozen=True):
    """Parameters that several methods share.

    Table ``algorithm`` of scenario keys. Parameters of one paper stand in its file (``Method``).

    The penalty ``rho`` weighs the difference of local and global model. ``start``: first models are common to all
    workers, or drawn for each. ``server_step``: step along the mean of updates. Schedules change values from some
    rounds on, as "30: 0.1, 60: 1".
    """

    rho: Annotated[Penalty, Quantity("Penalty ρ", symbol="$\\rho$"), VECTORISED] = 0.5
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


class Local(Table, frozen=True):
    """Local training of networks, and the step of gradient methods.

    Table ``local`` of scenario keys.

    In a round, each worker makes ``steps`` or ``epochs`` on mini-batches of ``batch_size`` samples; with work
    "uniform", epochs are drawn from 1 on. They take ``compute_s``, and start from the worker's own model or the global
    one (``warm_start``). None: the method's default.
    """

    learning_rate: Annotated[Positive | None, Quantity("Learning rate", symbol="$\\eta$"), VECTORISED] = None
    """Learning rate; left out, the method's default (A-GD, D-GD: 1e-4; A-SFADMM, D-SFADMM: 0.01; A-SGD, D-SGD: 0.005;
    federated methods: 0.1)."""
    optimizer: Annotated[str, one_of(OPTIMIZERS)] | None = None
    """Optimiser of local training, fresh in every round; left out, adam for A-SFADMM and D-SFADMM, sgd for federated
    methods."""
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
