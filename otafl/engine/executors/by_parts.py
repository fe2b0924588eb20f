"""Rounds of so many workers that they go through the programs part by part, their rows on the host.

The workers of a part train, and what they send adds up with what the others have sent; then the server receives all of
it at once, with the noise of one receiver and the power control of the largest signal; then the workers hear of the new
model, part by part again. Sums over workers are those of parts, added up: they differ by rounding from those of
``sampled`` and ``resident``, and so the settings alone say which one a run is for (``group.in_parts``).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from otafl import xla
from otafl.algorithms.protocol import Local, Minimiser
from otafl.arrays import Tensor
from otafl.engine.executors import by_round
from otafl.engine.executors.by_round import RoundInputs, Sampled, given_of
from otafl.engine.group import most_in_part
from otafl.engine.inputs import Round
from otafl.engine.iteration import Form, State, joined, on_air, put, remembered, round_of, served, told
from otafl.uplinks.link import Sent, Vectors


def parts(workers: int, most: int) -> list[slice]:
    """Workers in parts of at most so many; of one size, which is one program, where less than twice as many do it."""
    least = -(-workers // most)
    count = next((more for more in range(least, 2 * least) if workers % more == 0), least)
    edges = np.arange(count + 1) * workers // count
    return [slice(*pair) for pair in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)]


class Rounds(by_round.Rounds):
    """A run whose rounds take their workers part by part."""

    def advance_in_parts(
        self, whole: RoundInputs, of: Callable[[slice], RoundInputs], workers: np.ndarray, evaluate: bool
    ) -> np.ndarray:
        """Do a round; returns a ROW, its accuracy NaN without a reading.

        Arguments:
            whole: what the round is given for all workers, of its gains one row with their sum.
            of: what it is given for a part of them.
            workers: who takes part.
            evaluate: whether the test accuracy is wanted.
        """
        programs, before = compiled(self.form), self.server
        some = parts(len(workers), most_in_part(before.model.shape[1]))
        order = programs.order(self.shared, whole)
        sent, done = None, []
        for part in some:
            kept, trained, more = programs.train(before, self.kept(workers[part]), self.shared, _with(order, part, of))
            self.keep(workers[part], kept)
            sent = more if sent is None else tuple(map(Sent.beside, sent, more))
            done.append(trained)
        self.server, on_air = programs.serve(before, sent, self.shared, whole)
        measured = []
        for part, trained in zip(some, done, strict=True):
            servers, kept = (before, self.server), self.kept(workers[part])
            kept, found = programs.tell(servers, kept, trained, self.shared, of(part))
            self.keep(workers[part], kept)
            measured.append(found.numpy()[:, 0])
        found = joined(np.array(measured), np.array([len(workers[part]) for part in some]))
        return np.array([*on_air.numpy()[:, 0], *found, self.accuracy(of(some[0])) if evaluate else np.nan])


def _with(order: Tensor, part: slice, of: Callable[[slice], RoundInputs]) -> RoundInputs:
    """What a part is given, with its share of the order in which all workers read their samples."""
    inputs = of(part)
    return inputs._replace(own=inputs.own._replace(order=order[part]))


class Programs(NamedTuple):
    """The programs of a round in parts.

    Arguments:
        order: ``(shared, whole)`` -> the order in which all participants read their samples.
        train: ``(server, kept, shared, inputs)`` -> what a part's workers keep, their losses and passes, what they
            have sent.
        serve: ``(server, sent, shared, whole)`` -> what the server keeps, and ON_AIR.
        tell: ``(servers before and after, kept, trained, shared, inputs)`` -> what a part's workers keep then, and
            LEARNT.
    """

    order: Callable
    train: Callable
    serve: Callable
    tell: Callable


@xla.kept
def compiled(form: Form) -> Programs:
    """The programs of a form."""

    def order(shared: Any, whole: RoundInputs) -> Tensor:
        return form.kind.bind(form.learner, shared, whole.own, whole.iteration, whole.epochs).order

    def train(server: Any, kept: tuple, shared: Any, inputs: RoundInputs) -> tuple:
        (client, memory), given = kept, given_of(form, shared, inputs)
        now = round_of(form, server.model, given)
        local = form.method.local_update(server, client, now)

        def send() -> tuple[Vectors, tuple[Sent, ...]]:
            link, gain = on_air(form, server, given)
            messages = form.method.upload(local, now._replace(gain=gain))
            light, left = link.compress(messages, memory)
            return remembered(given.uploads, left, memory), put(form.method, link, light)

        left, sent = form.apart(send)
        return (local.client, left), (local.done.losses, local.done.epochs), sent

    def serve(server: Any, sent: tuple, shared: Any, whole: RoundInputs) -> tuple:
        given = given_of(form, shared, whole)

        def receive() -> tuple:
            link, gain = on_air(form, server, given)
            now = round_of(form, server.model, given)._replace(gain=gain)
            return served(form.method, link, server, sent, now, given.uploads)

        return form.apart(receive)

    def tell(servers: tuple, kept: tuple, trained: tuple, shared: Any, inputs: RoundInputs) -> tuple:
        (before, after), (client, memory), given = servers, kept, given_of(form, shared, inputs)

        def hear() -> tuple:
            link, gain = on_air(form, before, given)
            now = round_of(form, before.model, given)._replace(gain=gain)
            local = Local(client, Minimiser(None, *trained))
            state, messages = State(before, client, memory, (before.model,)), form.method.upload(local, now)
            state, measured = told(form, link, state, after, local, messages, given, now)
            return (state.client, state.memory), measured

        return form.apart(hear)

    return Programs(*(tf.function(one, jit_compile=form.whole, autograph=False) for one in (order, train, serve, tell)))


class InParts(Sampled):
    """The same where the participants of a round are too many for one program."""

    kind = Rounds

    def row(self, drawn: Round) -> np.ndarray:
        """Do one round part by part; returns a ROW."""
        whole = self.round_inputs(drawn.at_server)
        return self.rounds.advance_in_parts(
            whole, lambda part: self.round_inputs(drawn.of(part)), drawn.who.workers, drawn.evaluate
        )
