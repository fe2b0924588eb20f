"""Federated methods over the air and over a digital uplink, next to A-SFADMM and D-SFADMM, against energy."""

from dataclasses import replace
from functools import partial

from figures import air_time_slots

STUDY = replace(
    air_time_slots.STUDY,
    title="Over the air: test accuracy against transmitted energy",
    draw=partial(air_time_slots.draw, cost="energy"),
)
