"""Schemes of the comparison with their operating points, as the trials chose them (``figures.compare_trials``)."""

from typing import Any, NamedTuple


class Compared(NamedTuple):
    """Scheme of the comparison.

    Arguments:
        group: panel that shows it.
        scenario: scenario that has the scheme.
        method: its method with label and uplink.
        knob: dotted key that was tuned.
        iid: tuned value and SNR [dB] for equal shares of data; an SNR of None: all train alike.
        shards: likewise for two classes a worker.
        more: further keys.
    """

    group: str
    scenario: str
    method: str
    knob: str
    iid: tuple[float, float | None]
    shards: tuple[float, float | None]
    more: tuple[tuple[str, Any], ...] = ()

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
FAST = ((RATE, 0.3),)
PUBLISHED = "A-SFADMM as published"
TITLES = {"A-SFADMM": "A-SFADMM p=1 κ=0.5 train", PUBLISHED: PUBLISHED}
"""Names of A-SFADMM in figures and tables, by method."""
SCHEMES = (
    Compared("bound", "compare_analog", "FedAvg@ideal", RATE, (0.3, None), (0.3, None)),
    Compared("inversion", "compare_analog", "FedAvg@analog inversion", RATE, (0.3, -30.0), (0.3, -20.0)),
    Compared("inversion", "compare_analog", "FedAvg@analog truncation", RATE, (0.3, -50.0), (0.3, -30.0)),
    Compared("inversion", "compare_analog", "FedAvg@analog BAA", RATE, (0.3, -50.0), (0.3, -40.0)),
    Compared("inversion", "compare_analog", "FedAvg@analog full power", RATE, (0.3, -50.0), (0.3, -40.0)),
    Compared("inversion", "compare_analog", "FedAvg@analog MMSE", RATE, (0.3, -20.0), (0.3, -20.0)),
    Compared("inversion", "compare_analog", "FedAvg@analog COTAF", NORM, (4.5, -40.0), (13.5, -30.0), FAST),
    Compared("coded", "compare_coded", "FedAvg@analog OBDA", STEP, (0.005, -40.0), (0.005, -30.0)),
    Compared("coded", "compare_coded", "FedAvg@analog FSK-MV", STEP, (0.005, -20.0), (0.005, -20.0)),
    Compared("coded", "compare_coded", "FedAvg@analog SumComp", RANGE, (0.01, -50.0), (0.1, -30.0), FAST),
    Compared(
        "coded", "compare_coded", "FedAvg@analog CA-DSGD", RATE, (0.3, -20.0), (0.1, 0.0), (("run.iterations", 300),)
    ),
    Compared("digital", "compare_digital", "FedAvg@digital 32 bits", RATE, (0.3, None), (0.3, None)),
    Compared("digital", "compare_digital", "FedAvg@digital 8 bits", RATE, (0.3, None), (0.3, None)),
    Compared("digital", "compare_digital", "FedAvg@digital 4 bits", RATE, (0.3, None), (0.3, None)),
    Compared("digital", "compare_digital", "FedAvg@digital 2 bits", RATE, (0.3, None), (0.3, None)),
    Compared("digital", "compare_digital", "FedAvg@digital top-k", RATE, (0.3, None), (0.3, None)),
    Compared("digital", "compare_digital", "FedAvg@digital D-DSGD", RATE, (0.3, -10.0), (0.3, 0.0)),
    Compared("coded", "compare_coded", "FedAvg@digital signSGD-MV", STEP, (0.0015, None), (0.005, None)),
    Compared("ADMM", "compare_admm", "A-SFADMM", RHO, (0.05, -20.0), (2.0, 0.0)),
    Compared("ADMM", "compare_admm", PUBLISHED, RHO, (0.05, -20.0), (2.0, 0.0)),
    Compared("ADMM", "compare_admm", "D-SFADMM", RHO, (0.05, None), (0.05, None)),
    Compared("codes", "compare_codes", "FedAvg@digital normal", RATE, (0.3, None), (0.3, None)),
    Compared("codes", "compare_codes", "FedAvg@digital NR", RATE, (0.3, None), (0.3, None)),
    Compared("codes", "compare_codes", "FedAvg@digital min makespan", RATE, (0.3, None), (0.3, None)),
)
"""Schemes, in the order of figures and tables. Those of "codes" are not tuned: their training is that of 4 bits. Nor is
A-SFADMM as published, which has the operating point of the other one."""
WITH_PILOTS = "pilots_trial"
PILOTS: dict[str, Any] = {
    "channel.pilots": 1,
    "channel.pilot_snr_db": [-15.0, -10.0, -5.0, 0.0, 5.0],
    "channel.snr_db": [-50.0, -40.0, -30.0],
    "run.seed": 1000,
    "run.seeds": 1,
    "run.iterations": 60,
}
"""Trial of BAA whose knowledge of the channel comes from pilots, and keys in which it differs."""
PARTITIONS = {"iid": "IID", "shards": "two classes"}
QUIET = [-30.0, -20.0, -10.0, 0.0, 10.0, 20.0]
"""SNRs of digital uploads that train alike at any of them [dB]."""
CODED = QUIET[2:]
"""SNRs of uploads by code, for which NR's tables begin at -2 dB of a symbol [dB]."""


def part(scheme: Compared, partition: str, channel: str) -> str:
    """Return the name of the study of a scheme at its operating point, such as "compare_baa_iid_rayleigh"."""
    return f"compare_{scheme.name.lower().replace(' ', '_').replace('-', '_')}_{partition}_{channel}"


def parts() -> dict[str, tuple[str, dict[str, Any]]]:
    """Return scenario and overrides of every study of the comparison, by name.

    Over Rayleigh fading a scheme is also tried 5 dB below and 10 dB above its operating point, in the UMi cell 20 dB
    above it. BAA is there also at the SNR at which full inversion ends best, and over Rayleigh fading with pilots.
    """
    beside = {"rayleigh": (-5.0, 0.0, 10.0), "umi": (0.0, 20.0)}
    found = {}
    for scheme in SCHEMES:
        for partition in PARTITIONS:
            value, snr_db = scheme.point(partition)
            for channel in scheme.channels:
                snrs = (
                    (CODED if scheme.group == "codes" else QUIET)
                    if snr_db is None
                    else [snr_db + step_db for step_db in beside[channel]]
                )
                keys = {"method": scheme.method, "channel.fading": channel, "federation.partition": partition}
                keys |= {scheme.knob: value, "channel.snr_db": snrs, **dict(scheme.more)}
                if scheme.group == "bound":
                    keys = {key: value for key, value in keys.items() if not key.startswith("channel.")}
                found[part(scheme, partition, channel)] = (scheme.scenario, keys)
    scenario, keys = found["compare_baa_shards_umi"]
    more = {"compare_baa_shards_umi_loud": (scenario, keys | {"channel.snr_db": 0.0})}
    scenario, keys = found["compare_baa_iid_rayleigh"]
    return found | more | {WITH_PILOTS: (scenario, keys | PILOTS)}
