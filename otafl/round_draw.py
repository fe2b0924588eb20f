"""The record of a round: all that is drawn or known of it beforehand, for executors, uplinks and methods."""

from typing import Annotated, Any, NamedTuple, get_args

from otafl.arrays import Tensor, tf


class RoundDraw(NamedTuple):
    """All that is drawn or known of a round before its workers begin.

    A batch of B blocks of I rounds each has leading axes [B, I], or [B] in what a block has in common, which is the
    channel, or none in what all rounds have in common.

    Arguments:
        number: of the round, from 0. Scalar.
        weight: ω. Shape [workers, 1, 1].
        channel: the effective channel on subcarriers, or in a link on elements. Shapes [workers or 1, subcarriers or 1,
            runs].
        noise: real samples N(0, 1) of the server's receiver, and behind them the words of the compressor. Shape
            [vectors, d + words, runs].
        downlink_noise: likewise of workers' receivers. Shape [vectors, workers, d, runs], without an analog downlink
            empty.
        changed: whether the channel differs from that of the round before, or for each worker from that of its last
            one. Scalar or shape [workers, 1, 1].
        steps: Q; None beside ``active``. Shape [workers, 1, 1].
        epochs: passes that workers make over their samples; None: steps are counted. Shape [workers].
        uploads: 1 where the round ends with an upload, else 0; None: it does. Shape [1, 1, 1].
        active: 1 for workers that take part, 0 for those that are computed nevertheless; None: all take part. Shape
            [workers, 1, 1].
        record: whether loss and residuals are wanted; None: they are. Scalar.
        evaluate: whether the test accuracy is wanted. Scalar.
    """

    number: Annotated[Any, 0]
    weight: Annotated[Any, 3]
    channel: Any
    noise: Annotated[Any, 3]
    downlink_noise: Annotated[Any, 4]
    changed: Annotated[Any, 0] = False
    steps: Annotated[Any, 3] = None
    epochs: Annotated[Any, 1] = None
    uploads: Annotated[Any, 3] = None
    active: Annotated[Any, 3] = None
    record: Annotated[Any, 0] = None
    evaluate: Annotated[Any, 0] = None

    def at(self, block: Any, place: Any) -> "RoundDraw":
        """Return one round of a batch; its channel is that of its block already, or taken from there."""
        leaves = {name: _taken(getattr(self, name), rank, (block, place)) for name, rank in RANKS.items()}
        return self._replace(channel=self.of_block(block).channel, **leaves)

    def of_block(self, block: Any) -> "RoundDraw":
        """Return a batch whose channel is that of one block."""
        return self._replace(channel=self.channel.each(lambda part: _taken(part, 3, (block,))))

    def on_elements(self, elements: int) -> "RoundDraw":
        """Return the round with its channel on elements."""
        return self._replace(channel=self.channel.each(lambda part: on_elements(part, elements)))

    def of_active(self, values: Tensor) -> Tensor:
        """Return values of workers, 0 of those that do not take part. Shape [workers, d, runs]."""
        return values if self.active is None else self.active * values


RANKS = {name: hint.__metadata__[0] for name, hint in RoundDraw.__annotations__.items() if get_args(hint)}
"""Axes that each field has in one round, as its annotation says; those before them are of a batch."""


def on_elements(values: Tensor, elements: int) -> Tensor:
    """Repeat values of subcarriers for elements: element i rides subcarrier i mod S. Shape [workers, d, runs]."""
    if values.shape[1] == elements:
        return values
    return tf.tile(values, [1, -(-elements // values.shape[1]), 1])[:, :elements]


def _taken(values: Any, rank: int, place: tuple) -> Any:
    """Return values of a place in a batch, of as many axes as given."""
    if values is None:
        return None
    where = place[: len(values.shape) - rank]
    return values[where] if where else values
