"""Layouts of the arrays of the physical layer: a name for each order of axes, with what the numbers are.

A leading ``...`` stands for any axes in front, such as runs computed side by side. Gains are factors on amplitudes and
power gains are their squares; both are linear and have no unit. The antennas are those of the side that has several.
Where both have, they are pairs of antennas: all those of the server's first antenna, then of its second, and so on.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

Gains: TypeAlias = np.ndarray
"""Complex gains h of workers on subcarriers. Shape [..., workers, subcarriers]."""
AntennaGains: TypeAlias = np.ndarray
"""Complex gains h of workers at several antennas. Shape [..., workers, antennas, subcarriers]."""
ChannelVectors: TypeAlias = np.ndarray
"""Complex gains h_n of workers at the server's antennas, on one subcarrier. Shape [..., workers, antennas]."""
ChannelMatrices: TypeAlias = np.ndarray
"""Complex gains H_n from workers' antennas to the server's. Shape [..., workers, antennas, worker antennas]."""
Beams: TypeAlias = np.ndarray
"""Complex weights v_n of the antennas of workers, of norm 1. Shape [..., workers, worker antennas]."""
AntennaWeights: TypeAlias = np.ndarray
"""Complex weights w of the server's antennas, which turn a received vector y into w^H·y. Shape [..., antennas]."""
PowerGains: TypeAlias = np.ndarray
"""Power gains |h|² of workers on subcarriers. Shape [..., workers, subcarriers]."""
MeanGains: TypeAlias = np.ndarray
"""Mean power gain of each worker over fading. Shape [..., workers, 1]."""
WorkerGains: TypeAlias = float | np.ndarray
"""Mean power gain over fading, of each worker or one for all. Shape [workers], or a number."""
PerSubcarrier: TypeAlias = np.ndarray
"""A number for each subcarrier. Shape [..., subcarriers]."""
PerWorker: TypeAlias = np.ndarray
"""A number for each worker. Shape [..., workers]."""
Symbols: TypeAlias = np.ndarray
"""Symbols that each worker transmits, one for each element of its vector. Shape [workers, elements]."""
Places: TypeAlias = np.ndarray
"""Places of workers, to the east and to the north of the base station [m]. Shape [workers, 2]."""
Rates: TypeAlias = np.ndarray
"""Rate of each worker on each whole subcarrier that is open to it [bit/slot]. Shape [..., workers, subcarriers]."""
Shares: TypeAlias = np.ndarray
"""Share of a subcarrier's time that each worker has, from 0 to 1. Shape [..., workers, subcarriers]."""
ElementPaths: TypeAlias = np.ndarray
"""Complex gains of the paths over single elements of a surface. Shape [workers, antennas, elements]."""
Links: TypeAlias = np.ndarray
"""Complex gains of links, each a worker on a subcarrier behind the server's antennas. Shape [links]."""
LinkPaths: TypeAlias = np.ndarray
"""Complex gains of the paths of links over single elements of a surface. Shape [links, elements]."""
Factors: TypeAlias = np.ndarray
"""Complex factors θ of a surface's elements, of magnitude 1. Shape [..., elements]."""
RunNumber: TypeAlias = float
"""A number that may differ between runs: inside a program a tensor of shape [runs]."""
WorkerIndices: TypeAlias = slice | np.ndarray | Sequence[int]
"""Indices of some workers, from 0, or a slice of all."""
