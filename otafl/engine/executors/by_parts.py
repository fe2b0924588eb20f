"""Executor of rounds with many workers: these pass through the programs part by part, with rows on the host.

The workers of a part train, and their signals are added to those of the other parts. Then the server receives the sum,
with the noise of one receiver and the power control of the largest signal. Then the workers receive the new model, part
by part again. Sums over workers are those of parts, added up, and differ by rounding from those of ``Sampled`` and
``Resident``. So the settings alone decide between them (``group.in_parts``).
"""

import functools
from types import SimpleNamespace

import numpy as np
import tensorflow as tf

from otafl.algorithms.local_problem import Local, Minimiser, Round
from otafl.channels.effective_channel import Effective
from otafl.engine import iteration, watch
from otafl.engine.executors.by_round import Sampled
from otafl.engine.group import most_in_part
from otafl.engine.iteration import Columns, Fields, ProgramSpec, State
from otafl.errors import OtaflError
from otafl.federation.round_draw import RoundDraw
from otafl.numerics import compilation
from otafl.numerics.tensors import Messages, Tensor
from otafl.uplinks.link import Sent
from otafl.user_code import modules

SPREAD, TOLERANCE = 0.01, 0.01
"""Deviation of states from which it is tried that no workers are coupled, and the largest relative difference."""


def parts(workers: int, most: int) -> list[slice]:
    """Return parts of consecutive workers; equal ones, of one program, where this does not double their number."""
    least = -(-workers // most)
    count = next((more for more in range(least, 2 * least) if workers % more == 0), least)
    edges = np.arange(count + 1) * workers // count
    return [slice(*pair) for pair in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)]


@compilation.programs
def compiled(form: ProgramSpec) -> SimpleNamespace:
    """Return the compiled programs of a round in parts (groups of participants), for one run, by their names."""

    def begun(server: Fields, columns: Columns, draw: RoundDraw) -> Round:
        return iteration.round_of(form, columns, draw, iteration.prepare(form, columns, draw), server.model)

    def order(columns: Columns, draw: RoundDraw) -> Tensor:
        return iteration.problem_of(form, columns, draw).order

    def train(server: Fields, kept: tuple, columns: Columns, draw: RoundDraw) -> tuple:
        """Train a part; return its workers' states and memory, losses and epochs, and a ``Sent`` for each message."""
        (client, memory), now = kept, begun(server, columns, draw)
        local = form.method.local_update(server, client, now)

        def send() -> tuple[Messages, tuple[Sent, ...]]:
            up = iteration.uploading(form, memory, local, now, columns.radio)
            return up.memory, up.sent

        left, sent = form.apart(send)
        updated = iteration.where_active(draw.active, local.client, client)
        return (updated, left), (local.done.losses, local.done.epochs), sent

    def serve(server: Fields, sent: tuple, columns: Columns, draw: RoundDraw) -> tuple:
        """Receive what all participants have sent; return the server's state, and ON_AIR."""
        now = begun(server, columns, draw)
        return form.apart(
            lambda: iteration.server_update(form.method, iteration.link_of(form, now, columns.radio), server, sent, now)
        )

    def tell(servers: tuple, kept: tuple, trained: tuple, columns: Columns, draw: RoundDraw) -> tuple:
        """Let a part receive the new model; return its workers' states and memory, and LEARNT."""
        (before, after), (client, memory), now = servers, kept, begun(servers[0], columns, draw)
        local, state = Local(client, Minimiser(None, *trained)), State(before, client, memory, (before.model,))

        def hear() -> tuple:
            link, messages = iteration.link_of(form, now, columns.radio), form.method.upload(local, now)
            told, measured = iteration.apply_broadcast(form, link, state, after, local, messages, now)
            return (told.client, told.memory), measured

        return form.apart(hear)

    def look(servers: tuple, sent: tuple, columns: Columns, draw: RoundDraw) -> tuple:
        link = iteration.link_of(form, begun(servers[0], columns, draw), columns.radio)
        record = functools.partial(watch.seen_by_server, form, servers, link, sent, columns, draw)
        return watch.read(form, draw, servers[1].model, record)

    def alone(server: Fields, kept: tuple, columns: Columns, draw: RoundDraw) -> tuple:
        """Return the messages of a part, and its workers' states after they have received the old model again."""
        now = begun(server, columns, draw)
        local = form.method.local_update(server, kept[0], now)
        messages = form.method.upload(local, now)
        return messages, form.method.receive(local, messages, server.model, now)

    programs = order, train, serve, tell, look, alone
    named = {program.__name__: tf.function(program, jit_compile=form.whole, autograph=False) for program in programs}
    return SimpleNamespace(**named)


class InParts(Sampled):
    """Executor of one run whose participants are too many for one program: it computes a round part by part."""

    def row(self, workers: np.ndarray, draw: RoundDraw) -> np.ndarray:
        programs, before = compiled(self.form), self.server
        whole = self.given(workers, _at_server(draw))
        of_parts = parts(len(workers), most_in_part(before.model.shape[1]))
        order = programs.order(*whole)
        if draw.number == 0 and modules.of_part(type(self.form.method)):
            self._require_uncoupled(workers, draw, order)
        sent, trained = self._sent(of_parts, workers, draw, order)
        self.server, on_air = programs.serve(before, sent, *whole)
        learnt = self._learnt(of_parts, workers, draw, before, trained)
        metrics = programs.look((before, self.server), sent, *whole) if self.form.metrics else ()
        row = np.array([*on_air.numpy()[:, 0], *learnt, self.accuracy(*whole)])
        epochs = [of_part[1] for of_part in trained]
        return np.concatenate([row, *(values.numpy()[:, 0] for values in (*metrics, *epochs))])

    def _sent(self, of_parts: list[slice], workers: np.ndarray, draw: RoundDraw, order: Tensor) -> tuple[tuple, list]:
        """Train part by part; return the sums of what all have sent, and losses and epochs of each part."""
        sent, trained = None, []
        for part in of_parts:
            columns, drawn = self._of(part, workers, draw, order)
            states = self.worker_states(workers[part])
            kept, losses, of_part = compiled(self.form).train(self.server, states, columns, drawn)
            self.write(workers[part], kept)
            sent = of_part if sent is None else tuple(map(Sent.beside, sent, of_part))
            trained.append(losses)
        assert sent
        return sent, trained

    def _require_uncoupled(self, workers: np.ndarray, draw: RoundDraw, order: Tensor) -> None:
        """Refuse a method with which two workers do otherwise side by side than each alone, from random states."""
        rng, pair = np.random.default_rng(0), workers[:2]
        kept = tf.nest.map_structure(
            lambda leaf: leaf + tf.cast(SPREAD * rng.standard_normal(leaf.shape), leaf.dtype), self.worker_states(pair)
        )

        def done(part: slice) -> list[Tensor]:
            of_part = tf.nest.map_structure(lambda leaf: leaf[part], kept)
            inputs = self._of(part, workers, draw, order)
            return tf.nest.flatten(compiled(self.form).alone(self.server, of_part, *inputs))

        for value, *apart in zip(*map(done, (slice(0, 2), slice(0, 1), slice(1, 2))), strict=True):
            if np.linalg.norm(value - np.concatenate(apart)) > TOLERANCE * np.linalg.norm(value):
                rule = "couples workers, whose rounds are computed in parts here; its class must say couples = True"
                raise OtaflError("method", self.group.settings.method, rule)

    def _learnt(
        self, of_parts: list[slice], workers: np.ndarray, draw: RoundDraw, before: Fields, trained: list
    ) -> np.ndarray:
        """Let the workers hear the new model part by part; return ``LEARNT`` of all workers."""
        measured = []
        for part, losses in zip(of_parts, trained, strict=True):
            inputs, servers = self._of(part, workers, draw), (before, self.server)
            kept, of_part = compiled(self.form).tell(servers, self.worker_states(workers[part]), losses, *inputs)
            self.write(workers[part], kept)
            measured.append(of_part.numpy()[:, 0])
        share = draw.weight[:, 0, 0] / draw.weight.max()
        counts = np.array([len(share[part]) for part in of_parts])
        return iteration.joined(np.array(measured), counts, np.array([share[part].sum() for part in of_parts]))

    def _of(
        self, part: slice, workers: np.ndarray, draw: RoundDraw, order: Tensor | None = None
    ) -> tuple[Columns, RoundDraw]:
        columns, drawn = self.given(workers[part], _of_part(draw, part, len(workers)))
        of_part = None if order is None else order[part]
        return columns._replace(own=columns.own._replace(order=of_part)), drawn


def _of_part(draw: RoundDraw, part: slice, count: int) -> RoundDraw:
    """Return the draw of some participants. Their rounding is random by words of their own."""
    of_part = tf.nest.map_structure(lambda leaf: leaf[part] if np.shape(leaf)[:1] == (count,) else leaf, draw)
    if draw.alteration:
        of_part = of_part._replace(alteration=draw.alteration.of(part)._replace(seed=draw.alteration.seed + part.start))
    words = None if draw.words is None else draw.words + np.float32(part.start)
    return of_part._replace(noise=draw.noise, words=words)


def _at_server(draw: RoundDraw) -> RoundDraw:
    """Return the draw for the server, with the sum of gains and all that enters its noise."""
    channel = draw.channel
    gain = np.sum(channel.gain, axis=0, dtype=np.float64, keepdims=True).astype(channel.gain.dtype)
    both_parts = None if channel.quadrature is None else np.zeros_like(gain)
    known = {"quadrature": both_parts, "neighbours": channel.neighbours}
    return draw._replace(channel=Effective(gain, None, np.zeros_like(gain), channel.noise_gain, **known))
