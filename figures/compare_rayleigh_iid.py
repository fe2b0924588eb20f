"""Schemes at their operating points, over Rayleigh fading, equal shares of data."""

from figures import compare
from figures.study import Study

STUDY = Study(
    title="Schemes against each other over Rayleigh fading, equal shares of data",
    scenarios=(),
    draw=lambda _: compare.draw("iid", "rayleigh"),
    caption=("To be written."),
)
