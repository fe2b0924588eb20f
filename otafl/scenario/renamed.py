"""Keys and values of scenarios that earlier versions knew under other names."""

import warnings
from collections.abc import Mapping
from typing import Any

from otafl.errors import Remark
from otafl.scenario.dotted import RENAMED

VALUES = {
    "uplink.precoder": (
        "uplink.scheme",
        {
            "fading": "inversion",
            "average_inversion": "BAA",
            "phase_only": "full_power",
            "optimal_power": "MMSE",
            "cotaf": "COTAF",
            "one_bit": "OBDA",
            "compressed": "CA-DSGD",
        },
        {"truncated_inversion": "truncation"},
    ),
}
"""Keys of which some values have become values of another one, with it, those values, and what stands for the others
where one key has both."""


def current(values: Mapping[str, Any], remark: bool = False) -> dict[str, Any]:
    """Return dotted keys and their values, or lists of them, under the names that they have now.

    Arguments:
        values: by dotted key.
        remark: whether the user is to be told of what has another name.
    """
    return dict(_current(str(key), value, remark) for key, value in values.items())


def _current(key: str, value: Any, remark: bool) -> tuple[str, Any]:
    now, found = RENAMED.get(key, key), value
    if key in VALUES:
        now, found = _translated(key, value)
    if remark and now != key:
        warnings.warn(f"{key} = {value!r}: is {now} = {found!r} now", Remark, stacklevel=2)
    return now, found


def _translated(key: str, value: Any) -> tuple[str, Any]:
    """Return the key and value of today for those of an earlier version."""
    several = list(value) if isinstance(value, list | tuple) else [value]
    other, names, beside = VALUES[key]
    if not any(isinstance(one, str) and one in names for one in several):
        return key, value
    found = [(names | beside).get(one, one) for one in several]
    return other, found if isinstance(value, list | tuple) else found[0]
