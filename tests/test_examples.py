"""Examples in docstrings bring what they show."""

import doctest
import importlib

import pytest

MODULES = (
    "otafl.algorithms",
    "otafl.algorithms.method",
    "otafl.algorithms.proximal",
    "otafl.compressors.floating_point",
    "otafl.compressors.largest",
    "otafl.federation.partition",
    "otafl.federation.element_channel",
    "otafl.losses.problem_kind",
    "otafl.metrics.result_variables",
    "otafl.metrics.worker_accuracy",
    "otafl.numerics.seeds",
    "otafl.problems.cholesky",
    "otafl.problems.newton",
    "otafl.receivers.robust",
    "otafl.training.loops",
    "otafl.training.networks",
    "otafl",
    "otafl.results.analysis",
    "otafl.results.escapes",
    "otafl.results.statistics",
    "otafl.results.time_text",
    "otafl.privacy.accountant",
    "otafl.scenario.axis_quantities",
    "otafl.scenario.dotted_keys",
    "otafl.scenario.file",
    "otafl.scenario.sweeps",
    "otafl.scenario.variants",
    "otafl.settings.keys",
    "otafl.settings.part_keys",
    "otafl.settings.types",
    "otafl.engine.coherence_blocks",
    "otafl.study.engines",
    "otafl.study.plan",
    "otafl.channels.cell",
    "otafl.channels.codes.normal",
    "otafl.channels.imperfections",
    "otafl.channels.digital",
    "otafl.channels.effective_channel",
    "otafl.channels.fading.block",
    "otafl.channels.grid",
    "otafl.channels.multiple_access",
    "otafl.channels.power",
    "otafl.channels.precoding.truncated_inversion",
    "otafl.channels.registry",
    "otafl.uplinks.physical_layer",
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_bring_what_they_show(name):
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert tried
    assert not failed
