"""Schemes of the comparison, and the studies of each at its operating point, which the trials chose."""

import functools
from typing import NamedTuple

import xarray as xr

from figures.gallery.study import result


class Compared(NamedTuple):
    """Scheme of the comparison.

    Arguments:
        group: panel that shows it.
        method: its method with label and uplink.
    """

    group: str
    method: str

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


PUBLISHED = "A-SFADMM as published"
TITLES = {"A-SFADMM": "A-SFADMM p=1 κ=0.5 train", PUBLISHED: PUBLISHED}
"""Names of A-SFADMM in figures and tables, by method."""
METHODS = (
    ("bound", "FedAvg@ideal", ()),
    ("inversion", "FedAvg@analog", ("inversion", "truncation", "BAA", "full power", "MMSE", "COTAF")),
    ("coded", "FedAvg@analog", ("OBDA", "FSK-MV", "SumComp", "CA-DSGD")),
    ("digital", "FedAvg@digital", ("32 bits", "8 bits", "4 bits", "2 bits", "top-k", "D-DSGD")),
    ("coded", "FedAvg@digital", ("signSGD-MV",)),
    ("ADMM", "A-SFADMM", ()),
    ("ADMM", PUBLISHED, ()),
    ("ADMM", "D-SFADMM", ()),
    ("codes", "FedAvg@digital", ("normal", "NR", "min makespan")),
)
SCHEMES = tuple(
    Compared(group, f"{method} {name}".strip()) for group, method, names in METHODS for name in names or ("",)
)
"""Schemes, in the order of figures and tables. Those of "codes" are not tuned: their training is that of 4 bits. Nor is
A-SFADMM as published, which has the operating point of the other one."""
PARTITIONS = {"iid": "IID", "shards": "two classes"}


def study(scheme: Compared, partition: str, channel: str) -> str:
    """Return the name of the study of a scheme at its operating point, such as "compare_baa_iid_rayleigh"."""
    return f"compare_{scheme.name.lower().replace(' ', '_').replace('-', '_')}_{partition}_{channel}"


def over(channel: str) -> list[Compared]:
    """Return the schemes that are compared over a channel, "rayleigh" or "umi", without the bound."""
    return [scheme for scheme in SCHEMES[1:] if channel in scheme.channels]


@functools.cache
def of(scheme: Compared, partition: str, channel: str) -> xr.Dataset:
    """Return the result of a scheme, over SNR (where it has one), seed and iteration.

    Arguments:
        scheme: the scheme.
        partition: "iid" or "shards".
        channel: "rayleigh" or "umi".
    """
    return result(study(scheme, partition, channel))
