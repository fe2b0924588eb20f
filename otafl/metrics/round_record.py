"""Record of a round that metrics read."""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from otafl.numerics.tensors import Losses, Messages, Models, Scalar, Tensor, Totals, WorkerScalars, tf

if TYPE_CHECKING:
    from otafl.algorithms.local_problem import ClassificationProblem, Problem, State


class NotRecorded(Exception):
    """Refusal of a metric that reads what its runs do not have. The text is the reason, for an error message."""


class Carried(NamedTuple):
    """Messages of a round, and their sums as meant and as received; None where no program holds them all."""

    messages: Messages | None
    meant: Totals | None
    received: Totals


class RoundRecord:
    """Record of one round, which a metric reads inside a program.

    Workers are the participants that the program computes. Numbers are float64 with exact minimisers, else float32.

    Arguments:
        number: number of the round, from 1. Scalar, int32.
        before, server: state of the server before and after the round, with at least the global ``model``.
        client: states of the participants after the round, such as duals; empty where workers keep nothing.
        models: models that the participants have trained, or at which gradients that they send are taken.
        losses: means of the local losses over the local steps, 0 where they are not computed.
        weight: weights ω of the participants in the objective, which add up to 1 over all workers.
        active: 1 for workers that take part, 0 for others that are computed all the same.
        problem: local problems of the participants.
        carry: function that returns the ``Carried`` upload.
        everyone: local problems of all workers.
        absent: reason why arguments that were left out are not known.
    """

    number: Scalar
    before: "State"
    server: "State"
    client: "State"
    models: Models
    losses: Losses
    weight: WorkerScalars
    active: WorkerScalars
    problem: "Problem"
    carry: Callable[[], Carried]
    everyone: "ClassificationProblem"
    absent: str

    def __init__(self, **values: object) -> None:
        vars(self).update(values)

    def __getattr__(self, name: str) -> NoReturn:
        """Refuse an argument that was left out, and any other name."""
        if name.startswith("_"):
            raise AttributeError(name)
        known = name in RoundRecord.__annotations__
        raise NotRecorded(self.absent if known else f"reads {name!r}, which a round does not have")

    @functools.cached_property
    def _carried(self) -> Carried:
        return self.carry()

    def _known(self, vectors: tuple[Tensor, ...] | None) -> tuple[Tensor, ...]:
        if vectors is None:
            raise NotRecorded(self.absent)
        return vectors

    @property
    def messages(self) -> Messages:
        """Messages of the participants before compression and attacks, such as weighted updates."""
        return self._known(self._carried.messages)

    @property
    def meant(self) -> Totals:
        """Sums of the messages over the participants, without any error; NaN in a round without an upload."""
        return self._known(self._carried.meant)

    @property
    def received(self) -> Totals:
        """Sums of the messages as the server has estimated them; NaN in a round without an upload."""
        return self._carried.received

    @functools.cached_property
    def accuracies(self) -> Losses:
        """Share of training samples that the global model classifies correctly, of all workers, also of idle ones."""
        if not hasattr(type(self.everyone), "accuracies"):
            raise NotRecorded("reads accuracies of workers, which only classification has")
        return self.everyone.accuracies(self.server.model)

    def mean(self, values: Tensor) -> Tensor:
        """Return the plain mean of values, [participants, ...], over the workers that take part."""
        active = tf.reshape(self.active, [-1, *[1] * (len(values.shape) - 1)])
        return tf.reduce_sum(active * values, axis=0) / tf.reduce_sum(active)
