"""Layout of a channel, for which a fading model is realised."""

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Layout:
    """Layout of a channel: workers, antennas, subcarrier spacing and coherence blocks.

    Arguments:
        workers: number N of workers.
        antennas: number of pairs of an antenna of the server and one of a worker, the number M of antennas of the side
            that has several. All pairs of the server's first antenna come first, then those of its second.
        spacing_hz: subcarrier spacing W [Hz].
        block_iterations: iterations from one coherence block to the next; inf: there is a single block.
        worker_antennas: number of antennas of each worker, which divides that of the pairs.
        most_loss_db: largest coupling loss of a place with a worker, for models that place workers [dB]; inf: no bound.
        apart: True where few workers are asked for at a time: independent blocks then have a stream for each worker.
    """

    workers: int
    antennas: int = 1
    spacing_hz: float = 15e3
    block_iterations: float = 1.0
    worker_antennas: int = 1
    most_loss_db: float = np.inf
    apart: bool = field(default=False, repr=False)

    @property
    def links(self) -> tuple[int, int]:
        return self.workers, self.antennas

    @property
    def server_antennas(self) -> int:
        return self.antennas // self.worker_antennas
