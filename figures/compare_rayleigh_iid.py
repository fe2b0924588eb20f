"""Schemes at their operating points, over Rayleigh fading, equal shares of data."""

from figures import compare
from figures.study import Study

STUDY = Study(
    title="Schemes against each other over Rayleigh fading, equal shares of data",
    scenarios=(),
    draw=lambda _: compare.draw("iid", "rayleigh"),
    caption=(
        "MNIST, 20 workers, equal shares, Rayleigh fading, each scheme tuned and at its best SNR for every budget; "
        "means and intervals of 95% over 5 seeds, dotted FedAvg without a channel. BAA, COTAF, truncation, phases "
        "alone and SumComp reach 0.94 with 2.4 to 2.6 million uses at 48 to 61 microjoules, or with 4 to 8 microjoules "
        "and more uses; digital D-DSGD takes 2.8 million at 0.43 J, or 17 millijoules at -5 dB, the lowest SNR tried. "
        "A-SFADMM takes the fewest uses, 1.1 million, at 32 millijoules; full inversion of deep fades diverges with "
        "one or two seeds at each SNR."
    ),
)
