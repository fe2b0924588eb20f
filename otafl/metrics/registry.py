"""Metrics by name: the decorator that registers them, and their values."""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from otafl.channels import class_origins
from otafl.errors import OtaflError
from otafl.metrics import result_variables
from otafl.metrics.result_variables import COORDINATES, OF_KEYS, VARIABLES, Variable
from otafl.metrics.round_record import NotRecorded, RoundRecord
from otafl.numerics.tensors import PerRun, tf
from otafl.user_code import plugins

KEY = "run.metrics"
TAKEN = (*COORDINATES, "method", "compute_time")
"""Names of coordinates and of the computing time, which results have beside their variables."""
Every = Literal["round", "evaluation"]
Compute = Callable[[RoundRecord], PerRun]
"""Function from the record of a round to a value for each run."""


@dataclass(frozen=True, kw_only=True)
class Metric(Variable):
    """Variable of results that a function computes from the record of a round."""

    compute: Compute

    def value(self, record: RoundRecord, like: PerRun) -> PerRun:
        """Return the metric's value in a round, of shape and type of ``like``; refuse a function that fails."""
        try:
            value = tf.convert_to_tensor(self.compute(record))
        except NotRecorded as error:
            raise OtaflError(KEY, self.name, f"{error}{plugins.place(error)}") from None
        except Exception as error:
            raise OtaflError(KEY, self.name, f"the function fails: {plugins.why(error)}") from None
        if value.shape != like.shape or value.dtype.is_complex:
            rule = f"must return a real number for each run, shape {like.shape}, not {value.dtype.name} {value.shape}"
            raise OtaflError(KEY, self.name, rule)
        return tf.cast(value, like.dtype)


REGISTERED: dict[str, Metric] = {}
"""Metrics by name, which the key ``run.metrics`` can ask for."""


def metric(
    name: str, unit: str = "1", long_name: str = "", every: Every = "round", rises: bool = False, linear: bool = False
) -> Callable[[Compute], Compute]:
    """Register a function of a round as a metric, a decorator. Runs whose key ``run.metrics`` names it bring it.

    The function gets the ``RoundRecord`` of a round, and returns a tensor with a value for each run. It is traced into
    a program, so it consists of TensorFlow's functions.

    Arguments:
        name: name of the variable in results, such as "drift".
        unit: its unit, such as "J"; "1" without one.
        long_name: its name in words, for the axes of figures; left out, ``name`` in words.
        every: "round": it is read in every recorded round. "evaluation": where workers train on mini-batches, only when
            the test accuracy is, by ``run.evaluate_every``.
        rises: True where larger values are better, as a target is then reached from below.
        linear: True for an axis that is always linear.

    Raises:
        OtaflError: the name is taken or not allowed, or an argument is of another kind.
    """
    _require_arguments(name, unit, long_name, every)

    def register(compute: Compute) -> Compute:
        _require_new(name, compute)
        REGISTERED[name] = Metric(
            name=name,
            unit=unit,
            long_name=long_name or name.replace("_", " ").capitalize(),
            brought_by="metric",
            rises=rises,
            linear=linear,
            sparse=every == "evaluation",
            compute=compute,
        )
        result_variables.add(REGISTERED[name])
        return compute

    return register


def _require_arguments(name: object, unit: object, long_name: object, every: object) -> None:
    if not isinstance(name, str) or not name.isidentifier():
        raise OtaflError("metric", name, "must be a name of letters, digits and underscores")
    for key, value in (("unit", unit), ("long_name", long_name)):
        if not isinstance(value, str):
            raise OtaflError(f"metric {name}", key, f"must be a text, not {value!r}")
    if every not in get_args(Every):
        raise OtaflError(f"metric {name}", every, f"every must be one of {', '.join(get_args(Every))}")


def _require_new(name: str, compute: Compute) -> None:
    """Refuse a metric whose name is taken, or that is no function; note the files of its code."""
    if not inspect.isfunction(compute):
        raise OtaflError("metric", name, f"must be a function, not {compute!r}")
    before = REGISTERED[name].compute if name in REGISTERED else None
    again = before and (before.__module__, before.__qualname__) == (compute.__module__, compute.__qualname__)
    if name in TAKEN or name in OF_KEYS or (name in VARIABLES and not again):
        raise OtaflError("metric", name, "is already the name of a variable, a coordinate or a scenario key")
    class_origins.note(compute)


def named(names: Iterable[str]) -> tuple[Metric, ...]:
    """Return registered metrics by their names, those that are read in every round first."""
    return tuple(sorted((REGISTERED[name] for name in names), key=lambda metric: metric.sparse))
