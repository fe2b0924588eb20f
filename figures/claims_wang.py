"""Claims of Wang et al. on FedADMM and FedDR, with the measured numbers."""

import numpy as np

from figures.claims import Claim, verdict
from figures.panels import mean_rounds
from figures.study import result

HEADING = "Wang, Marella and Anderson: FedADMM and FedDR"
REMARK = (
    "Small studies have embedded digits, 20 clients, 3 seeds, mean ± standard deviation; others are as their figure\n"
    "says. Rounds to an accuracy end with the first reading at or above it. 40+ means that no seed gets\n"
    "there within 40."
)


def rows() -> list[Claim]:
    """Return the claims of Wang et al. on FedADMM, with the measured numbers."""
    gaps = {}
    studies = {"synthetic_0": "(0, 0)", "synthetic_0_5": "(0.5, 0.5)", "synthetic_1": "(1, 1)", "images_mnist": "MNIST"}
    for name, words in (studies | {"images_small": "digits"}).items():
        data = result(f"wang_{name}")["test_accuracy"]
        gaps[words] = float(abs(data.sel({"scheme": "FedDR"}) - data.sel({"scheme": "FedADMM-Wang"})).max())
    data = result("wang_participation")
    reached = [
        mean_rounds(data.sel({"participation": share, "scheme": "FedADMM-Wang"}), 0.7)
        for share in data["participation"].values
    ]
    counts = [
        f"{30 * share:.0f} clients: {count:.0f}"
        for share, count in zip(data["participation"].values, reached, strict=True)
    ]
    return [
        Claim(
            "Wang VI",
            "FedDR and FedADMM coincide at every iteration",
            "largest difference in accuracy: " + ", ".join(f"{words} {gap:.3f}" for words, gap in gaps.items()),
            verdict(max(gaps.values()) < 0.05),
            "rounding in single precision grows over thousands of local steps",
        ),
        Claim(
            "Wang VI",
            "more participants converge faster",
            "rounds to 0.7: " + ", ".join(counts),
            verdict(bool(np.all(np.diff(reached) < 0))),
        ),
    ]
