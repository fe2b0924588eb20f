"""Schemes at their operating points, over Rayleigh fading, two classes a worker."""

from figures import compare
from figures.study import Study

STUDY = Study(
    title="Schemes against each other over Rayleigh fading, two classes a worker",
    scenarios=(),
    draw=lambda _: compare.draw("shards", "rayleigh"),
    caption=(
        "MNIST, 20 workers, two classes a worker, Rayleigh fading, each scheme tuned and at its best SNR for every "
        "budget; means and intervals of 95% over 5 seeds, dotted FedAvg without a channel. BAA, COTAF, truncation, "
        "phases alone and SumComp reach 0.88 with 2.4 million uses at 75 to 290 microjoules, or with 8 to 98 "
        "microjoules at the lowest SNRs tried; digital uploads take at least 2.6 million (top-k, 3.9 J) or 17 "
        "millijoules (D-DSGD, 3.5 million). Votes and A-SFADMM end 0.04 to 0.11 below BAA, and each paired interval "
        "excludes 0."
    ),
)
