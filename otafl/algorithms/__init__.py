"""The methods by name. A method is a file of pure functions around ``init`` and ``step``; one paper per file.

This table is all that a scenario needs to be checked, so it imports no method: ``load`` does, when a run starts.
"""

import functools
import importlib
import re
from dataclasses import dataclass
from typing import Any, Literal

from otafl.errors import UnknownName

UplinkKind = Literal["analog", "digital", "ideal"]


@dataclass(frozen=True)
class Method:
    """What is fixed about a method before it runs.

    Arguments:
        module: the file in this folder that holds its functions; for a federated method, with the name of its class.
        uplinks: what can carry it, its default first.
        learning_rate: the default of ``local.learning_rate``; None where the method has no such parameter.
        optimizer: the default of ``local.optimizer``.
        downlinks: the downlinks it can work with.
        residuals: whether it has primal and dual residuals.
        problems: the kinds of problem it is meant for.
        one_batch: whether a round is one mini-batch and no local training.
        federated: whether it is one of the federated methods, of which some workers take part in a round.
        full: whether all workers must take part.
        vectors: how many vectors of the model's size a worker uploads.
        scalars: how many numbers it uploads beside them.
        sgd: why local training must be plain SGD; empty: it need not.
        even: why all workers must do the same local work; empty: they need not.
        regularisers: which regularisers it can have.
        unheard: why no analog uplink can carry it.
        unlabelled: whether it uses samples without a label.
        weighs: whether its objective can weigh workers by their samples.
        scheduled: which of its parameters may change from some round on.
    """

    module: str
    uplinks: tuple[UplinkKind, ...]
    learning_rate: float | None = None
    optimizer: str | None = None
    downlinks: tuple[str, ...] = ("digital",)
    residuals: bool = False
    problems: tuple[str, ...] = ("linear_regression",)
    one_batch: bool = False
    federated: bool = False
    full: bool = False
    vectors: int = 1
    scalars: int = 0
    sgd: str = ""
    even: str = ""
    regularisers: tuple[str, ...] = ("none",)
    unheard: str = ""
    unlabelled: bool = False
    weighs: bool = False
    scheduled: tuple[str, ...] = ()

    def load(self) -> Any:
        """What has the method's functions: the module, or an instance of the class in it."""
        return _loaded(self.module)


@functools.cache
def _loaded(path: str) -> Any:
    module, _, name = path.partition(":")
    loaded = importlib.import_module(f"otafl.algorithms.{module}")
    return getattr(loaded, name)() if name else loaded


def _network(module: str, uplink: UplinkKind, **fixed: Any) -> Method:
    return Method(module, (uplink,), problems=("classification",), **fixed)


def _federated(module: str, uplinks: tuple[UplinkKind, ...] = ("digital", "analog", "ideal"), **fixed: Any) -> Method:
    fixed = {"problems": ("classification", "linear_regression")} | fixed
    return Method(module, uplinks, learning_rate=0.1, optimizer="sgd", federated=True, **fixed)


EXACT: tuple[UplinkKind, ...] = ("digital", "ideal")
CONTROL = "its control variates are mean gradients of plain SGD"
NORMALISED = "it divides by the number of plain steps"
SINGLE = "its server divides by a sum of the workers' numbers, which noise may bring to zero"
ANY = ("none", "l1", "l2", "box")
PENALTY, SERVER, BOTH = ("rho",), ("server_step",), ("rho", "server_step")
METHODS = {
    "A-FADMM": Method("fadmm", ("analog",), downlinks=("digital", "analog"), residuals=True),
    "D-FADMM": Method("fadmm", ("digital",), residuals=True),
    "A-GD": Method("gradient_descent", ("analog",), learning_rate=1e-4),
    "D-GD": Method("gradient_descent", ("digital",), learning_rate=1e-4),
    "A-SFADMM": _network("fadmm", "analog", learning_rate=1e-2, optimizer="adam", residuals=True),
    "D-SFADMM": _network("fadmm", "digital", learning_rate=1e-2, optimizer="adam", residuals=True),
    "A-SGD": _network("gradient_descent", "analog", learning_rate=5e-3, optimizer="adam", one_batch=True),
    "D-SGD": _network("gradient_descent", "digital", learning_rate=5e-3, optimizer="adam", one_batch=True),
    "FedSGD": _federated("fedavg:FedSGD", weighs=True, scheduled=SERVER),
    "FedAvg": _federated("fedavg:FedAvg", weighs=True, scheduled=SERVER),
    "FedProx": _federated("fedprox:FedProx", weighs=True, scheduled=BOTH),
    "FedNova": _federated(
        "fednova:FedNova", EXACT, scalars=1, unheard=SINGLE, sgd=NORMALISED, weighs=True, scheduled=SERVER
    ),
    "SCAFFOLD": _federated("scaffold:Scaffold", vectors=2, sgd=CONTROL, scheduled=SERVER),
    "VRL-SGD": _federated("vrl_sgd:VRLSGD", full=True, sgd=CONTROL, even="it divides by one number of local steps"),
    "FedDyn": _federated("feddyn:FedDyn", scheduled=PENALTY),
    "FedPD": _federated("fedpd:FedPD", full=True, scheduled=PENALTY),
    "FedDR": _federated("feddr:FedDR", regularisers=ANY),
    "FedADMM-Wang": _federated("fedadmm_wang:FedADMM", regularisers=ANY, scheduled=PENALTY),
    "FedADMM-Gong": _federated("fedadmm_gong:FedADMM", scheduled=BOTH),
    "FedADMM": _federated("fedadmm_insa:FedADMM"),
    "FedADMM-In": _federated("fedadmm_insa:FedADMMIn"),
    "FedADMM-InSa": _federated("fedadmm_insa:FedADMMInSa", EXACT, scalars=1, unheard=SINGLE),
    "FedVRA": _federated("fedvra:FedVRA", weighs=True),
    "FedVRA-U": _federated(
        "fedvra_u:FedVRAU", problems=("classification",), regularisers=("none", "box"), unlabelled=True, weighs=True
    ),
}


def parse(name: str) -> tuple[Method, int]:
    """A method's entry, and the factor on the number of subcarriers that its name asks for.

    ``D-FADMM-10x`` is D-FADMM with ten times the subcarriers, the A-FADMM paper's notation.
    """
    match = re.fullmatch(r"(.+?)(?:-([1-9]\d*)x)?", name)
    base, factor = (match[1], int(match[2] or 1)) if match else (name, 1)
    if base not in METHODS:
        raise UnknownName("method", name, METHODS)
    return METHODS[base], factor
