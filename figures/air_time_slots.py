"""Federated methods over the air and over a digital uplink, next to A-SFADMM and D-SFADMM, against time slots."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import panels
from figures.study import Study


def draw(data: Mapping[str, xr.Dataset], cost: str = "time_slots") -> Figure:
    """Draw the test accuracy against a cost, with a row for each partition and a column for each SNR [dB].

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
        cost: name of the cost, such as "time_slots" or "energy".
    """
    rows = {"IID": "iid", "two classes": "noniid"}
    studies = {title: (data[f"air_analog_{kind}"], data[f"air_digital_{kind}"]) for title, kind in rows.items()}
    return panels.by_snr(studies, cost)


STUDY = Study(
    title="Over the air: test accuracy against time slots",
    scenarios=("air_analog_iid", "air_digital_iid", "air_analog_noniid", "air_digital_noniid"),
    draw=draw,
    caption=(
        "Settings: MNIST, MLP with 109,184 weights, 50 clients, 4,096 subcarriers, Rayleigh fading, one seed, 60 "
        "rounds. In the federated methods 10 clients take part in a round, with 5 local epochs of SGD at 0.1. A-SFADMM "
        "and D-SFADMM take all 50, with 20 steps of Adam at 0.01. A-SFADMM solves for duals where the channel changes, "
        "every 10 rounds, and loses accuracy at the first change. The penalty is rho = 0.5. Analog uploads of the "
        "federated methods invert the channel where |h| is at least 0.1. Upper row: IID. Lower row: 80% of a client's "
        "samples from two classes."
    ),
)
