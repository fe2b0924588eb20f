"""Schemes at their operating points, in a UMi cell, equal shares of data."""

from figures import compare
from figures.study import Study

STUDY = Study(
    title="Schemes against each other in a UMi cell, equal shares of data",
    scenarios=(),
    draw=lambda _: compare.draw("iid", "umi"),
    caption=(
        "MNIST, 20 workers, equal shares of data, in a UMi cell without the places beyond 110 dB of loss, with the "
        "values that were tuned over Rayleigh fading, at the same SNR and 20 dB above it; means and confidence "
        "intervals of 95% over 5 seeds. Analog sums that compensate path losses need the same uses as over Rayleigh "
        "fading, D-DSGD 2.8 million and 49 millijoules, and the other digital uploads 2.5 to 20 times the energy "
        "that they needed there. Votes by energy (FSK-MV), which weigh workers by their gains, miss 0.94."
    ),
)
