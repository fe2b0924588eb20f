"""Record of a communication round: all values drawn or known before it, for executors, uplinks and methods."""

from typing import Annotated, NamedTuple, get_origin

from otafl.channels.effective_channel import Effective, ElementChannel
from otafl.federation.hostile_workers import Alteration
from otafl.numerics.tensors import Scalar, Tensor, Vectors, WorkerScalars, tf


def on_elements(values: Tensor, elements: int) -> Vectors:
    """Repeat values of S subcarriers, [workers, S, runs], for d elements: element i is on subcarrier i mod S.

    >>> on_elements(tf.constant([[[1], [2]]]), 3).numpy().ravel().tolist()
    [1, 2, 1]
    """
    if values.shape[1] == elements:
        return values
    return tf.tile(values, [1, -(-elements // values.shape[1]), 1])[:, :elements]


class RoundDraw(NamedTuple):
    """Values of a round that are drawn or known before its workers begin, of one round or of a batch of rounds.

    A batch of B coherence blocks (rounds with one channel) of at most I rounds each has leading axes [B, I]. The
    channel, which a block has in common, has [B]; values that all rounds have in common have none. The last axis,
    ``runs``, holds the runs that one program computes side by side, or before that the seeds of these runs.

    Arguments:
        number: number of the round, from 0.
        weight: weights ω of the workers in the objective, which add up to 1 over all workers.
        channel: ``BlockChannels`` of a batch, ``Effective`` of a round, ``ElementChannel`` in a link.
        noise: real samples N(0, 1) for each uploaded vector; none over exact uplinks. [vectors, samples, runs].
        downlink_noise: real samples N(0, 1) of the workers' receivers for each broadcast vector. Shape [vectors,
            workers, d, runs]; empty without an analog downlink.
        changed: True where the channel differs from that of the last round, of all or of each worker [workers, 1, 1].
        steps: local steps Q of the workers; None where ``active`` is given.
        epochs: passes of workers over their samples; None: steps are counted. Shape [workers].
        uploads: 1 where the round ends with an upload, else 0; None: 1. Shape [1, 1, 1].
        active: 1 for workers that take part, 0 for others that are computed all the same; None: all take part.
        sent: share of its upload that each worker sends before it is cut, from 0 to 1; None: all are whole.
        arrives: 0 where all uploads are lost, so that the server keeps its state, else 1; None: 1.
        record: True where loss and residuals are needed, as a result holds this iteration; None: True.
        evaluate: True where the test accuracy is needed; None: it is not.
        alteration: what workers make of their updates, in all rounds; None: they upload them as they are.
        words: random words of the compressor, float32 of 32 random bits; None: no need. [vectors, words, runs].
    """

    number: Annotated[Scalar, 0]
    weight: Annotated[WorkerScalars, 3]
    channel: Effective
    noise: Annotated[Tensor, 3]
    downlink_noise: Annotated[Tensor, 4]
    changed: Annotated[Tensor, 0] = False
    steps: Annotated[WorkerScalars, 3] = None
    epochs: Annotated[Tensor, 1] = None
    uploads: Annotated[Tensor, 3] = None
    active: Annotated[WorkerScalars, 3] = None
    sent: Annotated[WorkerScalars, 3] = None
    arrives: Annotated[Scalar, 0] = None
    record: Annotated[Scalar, 0] = None
    evaluate: Annotated[Scalar, 0] = None
    alteration: Alteration | None = None
    words: Annotated[Tensor, 3] = None

    def at(self, block: Scalar, place: Scalar) -> "RoundDraw":
        """Return the round at a place of a coherence block of a batch, with the shapes of one round."""
        leaves = {name: _taken(getattr(self, name), rank, (block, place)) for name, rank in RANKS.items()}
        return self._replace(channel=self.of_block(block).channel, **leaves)

    def of_block(self, block: Scalar) -> "RoundDraw":
        """Return the batch with the channel of one coherence block in place of those of all B blocks."""
        return self._replace(channel=Effective(*self.channel.each(lambda part: _taken(part, 3, (block,)))))

    def on_elements(self, elements: int) -> "RoundDraw":
        """Return the round with its channel repeated from S subcarriers to d elements."""
        return self._replace(channel=ElementChannel(*self.channel.each(lambda part: on_elements(part, elements))))

    def of_active(self, values: Vectors) -> Vectors:
        """Return values of workers, set to 0 for workers that do not take part."""
        return values if self.active is None else self.active * values


_HINTS = RoundDraw.__annotations__.items()
RANKS = {name: hint.__metadata__[0] for name, hint in _HINTS if get_origin(hint) is Annotated}
"""Number of axes of each field in one round, from its annotation; a batch has more in front."""


def _taken(values: Tensor, rank: int, place: tuple[Scalar, ...]) -> Tensor:
    """Return the values at a place of a batch, with a given number of axes left; None stays None."""
    if values is None:
        return None
    where = place[: len(values.shape) - rank]
    return values[where] if where else values
