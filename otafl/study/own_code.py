"""Failures of the user's code in runs, told apart from those of the machine."""

import contextlib
from collections.abc import Iterator

from otafl.errors import OtaflError
from otafl.scenario import user_classes
from otafl.settings.keys import Settings
from otafl.user_code import plugins

OF_MACHINE = ("ResourceExhaustedError", "InternalError", "UnavailableError", "AbortedError", "UnknownError")
"""TensorFlow's errors that may not come again."""


@contextlib.contextmanager
def contained(settings: Settings) -> Iterator[None]:
    """Turn an exception of runs with the user's code into an error of one line with its file and line.

    Such runs are not tried again. Exceptions of other runs pass, as do those of the machine, which may not come again.
    """
    try:
        yield
    except (OtaflError, KeyboardInterrupt):
        raise
    except BaseException as error:
        files = isinstance(error, OSError) and not isinstance(error, FileNotFoundError)
        of_machine = files or isinstance(error, MemoryError) or type(error).__name__ in OF_MACHINE
        if isinstance(error, Exception) and (of_machine or not user_classes.all_modules([settings])):
            raise
        raise OtaflError("method", settings.method, f"code that its runs need fails: {plugins.why(error)}") from error
