"""Keys of the table federation: workers, their data and their participation."""

from typing import Annotated, Literal

from pydantic import Field

from otafl.federation.hostile_workers import ATTACKS
from otafl.federation.partition import NATURAL, PARTITIONS
from otafl.metrics.result_variables import Quantity
from otafl.settings.types import ALWAYS, Count, Positive, Seconds, Share, Table, between, one_of


class Federation(Table, frozen=True):
    """Workers, their data and their participation."""

    workers: Annotated[Count, Quantity("Workers", linear=True, symbol="$N$"), ALWAYS] = 100
    """Number of workers N."""
    partition: Annotated[str, one_of((*PARTITIONS, NATURAL)), ALWAYS] = "iid"
    """Partition of the samples among workers. iid: equal, at random. shards: sorted by label and cut, some for each
    worker (Gong et al.). labels: a limited number of labels for each worker (Song et al.). two_classes: 80% from two
    classes (Acar et al.). dirichlet: shares of classes by a Dirichlet distribution. imbalanced: shards sorted by
    label, more for later workers (Gong et al., table VI). power_law: at random, numbers of samples by a power law, as
    FedProx has them. natural: by the array of that name in the data, with the
    worker of each sample."""
    shards: Count = 2
    """Partition shards: shards of each worker."""
    labels_per_worker: Count = 2
    """Partition labels: most classes of a worker."""
    concentration: Positive = 0.3
    """Partition dirichlet: concentration of the Dirichlet distribution."""
    size_exponent: Annotated[float, between(0.1, 100)] = 1.5
    """Partition power_law: exponent a of P(U > u) = u^(-a), u from 1 on. Beside one sample for each, workers' numbers
    of samples are in proportion to such draws; the smaller a is, the more they differ."""
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
    """Time until a participant's computation and its own upload must end in a round [s]; left out, there is none. Late
    workers are left out, the latest first; digital ones share their band. If all would be late, the fastest stays."""
    largest_loss_db: Annotated[Positive | None, Quantity("Largest loss of participants", "dB", linear=True)] = None
    """Largest mean path loss with shadowing of a worker that takes part [dB]; left out, there is no bound. Data of
    workers beyond it count in the objective. Where all that are drawn are beyond it, the nearest of them takes part."""
    probabilities: tuple[Share, ...] = Field(default=(), strict=False)
    """Each worker's chance to take part, in place of participation and sampling; they add up to the participants."""
    weights: Literal["equal", "samples"] = "equal"
    """Federated methods: weights of workers in the objective, equal or by their samples."""
    hostile: Annotated[float, Field(ge=0, le=1), Quantity("Byzantine workers", linear=True)] = 0.0
    """FedAvg and its variants: share of the workers that attack in each upload, rounded to whole workers. They are the
    first ones, they train as all others, and over the air they keep to the same power budget."""
    attack: Annotated[str, one_of(ATTACKS)] = "sign_flip"
    """Upload of a Byzantine worker. sign_flip: the negative of its update. norm: its update, lengthened. gaussian:
    independent normal elements of mean 0. Over the air a long vector cuts the common power of all, and noise rises."""
    attack_strength: Annotated[Positive, Quantity("Strength of attacks")] = 1.0
    """Attacks sign_flip and norm: factor on the length of the update. gaussian: standard deviation of each element."""
    cut_chance: Annotated[float, Field(ge=0, le=1), Quantity("Chance of a cut upload", linear=True)] = 0.0
    """Probability that a worker's upload is cut midway in a round, independently for each worker and round. The point
    of the cut is uniform over the upload. Over the air the rest of the symbols is missing in the sum, and nobody knows.
    A cut digital upload is lost: the worker is absent from the round, but what it has sent is charged."""
