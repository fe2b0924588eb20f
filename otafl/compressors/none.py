"""No compression."""

from dataclasses import dataclass

from otafl.compressors.compressor import register
from otafl.compressors.floating_point import FloatingPoint


@register("none")
@dataclass(frozen=True)
class NoCompression(FloatingPoint):
    """Compressor that sends vectors as they are, over digital uploads as floating-point numbers."""
