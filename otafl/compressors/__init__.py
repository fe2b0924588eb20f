"""Compressors: numbers that workers send in place of a vector, over analog and digital uploads; a file for each.

A compressor is a frozen dataclass that ``register`` has given a name, and whose fields are keys of the table
``uplink``.
"""

# ruff: isort: skip_file
from otafl.compressors.compressor import COMPRESSORS, Compressor, Packet, register

# compressors, in the order in which they are listed
from otafl.compressors.none import NoCompression
from otafl.compressors.sign import Sign
from otafl.compressors.qsgd import Qsgd
from otafl.compressors.top_k import TopK
from otafl.compressors.sign_mean import SignMean
from otafl.compressors.random_projection import RandomProjection
from otafl.compressors.fsk import Fsk
from otafl.compressors.uniform import Uniform
from otafl.compressors.codebook import CodebookIndices
from otafl.compressors.signed_energy import SignedEnergy
