"""Frame of an upload: the order in which each subcarrier carries pilots and data, counted in symbols.

Before every ``period`` symbols of data, workers send their pilots in turn, one worker after the other. What is known
of a worker's gain is as old as its last pilot. Pilots that are free take no time: all come one symbol before the data.
"""

import functools
from dataclasses import dataclass

import numpy as np

from .array_types import AntennaGains, PerWorker


@dataclass(frozen=True)
class Frame:
    """Frame of an upload: places of data and pilots, counted in symbols from its start.

    >>> frame = Frame(symbols=3, workers=2, pilots=1, period=2)
    >>> frame.data.tolist(), frame.last_pilots.tolist()
    ([3, 4, 7], [[1, 5], [2, 6]])

    Arguments:
        symbols: number of symbols of data.
        workers: number of workers.
        senders: workers that send pilots; others are in the turn of one of these. 0: all.
        pilots: pilots of a worker at a time; 0: pilots are free.
        period: symbols of data from pilots to the next ones; 0: pilots come once, before all data.
    """

    symbols: int
    workers: int
    senders: int = 0
    pilots: int = 0
    period: int = 0

    @functools.cached_property
    def segment(self) -> np.ndarray:
        """Number of the pilots before each symbol of data, from 0. Shape [symbols]."""
        return np.arange(self.symbols) // (self.period or self.symbols)

    @functools.cached_property
    def data(self) -> np.ndarray:
        """Places of the data. Shape [symbols]."""
        return 1 + np.arange(self.symbols) + self._of_pilots * (1 + self.segment)

    @functools.cached_property
    def last_pilots(self) -> np.ndarray:
        """Place of each worker's last pilot before each segment of data. Shape [workers, segments]."""
        begin = np.arange(self.segment[-1] + 1) * (self.period + self._of_pilots)
        turn = 1 + np.arange(self.workers) % (self.senders or self.workers)
        return begin + self.pilots * turn[:, None]

    @property
    def length(self) -> int:
        """Number of places from the start to the last symbol."""
        return int(self.data[-1]) + 1

    @property
    def _of_pilots(self) -> int:
        """Symbols that the pilots of all workers take at a time."""
        return self.pilots * (self.senders or self.workers)

    def held(self, estimates: AntennaGains) -> AntennaGains:
        """Return what is known of gains at each symbol of data: the estimate by the last pilots.

        Estimates have the shape [workers, antennas, segments, subcarriers], the result symbols in place of segments.
        """
        return estimates[:, :, self.segment]

    def turned_on(self, estimates: AntennaGains, turn_rates: PerWorker) -> AntennaGains:
        """Return what is known of gains if their phases go on as they went from the pilots before to the last ones.

        The turn is that of all antennas and subcarriers of a worker together. Its whole turns are told apart by a rate
        of each worker that is roughly known [rad/symbol], as from the repetition in a cyclic prefix. Shapes are those
        of ``held``, which holds before the second pilots.
        """
        since = self.data - self.last_pilots[:, self.segment]
        turn_rate = self._turn_rate(estimates, turn_rates)[:, self.segment]
        return self.held(estimates) * np.exp(1j * turn_rate * since)[:, None, :, None]

    def _turn_rate(self, estimates: AntennaGains, turn_rates: PerWorker) -> PerWorker:
        """Return the turn of each worker from pilots to pilots over their distance [rad/symbol]. [workers, segments]"""
        product = np.einsum("wats,wats->wt", estimates[:, :, 1:], estimates[:, :, :-1].conj())
        apart, roughly = np.diff(self.last_pilots, axis=1), turn_rates[:, None]
        rates = roughly + np.angle(product * np.exp(-1j * roughly * apart)) / apart
        return np.concatenate((np.zeros((len(rates), 1)), rates), axis=1)
