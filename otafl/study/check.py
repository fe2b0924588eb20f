"""Before anything is computed: whether the runs of a study can be set up, and what is to be said beforehand."""

import warnings

from otafl.engine import memory
from otafl.engine.group import Group
from otafl.errors import Remark
from otafl.study.plan import Study


def check(study: Study) -> None:
    """Set up runs of each kind, with their data.

    Raises:
        OtaflError: data that cannot be loaded, or dealt to so many workers, or a model that cannot be trained.
    """
    groups = (Group([study.columns[place] for place in where]) for where in study.kinds)
    remarks = [text for group in groups for text in _remarks(group)]
    for remark in dict.fromkeys(remarks):
        warnings.warn(remark, Remark, stacklevel=3)


def _remarks(group: Group) -> list[str]:
    return [text for text in (group.task.remark, memory.remark(group)) if text]
