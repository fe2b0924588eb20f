"""Schemes at their operating points, in a UMi cell, two classes a worker."""

from figures import compare
from figures.study import Study

STUDY = Study(
    title="Schemes against each other in a UMi cell, two classes a worker",
    scenarios=(),
    draw=lambda _: compare.draw("shards", "umi"),
    caption=(
        "MNIST, 20 workers, two classes each, in a UMi cell up to 110 dB of loss, with values tuned over Rayleigh "
        "fading; means and intervals of 95% over 5 seeds. Of analog sums full inversion, which "
        "leaves nobody out, ends highest (0.950), 0.004 ahead of BAA at the same 0 dB; phases alone end at 0.913 ± "
        "0.025, and one seed of five misses 0.88. Votes by energy end at 0.32 at either SNR, since near workers "
        "outvote the others."
    ),
)
