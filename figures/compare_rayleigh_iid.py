"""Schemes at their operating points, over Rayleigh fading, equal shares of data."""

from figures import compare
from figures.study import Study

STUDY = Study(
    title="Schemes against each other over Rayleigh fading, equal shares of data",
    scenarios=(),
    draw=lambda _: compare.draw("iid", "rayleigh"),
    caption=(
        "MNIST, 20 workers, equal shares, Rayleigh fading, each scheme tuned and at its best SNR for every budget, "
        "but A-SFADMM as published, which has the penalty and the SNRs of A-SFADMM p=1 κ=0.5 train (weights |h|, no "
        "dual flip); means and intervals of 95% over 5 seeds, dotted FedAvg without a channel. BAA, COTAF, "
        "truncation, phases alone and SumComp reach 0.94 with 2.4 to 2.6 million uses, D-DSGD with 2.8 million, and "
        "A-SFADMM p=1 κ=0.5 train, with four times the samples, with 1.1 million, the fewest; full inversion of deep "
        "fades diverges with one or two seeds at each SNR. Joules are bounds, as CSI, reports and broadcast are free."
    ),
)
