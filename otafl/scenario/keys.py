"""The keys of a scenario: tables of what one run is made of, with defaults, units and rules of a single key."""

import math
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, Field, model_validator


LOWEST_SNR_DB = -200
DEFAULT_STEPS = 20
DEFAULT_EPOCHS = 5


def _whole_or_infinite(value: float) -> float:
    if not (value >= 1 and (math.isinf(value) or value == int(value))):
        raise ValueError("must be a whole number of at least 1, or inf for a channel that never changes")
    return value


def _penalty(value: float) -> float:
    if value < 0:
        raise ValueError("must be greater than 0, or 0 with methods that need no penalty")
    return value


def schedule(text: str) -> dict[int, float]:
    """Values by the round that they hold from, of a text such as "30: 0.1, 60: 1"."""
    parts = [part.split(":") for part in text.split(",") if part.strip()]
    return {int(first): float(value) for first, value in parts}


def _schedule(text: str) -> str:
    try:
        valid = all(first >= 1 and 0 < value < math.inf for first, value in schedule(text).items())
    except ValueError:
        valid = False
    if not valid:
        raise ValueError('must name rounds and positive values, as "30: 0.1, 60: 1"')
    return text


def _snr(value: float) -> float:
    if not value >= LOWEST_SNR_DB:
        raise ValueError(f"must be a number of decibels from {LOWEST_SNR_DB} on, or inf for a noise-free channel")
    return value


Dataset = Literal[
    "california_housing", "diabetes", "synthetic", "mixture", "mnist", "fashion_mnist", "cifar10", "digits"
]
DATASETS = {
    "linear_regression": ("california_housing", "diabetes", "synthetic", "mixture"),
    "classification": ("mnist", "fashion_mnist", "cifar10", "digits", "synthetic"),
}
"""Data sets by kind of problem."""
Cost = Literal["time_slots", "channel_uses", "energy", "iteration"]
Seed = Annotated[int, Field(ge=0, lt=2**32)]
Count = Annotated[int, Field(ge=1)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Share = Annotated[float, Field(gt=0, le=1)]


class Table(BaseModel, frozen=True, extra="forbid", strict=True):
    """A table of scenario keys: immutable, strictly typed, unknown keys refused."""


class Problem(Table, frozen=True):
    """What is learned, and on which data."""

    kind: Literal["linear_regression", "classification"] = Field(
        default="linear_regression", description="kind of learning problem"
    )
    dataset: Dataset = Field(
        default="diabetes",
        description="data set; the last four for classification, synthetic for both: a Gaussian regression, or "
        "synthetic(alpha, beta) of Li et al.; mixture: regression on normal, Student's t and uniform samples",
    )
    model: Annotated[str, Field(min_length=1)] = Field(
        default="mlp",
        description="classification: mlp (784-128-64-10 on MNIST), mlp_small, mlp_biased (one hidden layer of 32), "
        "linear, cnn, cnn1 and cnn2 (Gong et al.), resnet20 (group normalisation), or package.module:function, which "
        "gets the shape of an input and the number of classes and returns a Keras model that ends in logits",
    )
    loss_reduction: Literal["mean", "sum"] = Field(
        default="mean", description="linear regression: mean or sum of ½·residual² over a worker's samples"
    )
    dimension: Count = Field(default=6, description="synthetic and mixture data: number of features d")
    samples: Count = Field(default=20_000, description="synthetic and mixture data: number of samples")
    model_heterogeneity: NotNegative = Field(
        default=1.0, description="synthetic data for classification: deviation alpha between the workers' true models"
    )
    data_heterogeneity: NotNegative = Field(
        default=1.0, description="synthetic data for classification: deviation beta between the workers' features"
    )
    condition_number: Annotated[float, Field(ge=1, allow_inf_nan=False)] = Field(
        default=10.0, description="synthetic data: condition number of the features' covariance"
    )
    seed: Seed | None = Field(
        default=None, description="synthetic data: seed of the data set; left out, every run seed has data of its own"
    )


class Federation(Table, frozen=True):
    """Who takes part, and with which data."""

    workers: Count = Field(default=100, description="number of workers N")
    partition: Literal["iid", "shards", "labels", "two_classes", "dirichlet", "imbalanced", "natural"] = Field(
        default="iid",
        description="how samples are dealt: iid; shards sorted by label, some to each worker (Gong et al.); labels: at "
        "most so many to each (Song et al.); two_classes: 80% from two classes (Acar et al.); dirichlet: shares of "
        "classes by a Dirichlet law; imbalanced: shards sorted by label, more and more for later workers (Gong et al., "
        "table VI); natural: as the data come",
    )
    shards: Count = Field(default=2, description="shards: how many each worker gets")
    labels_per_worker: Count = Field(default=2, description="labels: most classes that a worker has")
    concentration: Positive = Field(default=0.3, description="dirichlet: concentration of the Dirichlet law")
    labelled: Share = Field(
        default=1.0, description="share of each worker's samples with a label; FedVRA-U uses the others too"
    )
    participation: Share = Field(
        default=1.0, description="federated methods: share of the workers that train and upload in a round"
    )
    sampling: Literal["uniform", "weighted"] = Field(
        default="uniform",
        description="federated methods: who is drawn, without replacement: all alike, or by their number of samples",
    )
    probabilities: tuple[Share, ...] = Field(
        default=(),
        strict=False,
        description="federated methods: each worker's probability to take part in a round; their sum is the number "
        "that does. Takes the place of participation and sampling",
    )
    weights: Literal["equal", "samples"] = Field(
        default="equal", description="federated methods: workers weigh alike in the objective, or by their samples"
    )


class Algorithm(Table, frozen=True):
    """The methods' own parameters; each method reads those it has."""

    rho: Annotated[float, Field(allow_inf_nan=False), AfterValidator(_penalty)] = Field(
        default=0.5,
        description="penalty on the disagreement of local and global model: ρ of A-FADMM, FedADMM-Gong and FedProx, η "
        "of FedADMM-Wang, 1/η of FedPD, β of FedADMM, -In and -InSa, γ of FedVRA, α of FedDyn",
    )
    consensus: Literal["plain", "channel_weighted"] = Field(
        default="plain", description="D-FADMM: plain ADMM (3)-(5), or weighted by |h|² as in (9)-(11)"
    )
    gradient_reduction: Literal["sum", "mean"] = Field(
        default="sum", description="A-(S)GD, D-(S)GD: step along the sum or the mean of the workers' gradients"
    )
    on_channel_change: Literal["train", "dual_flip"] = Field(
        default="train",
        description="A-SFADMM: after a change of channel go on training, ahead in the first rounds, or keep models and "
        "solve for duals (II-C), stable in long runs at low SNR; A-FADMM always does the latter",
    )
    rho_schedule: Annotated[str, AfterValidator(_schedule)] = Field(
        default="", description='other values of rho from some rounds on, as "30: 0.1, 60: 1"'
    )
    server_step: Positive | Literal["participation"] = Field(
        default=1.0,
        description="FedAvg and its like, SCAFFOLD, FedADMM-Gong: step of the server along the mean of updates; "
        '"participation": the share of workers that take part, with which FedADMM-Gong keeps the mean of all',
    )
    server_step_schedule: Annotated[str, AfterValidator(_schedule)] = Field(
        default="", description="likewise for server_step"
    )
    proximal_step: Positive = Field(default=1.0, description="FedDR: η, the step of its proximal operators")
    relaxation: Annotated[float, Field(gt=0, lt=2)] = Field(default=1.0, description="FedDR: relaxation α")
    regulariser: Literal["none", "l1", "l2", "box"] = Field(
        default="none",
        description="FedADMM-Wang, FedDR, FedVRA-U: g(x) at the server: κ‖x‖₁, κ/2·‖x‖², or |x_i| ≤ κ (FedVRA-U: only "
        "the latter)",
    )
    regulariser_weight: Positive = Field(default=1e-3, description="κ of the regulariser")
    communication_probability: Share = Field(
        default=1.0, description="FedPD: probability that a round ends with an upload"
    )
    dual_step: NotNegative = Field(default=1.0, description="FedVRA, FedVRA-U: step a of the dual")
    aggregation_step: Positive | Literal["inverse_probability"] = Field(
        default="inverse_probability",
        description="FedVRA, FedVRA-U: step d of the aggregation; by default one over the probability to take part",
    )
    residual_at: Literal["global", "local"] = Field(
        default="global",
        description="FedADMM-In, -InSa: local work goes on until the residual is a share of that at the global model "
        "(remark 3.4), or at the worker's last one",
    )
    strong_convexity: Positive = Field(
        default=0.01, description="FedADMM-In, -InSa: c of local losses, which sets that share"
    )
    penalty_ratio: Annotated[float, Field(ge=1)] = Field(
        default=5.0, description="FedADMM-InSa: ratio μ of residuals beyond which a penalty is adapted"
    )
    penalty_factor: Annotated[float, Field(ge=1)] = Field(
        default=2.0, description="FedADMM-InSa: factor τ by which it is adapted"
    )
    memory_weight: Share = Field(
        default=1.0, description="FedADMM, -In, -InSa: weight of the new average against the old global model"
    )
    pseudo_steps: Count = Field(default=5, description="FedVRA-U: steps on pseudo labels in a round")
    pseudo_learning_rate: Positive = Field(
        default=1e-3, description="FedVRA-U: learning rate of pseudo labels; from 0.01 on they only confirm themselves"
    )


class Local(Table, frozen=True):
    """Local training of networks, and the step of gradient methods."""

    learning_rate: Positive | None = Field(
        default=None,
        description="learning rate; left out, the method's default (A-GD, D-GD: 1e-4; A-SFADMM, D-SFADMM: 0.01; "
        "A-SGD, D-SGD: 0.005; federated methods: 0.1)",
    )
    optimizer: Literal["adam", "sgd", "momentum"] | None = Field(
        default=None,
        description="optimiser of local training, fresh in every round; left out, adam for A-SFADMM and D-SFADMM, sgd "
        "for federated methods",
    )
    batch_size: Count | Literal["all"] = Field(
        default=100, description='samples in a mini-batch; federated methods: "all" of a worker\'s'
    )
    steps: Count | None = Field(default=None, description="local steps in a round; left out, 20 for A-SFADMM, D-SFADMM")
    epochs: Count | None = Field(
        default=None,
        description="federated methods: passes over a worker's samples in a round, 5 where steps is left out",
    )
    work: Literal["fixed", "uniform"] = Field(
        default="fixed", description="federated methods: every worker does all epochs, or 1 to so many, at random"
    )
    warm_start: Literal["local", "global"] | None = Field(
        default=None,
        description="FedADMM-Gong, FedADMM-Wang, FedDR, FedPD: local training starts from the worker's own model (the "
        "default) or from the global one, as it does in the other federated methods",
    )


class Channel(Table, frozen=True):
    """The radio channel between the workers and the server."""

    fading: Literal["none", "rayleigh"] = Field(default="rayleigh", description="fading of every worker and subcarrier")
    coherence_iterations: Annotated[float, AfterValidator(_whole_or_infinite)] = Field(
        default=10.0,
        description="iterations for which the channel stays constant; inf: it never changes; 1: A-FADMM only flips "
        "duals and never trains",
    )
    snr_db: Annotated[float, AfterValidator(_snr)] = Field(
        default=40.0, description="SNR = P/(W·N0) of a worker on one subcarrier [dB]; inf: no noise"
    )


class Uplink(Table, frozen=True):
    """How uploads are carried, and what they cost."""

    kind: Literal["analog", "digital", "ideal"] | None = Field(
        default=None,
        description="left out, the one that the method fixes, and digital for federated methods; ideal: all arrives "
        "and costs nothing",
    )
    subcarriers: Count | Literal["one_slot"] = Field(
        default=10, description='number of subcarriers S; "one_slot": just enough for uploads of one slot'
    )
    subcarrier_spacing_hz: Positive = Field(default=15e3, description="bandwidth W of one subcarrier [Hz]")
    slot_s: Positive = Field(default=1e-3, description="length T of a slot [s]")
    bits_per_element: Count = Field(default=32, description="digital uploads: bits per model element")
    rate_gain: Literal["power", "amplitude"] = Field(
        default="power", description="digital uploads: |h|² in the Shannon rate, or |h| as the A-FADMM paper prints"
    )
    power_budget: Literal["per_subcarrier", "per_upload"] = Field(
        default="per_subcarrier", description="analog uploads: Σ|αx|² at most P·d, or at most P"
    )
    noise_psd_w_per_hz: Positive = Field(default=1e-9, description="noise power spectral density N0 [W/Hz]")
    inversion_threshold: Positive = Field(default=1e-6, description="truncated inversion: transmit where |h| ≥ this")
    downlink: Literal["digital", "analog"] = Field(
        default="digital", description="A-FADMM: error-free broadcast, or the noisy analog one of (14), (15)"
    )


class Run(Table, frozen=True):
    """How long, how often, and what is kept."""

    iterations: Count = Field(default=500, description="number of iterations")
    seeds: Count = Field(default=5, description="number of runs, each with a seed of its own")
    seed: Seed = Field(default=0, description="the first seed")
    record: Literal["all", "log"] = Field(
        default="all", description="iterations kept in the result: all, or 100 per decade (linear regression)"
    )
    target_loss: Positive = Field(
        default=1e-4, description="linear regression: loss at which the summary reads slots, uses and energy"
    )
    target_accuracy: Annotated[float, Field(gt=0, le=1)] = Field(
        default=0.9, description="classification: test accuracy at which the summary reads slots, uses and energy"
    )
    evaluate_every: Count = Field(default=1, description="classification: rounds between readings of test accuracy")
    max_channel_uses: Positive | None = Field(
        default=None, description="end of a run: iterations that would exceed so many channel uses are left out (NaN)"
    )
    worker_chunk: Count | None = Field(
        default=None,
        description="networks: workers trained at once; left out, one on each core of a processor, as its model then "
        "stays in the core's cache, and on a GPU 500 million weights; no result depends on it",
    )
    precision: Literal["float32", "bfloat16"] = Field(
        default="float32",
        description="networks: type in which layers compute; weights, optimiser, duals and uploads stay float32",
    )

    @property
    def seed_range(self) -> range:
        """The seeds of the runs."""
        return range(self.seed, self.seed + self.seeds)


class Plot(Table, frozen=True):
    """The figure that ``otafl plot`` draws."""

    kind: Literal["curve", "at_budget", "to_target"] = Field(default="curve", description="what the figure shows")
    x: Cost = Field(default="time_slots", description="curve: variable on the horizontal axis")
    y: Literal["loss", "test_accuracy", "primal_residual", "dual_residual"] = Field(
        default="loss", description="curve, at_budget: variable on the vertical axis"
    )
    cost: Cost = Field(default="channel_uses", description="at_budget, to_target: what is spent")
    budgets: tuple[Positive, ...] = Field(default=(), strict=False, description="at_budget: at which cost y is read")

    @model_validator(mode="after")
    def _budgets_given(self) -> "Plot":
        if self.kind == "at_budget" and not self.budgets:
            raise ValueError("must list plot.budgets where plot.kind is 'at_budget'")
        return self


class Settings(Table, frozen=True):
    """Every key of one run; a scenario is these and a sweep over some of them."""

    method: str = Field(default="A-FADMM", description="method by the papers' name; -10x: ten times the subcarriers")
    problem: Problem = Problem()
    federation: Federation = Federation()
    algorithm: Algorithm = Algorithm()
    local: Local = Local()
    channel: Channel = Channel()
    uplink: Uplink = Uplink()
    run: Run = Run()

    @property
    def subcarriers(self) -> int | Literal["one_slot"]:
        """Number of subcarriers S, the method's bandwidth suffix applied."""
        _, factor = algorithms.parse(self.method)
        count = self.uplink.subcarriers
        return count if count == "one_slot" else factor * count

    @property
    def participants(self) -> int:
        """Workers that take part in a round."""
        federation = self.federation
        share = (
            sum(federation.probabilities) if federation.probabilities else federation.participation * federation.workers
        )
        return max(1, round(share))

    def value(self, key: str, iteration: int = 1) -> Any:
        """The value of a dotted key, in an iteration where it has a schedule."""
        table, leaf = key.split(".") if "." in key else ("", key)
        keys = getattr(self, table) if table else self
        value = getattr(keys, leaf)
        for first, later in sorted(schedule(getattr(keys, f"{leaf}_schedule", "")).items()):
            value = later if iteration >= first else value
        return value

    def resolved(self) -> "Settings":
        """These settings with what is left to the method filled in."""
        method, local = algorithms.parse(self.method)[0], self.local
        defaults = {
            "learning_rate": method.learning_rate,
            "optimizer": method.optimizer,
            "steps": None if method.federated or local.epochs else DEFAULT_STEPS,
            "epochs": DEFAULT_EPOCHS if method.federated and not local.steps else None,
        }
        missing = {key: value for key, value in defaults.items() if getattr(local, key) is None}
        uplink = self.uplink.model_copy(update={"kind": self.uplink.kind or method.uplinks[0]})
        return self.model_copy(update={"local": local.model_copy(update=missing), "uplink": uplink})


def is_number(key: str) -> bool:
    """Whether a dotted key takes a real number."""
    table, leaf = key.split(".")
    return _takes_float(type(Settings.model_fields[table].default).model_fields[leaf].annotation)


def _takes_float(annotation: Any) -> bool:
    return annotation is float or any(map(_takes_float, get_args(annotation)))
