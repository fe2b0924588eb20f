"""Schemes at their operating points, in a UMi cell, two classes a worker."""

from figures import compare
from figures.study import Study

STUDY = Study(
    title="Schemes against each other in a UMi cell, two classes a worker",
    scenarios=(),
    draw=lambda _: compare.draw("shards", "umi"),
    caption=("To be written."),
)
