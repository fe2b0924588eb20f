"""Channel codes of digital uploads: bits of a codeword, and number of its transmissions; a file for each."""

# ruff: isort: skip_file
from .code import CODES, Code, register

# codes, in the order in which they are listed
from .shannon import Shannon
from .normal import Normal, dispersion, until_decoded
from .nr import Nr
