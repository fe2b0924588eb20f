"""Combiners of antennas: one weight vector w of a server for all workers, which leaves each the gain g_n = w^H·h_n."""

# ruff: isort: skip_file
from .combiner import COMBINERS, Combiner, register

# combiners, in the order in which they are listed
from .first import FirstAntenna
from .principal import PrincipalDirection
from .max_min import MaxMin
from .gain_sum import GainSum
from .sca import SuccessiveConvex
