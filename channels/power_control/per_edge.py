"""Power control of each edge server, whose sums a backhaul carries to the server."""

from dataclasses import dataclass
from typing import ClassVar

from ..registry import parameter
from .power_control import PowerControl, register


@register("per_edge")
@dataclass(frozen=True)
class PerEdge(PowerControl):
    """Power control with one factor α for the workers of each edge server; the server adds up what edges received.

    Workers are in equal groups by their number, with the channels and gains that they would have to one server. Edges
    receive at the same time, in cells that do not disturb each other, each with its own noise; an upload takes uses in
    every cell. A backhaul, without errors, carries its sums to the server; all links last equally long. Counts of
    workers heard, and the broadcast to edges, are free.

    Source: L. Liu, J. Zhang, S. H. Song and K. B. Letaief, "Client-Edge-Cloud Hierarchical Federated Learning", with
    one edge round for each round.
    """

    edges: int = parameter(
        2,
        "per_edge: number of edge servers, each of which receives an equal group of workers",
        label="Edge servers",
        symbol="E",
        ge=1,
    )
    backhaul_bits_per_s: float = parameter(
        1e9,
        "per_edge: rate of the digital link from each edge server to the server [bit/s]",
        label="Backhaul",
        unit="bit/s",
        ge=1.0,
    )
    with_weights: ClassVar[bool] = True
    version: ClassVar[int] = 2
    shapes: ClassVar[tuple[str, ...]] = ("edges",)

    def backhaul_s(self, bits: int) -> float:
        return bits / self.backhaul_bits_per_s
