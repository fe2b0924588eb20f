"""Keys of the table problem: learning problem, data and model."""

from typing import Annotated, Literal

from pydantic import Field

from otafl.losses import PROBLEMS
from otafl.metrics.result_variables import Quantity
from otafl.settings.part_keys import add_to, choices
from otafl.settings.types import ALWAYS, LARGEST_COUNT, Count, FromZero, Positive, Seed, Table, between, one_of, rule

DENSE = ("mlp", "mlp_small", "mlp_biased", "linear", "transformer")
"""Models that have no convolutions for certain."""
CNN1 = ("cnn1", "cnn1_torch", "cnn1_linear", "cnn1_softmax", "cnn1_released")
MODELS = (*DENSE, "cnn", *CNN1, "cnn2", "resnet20", "resnet18")
"""Names of the networks that come with otafl, each that of its function in ``otafl.training.models``."""
IS_MODEL = rule(
    lambda name: name in MODELS or ":" in name, f"must be one of {', '.join(MODELS)}, or package.module:function"
)
MOST_DEVIATION = 1e6
"""Largest heterogeneity of synthetic data, such that single precision holds features and targets."""
WORST_CONDITION = 1e12
"""Largest condition number of equations that double precision solves."""


class Problem(Table, frozen=True):
    """Learning problem, data set and model."""

    kind: Annotated[str, one_of(PROBLEMS), ALWAYS] = Field(
        default="linear_regression", description=choices("Kind of learning problem", PROBLEMS)
    )
    dataset: Annotated[str, Field(min_length=1), ALWAYS] = "diabetes"
    """Data set. Regressions: california_housing, diabetes, mixture (normal, Student's t and uniform samples),
    breast_cancer (with targets 0 and 1). Classification: mnist, fashion_mnist, cifar10, cifar100, emnist (balanced),
    femnist (with the writer of each sample), digits, characters (the next one in a generated text). Both: synthetic, a
    Gaussian regression or synthetic(alpha, beta) of Li et al. A user's own: a path to a .csv or .parquet table with
    the column problem.target, a path to a .npz file with x_train, y_train, x_test and y_test, or
    package.module:function, which returns one of these."""
    target: str | None = None
    """Data in a table: name of the column of labels or targets. Classes are numbered in the sorted order of their
    labels. A column worker tells whose each sample is, a column test which ones are for testing (1) or not (0); without
    it, every fifth one of a class is. All other columns are features."""
    model: Annotated[str, Field(min_length=1), IS_MODEL] = "mlp"
    """Classification: mlp (784-128-64-10 on MNIST), mlp_small, mlp_biased (one hidden layer of 32), linear, cnn, cnn1
    and cnn2 (Gong et al.), resnet20 and resnet18 (group normalisation; resnet18 takes a GPU), transformer (for
    characters). cnn1_torch, cnn1_linear, cnn1_softmax: one change each towards the published code; cnn1_released: all
    three. A user's own: package.module:function, which takes the shape of an input and the number of classes, and
    returns a Keras model that ends in logits; regularisers of its weights are part of local losses."""
    start: Annotated[str, Field(min_length=1)] | None = None
    """Classification: path of a .keras file, the initial model of server and workers. Its weights have the shapes of
    those of ``problem.model``, such as one that ``otafl run --save-model`` has written."""
    pretraining: Annotated[float, Field(ge=0, lt=1), Quantity("Share for pre-training", linear=True)] = 0.0
    """Classification: share of the training samples that are the server's, drawn at random under the run's seed. It
    trains the initial model on them with Adam before the first round; workers get the other samples. 0: none."""
    pretraining_epochs: Annotated[Count, Quantity("Epochs of pre-training")] = 10
    """Passes over the server's samples in pre-training, with mini-batches of 32 and a learning rate of 0.001."""
    adapter_rank: Annotated[int, Field(ge=0, le=LARGEST_COUNT), Quantity("Rank of adapters", symbol="$r$")] = 0
    """Classification: rank r of adapters A [m, r] and B [r, n] of every weight matrix [m, n]. They alone are trained
    and sent, and d counts them alone; biases and weights of normalisation are frozen, too. A matrix with a smaller side
    has adapters of that rank. 0: the model itself is trained."""
    adapter_alpha: Annotated[Positive, Quantity("Scale of adapters", symbol="$\\alpha$")] = 4.0
    """Scale alpha of adapters, whose product A·B is multiplied by alpha/rank."""
    standardise: bool = False
    """Classification: scale inputs so that each channel has mean 0 and deviation 1 over the training samples."""
    loss_reduction: Literal["mean", "sum"] = "mean"
    """Linear regression: mean or sum of ½·residual² over a worker's samples."""
    loss_function: Literal["local", "global"] = "local"
    """Linear regression: function f of the loss |Σ_n [f(θ_n) − f(θ*)]| in results. local: each worker's own f_n;
    global: the mean of all, as the A-FADMM paper prints it."""
    dimension: Count = 6
    """Synthetic and mixture data: number of features d."""
    samples: Count = 20_000
    """Generated data: number of training samples."""
    model_heterogeneity: Annotated[FromZero, between(0, MOST_DEVIATION)] = 1.0
    """Synthetic data for classification: standard deviation alpha between the workers' true models."""
    data_heterogeneity: Annotated[FromZero, between(0, MOST_DEVIATION)] = 1.0
    """Synthetic data for classification: standard deviation beta between the workers' features."""
    condition_number: Annotated[float, Field(ge=1, le=WORST_CONDITION)] = 10.0
    """Synthetic data: condition number of the features' covariance."""
    seed: Seed | None = None
    """Generated data: seed of the data set; left out, every seed of a run has its own data."""

    @property
    def family(self) -> str:
        """Kind of problem whose data sets and methods this one shares: "linear_regression" or "classification"."""
        return PROBLEMS[self.kind].family


add_to(Problem, "problem")
