"""Before anything is computed: whether runs can be set up, what they need, and what is to be said beforehand."""

from otafl.engine import run_size
from otafl.engine.group import Group
from otafl.study.task import Answer, Check


def check(work: Check) -> Answer:
    """Set up groups of runs, with their data, one after the other.

    Raises:
        OtaflError: data that cannot be loaded, or dealt to so many workers, or a model that cannot be trained.
    """
    remarks: dict[str, None] = {}
    need = 0.0
    for columns in work.groups:
        group = Group(columns)
        remarks |= dict.fromkeys(
            text for text in (group.task.remark, run_size.remark(group), *group.air.remarks) if text
        )
        need = max(need, run_size.estimate(group))
    return Answer(remarks=tuple(remarks), need=need)
