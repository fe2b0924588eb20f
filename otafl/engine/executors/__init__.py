"""Executors: ways of computing a group's iterations, a file for each. The settings alone decide between them."""

from otafl.engine.executors.by_parts import InParts
from otafl.engine.executors.by_round import Sampled
from otafl.engine.executors.executor import Executor, Measured, scatter
from otafl.engine.executors.in_program import Resident
from otafl.engine.group import Group


def executor(group: Group) -> Executor:
    return (Resident if group.resident else InParts if group.in_parts else Sampled)(group)
