"""Expectations of no paper on federated methods over the air, with the measured numbers."""

from collections.abc import Mapping

import numpy as np
import xarray as xr

from figures.claims import Claim, by_case, least, lowest, spread, verdict
from figures.panels import final
from figures.study import result
from otafl.results import analysis

HEADING = "Federated methods over the air"
REMARK = (
    "These expectations are our own, before the figures were seen. No paper states them. The studies have MNIST, an\n"
    "MLP with 109,184 weights, 50 clients, 4,096 subcarriers and Rayleigh fading. In the federated methods 10\n"
    "clients take part in a round, with 5 local epochs of SGD at 0.1. Their analog uploads invert the channel where\n"
    "its gain is at least 0.1. A-SFADMM and D-SFADMM take all 50, with 20 steps of Adam at 0.01 and ρ = 0.5. An\n"
    "accuracy counts where the running median of 11 rounds or more holds it to the end; not held: it does not in 60.\n"
    "Final accuracy is the mean of the last 5 rounds. There is one seed, so that any difference counts, and verdicts\n"
    "say nothing of others."
)

DIGITAL = {"A-SFADMM": "D-SFADMM"}
"""Methods whose digital counterpart has a name of its own."""


def rows() -> list[Claim]:
    """Return expectations of no paper on methods over the air, with the measured numbers."""
    claims = []
    for kind, words in (("iid", "IID"), ("noniid", "80% from two classes")):
        runs = tuple(f"air_{uplink}_{kind}" for uplink in ("analog", "digital"))
        analog, digital = map(result, runs)
        names = [str(name) for name in analog["scheme"].values]
        slots = {name: [_slots(analog, name), _slots(digital, DIGITAL.get(name, name))] for name in names}
        low, high = (
            {name: float(final(analog.sel(scheme=name, snr_db=snr)).mean()) for name in names} for snr in (-10.0, 30.0)
        )
        claims.append(
            Claim(
                "over the air",
                f"analog uploads take fewer slots to 0.9 than digital ones at 10 dB, {words}",
                "analog and digital: "
                + ", ".join(f"{_pair(name)} {spread(a)} and {spread(b)}" for name, (a, b) in slots.items()),
                _by_kind({name: lowest(a, {name: b}) for name, (a, b) in slots.items()}),
                runs=runs,
            )
        )
        claims.append(
            Claim(
                "over the air",
                "methods that carry duals or control variates along, all but FedAvg, lose at most 0.02 of accuracy at "
                f"-10 dB, {words}",
                "final accuracy at -10 and 30 dB: "
                + ", ".join(f"{name} {low[name]:.3f} and {high[name]:.3f}" for name in low),
                verdict(all(low[name] >= high[name] - 0.02 for name in low if name != "FedAvg")),
                runs=runs[:1],
            )
        )
    return claims


def _slots(data: xr.Dataset, name: str) -> np.ndarray:
    """Return the time slots to an accuracy of 0.9 at 10 dB. Shape [seeds]."""
    return analysis.to_target(data.sel(scheme=name), 0.9, "time_slots", "test_accuracy").sel(snr_db=10.0).values


def _pair(name: str) -> str:
    return f"{name} and {DIGITAL[name]}" if name in DIGITAL else name


def _by_kind(verdicts: Mapping[str, str]) -> str:
    """Return the verdict on federated methods, and apart from it that on A-SFADMM if it is another one."""
    federated = least([one for name, one in verdicts.items() if name not in DIGITAL])
    return by_case({"federated methods": federated, "A-SFADMM": verdicts["A-SFADMM"]}, "method")
