"""Receivers: estimates of a sum from the superposition of all workers' symbols; a file for each.

A receiver is a frozen dataclass that ``register`` has given a name, and whose fields are keys of the table ``uplink``.
"""

# ruff: isort: skip_file
from otafl.receivers.receiver import RECEIVERS, Receiver, register

# receivers, in the order in which they are listed
from otafl.receivers.sum import Sum
from otafl.receivers.mean_of_active import MeanOfActive
from otafl.receivers.majority import Majority
from otafl.receivers.amp import Amp
from otafl.receivers.energy import Energy
from otafl.receivers.sum_of_integers import SumOfIntegers
from otafl.receivers.codeword_counts import CodewordCounts
from otafl.receivers.median import Median
from otafl.receivers.trimmed_mean import TrimmedMean
from otafl.receivers.energy_difference import EnergyDifference
