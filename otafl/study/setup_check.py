"""Check of runs before they are computed: whether they can be set up, their memory, and remarks."""

from otafl.engine import run_size
from otafl.engine.group import Group
from otafl.study.work import Answer, Check


def check(work: Check) -> Answer:
    """Set up groups of runs without computing any; return remarks and the memory of the largest group."""
    remarks: dict[str, None] = {}
    need = 0.0
    for columns in work.groups:
        group = Group(columns)
        said = group.task.remark, run_size.remark(group), *group.air.remarks
        remarks |= dict.fromkeys(filter(None, said))
        need = max(need, run_size.estimate(group))
    return Answer(remarks=tuple(remarks), need=need)
