"""No compression."""

from dataclasses import dataclass

from otafl.compressors.protocol import Compressor, register


@register("none")
@dataclass(frozen=True)
class NoCompression(Compressor):
    """Compressor that sends vectors as they are."""
