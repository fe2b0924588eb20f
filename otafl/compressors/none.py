"""No compression."""

from dataclasses import dataclass

from otafl.compressors.protocol import Compressor, register


@register("none")
@dataclass(frozen=True)
class NoCompression(Compressor):
    """Vectors as they are."""
