"""What the server and an eavesdropper elsewhere learn of a worker: equations, estimates, pictures and bounds."""

from otafl.privacy.privacy_study import assess
from otafl.privacy.reconstruction import attack

__all__ = ["assess", "attack"]
