"""The keys of the whole energy of a run."""

from typing import Annotated

from pydantic import Field

from otafl.settings.types import ALWAYS, LEAST, AboveZero, Table, between
from otafl.variables import Quantity


class Energy(Table, frozen=True):
    """What takes energy beside the symbols that workers send."""

    whole: Annotated[bool, ALWAYS] = Field(
        default=False,
        description="results have the energy of uploaded symbols, pilots, feedback, cyclic prefixes, the downlink, "
        "local computation and amplifiers, energy_data and so on, which add up to total_energy",
    )
    amplifier_efficiency: Annotated[float, Field(gt=0, le=1), Quantity("Amplifier efficiency")] = Field(
        default=0.35, description="power that amplifiers radiate over what they take"
    )
    cycles_per_sample: Annotated[AboveZero, between(LEAST, 1e18), Quantity("Cycles per sample", "cycle")] = Field(
        default=1e4, description="processor cycles C that a worker needs for a sample in a pass over its data"
    )
    clock_hz: Annotated[AboveZero, between(LEAST, 1e15), Quantity("Clock", "Hz", symbol="$f$")] = Field(
        default=1e9, description="frequency f of workers' processors [Hz]"
    )
    switched_capacitance: Annotated[
        AboveZero, between(LEAST, 1), Quantity("Switched capacitance", "F", symbol="$\\kappa$")
    ] = Field(default=1e-28, description="κ of workers' processors, of which a cycle takes κ·f² [F]")

    @property
    def sample_j(self) -> float:
        """What a sample takes in a pass, κ·C·f² [J]."""
        return self.switched_capacitance * self.cycles_per_sample * self.clock_hz**2
