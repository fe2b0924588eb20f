"""Base class of methods: the keys that a method reads, its limits with their reasons, and the pure functions of its
rounds.

A method is a class that ``@method`` registers under a name for scenarios, in a file of this folder or of the user's
own. Its functions see only the participants of a round. Executors hold states, links carry messages.
"""

import functools
from collections import namedtuple
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from otafl.algorithms.local_problem import Local, Model, Nothing, Options, Parameters, Problem, Round, State
from otafl.channels.array_types import MeanGains, PowerGains
from otafl.numerics.tensors import GlobalModel, Messages, Models, ModelsOrOne, PerRun, Tensor, Totals, tf
from otafl.settings import user_keys
from otafl.settings.keys import Settings, is_number

REGRESSION, CLASSIFICATION = "linear_regression", "classification"
Kind = TypeVar("Kind", bound="Method")
PARTICIPATION = (
    "federation.participation",
    "federation.sampling",
    "federation.deadline_s",
    "federation.largest_loss_db",
    "federation.probabilities",
)
TRAINING = ("local.learning_rate", "local.optimizer", "local.momentum", "local.batch_size")


class Limit(NamedTuple):
    """Rule of a method on one dotted scenario key, with the reason of a refusal."""

    key: str
    holds: Callable[[Settings], bool]
    """Function from the settings of a run to True where they keep the rule."""
    rule: str
    """Text of an error message, the rule and its reason; ``{method}`` stands for the method's name."""


def positive(key: str) -> Limit:
    """Return the limit that a parameter of a method, such as "algorithm.rho", is greater than 0."""
    return Limit(key, lambda settings: settings.value(key) > 0, "must be greater than 0 with {method}")


EVERYBODY = Limit(
    "federation.participation",
    lambda settings: settings.drawn == settings.federation.workers,
    "must be 1: with {method} all workers take part in every round",
)
"""Limit of methods in which all workers take part in every round."""


class Method:
    """Base of all methods; by default a method runs over every uplink and with every kind of problem."""

    name: ClassVar[str] = ""
    """Name in scenarios; empty where the class is not registered."""
    version: ClassVar[int] = 1
    """Version of the method's numbers, raised when a correction changes them; from 2 on it is in the names of runs."""
    reads: ClassVar[tuple[str, ...]] = ()
    """Dotted keys of the tables algorithm, local and federation that the method reads, its parameters among them."""
    shapes: ClassVar[tuple[str, ...]] = ()
    """Dotted keys that shape the method's program."""
    scheduled: ClassVar[tuple[str, ...]] = ()
    """Dotted keys of parameters that may change from some round on."""
    unread: ClassVar[dict[str, str]] = {
        "algorithm.rho_schedule": "it cannot change rho during a run",
        "algorithm.server_step_schedule": "it cannot change server_step during a run",
        "federation.weights": "all workers have equal weights in its objective",
        "local.warm_start": "it has only one start of local training",
    }
    """Reasons for which the method does not read some keys, by dotted key."""
    limits: ClassVar[tuple[Limit, ...]] = ()
    """Limits of the method."""
    problems: ClassVar[tuple[str, ...]] = (CLASSIFICATION, REGRESSION)
    """Kinds of problem that the method solves."""
    uplinks: ClassVar[tuple[str, ...]] = ("digital", "analog", "ideal")
    """Kinds of uplink that can carry the method, its default first."""
    uplink_reason: ClassVar[str] = ""
    """Reason for which a kind of uplink that is missing in ``uplinks`` cannot carry the method."""
    broadcasts: ClassVar[tuple[str, ...]] = ("model",)
    """Fields of the server's state that are broadcast to workers, the model first."""
    solves_exactly: ClassVar[bool] = False
    """True where a linear regression is solved exactly, not trained on mini-batches."""
    truncates: ClassVar[bool] = True
    """True where the server needs a plain sum, so that a worker in a deep fade is silent on an analog uplink."""
    by_signs: ClassVar[bool] = False
    """True where the server may step along the signs of a sum."""
    vectors: ClassVar[int] = 1
    """Number of vectors of the model's size that a worker uploads in a round."""
    further_sums: ClassVar[int] = 0
    """Number of sums that the server forms of multiples of the last vector, besides its own sum."""
    weighted: ClassVar[bool] = False
    """True where workers multiply uploads by their weights in the objective, of mean 1/N."""
    scalars: ClassVar[int] = 0
    """Number of single numbers that a worker uploads besides its vectors."""
    has_residuals: ClassVar[bool] = False
    """True where the method has primal and dual residuals."""
    has_penalty: ClassVar[bool] = False
    """True where each worker has a penalty of its own."""
    couples: ClassVar[bool] = False
    """True where a worker's part of a round depends on other participants', so that one program computes all."""
    even: ClassVar[bool] = False
    """True where all workers must make the same number of local steps."""
    unlabelled: ClassVar[bool] = False
    """True where the method uses samples without a label."""
    defaults: ClassVar[dict[str, float | int | str]] = {}
    """Default values of keys of the table local, by key without the table."""
    noise_precision: ClassVar[str] = "float32"
    """NumPy type in which the noise of the server's receiver is drawn."""

    @property
    def keys(self) -> tuple[str, ...]:
        """Dotted scenario keys that the method reads, with those of its schedules."""
        return (*self.reads, *self.shapes, *(f"{key}_schedule" for key in self.scheduled))

    def idle(self, settings: Settings) -> dict[str, str]:
        """Return the reasons for which some of the ``keys`` have no effect on a run, by dotted key; by default none."""
        return {}

    def parameters(self, settings: Settings, iteration: int) -> dict[str, float]:
        """Return the method's parameters in a round, counted from 1: the real numbers among the keys that it reads.

        Names are keys without their table, such as "rho" and "learning_rate".
        """
        share = settings.participants / settings.federation.workers
        known = {"participation": share, "inverse_probability": 1 / share}
        keys = (key for key in self.reads if key.startswith(("algorithm.", "local.")) and is_number(key))
        values = {key.split(".")[1]: settings.value(key, iteration) for key in keys}
        return {name: known[value] if isinstance(value, str) else value for name, value in values.items()}

    def options(self, settings: Settings, places: int, classes: int) -> Options:
        """Return the values that shape the method's program, with those of the keys in ``shapes``."""
        chosen = {key.split(".")[1]: settings.value(key) for key in self.shapes}
        return named_tuple(workers=settings.federation.workers, places=places, classes=classes, **chosen)

    def is_scheduled(self, settings: Settings) -> bool:
        """Return True where some parameter changes from some round on, as by ``algorithm.rho_schedule``."""
        return any(settings.value(f"{key}_schedule") for key in self.scheduled)

    def weighs_by_gain(self, settings: Settings) -> bool:
        """Return True where the workers' gains in a block enter the method's arithmetic; by default False."""
        return False

    def consensus_weight(self, settings: Settings, gain: PowerGains, mean: MeanGains | float) -> PowerGains:
        """Return the workers' weights from gains |ĥ|² and their means over fading; by default |ĥ|²."""
        return gain

    def uses_mean_gain(self, settings: Settings) -> bool:
        """Return True where the workers' mean gains β over fading enter the method's arithmetic; by default False."""
        return False

    def flips(self, settings: Settings) -> bool:
        """Return True where a change of channel changes the workers' part of the round; by default False."""
        return False

    def sends_models(self, settings: Settings) -> bool:
        """Return True where workers upload whole models, not changes of them or gradients; by default False."""
        return False

    def remark(self, settings: Settings, steps: np.ndarray) -> str:
        """Return a remark on a surprising choice of keys, or empty, from the most local steps of workers, [workers]."""
        return ""

    def init(self, start: GlobalModel, options: Options, parameters: Parameters) -> tuple[State, State]:
        """Return the initial state of the server, with a field ``model``, and that of a worker, [1, ..., runs or 1].

        By default the server keeps the model alone, and workers keep nothing.
        """
        return Model(start), Nothing()

    def prepare(self, problem: Problem, gain: Models, parameters: Parameters) -> Any:
        """Return values that hold for a block, such as factors, or None; gain: consensus weight of workers, or 1."""
        return None

    def local_update(self, server: State, client: State, now: Round) -> Local:
        """Return the participants' part of a round: new states, training, and messages unless ``upload`` forms them.

        The server's state is as workers have received it: vectors of an analog downlink have a row for each.
        """
        raise NotImplementedError

    def upload(self, local: Local, now: Round) -> Messages:
        """Return the messages that the participants send, of which the server receives the sums.

        By default they are those of ``local_update``. Vectors beyond the number ``vectors`` are multiples of the last
        one, for a server that weighs it in several ways.
        """
        return local.messages

    def global_update(self, server: State, totals: Totals, now: Round) -> State:
        """Return the server's new state from the sums of messages that it has received, errors included."""
        raise NotImplementedError

    def receive(self, local: Local, messages: Messages, heard: ModelsOrOne, now: Round) -> State:
        """Return the participants' states after they have received the new global model, by default as they are.

        Messages are the result of ``upload``. Of that of ``local_update`` only ``client`` may be used.
        """
        return local.client

    def local_models(self, server: State, client: State) -> ModelsOrOne:
        """Return the models at which a convex problem's loss is taken; by default the global one."""
        return server.model

    def residuals(self, before: State, after: State, client: State, now: Round) -> tuple[PerRun, PerRun]:
        """Return the primal and the dual residual of a round, NaN where the method has none.

        States are the server's before and after the round, and the workers' after it.
        """
        return _nan(after.model), _nan(after.model)

    def penalty(self, server: State, now: Round) -> PerRun:
        """Return the mean penalty of all workers as the server knows it, NaN where they have none."""
        return _nan(server.model)


METHODS: dict[str, Method] = {}


def method(name: str, **parameters: Any) -> Callable[[type[Kind]], type[Kind]]:
    """Return a decorator that registers a class as a method under a name.

    Parameters are the method's own keys of the table ``algorithm``, each made by ``otafl.key``. Its functions find
    numbers in ``now.parameters``, which may change without a new program, and truth values, whole numbers and texts in
    ``now.options``.

    Raises:
        OtaflError: the name or a key is taken, or the class is not derived from ``Method``.
    """

    def register(kind: type[Kind]) -> type[Kind]:
        user_keys.require_new("method", name, type(METHODS[name]) if name in METHODS else None, kind, Method)
        numbers, others = user_keys.added("algorithm", parameters, name)
        kind.name = name
        kind.reads = (*kind.reads, *numbers)
        kind.shapes = (*kind.shapes, *others)
        METHODS[name] = kind()
        return kind

    return register


def named_tuple(**values: Any) -> Any:
    """Return a named tuple of some values, of one class for each choice of names.

    >>> named_tuple(rho=0.5, workers=3)
    Named(rho=0.5, workers=3)
    """
    return _named(tuple(values))(**values)


@functools.cache
def _named(names: tuple[str, ...]) -> Any:
    return namedtuple("Named", names)


def _nan(model: Tensor) -> PerRun:
    return tf.fill(tf.shape(model)[-1:], tf.constant(float("nan"), model.dtype))
