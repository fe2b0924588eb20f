"""Frame of an upload: the order in which each subcarrier carries pilots and data, counted in symbols.

Before every ``period`` symbols of data, workers send their pilots in turn, one worker after the other. What is known
of a worker's gain is as old as its last pilot. Pilots that are free take no time: all come one symbol before the data.
"""

import functools
from dataclasses import dataclass

import numpy as np

from .array_types import AntennaGains, PerWorker


def noise_on_lines(period: int, pilots: int = 0) -> float:
    """Return the noise on a line between two pilots over that of one, in the mean over the symbols between.

    >>> noise_on_lines(1), noise_on_lines(1, pilots=1), round(noise_on_lines(1000), 3)
    (1.0, 0.5, 0.667)
    """
    weight = np.arange(1, period + 1) / (period + pilots)
    return float(np.mean((1 - weight) ** 2 + weight**2))


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
        delay: symbols by which data are later at least than their places, as estimates reach workers late.
    """

    symbols: int
    workers: int
    senders: int = 0
    pilots: int = 0
    period: int = 0
    delay: int = 0

    @functools.cached_property
    def segment(self) -> np.ndarray:
        """Number of the pilots before each symbol of data, from 0. Shape [symbols]."""
        return np.arange(self.symbols) // (self.period or self.symbols)

    @functools.cached_property
    def data(self) -> np.ndarray:
        """Places of the data, which pilots do not take. Shape [symbols]."""
        late = self.delay
        if self.period:
            whole, rest = divmod(self.delay, self.period + self._of_pilots)
            late = whole * self.period + min(rest, self.period)
        place = np.arange(self.symbols) + late
        return 1 + place + self._of_pilots * (1 + place // (self.period or self.symbols + late))

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

    def known(self, estimates: AntennaGains, turn_rates: PerWorker | None = None) -> AntennaGains:
        """Return what is known of gains at each symbol of data, from [workers, antennas, segments, subcarriers].

        It is the estimate by the last pilots. With turn rates, its phase goes on from the second pilots as it went
        between the last two, on all antennas and subcarriers of a worker together. Whole turns are told apart by these
        rates, which are roughly known [rad/symbol], as from the repetition in a cyclic prefix.
        """
        held = estimates[:, :, self.segment]
        if turn_rates is None:
            return held
        roughly, apart = turn_rates[:, None], np.diff(self.last_pilots, axis=1)
        product = np.einsum("wats,wats->wt", estimates[:, :, 1:], estimates[:, :, :-1].conj())
        rates = roughly + np.angle(product * np.exp(-1j * roughly * apart)) / apart
        since = self.data - self.last_pilots[:, self.segment]
        turned = np.pad(rates, ((0, 0), (1, 0)))[:, self.segment] * since
        return held * np.exp(1j * turned)[:, None, :, None]
