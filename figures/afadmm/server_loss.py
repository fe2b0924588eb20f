"""A-FADMM and D-FADMM whose loss is taken at the global model Θ, in place of the workers' own models θ_n."""

import otafl
from otafl.algorithms.fadmm import CONSENSUS, WEIGHTS, AnalogFADMM, DigitalFADMM
from otafl.algorithms.method import Method

MARK = "-Θ"
"""End of the names of these methods."""


@otafl.method(f"A-FADMM{MARK}", **WEIGHTS)
class AnalogAtServer(AnalogFADMM):
    """A-FADMM whose loss is that of the global model."""

    local_models = Method.local_models


@otafl.method(f"D-FADMM{MARK}", consensus=CONSENSUS, **WEIGHTS)
class DigitalAtServer(DigitalFADMM):
    """D-FADMM whose loss is that of the global model."""

    local_models = Method.local_models
