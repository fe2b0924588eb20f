"""Schemes at their operating points, in a UMi cell, two classes a worker."""

from figures import compare
from figures.study import Study

STUDY = Study(
    title="Schemes against each other in a UMi cell, two classes a worker",
    scenarios=(),
    draw=lambda _: compare.draw("shards", "umi"),
    caption=(
        "MNIST, 20 workers, two classes each, in a UMi cell up to 110 dB of loss, with values tuned over Rayleigh "
        "fading; means and intervals of 95% over 5 seeds. Full inversion ends highest (0.950), 0.005 ahead of BAA, as "
        "it leaves nobody out; phases alone lose accuracy with some seeds (0.913 ± 0.025). Votes by energy end at "
        "0.33, since near workers outvote the others."
    ),
)
