"""Keys of the table energy: all energy of a run."""

from typing import Annotated

from pydantic import Field

from otafl.metrics.result_variables import Quantity
from otafl.settings.types import ALWAYS, LEAST, AboveZero, NotNegative, Table, between


class Energy(Table, frozen=True):
    """Energy that workers and server use besides the symbols of uploads."""

    whole: Annotated[bool, ALWAYS] = False
    """Results with all energy: uploaded symbols, pilots, feedback, cyclic prefixes, downlink, local computation,
    circuits and amplifiers. Their variables, energy_data and so on, add up to total_energy."""
    circuit_power_w: Annotated[NotNegative, Quantity("Circuit power", "W", linear=True)] = 0.0
    """Constant power of a worker's circuits while it is on, in its local computation and its own upload [W]."""
    amplifier_efficiency: Annotated[float, Field(gt=0, le=1), Quantity("Amplifier efficiency")] = 0.35
    """Radiated power of an amplifier over the power that it takes."""
    cycles_per_sample: Annotated[AboveZero, between(LEAST, 1e18), Quantity("Cycles per sample", "cycle")] = 1e4
    """Processor cycles C of a worker for one sample in a pass over its data."""
    clock_hz: Annotated[AboveZero, between(LEAST, 1e15), Quantity("Clock", "Hz", symbol="$f$")] = 1e9
    """Clock frequency f of workers' processors, the highest of all where they differ [Hz]."""
    clock_spread: Annotated[float, Field(ge=0, lt=1), Quantity("Spread of clocks", linear=True)] = 0.0
    """Spread of clocks: worker n has f_n = energy.clock_hz · u_n, u_n uniform in [1 - clock_spread, 1] for a run."""
    switched_capacitance: Annotated[
        AboveZero, between(LEAST, 1), Quantity("Switched capacitance", "F", symbol="$\\kappa$")
    ] = 1e-28
    """Switched capacitance κ of workers' processors: a cycle takes κ·f² at the worker's own clock [F]."""
