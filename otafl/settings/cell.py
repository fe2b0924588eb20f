"""Keys of the table cell: base station and places of workers."""

from typing import Annotated, Literal

from pydantic import Field

from otafl.metrics.result_variables import Quantity
from otafl.settings.types import Metres, Positive, Table

MOST_ANTENNAS = 4096


class Cell(Table, frozen=True):
    """Base station with the server, and workers around it."""

    radius_m: Annotated[Metres | None, Quantity("Cell radius", "m", symbol="$R$")] = None
    """Outer radius of a ring, in whose area workers are uniform [m]; left out, all have the same mean path gain."""
    inner_radius_m: Annotated[Metres, Quantity("Inner radius", "m")] = 10.0
    """Inner radius of the ring [m]."""
    sector_deg: Annotated[float, Field(gt=0, le=360), Quantity("Sector of the workers", "deg")] = 360.0
    """Angle of the sector of the ring with workers, half of it to each side of the east [degrees]; 360: all around."""
    path_loss_db: Annotated[float, Field(ge=0, le=300), Quantity("Path loss at 1 m", "dB")] = 30.0
    """Path loss at a distance of 1 m [dB]."""
    path_loss_exponent: Annotated[float, Field(ge=0, le=10), Quantity("Path loss exponent", symbol="$n$")] = 3.0
    """Path loss exponent: path loss grows by 10 times the exponent in a decade of distance [dB]."""
    shadowing_db: Annotated[float, Field(ge=0, le=50), Quantity("Shadowing", "dB", linear=True, symbol="shadowing")] = (
        0.0
    )
    """Standard deviation of log-normal shadowing, independent for each worker [dB]."""
    most_loss_db: Annotated[Positive | None, Quantity("Largest coupling loss", "dB", linear=True)] = None
    """Largest path loss with shadowing of a place with coverage; others have no workers [dB]. Left out: all places."""
    snr_at: Literal["edge", "median", "worst", "link_budget"] = "edge"
    """Place of a worker with the SNR of channel.snr_db. edge: at the outer radius. median: at the median path gain of
    the area, shadowing left aside. worst: the worker of least mean gain, shadowing included, also with fading models
    that place workers. link_budget: at the median, but the SNR follows from the link budget."""
    transmit_power_dbm: Annotated[float, Field(ge=-50, le=80), Quantity("Transmit power", "dBm", linear=True)] = 23.0
    """Link budget: transmit power of a worker over all its subcarriers [dBm]."""
    noise_figure_db: Annotated[float, Field(ge=0, le=50), Quantity("Noise figure", "dB", linear=True)] = 5.0
    """Link budget: noise figure of the receiver, over thermal noise of -174 dBm/Hz [dB]."""
    neighbours: Annotated[int, Field(ge=0, le=6), Quantity("Neighbouring cells", symbol="neighbours")] = 0
    """Like cells at a distance of √3·radius_m, whose workers interfere with uploads at the power of ours."""
    activity: Annotated[
        float, Field(ge=0, le=1), Quantity("Activity of neighbours", linear=True, symbol="activity")
    ] = 1.0
    """Probability that a neighbouring cell transmits on a subcarrier in a coherence block."""
    antennas: Annotated[int, Field(ge=1, le=MOST_ANTENNAS), Quantity("Antennas")] = 1
    """Antennas M of the server; digital uploads are received by maximum-ratio combining."""
    worker_antennas: Annotated[int, Field(ge=1, le=MOST_ANTENNAS), Quantity("Antennas of a worker")] = 1
    """Antennas of each worker, which transmits by maximum ratio; with several cell.antennas in the direction that
    matches the server's combiner, or of its largest singular value in digital uploads."""
    surface_elements: Annotated[
        int, Field(ge=0, le=MOST_ANTENNAS), Quantity("Elements of the surface", symbol="$K$")
    ] = 0
    """Analog uploads in a ring: elements K of a reconfigurable surface, whose phases the server chooses in each
    coherence block for its weakest worker. Each worker sends K + 1 times as many pilots. 0: no surface."""
    surface_distance_m: Annotated[Metres, Quantity("Distance of the surface", "m")] = 20.0
    """Distance of the surface from the base station, to the east [m]."""
    surface_exponent: Annotated[float, Field(ge=0, le=10), Quantity("Path loss exponent of the surface")] = 2.0
    """Path loss exponent of both hops over the surface, each with cell.path_loss_db at 1 m; 2 is free space."""
