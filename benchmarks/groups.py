"""Groups of like runs for benchmarks."""

from otafl.engine.group import Group
from otafl.scenario.scenario import Scenario
from otafl.study.plan import Study


def first_group(scenario: Scenario) -> Group:
    """Return the first group of like runs of a scenario."""
    study = Study(scenario)
    return Group([study.columns[place] for place in study.together(list(range(len(study.columns))))[0]])
