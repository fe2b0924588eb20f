"""What all federated methods share: a round as a method sees it, and what its functions take and give.

A method is a class with three pure functions. Those of the workers work on the participants of a round alone; what idle
workers keep stays where it is. Tensors have shape [participants or 1, d, runs].
"""

from typing import Any, NamedTuple, Protocol

import tensorflow as tf

from otafl.arrays import Tensor
from otafl.problems.problem import Minimiser, Problem


class Parameters(NamedTuple):
    """Numbers that a method may read, each of shape [runs]; ``otafl.settings.Algorithm`` says what they are."""

    rho: Tensor
    learning_rate: Tensor
    server_step: Tensor
    proximal_step: Tensor
    relaxation: Tensor
    regulariser_weight: Tensor
    dual_step: Tensor
    aggregation_step: Tensor
    strong_convexity: Tensor
    penalty_ratio: Tensor
    penalty_factor: Tensor
    memory_weight: Tensor
    pseudo_learning_rate: Tensor


class Options(NamedTuple):
    """What shapes a method's program.

    Arguments:
        workers: N.
        regulariser: name of g.
        warm_start: "local": training starts from the worker's own model where it keeps one; "global": from that of all.
        residual_at: "global" or "local", where the residual is taken that FedADMM-In compares with.
        pseudo_steps: steps on pseudo labels in a round.
        pseudo_labels: places for samples of a worker, and classes.
    """

    workers: int
    regulariser: str = "none"
    warm_start: str = "local"
    residual_at: str = "global"
    pseudo_steps: int = 1
    pseudo_labels: tuple[int, int] = (0, 0)


class Round(NamedTuple):
    """A round as a method sees it.

    Arguments:
        problem: the local problems of the participants.
        parameters: numbers.
        options: what shapes the program.
        weight: ω, the participants' weights in the objective, which add up to 1 over all workers. Shape
            [participants, 1, 1].
        steps: Q, local steps of each participant, where they are known beforehand. Shape [participants, 1, 1].
        uploads: 1 where the round ends with an upload, else 0. Shape [1, 1, 1].
    """

    problem: Problem
    parameters: Parameters
    options: Options
    weight: Tensor
    steps: Tensor
    uploads: Tensor

    @property
    def participants(self) -> int:
        """How many take part."""
        return self.weight.shape[0]

    @property
    def total_weight(self) -> Tensor:
        """Σω over the participants, which the server knows. Shape [1, 1, 1]."""
        return tf.reduce_sum(self.weight, axis=0, keepdims=True)

    def start(self, own: Tensor, common: Tensor) -> Tensor:
        """Where local training starts."""
        return own if self.options.warm_start == "local" else common


class Sent(NamedTuple):
    """What the participants have done.

    Arguments:
        client: what they keep.
        messages: what they upload, and the server gets the sums of: vectors [participants, d, runs] and numbers
            [participants, 1, runs]. More vectors than ``algorithms.Method.vectors`` says are the last one again,
            weighed by the server in another way; over an analog uplink they must be multiples of it.
        done: how training went.
    """

    client: Any
    messages: tuple[Tensor, ...]
    done: Minimiser


class FederatedMethod(Protocol):
    """What a federated method offers."""

    def init(self, start: Tensor, options: Options, rho: Tensor) -> tuple[Any, Any]:
        """What the server keeps, with the field ``model``, and what a worker keeps, [1, d, runs], before the first
        round."""
        ...

    def local_update(self, server: Any, client: Any, now: Round) -> Sent:
        """The participants' part of a round."""
        ...

    def global_update(self, server: Any, totals: tuple[Tensor, ...], now: Round) -> Any:
        """The server's part: what it keeps after it has received the sums of messages, [1, d or 1, runs]."""
        ...


class Model(NamedTuple):
    """A server that keeps nothing but the global model. Shape [1, d, runs]."""

    model: Tensor


class Nothing(NamedTuple):
    """What a worker keeps that keeps nothing."""
