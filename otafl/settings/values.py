"""Values of scenario keys, as code passes them on."""

from typing import Any, TypeAlias

Value: TypeAlias = Any
"""Value of a scenario key: truth value, number, text, list of these, or None; of the key's type once it is checked."""
Values: TypeAlias = dict[str, Value]
"""Values by dotted scenario key, such as {"channel.snr_db": 20.0}."""
Tables: TypeAlias = dict[str, Value]
"""Nested tables, as TOML has them, such as {"channel": {"snr_db": 20.0}}."""
