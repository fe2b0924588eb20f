"""Record of a round that metrics read."""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from otafl.numerics.tensors import Tensor, tf


class Unseen(Exception):
    """Refusal of a metric that reads what its runs do not have. The text is the reason, for an error message."""


class Carried(NamedTuple):
    """Messages of a round, and their sums before and after the uplink; entry by entry what a worker uploads.

    Arguments:
        messages: vectors, [participants, d, runs], and single numbers, [participants, 1, runs], before compression and
            attacks; None where no program holds them all.
        meant: sums of the messages over the participants, [1, d or 1, runs] each; None as well.
        received: sums as the server has estimated them. Shape [1, d or 1, runs] each.
    """

    messages: tuple[Tensor, ...] | None
    meant: tuple[Tensor, ...] | None
    received: tuple[Tensor, ...]


class Seen:
    """Record of one round, which a metric reads inside a program.

    Axes: participants are the workers that the program computes in the round; d elements of a model; runs are computed
    side by side. Numbers are float64 with exact minimisers, else float32.

    Arguments:
        number: number of the round, from 1. Scalar, int32.
        before, server: state of the server before and after the round, each a named tuple of the method with at least
            the global ``model``, [1, d, runs].
        client: states of the participants after the round, a named tuple of the method, such as duals, [participants,
            ..., runs] each; it is empty where workers keep nothing.
        models: models that the participants have trained; of methods that send gradients the model at which these are
            taken. Shape [participants, d, runs].
        losses: means of the local losses over the local steps, 0 where they are not computed. Shape [participants,
            runs].
        weight: weights ω of the participants in the objective, which add up to 1 over all workers. Shape [participants,
            1, 1].
        active: 1 for workers that take part, 0 for others that are computed all the same. Shape [participants, 1, 1].
        problem: local problems of the participants, a ``local_problem.Problem`` with ``gradient(model)``.
        carry: function without arguments that returns the ``Carried`` upload.
        everyone: local problems of all workers.
        absent: reason why arguments that were left out are not known.
    """

    number: Tensor
    before: Any
    server: Any
    client: Any
    models: Tensor
    losses: Tensor
    weight: Tensor
    active: Tensor
    problem: Any
    carry: Callable[[], Carried]
    everyone: Any
    absent: str

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    def __getattr__(self, name: str) -> Any:
        """Refuse an argument that was left out, and any other name.

        Raises:
            Unseen: gives the reason.
            AttributeError: the name is private.
        """
        if name.startswith("_"):
            raise AttributeError(name)
        raise Unseen(self.absent if name in Seen.__annotations__ else f"reads {name!r}, which a round does not have")

    @functools.cached_property
    def _carried(self) -> Carried:
        return self.carry()

    def _known(self, vectors: tuple[Tensor, ...] | None) -> tuple[Tensor, ...]:
        if vectors is None:
            raise Unseen(self.absent)
        return vectors

    @property
    def messages(self) -> tuple[Tensor, ...]:
        """Messages of the participants before compression and attacks, such as weighted updates.

        A tuple of vectors, [participants, d, runs], and single numbers, [participants, 1, runs].
        """
        return self._known(self._carried.messages)

    @property
    def meant(self) -> tuple[Tensor, ...]:
        """Sums of the messages over the participants, without any error: a tuple of [1, d or 1, runs].

        They are NaN in a round without an upload.
        """
        return self._known(self._carried.meant)

    @property
    def received(self) -> tuple[Tensor, ...]:
        """Sums of the messages as the server has estimated them, noise included: a tuple of [1, d or 1, runs].

        They are NaN in a round without an upload.
        """
        return self._carried.received

    @functools.cached_property
    def accuracies(self) -> Tensor:
        """Share of each worker's training samples that the global model classifies correctly. Shape [workers, runs].

        All workers have one, also those that do not take part.
        """
        if not hasattr(type(self.everyone), "accuracies"):
            raise Unseen("reads accuracies of workers, which only classification has")
        return self.everyone.accuracies(self.server.model)

    def mean(self, values: Tensor) -> Tensor:
        """Return the plain mean of values over the workers that take part.

        Arguments:
            values: value of each participant. Shape [participants, ...].

        Returns:
            Shape [...].
        """
        active = tf.reshape(self.active, [-1, *[1] * (len(values.shape) - 1)])
        return tf.reduce_sum(active * values, axis=0) / tf.reduce_sum(active)
