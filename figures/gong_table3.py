"""Table III of the FedADMM paper of Gong et al.: methods against each other."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import panels
from figures.study import Study


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Test accuracy against rounds."""
    parts = {
        "MNIST, CNN 1, IID": data["gong_table3_iid"],
        "digits, IID": data["gong_table3_iid_small"],
        "digits, two labels each": data["gong_table3_shards_small"],
    }
    return panels.by_study(parts)


STUDY = Study(
    title="Gong et al.: FedADMM, FedAvg, FedProx, SCAFFOLD (table III)",
    scenarios=(
        "gong_table3_iid",
        "gong_table3_iid_small",
        "gong_table3_shards_small",
    ),
    draw=draw,
    caption=(
        "Left: MNIST, 100 clients of which 10 take part, CNN 1 (1,663,370 weights), E = 5, B = 200, one seed, 40 "
        "rounds; FedADMM-Gong and FedProx do 1 to 5 epochs at random, the others 5; learning rate 0.1 throughout, "
        "rho = 0.01 for FedADMM-Gong and 0.1 for FedProx. Middle and right: the small siblings on embedded digits, "
        "5 of 20 clients, 3 seeds; mean and standard deviation."
    ),
)
