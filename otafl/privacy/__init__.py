"""What the server and an eavesdropper elsewhere learn of a worker: equations, estimates, pictures and bounds."""

from otafl.privacy.reconstruction import attack
from otafl.privacy.study import assess

__all__ = ["assess", "attack"]
