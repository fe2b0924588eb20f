"""Record of a communication round: all values drawn or known before it, for executors, uplinks and methods."""

from typing import Annotated, Any, NamedTuple, get_args

from otafl.numerics.tensors import Tensor, tf


class RoundDraw(NamedTuple):
    """Values of a round that are drawn or known before its workers begin, of one round or of a batch of rounds.

    A batch of B coherence blocks (rounds with one channel) of at most I rounds each has leading axes [B, I]. The
    channel, which a block has in common, has [B]; values that all rounds have in common have none. The last axis,
    ``runs``, holds the runs that one program computes side by side, or before that the seeds of these runs.

    Arguments:
        number: number of the round, from 0. Scalar.
        weight: weights ω of the workers in the objective, which add up to 1 over all workers. Shape [workers, 1, 1].
        channel: ``otafl.channels.effective_channel.Effective``: estimated power gains |ĥ|² (linear), arrival factors
            and transmit powers per squared symbol, all real, on subcarriers, or in a link on elements. Shapes [workers
            or 1, subcarriers or 1, runs].
        noise: real samples N(0, 1) of the server's receiver for each uploaded vector of d elements, none over exact
            uplinks, followed by the compressor's words, float32 with 32 random bits each. Shape [vectors, d + words,
            runs].
        downlink_noise: real samples N(0, 1) of the workers' receivers for each broadcast vector. Shape [vectors,
            workers, d, runs]; empty without an analog downlink.
        changed: True where the channel differs from that of the round before, or for each worker from that of its last
            round. Scalar or shape [workers, 1, 1].
        steps: local steps Q of the workers; None where ``active`` is given. Shape [workers, 1, 1].
        epochs: passes of workers over their samples; None: steps are counted. Shape [workers].
        uploads: 1 where the round ends with an upload, else 0; None: 1. Shape [1, 1, 1].
        active: 1 for workers that take part, 0 for others that are computed all the same; None: all take part. Shape
            [workers, 1, 1].
        sent: share of its upload that each worker sends before it is cut, from 0 to 1; None: all are whole. Shape
            [workers, 1, 1].
        arrives: 0 where all uploads are lost, so that the server keeps its state, else 1; None: 1. Scalar.
        record: True where loss and residuals are needed, as a result holds this iteration; None: True. Scalar.
        evaluate: True where the test accuracy is needed; None: it is not. Scalar.
        conduct: ``hostile_workers.Conduct`` of the workers in uploads; common to all rounds. None: they upload
            their updates as they are.
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
    sent: Annotated[Any, 3] = None
    arrives: Annotated[Any, 0] = None
    record: Annotated[Any, 0] = None
    evaluate: Annotated[Any, 0] = None
    conduct: Any = None

    def at(self, block: Any, place: Any) -> "RoundDraw":
        """Return one round of a batch, a ``RoundDraw`` whose fields have the shapes of one round.

        The batch may hold one coherence block only (``of_block``), whose channel stays.

        Arguments:
            block: number of the coherence block in the batch, from 0. Integer, or a scalar tensor.
            place: number of the round in that block, from 0. Integer, or a scalar tensor.
        """
        leaves = {name: _taken(getattr(self, name), rank, (block, place)) for name, rank in RANKS.items()}
        return self._replace(channel=self.of_block(block).channel, **leaves)

    def of_block(self, block: Any) -> "RoundDraw":
        """Return the batch with the channel of one coherence block in place of those of all B blocks.

        Arguments:
            block: number of the block in the batch, from 0. Integer, or a scalar tensor.

        Returns:
            The batch, with channel arrays of shape [workers or 1, subcarriers or 1, runs].
        """
        return self._replace(channel=self.channel.each(lambda part: _taken(part, 3, (block,))))

    def on_elements(self, elements: int) -> "RoundDraw":
        """Return the round with its channel repeated from S subcarriers to d elements.

        Arguments:
            elements: number d of elements of a vector; element i is on subcarrier i mod S.

        Returns:
            The round, with channel arrays of shape [workers or 1, d, runs].
        """
        return self._replace(channel=self.channel.each(lambda part: on_elements(part, elements)))

    def of_active(self, values: Tensor) -> Tensor:
        """Return values of workers, set to 0 for workers that do not take part. Shape [workers, d, runs].

        Arguments:
            values: values of each worker, such as d elements of its update. Shape [workers, d, runs].
        """
        return values if self.active is None else self.active * values


RANKS = {name: hint.__metadata__[0] for name, hint in RoundDraw.__annotations__.items() if get_args(hint)}
"""Number of axes of each field in one round, from its annotation; a batch has more in front."""


def on_elements(values: Tensor, elements: int) -> Tensor:
    """Repeat values of S subcarriers for d elements of a vector: element i is on subcarrier i mod S.

    Arguments:
        values: such as power gains of each worker on each subcarrier. Shape [workers, S, runs].
        elements: number d of elements.

    Returns:
        Shape [workers, d, runs].
    """
    if values.shape[1] == elements:
        return values
    return tf.tile(values, [1, -(-elements // values.shape[1]), 1])[:, :elements]


def _taken(values: Any, rank: int, place: tuple) -> Any:
    """Return the values at a place of a batch, with a given number of axes left; None stays None."""
    if values is None:
        return None
    where = place[: len(values.shape) - rank]
    return values[where] if where else values
