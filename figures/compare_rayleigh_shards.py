"""Schemes at their operating points, over Rayleigh fading, two classes a worker."""

from figures import compare
from figures.study import Study

STUDY = Study(
    title="Schemes against each other over Rayleigh fading, two classes a worker",
    scenarios=(),
    draw=lambda _: compare.draw("shards", "rayleigh"),
    caption=(
        "MNIST, 20 workers, two classes a worker, Rayleigh fading, each scheme tuned and at its best SNR for every "
        "budget, but A-SFADMM as published, which has the penalty and the SNRs of A-SFADMM p=1 κ=0.5 train (weights "
        "|h|, no dual flip); means and intervals of 95% over 5 seeds, dotted FedAvg without a channel. BAA, COTAF, "
        "truncation, phases alone and SumComp reach 0.88 with 2.4 million uses, digital uploads with at least 2.6 "
        "million (top-k); votes and A-SFADMM p=1 κ=0.5 train end 0.04 to 0.11 below BAA, and each paired interval "
        "excludes 0. Joules are bounds, as CSI, reports and broadcast are free."
    ),
)
