"""Schemes at their operating points, in a UMi cell, equal shares of data."""

from figures import compare
from figures.study import Study

STUDY = Study(
    title="Schemes against each other in a UMi cell, equal shares of data",
    scenarios=(),
    draw=lambda _: compare.draw("iid", "umi"),
    caption=(
        "MNIST, 20 workers, equal shares, in a UMi cell up to 110 dB of loss, with values tuned over Rayleigh fading; "
        "means and intervals of 95% over 5 seeds. Analog sums that compensate path losses need the same uses as over "
        "Rayleigh fading; votes by energy (FSK-MV), which weigh workers by their gains, miss 0.94. Joules are bounds, "
        "as CSI, reports and broadcast are free: D-DSGD takes 49 millijoules at 0 dB, the lowest SNR tried, other "
        "digital uploads 10 to 19 times their energy over Rayleigh fading."
    ),
)
