"""Metrics of a round inside a program.

A metric changes no number of a run. The upload that it reads is computed once more, in a branch of the rounds that have
a reading, as one more reader of a tensor may change how a compiler rounds it.
"""

import functools
from collections.abc import Callable

import numpy as np
import tensorflow as tf

from otafl.engine.iteration import Columns, Fields, ProgramSpec, RoundDone, Tap, as_heard, problem_of, vector
from otafl.federation.round_draw import RoundDraw
from otafl.metrics import Metric, RoundRecord
from otafl.metrics.round_record import Carried
from otafl.numerics.tensors import Tensor
from otafl.uplinks.link import Link, Sent

IN_PARTS = "reads models or messages of all participants at once, but too many take part for one program to hold them"
"""Reason why a metric cannot be had in rounds whose participants are computed part by part."""


def tap(form: ProgramSpec, columns: Columns) -> Tap | None:
    """Return the observer that reads the metrics of a program's runs, [metrics, runs] each, in the form's order."""

    def observe(done: RoundDone) -> tuple[Tensor, ...]:
        return read(form, done.now.draw, done.after.server.model, lambda: seen(columns, done))

    return observe if form.metrics else None


def read(form: ProgramSpec, draw: RoundDraw, model: Tensor, look: Callable[[], RoundRecord]) -> tuple[Tensor, ...]:
    """Return the values of metrics in a round, NaN where it has no reading. Shape [metrics, runs] each."""

    def values(metrics: list[Metric]) -> Tensor:
        record = look()
        return tf.stack([metric.value(record, model[0, 0]) for metric in metrics])

    def none(metrics: list[Metric]) -> Tensor:
        return tf.fill([len(metrics), model.shape[2]], tf.constant(np.nan, model.dtype))

    readings = []
    for sparse, wanted in ((False, draw.record), (True, draw.evaluate if form.learner else draw.record)):
        if metrics := [metric for metric in form.metrics if metric.sparse is sparse]:
            branches = functools.partial(values, metrics), functools.partial(none, metrics)
            readings.append(branches[0]() if wanted is None else tf.cond(wanted, *branches))
    return tuple(readings)


def seen(columns: Columns, done: RoundDone) -> RoundRecord:
    """Return the record of a round for metrics. Exact updates are computed again, by one program with them."""
    (form, before, after, local, now, _), draw = done, done.now.draw
    if form.learner is None:
        local = form.method.local_update(as_heard(form, before, draw), before.client, now)
    again, theta = done._replace(local=local), local.done.theta
    return RoundRecord(
        **_of_server(form, before.server, after.server, columns, draw),
        client=after.client,
        models=tf.broadcast_to(theta, [now.participants, *theta.shape[1:]]),
        losses=local.done.losses,
        problem=now.problem,
        carry=lambda: form.apart(lambda: _carried(again)),
    )


def seen_by_server(
    form: ProgramSpec, servers: tuple, link: Link, sent: tuple[Sent, ...], columns: Columns, draw: RoundDraw
) -> RoundRecord:
    """Return the record of a round part by part for metrics: what the server has alone."""
    return RoundRecord(
        **_of_server(form, servers[0], servers[1], columns, draw),
        carry=lambda: Carried(None, None, _received(form, link, sent, draw)),
        absent=IN_PARTS,
    )


def _of_server(
    form: ProgramSpec, before: Fields, after: Fields, columns: Columns, draw: RoundDraw
) -> dict[str, Fields]:
    """Return what a metric reads of the server, of who takes part, and of all workers' data."""
    everyone = problem_of(form, columns._replace(own=columns.everyone or columns.own), draw)
    return {
        "number": draw.number + 1,
        "before": before,
        "server": after,
        "weight": draw.weight,
        "active": tf.ones_like(draw.weight) if draw.active is None else draw.active,
        "everyone": everyone,
    }


def _carried(done: RoundDone) -> Carried:
    """Return the messages of a round, and their sums as they are meant and as they are received."""
    up, draw = done.upload, done.now.draw
    meant = [tf.reduce_sum(draw.of_active(message), axis=0, keepdims=True) for message in up.messages]
    return Carried(up.messages, _uploaded(meant, draw), _received(done.form, up.link, up.sent, draw))


def _received(form: ProgramSpec, link: Link, sent: tuple[Sent, ...], draw: RoundDraw) -> tuple[Tensor, ...]:
    """Return the sums of messages as the server has estimated them. Shape [1, d or 1, runs] each."""
    return _uploaded([link.received(sums, vector(form.method, place)).total for place, sums in enumerate(sent)], draw)


def _uploaded(sums: list[Tensor], draw: RoundDraw) -> tuple[Tensor, ...]:
    """Return sums of an upload, NaN in a round without one."""
    if draw.uploads is None:
        return tuple(sums)
    return tuple(tf.where(draw.uploads > 0, total, tf.constant(np.nan, total.dtype)) for total in sums)
