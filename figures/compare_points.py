"""Schemes of the comparison with their operating points, as the trials chose them (``figures.compare_trials``)."""

from typing import NamedTuple


class Compared(NamedTuple):
    """Scheme of the comparison.

    Arguments:
        group: panel that shows it.
        method: its method with label and uplink.
        knob: dotted key that was tuned.
        iid: tuned value and SNR [dB] for equal shares of data; an SNR of None: all train alike.
        shards: likewise for two classes a worker.
    """

    group: str
    method: str
    knob: str
    iid: tuple[float, float | None]
    shards: tuple[float, float | None]

    @property
    def name(self) -> str:
        """Name of the scheme, without that of its method and uplink."""
        return "bound" if self.group == "bound" else self.method.partition(" ")[2] or self.method

    @property
    def title(self) -> str:
        """Name of the scheme in figures and tables, which says how its A-SFADMM differs from the paper's."""
        return TITLES.get(self.method, self.name)

    @property
    def channels(self) -> tuple[str, ...]:
        """Channels over which the scheme is compared."""
        return ("rayleigh",) if self.group == "codes" or self.method == PUBLISHED else ("rayleigh", "umi")

    def point(self, partition: str) -> tuple[float, float | None]:
        """Return the tuned value and the SNR [dB] of a partition, "iid" or "shards"."""
        return self.iid if partition == "iid" else self.shards


RATE, STEP, NORM, RANGE, RHO = (
    "local.learning_rate",
    "algorithm.server_step",
    "uplink.update_norm",
    "uplink.element_range",
    "algorithm.rho",
)
PUBLISHED = "A-SFADMM as published"
TITLES = {"A-SFADMM": "A-SFADMM p=1 κ=0.5 train", PUBLISHED: PUBLISHED}
"""Names of A-SFADMM in figures and tables, by method."""
SCHEMES = (
    Compared("bound", "FedAvg@ideal", RATE, (0.3, None), (0.3, None)),
    Compared("inversion", "FedAvg@analog inversion", RATE, (0.3, -30.0), (0.3, -20.0)),
    Compared("inversion", "FedAvg@analog truncation", RATE, (0.3, -50.0), (0.3, -30.0)),
    Compared("inversion", "FedAvg@analog BAA", RATE, (0.3, -50.0), (0.3, -40.0)),
    Compared("inversion", "FedAvg@analog full power", RATE, (0.3, -50.0), (0.3, -40.0)),
    Compared("inversion", "FedAvg@analog MMSE", RATE, (0.3, -20.0), (0.3, -20.0)),
    Compared("inversion", "FedAvg@analog COTAF", NORM, (4.5, -40.0), (13.5, -30.0)),
    Compared("coded", "FedAvg@analog OBDA", STEP, (0.005, -40.0), (0.005, -30.0)),
    Compared("coded", "FedAvg@analog FSK-MV", STEP, (0.005, -20.0), (0.005, -20.0)),
    Compared("coded", "FedAvg@analog SumComp", RANGE, (0.01, -50.0), (0.1, -30.0)),
    Compared("coded", "FedAvg@analog CA-DSGD", RATE, (0.3, -20.0), (0.1, 0.0)),
    Compared("digital", "FedAvg@digital 32 bits", RATE, (0.3, None), (0.3, None)),
    Compared("digital", "FedAvg@digital 8 bits", RATE, (0.3, None), (0.3, None)),
    Compared("digital", "FedAvg@digital 4 bits", RATE, (0.3, None), (0.3, None)),
    Compared("digital", "FedAvg@digital 2 bits", RATE, (0.3, None), (0.3, None)),
    Compared("digital", "FedAvg@digital top-k", RATE, (0.3, None), (0.3, None)),
    Compared("digital", "FedAvg@digital D-DSGD", RATE, (0.3, -10.0), (0.3, 0.0)),
    Compared("coded", "FedAvg@digital signSGD-MV", STEP, (0.0015, None), (0.005, None)),
    Compared("ADMM", "A-SFADMM", RHO, (0.05, -20.0), (2.0, 0.0)),
    Compared("ADMM", PUBLISHED, RHO, (0.05, -20.0), (2.0, 0.0)),
    Compared("ADMM", "D-SFADMM", RHO, (0.05, None), (0.05, None)),
    Compared("codes", "FedAvg@digital normal", RATE, (0.3, None), (0.3, None)),
    Compared("codes", "FedAvg@digital NR", RATE, (0.3, None), (0.3, None)),
    Compared("codes", "FedAvg@digital min makespan", RATE, (0.3, None), (0.3, None)),
)
"""Schemes, in the order of figures and tables. Those of "codes" are not tuned: their training is that of 4 bits. Nor is
A-SFADMM as published, which has the operating point of the other one."""
PARTITIONS = {"iid": "IID", "shards": "two classes"}


def part(scheme: Compared, partition: str, channel: str) -> str:
    """Return the name of the study of a scheme at its operating point, such as "compare_baa_iid_rayleigh"."""
    return f"compare_{scheme.name.lower().replace(' ', '_').replace('-', '_')}_{partition}_{channel}"
