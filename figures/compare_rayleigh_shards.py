"""Schemes at their operating points, over Rayleigh fading, two classes a worker."""

from figures import compare
from figures.study import Study

STUDY = Study(
    title="Schemes against each other over Rayleigh fading, two classes a worker",
    scenarios=(),
    draw=lambda _: compare.draw("shards", "rayleigh"),
    caption=("To be written."),
)
