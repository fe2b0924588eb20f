"""The keys of what is learned, by whom and how: problem, federation, the methods' own parameters, local training."""

from typing import Annotated, Literal

from pydantic import Field

from otafl.settings.types import (
    ALWAYS,
    LONGEST_S,
    VECTORISED,
    Count,
    FromZero,
    NotNegative,
    Positive,
    Schedule,
    Seed,
    Share,
    Table,
    between,
)
from otafl.variables import Quantity

MOST_DEVIATION = 1e6
"""Largest heterogeneity of synthetic data, such that single precision holds features and targets."""
WORST_CONDITION = 1e12
"""Largest condition number of equations that double precision solves."""


class Problem(Table, frozen=True):
    """What is learned, and on which data."""

    kind: Annotated[Literal["linear_regression", "classification"], ALWAYS] = Field(
        default="linear_regression", description="kind of learning problem"
    )
    dataset: Annotated[str, Field(min_length=1), ALWAYS] = Field(
        default="diabetes",
        description="data set; linear regression: california_housing, diabetes, mixture of normal, Student's t and "
        "uniform samples; classification: mnist, fashion_mnist, cifar10, digits; synthetic for both: a Gaussian "
        "regression, or synthetic(alpha, beta) of Li et al.; or one's own: a path to a .npz file with x_train, "
        "y_train, x_test and y_test, or package.module:function, which returns those",
    )
    model: Annotated[str, Field(min_length=1)] = Field(
        default="mlp",
        description="classification: mlp (784-128-64-10 on MNIST), mlp_small, mlp_biased (one hidden layer of 32), "
        "linear, cnn, cnn1 and cnn2 (Gong et al.; cnn1_torch, cnn1_linear, cnn1_softmax: one change each towards what "
        "they published, cnn1_released: all three), resnet20 (group normalisation), or package.module:function, which "
        "gets the shape of an input and the number of classes and returns a Keras model that ends in logits; a run's "
        "name heeds its module and those of one's own that its import statements lead to, not files and variables that "
        "these read",
    )
    standardise: bool = Field(
        default=False,
        description="classification: shift and scale inputs so that each channel has mean 0 and deviation 1 over the "
        "training samples",
    )
    loss_reduction: Literal["mean", "sum"] = Field(
        default="mean", description="linear regression: mean or sum of ½·residual² over a worker's samples"
    )
    loss_function: Literal["local", "global"] = Field(
        default="local",
        description="linear regression: the f of the loss |Σ_n [f(θ_n) − f(θ*)]| that results hold: each worker's own "
        "f_n, or the mean of all, as the A-FADMM paper prints it",
    )
    dimension: Count = Field(default=6, description="synthetic and mixture data: number of features d")
    samples: Count = Field(default=20_000, description="synthetic and mixture data: number of samples")
    model_heterogeneity: Annotated[FromZero, between(0, MOST_DEVIATION)] = Field(
        default=1.0, description="synthetic data for classification: deviation alpha between the workers' true models"
    )
    data_heterogeneity: Annotated[FromZero, between(0, MOST_DEVIATION)] = Field(
        default=1.0, description="synthetic data for classification: deviation beta between the workers' features"
    )
    condition_number: Annotated[float, Field(ge=1, le=WORST_CONDITION)] = Field(
        default=10.0, description="synthetic data: condition number of the features' covariance"
    )
    seed: Seed | None = Field(
        default=None, description="synthetic data: seed of the data set; left out, every run seed has data of its own"
    )


class Federation(Table, frozen=True):
    """Who takes part, and with which data."""

    workers: Annotated[Count, Quantity("Workers", linear=True, symbol="$N$"), ALWAYS] = Field(
        default=100, description="number of workers N"
    )
    partition: Annotated[
        Literal["iid", "shards", "labels", "two_classes", "dirichlet", "imbalanced", "natural"], ALWAYS
    ] = Field(
        default="iid",
        description="how samples are dealt: iid; shards sorted by label, some to each worker (Gong et al.); labels: at "
        "most so many to each (Song et al.); two_classes: 80% from two classes (Acar et al.); dirichlet: shares of "
        "classes by a Dirichlet law; imbalanced: shards sorted by label, more and more for later workers (Gong et al., "
        "table VI); natural: as the data come, "
        "with the worker of each sample in an array of that name",
    )
    shards: Count = Field(default=2, description="shards: how many each worker gets")
    labels_per_worker: Count = Field(default=2, description="labels: most classes that a worker has")
    concentration: Positive = Field(default=0.3, description="dirichlet: concentration of the Dirichlet law")
    samples_per_worker: Annotated[Count | None, ALWAYS] = Field(
        default=None, description="samples of each worker that are used; left out, all that it is dealt"
    )
    labelled: Share = Field(
        default=1.0,
        description="share of each worker's samples with a label; FedVRA-U and other -U methods use the rest",
    )
    participation: Share = Field(
        default=1.0, description="federated methods and ADMM: share of the workers that take part in a round"
    )
    sampling: Literal["uniform", "weighted", "channel"] = Field(
        default="uniform",
        description="who takes part: drawn without replacement, all alike or by their number of samples; or those "
        "whose mean gain over the subcarriers in use is highest, for which all tell the server theirs in every "
        "coherence block, by their pilots or else in a digital report of one number, which is charged",
    )
    probabilities: tuple[Share, ...] = Field(
        default=(),
        strict=False,
        description="each worker's probability to take part in a round; their sum is the number "
        "that does. Takes the place of participation and sampling",
    )
    weights: Literal["equal", "samples"] = Field(
        default="equal", description="federated methods: workers weigh alike in the objective, or by their samples"
    )


class Algorithm(Table, frozen=True):
    """Parameters that several methods share; those of one paper stand beside its mathematics (``Method``)."""

    rho: Annotated[NotNegative, Quantity("Penalty ρ", symbol="$\\rho$"), VECTORISED] = Field(
        default=0.5,
        description="penalty on the disagreement of local and global model: ρ of A-FADMM, FedADMM-Gong and FedProx, η "
        "of FedADMM-Wang, 1/η of FedPD, β of FedADMM, -In and -InSa, γ of FedVRA, α of FedDyn",
    )
    start: Literal["common", "random"] = Field(
        default="common",
        description="A-FADMM, D-FADMM and their stochastic versions: workers begin with the same model and duals of 0, "
        "or each with a model of its own, of the law of initial models, and duals ρ times as large",
    )
    rho_schedule: Schedule = Field(
        default="", description='other values of rho from some rounds on, as "30: 0.1, 60: 1"'
    )
    server_step: Positive | Literal["participation"] = Field(
        default=1.0,
        description="FedAvg and its like, SCAFFOLD, FedADMM-Gong: step of the server along the mean of updates; "
        '"participation": the share of workers that take part, with which FedADMM-Gong keeps the mean of all',
    )
    server_step_schedule: Schedule = Field(default="", description="likewise for server_step")


class Local(Table, frozen=True):
    """Local training of networks, and the step of gradient methods."""

    learning_rate: Annotated[Positive | None, Quantity("Learning rate", symbol="$\\eta$"), VECTORISED] = Field(
        default=None,
        description="learning rate; left out, the method's default (A-GD, D-GD: 1e-4; A-SFADMM, D-SFADMM: 0.01; "
        "A-SGD, D-SGD: 0.005; federated methods: 0.1)",
    )
    optimizer: Literal["adam", "sgd", "momentum"] | None = Field(
        default=None,
        description="optimiser of local training, fresh in every round; left out, adam for A-SFADMM and D-SFADMM, sgd "
        "for federated methods",
    )
    momentum: Annotated[float, Field(gt=0, lt=1)] = Field(
        default=0.9, description="momentum: share of the velocity that stays in every step"
    )
    batch_size: Annotated[Count | Literal["all"], Quantity("Batch size")] = Field(
        default=100, description='samples in a mini-batch; federated methods: "all" of a worker\'s'
    )
    minibatch: Literal["every_step", "every_round"] = Field(
        default="every_step",
        description="A-SFADMM, D-SFADMM: a new mini-batch for every local step, or one for all steps of a round",
    )
    steps: Annotated[Count | None, Quantity("Local steps")] = Field(
        default=None,
        description="local steps in a round; left out, 20 for A-SFADMM, D-SFADMM; A-SGD and D-SGD upload a gradient, "
        "or after so many steps a model",
    )
    epochs: Count | None = Field(
        default=None,
        description="federated methods: passes over a worker's samples in a round, 5 where steps is left out",
    )
    compute_s: Annotated[FromZero, between(0, LONGEST_S), Quantity("Local training", "s")] = Field(
        default=0.0,
        description="time that local training takes in an iteration, where the channel changes in time, "
        "channel.coherence_s [s]",
    )
    work: Literal["fixed", "uniform"] = Field(
        default="fixed", description="federated methods: every worker does all epochs, or 1 to so many, at random"
    )
    warm_start: Literal["local", "global"] | None = Field(
        default=None,
        description="FedADMM-Gong, FedADMM-Wang, FedDR, FedPD: local training starts from the worker's own model (the "
        "default) or from the global one, as it does in the other federated methods",
    )
