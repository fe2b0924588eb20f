"""Federated learning over a wireless multiple-access channel, down to the physical layer.

otafl.load(name_or_path)                                 returns a scenario
otafl.run(scenario_or_name, overrides={...}, out=None)   returns its result, an xarray.Dataset
otafl.model(result, method=..., seed=...)                returns the model of a run, a keras.Model
otafl.tidy(result)                                       returns it as a long pandas frame
otafl.scenarios(), otafl.methods(), otafl.keys()         return what there is, as pandas frames
"""

import importlib
import os
import signal
import sys
from typing import TYPE_CHECKING, Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["KERAS_BACKEND"] = "tensorflow"  # the one that computes here, whatever others use

if "".join(sys.argv[:1]).endswith("/otafl") and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # until the command is loaded, it ends without a traceback

from otafl.errors import OtaflError, Remark  # noqa: F401
from otafl.system import process  # noqa: F401, which notices from here on when this process is forked

if TYPE_CHECKING:
    from otafl.algorithms.method import method
    from otafl.cli.frames import keys, methods, scenarios
    from otafl.losses import register as problem
    from otafl.metrics import metric
    from otafl.results.analysis import tidy
    from otafl.scenario.file import load
    from otafl.scenario.scenario import Scenario
    from otafl.settings.part_keys import key
    from otafl.study.final_model import model
    from otafl.study.run import Stopped
    from otafl.study.start import run
    from otafl.uplinks import register as uplink

__version__ = "0.1.0"
__all__ = ["OtaflError", "Scenario", "Stopped", "key", "keys", "load", "method", "methods", "metric", "problem", "run"]
__all__ += ["model", "scenarios", "tidy", "uplink"]
HOMES = {
    "Scenario": "scenario.scenario",
    "Stopped": "study.run",
    "key": "settings.part_keys",
    "keys": "cli.frames",
    "load": "scenario.file",
    "method": "algorithms.method",
    "methods": "cli.frames",
    "metric": "metrics",
    "model": "study.final_model",
    "problem": "losses:register",
    "run": "study.start",
    "scenarios": "cli.frames",
    "tidy": "results.analysis",
    "uplink": "uplinks:register",
}
"""Modules that have the public names, and the name there if it is another one; each is imported at its first use."""


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'otafl' has no attribute {name!r}")
    module, _, there = HOMES[name].partition(":")
    return getattr(importlib.import_module(f"otafl.{module}"), there or name)


def __dir__() -> list[str]:
    return __all__
