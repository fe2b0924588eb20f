"""Privacy of a worker towards the server and an eavesdropper: equations, estimates, reconstructions and bounds."""

from otafl.privacy.privacy_study import assess
from otafl.privacy.reconstruction import attack

__all__ = ["assess", "attack"]
