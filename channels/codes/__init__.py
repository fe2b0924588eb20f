"""Codes of digital uploads: how many bits a codeword carries, and how often it is sent; a file for each.

A code is a frozen dataclass that ``register`` has given a name, and whose fields are its parameters.
"""

# isort: off
from channels.codes.protocol import CODES, Code, register

# codes, in the order in which they are listed
from channels.codes.shannon import Shannon
from channels.codes.normal import Normal, dispersion, until_decoded
from channels.codes.nr import Nr
# isort: on

__all__ = ["CODES", "Code", "Normal", "Nr", "Shannon", "dispersion", "register", "until_decoded"]
