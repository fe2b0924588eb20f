"""Scenarios, methods and keys as pandas frames."""

import pandas as pd

from otafl.cli import key_reference
from otafl.scenario import library


def scenarios() -> pd.DataFrame:
    """Return the scenarios that come with otafl, by name: folder, title, and computing time in words.

    >>> scenarios().loc["quickstart", "folder"]
    ''
    """
    entries = library.entries()
    rows = [(entry.subject, entry.title, entry.duration) for entry in entries.values()]
    frame = pd.DataFrame(rows, index=pd.Index(entries, name="name"), columns=["folder", "title", "duration"])
    return frame.sort_values(["folder", "name"])


def methods() -> pd.DataFrame:
    """Return the methods, also registered ones, by name: paper, upload in a round, uplinks, keys of their own, help."""
    return pd.DataFrame(key_reference.methods()).set_index("name")


def keys() -> pd.DataFrame:
    """Return the scenario keys, also those of registered classes, by dotted name: type, default, unit, help.

    >>> keys().loc["channel.snr_db", ["default", "unit"]].tolist()
    ['40.0', 'dB']
    """
    return pd.DataFrame(key_reference.keys()).set_index("name")
