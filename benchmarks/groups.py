"""The runs that go together, as benchmarks take them."""

from otafl.engine.group import Group
from otafl.scenario.scenario import Scenario
from otafl.study.plan import Study


def first_group(scenario: Scenario) -> Group:
    """The first runs of a scenario that go together."""
    study = Study(scenario)
    return Group([study.columns[place] for place in study.together(list(range(len(study.columns))))[0]])
