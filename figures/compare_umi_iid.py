"""Schemes at their operating points, in a UMi cell, equal shares of data."""

from figures import compare
from figures.study import Study

STUDY = Study(
    title="Schemes against each other in a UMi cell, equal shares of data",
    scenarios=(),
    draw=lambda _: compare.draw("iid", "umi"),
    caption=("To be written."),
)
