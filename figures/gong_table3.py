"""Table III of the FedADMM paper of Gong et al.: methods against each other."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures import panels
from figures.study import Study


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw the test accuracy against rounds, with a panel for each data set and partition.

    Arguments:
        data: results by name of scenario, datasets over swept keys, seed and iteration.
    """
    parts = {
        "MNIST, CNN 1, IID": data["gong_table3_iid"],
        "MNIST, CNN 1, two shards each": data["gong_table3_shards_mnist"],
        "digits, IID": data["gong_table3_iid_small"],
        "digits, two labels each": data["gong_table3_shards_small"],
    }
    return panels.by_study(parts)


STUDY = Study(
    title="Gong et al.: FedADMM, FedAvg, FedProx, SCAFFOLD (table III)",
    scenarios=(
        "gong_table3_iid",
        "gong_table3_shards_mnist",
        "gong_table3_iid_small",
        "gong_table3_shards_small",
    ),
    draw=draw,
    caption=(
        "Above: MNIST, 100 clients of which 10 take part, CNN 1 (1,663,370 weights), E = 5, B = 200, inputs "
        "standardised. FedADMM-Gong and FedProx do 1 to 5 epochs at random, the others 5. FedADMM-Gong has rho = 0.01 "
        "and sends 2(w' - θ); FedProx has rho = 0.1. Left: three seeds, learning rate 0.2. To 97% FedAvg needs 7 ± 1 "
        "rounds and FedADMM-Gong 10 ± 2, and SCAFFOLD diverges with one of the seeds. Right: one seed, learning rate "
        "0.1 (with 0.2 FedADMM-Gong diverges). FedADMM-Gong passes 97% in round 50 and falls back; SCAFFOLD diverges. "
        "Below: the small siblings on embedded digits, 5 of 20 clients, 3 seeds. Each method has its best of the "
        "paper's learning rates 0.01, 0.1, 0.2 and 0.5. The best is 0.5, but 0.2 for SCAFFOLD with two labels each. "
        "Mean and standard deviation."
    ),
)
