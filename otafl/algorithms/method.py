"""Base class of methods: the keys that a method reads, its limits with their reasons, and the pure functions of its
rounds.

A method is a class that ``@method`` registers under a name for scenarios, in a file of this folder or of the user's
own. Its functions see only the participants of a round. Executors hold the workers' states, and links carry the
messages.
"""

import functools
from collections import namedtuple
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from otafl.algorithms.local_problem import Local, Problem, Round
from otafl.numerics.tensors import Tensor, tf
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
    """Rule of a method on one scenario key, with the reason of a refusal.

    Arguments:
        key: dotted scenario key.
        holds: function from the run's ``Settings`` to True where they keep the rule.
        rule: text of an error message, the rule and its reason; ``{method}`` stands for the method's name.
    """

    key: str
    holds: Callable[[Any], bool]
    rule: str


def positive(key: str) -> Limit:
    """Return the limit that a parameter of a method is greater than 0.

    Arguments:
        key: dotted scenario key of the parameter, such as "algorithm.rho".
    """
    return Limit(key, lambda settings: settings.value(key) > 0, "must be greater than 0 with {method}")


EVERYBODY = Limit(
    "federation.participation",
    lambda settings: settings.drawn == settings.federation.workers,
    "must be 1: with {method} all workers take part in every round",
)
"""Limit of methods in which all workers take part in every round."""


class Method:
    """Base of all methods; by default a method runs over every uplink and with every kind of problem.

    Axes: workers N, of whom participants take part in a round; d elements of a model; runs computed side by side.
    States are named tuples of tensors [workers or 1, ..., runs]. A coherence block is the rounds over which the channel
    stays the same.
    """

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
    """True where the server needs a plain sum, so that a worker in a deep fade is silent on an analog uplink; False
    where contributions are weighed by the gain already."""
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
    even: ClassVar[bool] = False
    """True where all workers must make the same number of local steps."""
    unlabelled: ClassVar[bool] = False
    """True where the method uses samples without a label."""
    defaults: ClassVar[dict[str, Any]] = {}
    """Default values of keys of the table local, by key without the table."""
    noise_precision: ClassVar[str] = "float32"
    """NumPy type in which the noise of the server's receiver is drawn."""

    @property
    def keys(self) -> tuple[str, ...]:
        """Dotted scenario keys that the method reads, with those of its schedules."""
        return (*self.reads, *self.shapes, *(f"{key}_schedule" for key in self.scheduled))

    def idle(self, settings: Settings) -> dict[str, str]:
        """Return the reasons for which some of the ``keys`` have no effect on a run, by dotted key; by default none.

        Arguments:
            settings: of the run.
        """
        return {}

    def parameters(self, settings: Settings, iteration: int) -> dict[str, float]:
        """Return the method's parameters in a round, by name: the real numbers among the keys that it reads.

        Arguments:
            settings: the run's ``Settings``.
            iteration: number of the round, from 1; it counts for parameters with a schedule.

        Returns:
            Real numbers by key without the table, such as 0.5 by "rho" and 0.1 by "learning_rate".
        """
        share = settings.participants / settings.federation.workers
        known = {"participation": share, "inverse_probability": 1 / share}
        own = (key for key in self.reads if key.startswith(("algorithm.", "local.")) and is_number(key))
        values = {key.split(".")[1]: settings.value(key, iteration) for key in own}
        return {name: known[value] if isinstance(value, str) else value for name, value in values.items()}

    def options(self, settings: Settings, places: int, classes: int) -> Any:
        """Return the values that shape the method's program, as a named tuple.

        Arguments:
            settings: the run's ``Settings``.
            places: number of sample slots of a worker, as many as the worker with the most samples has.
            classes: number of classes; 0 in a regression.

        Returns:
            A named tuple with ``workers``, ``places`` and ``classes``, whole numbers, and one field for each key of
            ``shapes``, such as ``warm_start``, a text, whole number or truth value.
        """
        chosen = {key.split(".")[1]: settings.value(key) for key in self.shapes}
        return named_tuple(workers=settings.federation.workers, places=places, classes=classes, **chosen)

    def is_scheduled(self, settings: Settings) -> bool:
        """Return True where some parameter changes from some round on.

        Arguments:
            settings: the run's ``Settings``, with schedules such as ``algorithm.rho_schedule``.
        """
        return any(settings.value(f"{key}_schedule") for key in self.scheduled)

    def weighs_by_gain(self, settings: Settings) -> bool:
        """Return True where the workers' gains h in a coherence block enter the method's arithmetic; by default False.

        Arguments:
            settings: of the run.
        """
        return False

    def consensus_weight(self, settings: Settings, gain: np.ndarray, mean: np.ndarray | float) -> np.ndarray:
        """Return the workers' weights, where gains or mean gains enter the method's arithmetic; by default |ĥ|².

        Arguments:
            settings: of the run.
            gain: estimated power gain |ĥ|², linear. Shape [..., workers, subcarriers].
            mean: mean β of |ĥ|² over fading, linear. Shape [..., workers, 1], or one number.

        Returns:
            Weights w. Shape of gain.
        """
        return gain

    def uses_mean_gain(self, settings: Settings) -> bool:
        """Return True where the workers' mean gains β over fading enter the method's arithmetic; by default False.

        Arguments:
            settings: the run's ``Settings``.
        """
        return False

    def flips(self, settings: Settings) -> bool:
        """Return True where a change of channel changes the workers' part of the round; by default False.

        Arguments:
            settings: the run's ``Settings``.
        """
        return False

    def sends_models(self, settings: Settings) -> bool:
        """Return True where workers upload whole models, not changes of them or gradients; by default False.

        Arguments:
            settings: the run's ``Settings``.
        """
        return False

    def remark(self, settings: Settings, steps: Tensor) -> str:
        """Return a remark on a surprising choice of keys; empty where there is none.

        Arguments:
            settings: the run's ``Settings``.
            steps: most local steps of each worker in a round. Shape [workers].
        """
        return ""

    def init(self, start: Tensor, options: Any, parameters: Any) -> tuple[Any, Any]:
        """Return the initial states of the server, with a field ``model``, and of a worker.

        Arguments:
            start: initial model of d elements. Shape [1, d, runs].
            options: named tuple that ``options`` returns, such as ``options.workers``.
            parameters: the method's parameters by name, such as ``parameters.rho``. Shape [runs] each.

        Returns:
            State of the server, and state that all workers begin with, as named tuples of tensors [1, ..., runs or 1].
        """
        raise NotImplementedError

    def prepare(self, problem: Problem, gain: Tensor, parameters: Any) -> Any:
        """Return values that hold for a coherence block, such as matrix factors; None where there are none.

        A coherence block is the rounds over which the channel stays the same.

        Arguments:
            problem: local problems of all workers that are computed.
            gain: consensus weight of these workers, the estimated |h|² by default; 1 without weights. Shape [workers,
                d, runs], for d elements of a model.
            parameters: the method's parameters by name, such as ``parameters.rho``. Shape [runs] each.
        """
        return None

    def local_update(self, server: Any, client: Any, now: Round) -> Local:
        """Return the result of the participants' part of a round.

        Arguments:
            server: the server's state as workers have received it. Shape [1, ..., runs or 1] each; vectors of an analog
                downlink have [participants, d, runs], for d elements of a model.
            client: the participants' states. Shape [participants, ..., runs] each.
            now: inputs of the round: local problems, parameters, draws and the received global model.

        Returns:
            A ``Local`` with new states, [participants, ..., runs] each; trained models, [participants, d, runs]; the
            mean training loss of each worker, and its number of epochs, [participants, runs] each; and a tuple of
            messages, [participants, d, runs] each, unless ``upload`` forms them.
        """
        raise NotImplementedError

    def upload(self, local: Local, now: Round) -> tuple[Tensor, ...]:
        """Return a tuple of the messages that the participants send, of which the server receives the sums.

        Vectors of d elements of a model are [participants, d, runs], single numbers [participants, 1, runs]. Vectors
        beyond the number ``vectors`` are multiples of the last one, for a server that weighs it in several ways.

        Arguments:
            local: result of ``local_update``, whose ``messages`` are returned by default.
            now: inputs of the round: local problems, parameters, draws and the received global model.
        """
        return local.messages

    def global_update(self, server: Any, totals: tuple[Tensor, ...], now: Round) -> Any:
        """Return the server's new state from the sums of messages that it has received.

        Arguments:
            server: the server's state. Shape [1, ..., runs or 1] each.
            totals: sums of the messages over participants as received, errors included. Shape [1, d or 1, runs] each,
                for d elements of a model.
            now: inputs of the round: the method's parameters, draws and weights.
        """
        raise NotImplementedError

    def receive(self, local: Local, messages: tuple[Tensor, ...], heard: Tensor, now: Round) -> Any:
        """Return the participants' states after they have received the new global model, by default as they are.

        Arguments:
            local: result of ``local_update``, of which only ``client``, their states [participants, ..., runs], may be
                used.
            messages: result of ``upload``. Shape [participants, d or 1, runs] each, for d elements of a model.
            heard: the new global model as received, of each participant or the same for all. Shape [participants or 1,
                d, runs].
            now: inputs of the round: the method's parameters, draws and weights.
        """
        return local.client

    def local_models(self, server: Any, client: Any) -> Tensor:
        """Return models at which a convex problem's loss is taken, [workers or 1, d, runs]; by default the global one.

        Arguments:
            server: the server's state, with its ``model``, [1, d, runs].
            client: the workers' states. Shape [workers, ..., runs] each.
        """
        return server.model

    def residuals(self, before: Any, after: Any, client: Any, now: Round) -> tuple[Tensor, Tensor]:
        """Return the primal and the dual residual of a round, NaN where the method has none. Shape [runs] each.

        Arguments:
            before: the server's state before the round. Shape [1, ..., runs or 1] each.
            after: the server's state after it. Shape [1, ..., runs or 1] each.
            client: the workers' states after it. Shape [workers, ..., runs] each.
            now: inputs of the round: the method's parameters, draws and prepared values.
        """
        return _none(after.model), _none(after.model)

    def penalty(self, server: Any, now: Round) -> Tensor:
        """Return the mean penalty of all workers as the server knows it, NaN where they have none. Shape [runs].

        Arguments:
            server: the server's state. Shape [1, ..., runs or 1] each.
            now: inputs of the round: the method's parameters, options and draws.
        """
        return _none(server.model)


METHODS: dict[str, Method] = {}
"""Methods by name."""


def method(name: str, **parameters: Any) -> Callable[[type[Kind]], type[Kind]]:
    """Return a decorator that registers a class as a method under a name.

    Arguments:
        name: name in scenarios, such as "FedAvg".
        parameters: the method's own keys of the table ``algorithm``, each made by ``otafl.key``. Its functions find
            numbers in ``now.parameters``, which may change without a new program, and truth values, whole numbers and
            texts in ``now.options``.

    Raises:
        OtaflError: the name or a key is taken, or the class is not derived from ``Method``.
    """

    def register(made: type[Kind]) -> type[Kind]:
        user_keys.require_new("method", name, type(METHODS[name]) if name in METHODS else None, made, Method)
        numbers, others = user_keys.added("algorithm", parameters, name)
        made.name, made.reads, made.shapes = name, (*made.reads, *numbers), (*made.shapes, *others)
        METHODS[name] = made()
        return made

    return register


def named_tuple(**values: Any) -> Any:
    """Return a named tuple of some values, of one class for each choice of names.

    Arguments:
        values: values by name of the field.
    """
    return _named(tuple(values))(**values)


@functools.cache
def _named(names: tuple[str, ...]) -> Any:
    return namedtuple("Named", names)


def _none(model: Tensor) -> Tensor:
    """Return NaN for each run. Shape [runs]."""
    return tf.fill(tf.shape(model)[-1:], tf.constant(float("nan"), model.dtype))
