"""A method: what it reads, what it can do and why not more, and the pure functions of its rounds.

A method is a class that ``@method`` registers under the name that scenarios know it by: in a file of this folder, or
of the user's own. Its functions see the participants of a round alone; where workers' states lie, and how messages are
carried, is not its affair.
"""

import functools
from collections import namedtuple
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, TypeVar

from otafl.algorithms.protocol import Local, Problem, Round
from otafl.arrays import Tensor, tf
from otafl.settings import user_keys
from otafl.settings.keys import Settings, is_number

REGRESSION, CLASSIFICATION = "linear_regression", "classification"
Kind = TypeVar("Kind", bound="Method")
PARTICIPATION = ("federation.participation", "federation.sampling", "federation.probabilities")
TRAINING = ("local.learning_rate", "local.optimizer", "local.momentum", "local.batch_size")


class Limit(NamedTuple):
    """Something that a method cannot do.

    Arguments:
        key: the scenario key that asks for it.
        holds: whether settings keep to the rule.
        rule: the rule, with the reason; ``{method}`` is the method's name.
    """

    key: str
    holds: Callable[[Any], bool]
    rule: str


def positive(key: str) -> Limit:
    """A parameter that must not be zero."""
    return Limit(key, lambda settings: settings.value(key) > 0, "must be greater than 0 with {method}")


EVERYBODY = Limit(
    "federation.participation",
    lambda settings: settings.drawn == settings.federation.workers,
    "must be 1: with {method} all workers take part in every round",
)


class Method:
    """What all methods share; those that say nothing else run over every uplink, with every kind of problem."""

    name: ClassVar[str] = ""
    """By which scenarios know it; nothing where it is not registered."""
    reads: ClassVar[tuple[str, ...]] = ()
    """Dotted scenario keys of the tables algorithm, local and federation that it reads, its parameters among them."""
    shapes: ClassVar[tuple[str, ...]] = ()
    """Those that shape its program."""
    scheduled: ClassVar[tuple[str, ...]] = ()
    """Parameters that may change from some round on."""
    unread: ClassVar[dict[str, str]] = {
        "algorithm.rho_schedule": "it cannot change rho on the way",
        "algorithm.server_step_schedule": "it cannot change server_step on the way",
        "federation.weights": "in its objective all workers weigh alike",
        "local.warm_start": "it has no choice",
    }
    """Why it does not read some keys."""
    limits: ClassVar[tuple[Limit, ...]] = ()
    """What it cannot do."""
    problems: ClassVar[tuple[str, ...]] = (CLASSIFICATION, REGRESSION)
    """Kinds of problem that it is for."""
    uplinks: ClassVar[tuple[str, ...]] = ("digital", "analog", "ideal")
    """Kinds of uplink that can carry it, its default first."""
    uplink_reason: ClassVar[str] = ""
    """Why an uplink that is missing there cannot carry it."""
    broadcasts: ClassVar[tuple[str, ...]] = ("model",)
    """Vectors of what the server keeps that workers hear, the model first."""
    exact: ClassVar[bool] = False
    """Whether a linear regression is solved exactly, not trained on mini-batches."""
    truncates: ClassVar[bool] = True
    """Whether a worker in a deep fade is silent on an analog uplink, as the server wants a plain sum; otherwise
    contributions are weighed by the gain already."""
    by_signs: ClassVar[bool] = False
    """Whether its server may step along the signs of a sum."""
    vectors: ClassVar[int] = 1
    """How many vectors of the model's size a worker uploads."""
    weighted: ClassVar[bool] = False
    """True where workers multiply what they upload by their weights in the objective, of mean 1/N."""
    scalars: ClassVar[int] = 0
    """How many numbers it uploads beside them."""
    has_residuals: ClassVar[bool] = False
    """Whether it has primal and dual residuals."""
    has_penalty: ClassVar[bool] = False
    """Whether its workers have penalties of their own."""
    even: ClassVar[bool] = False
    """Whether all workers must make the same number of local steps."""
    unlabelled: ClassVar[bool] = False
    """Whether it uses samples without a label."""
    defaults: ClassVar[dict[str, Any]] = {}
    """Values of keys of the table local that are left to the method."""
    noise_precision: ClassVar[str] = "float32"
    """Type in which the noise of its receiver is drawn."""

    @property
    def keys(self) -> tuple[str, ...]:
        """All keys that it reads, and those it names for their schedules."""
        return (*self.reads, *self.shapes, *(f"{key}_schedule" for key in self.scheduled))

    def parameters(self, settings: Settings, iteration: int) -> dict[str, float]:
        """Its parameters in an iteration, counted from 1, by name: the real numbers among the keys that it reads."""
        share = settings.participants / settings.federation.workers
        known = {"participation": share, "inverse_probability": 1 / share}
        own = (key for key in self.reads if key.startswith(("algorithm.", "local.")) and is_number(key))
        values = {key.split(".")[1]: settings.value(key, iteration) for key in own}
        return {name: known[value] if isinstance(value, str) else value for name, value in values.items()}

    def options(self, settings: Settings, places: int, classes: int) -> Any:
        """What shapes its program, by name."""
        chosen = {key.split(".")[1]: settings.value(key) for key in self.shapes}
        return named_tuple(workers=settings.federation.workers, places=places, classes=classes, **chosen)

    def is_scheduled(self, settings: Settings) -> bool:
        """Whether some parameter changes on the way."""
        return any(settings.value(f"{key}_schedule") for key in self.scheduled)

    def weighs_by_gain(self, settings: Settings) -> bool:
        """Whether the gains |h|² enter its arithmetic."""
        return False

    def flips(self, settings: Settings) -> bool:
        """Whether a change of channel changes what workers do."""
        return False

    def sends_models(self, settings: Settings) -> bool:
        """Whether workers upload whole models, and not changes of them or gradients."""
        return False

    def remark(self, settings: Settings, steps: Tensor) -> str:
        """What a user may not expect, of workers that make so many local steps in a round."""
        return ""

    def init(self, start: Tensor, options: Any, parameters: Any) -> tuple[Any, Any]:
        """What the server keeps, with the field ``model``, and what a worker keeps, [1, d, runs], before the first
        round."""
        raise NotImplementedError

    def prepare(self, problem: Problem, gain: Tensor, parameters: Any) -> Any:
        """What holds for a coherence block, such as factors; the gains are those of all workers that are computed."""
        return None

    def local_update(self, server: Any, client: Any, now: Round) -> Local:
        """The participants' part of a round."""
        raise NotImplementedError

    def upload(self, local: Local, now: Round) -> tuple[Tensor, ...]:
        """What the participants send, and the server gets the sums of: vectors [participants, d, runs] and numbers
        [participants, 1, runs].

        More vectors than ``vectors`` says are the last one again, weighed by the server in another way; over an analog
        uplink they must be multiples of it.
        """
        return local.messages

    def global_update(self, server: Any, totals: tuple[Tensor, ...], now: Round) -> Any:
        """The server's part: what it keeps after it has received the sums of messages, [1, d or 1, runs]."""
        raise NotImplementedError

    def receive(self, local: Local, messages: tuple[Tensor, ...], heard: Tensor, now: Round) -> Any:
        """What the participants keep after they have heard the new global model.

        Messages are those that ``upload`` has formed; of ``local`` it may use what the participants keep.
        """
        return local.client

    def local_models(self, server: Any, client: Any) -> Tensor:
        """The models at which the loss of a convex problem is taken."""
        return server.model

    def residuals(self, before: Any, after: Any, client: Any, now: Round) -> tuple[Tensor, Tensor]:
        """Primal and dual residual of servers before and after and workers after a round; NaN where there are none.

        Shape [runs] each.
        """
        return _none(after.model), _none(after.model)

    def penalty(self, server: Any, now: Round) -> Tensor:
        """Mean penalty of all workers as the server knows it; NaN where they have none of their own. Shape [runs]."""
        return _none(server.model)


METHODS: dict[str, Method] = {}
"""Methods by name."""


def method(name: str, **parameters: Any) -> Callable[[type[Kind]], type[Kind]]:
    """Register a class under a name that scenarios can run, as a decorator.

    Arguments:
        name: what scenarios call it, such as "FedAvg".
        parameters: of its own, made by ``otafl.key``: they become keys of the table ``algorithm``, which it reads, and
            its functions find numbers in ``now.parameters``, which may change without a new program, and truth values,
            whole numbers and texts in ``now.options``.

    Raises:
        OtaflError: the name or a key is taken, or the class is no method.
    """

    def register(made: type[Kind]) -> type[Kind]:
        user_keys.require_new("method", name, type(METHODS[name]) if name in METHODS else None, made, Method)
        numbers, others = user_keys.added("algorithm", parameters, name)
        made.name, made.reads, made.shapes = name, (*made.reads, *numbers), (*made.shapes, *others)
        METHODS[name] = made()
        return made

    return register


def named_tuple(**values: Any) -> Any:
    """A tuple of values that have names."""
    return _named(tuple(values))(**values)


@functools.cache
def _named(names: tuple[str, ...]) -> Any:
    return namedtuple("Named", names)


def _none(model: Tensor) -> Tensor:
    """NaN for each run."""
    return tf.fill(tf.shape(model)[-1:], tf.constant(float("nan"), model.dtype))
