"""Executor of rounds with many workers: these pass through the programs part by part, with rows on the host.

The workers of a part train, and their signals are added to those of the other parts. Then the server receives the sum,
with the noise of one receiver and the power control of the largest signal. Then the workers receive the new model, part
by part again. Sums over workers are those of parts, added up, and differ by rounding from those of ``Sampled`` and
``Resident``. So the settings alone decide between them (``group.in_parts``).
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from otafl.algorithms.local_problem import Local, Minimiser, Round
from otafl.channels.effective_channel import Effective
from otafl.engine import iteration, watch
from otafl.engine.executors.by_round import Sampled
from otafl.engine.group import most_in_part
from otafl.engine.iteration import Columns, ProgramSpec, State
from otafl.federation.round_draw import RoundDraw
from otafl.numerics import compilation
from otafl.numerics.tensors import Tensor
from otafl.uplinks.link import Sent, Vectors


def parts(workers: int, most: int) -> list[slice]:
    """Return parts of consecutive workers, in order; equal ones where this does not double their number.

    Equal parts share a compiled program.
    """
    least = -(-workers // most)
    count = next((more for more in range(least, 2 * least) if workers % more == 0), least)
    edges = np.arange(count + 1) * workers // count
    return [slice(*pair) for pair in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)]


class Programs(NamedTuple):
    """Compiled programs of a round in parts (groups of participants), for one run.

    Their arguments: ``columns`` are data and parameters of the run (``Columns``), ``draw`` is the ``RoundDraw``,
    ``server`` the state of the server, ``kept`` the states of workers with their memory for uploads.

    Arguments:
        order: ``(columns, draw)`` of all participants -> order in which these read their samples, [participants,
            reads], indices of samples.
        train: ``(server, kept, columns, draw)`` of a part -> its workers' states; their losses and epochs, [part, 1]
            each; and for each message a ``Sent``, the sums over the workers of this part, [d, 1] each.
        serve: ``(server, sent, columns, draw)`` of all participants, ``sent`` having a ``Sent`` for each message with
            the sums over all parts -> the server's state, and the metrics of the upload (energy [J], relative squared
            error of the sum, largest power [W]), [metrics, 1].
        tell: ``(servers before and after, kept, trained, columns, draw)`` of a part, ``trained`` being losses and
            epochs, [part, 1] each -> its workers' states, and the metrics of the models (loss, primal and dual
            residual, penalty, epochs), [metrics, 1].
        look: ``(servers before and after, sent, columns, draw)`` of all participants -> a tuple of the metrics of
            ``form.metrics``, [metrics, 1] each.
    """

    order: Callable
    train: Callable
    serve: Callable
    tell: Callable
    look: Callable


@compilation.kept
def compiled(form: ProgramSpec) -> Programs:
    """Return the ``Programs`` for a round in parts: order of samples, training, server's update, broadcast."""

    def begun(server: Any, columns: Columns, draw: RoundDraw) -> Round:
        return iteration.round_of(form, columns, draw, iteration.prepare(form, columns, draw), server.model)

    def order(columns: Columns, draw: RoundDraw) -> Tensor:
        return iteration.problem_of(form, columns, draw).order

    def train(server: Any, kept: tuple, columns: Columns, draw: RoundDraw) -> tuple:
        (client, memory), now = kept, begun(server, columns, draw)
        local = form.method.local_update(server, client, now)

        def send() -> tuple[Vectors, tuple[Sent, ...]]:
            up = iteration.uploading(form, memory, local, now, columns.radio)
            return up.memory, up.sent

        left, sent = form.apart(send)
        own = iteration.kept(draw.active, local.client, client)
        return (own, left), (local.done.losses, local.done.epochs), sent

    def serve(server: Any, sent: tuple, columns: Columns, draw: RoundDraw) -> tuple:
        now = begun(server, columns, draw)
        return form.apart(
            lambda: iteration.server_update(form.method, iteration.link_of(form, now, columns.radio), server, sent, now)
        )

    def tell(servers: tuple, kept: tuple, trained: tuple, columns: Columns, draw: RoundDraw) -> tuple:
        (before, after), (client, memory), now = servers, kept, begun(servers[0], columns, draw)
        local, state = Local(client, Minimiser(None, *trained)), State(before, client, memory, (before.model,))

        def hear() -> tuple:
            link, messages = iteration.link_of(form, now, columns.radio), form.method.upload(local, now)
            heard, measured = iteration.apply_broadcast(form, link, state, after, local, messages, now)
            return (heard.client, heard.memory), measured

        return form.apart(hear)

    def look(servers: tuple, sent: tuple, columns: Columns, draw: RoundDraw) -> tuple:
        link = iteration.link_of(form, begun(servers[0], columns, draw), columns.radio)
        record = functools.partial(watch.seen_by_server, form, servers, link, sent, columns, draw)
        return watch.read(form, draw, servers[1].model, record)

    programs = order, train, serve, tell, look
    return Programs(*(tf.function(one, jit_compile=form.whole, autograph=False) for one in programs))


class InParts(Sampled):
    """Executor of one run whose participants are too many for one program: it computes a round part by part.

    Arguments:
        group: runs that differ in costs of an exact uplink alone, and share the computation.
    """

    def row(self, workers: np.ndarray, draw: RoundDraw) -> np.ndarray:
        """Compute one round part by part.

        Returns:
            Metrics of the round (energy [J], relative squared error of the received sum, largest power of a worker [W],
            loss, primal and dual residual, penalty, epochs, and test accuracy, NaN without a reading), those of
            ``form.metrics``, and the epochs of each participant. Shape [metrics + active].
        """
        programs, before = compiled(self.form), self.server
        whole = self.given(workers, _at_server(draw))
        some = parts(len(workers), most_in_part(before.model.shape[1]))
        order = programs.order(*whole)
        sent, done = None, []
        for part in some:
            columns, drawn = self._of(part, workers, draw)
            columns = columns._replace(own=columns.own._replace(order=order[part]))
            kept, trained, more = programs.train(before, self.kept(workers[part]), columns, drawn)
            self.keep(workers[part], kept)
            sent = more if sent is None else tuple(map(Sent.beside, sent, more))
            done.append(trained)
        self.server, on_air = programs.serve(before, sent, *whole)
        measured = []
        for part, trained in zip(some, done, strict=True):
            inputs = self._of(part, workers, draw)
            kept, found = programs.tell((before, self.server), self.kept(workers[part]), trained, *inputs)
            self.keep(workers[part], kept)
            measured.append(found.numpy()[:, 0])
        share = draw.weight[:, 0, 0] / draw.weight.max()
        sums = ([len(share[part]) for part in some], [share[part].sum() for part in some])
        found = iteration.joined(np.array(measured), *map(np.array, sums))
        own = programs.look((before, self.server), sent, *whole) if self.form.metrics else ()
        epochs = [trained[1] for trained in done]
        row = np.array([*on_air.numpy()[:, 0], *found, self.accuracy(*whole)])
        return np.concatenate([row, *(part.numpy()[:, 0] for part in (*own, *epochs))])

    def _of(self, part: slice, workers: np.ndarray, draw: RoundDraw) -> tuple[Columns, RoundDraw]:
        return self.given(workers[part], _of_part(draw, part, len(workers)))


def _of_part(draw: RoundDraw, part: slice, count: int) -> RoundDraw:
    """Return the draw of some participants. They have no receiver; the noise seeds their rounding, if they round."""
    some = tf.nest.map_structure(lambda leaf: leaf[part] if np.shape(leaf)[:1] == (count,) else leaf, draw)
    if some.conduct:
        some = some._replace(conduct=draw.conduct.of(part)._replace(seed=draw.conduct.seed + part.start))
    return some._replace(noise=draw.noise + np.float32(part.start))


def _at_server(draw: RoundDraw) -> RoundDraw:
    """Return the draw for the server, with the sum of gains and all that enters its noise."""
    channel = draw.channel
    gain = np.sum(channel.gain, axis=0, dtype=np.float64, keepdims=True).astype(channel.gain.dtype)
    both_parts = None if channel.quadrature is None else np.zeros_like(gain)
    heard = {"quadrature": both_parts, "neighbours": channel.neighbours}
    return draw._replace(channel=Effective(gain, None, np.zeros_like(gain), channel.noise_gain, **heard))
