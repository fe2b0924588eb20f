"""Link of one worker: its waveform as it arrives at the server, and what stays on its own subcarriers."""

from dataclasses import dataclass, field

import numpy as np

from .amplifier import Amplifier
from .echoes import Echoes
from .ofdm import Ofdm


@dataclass(frozen=True)
class Link:
    """Link of a worker: its amplifier, echoes, delay, and the phase between its oscillator and the server's.

    Symbols follow each other in a circle: the last one comes before the first.

    Arguments:
        ofdm: symbols as samples.
        echoes: paths to the server.
        delay_s: delay τ of the worker [s], which turns the centre of the band by no phase.
        phases: phase of each sample [rad]. Shape [symbols, length], or [1, 1].
        amplifier: amplifier of the worker.
        spread: False: echoes of a symbol begin and end with it, as if a prefix always covered their delays.
    """

    ofdm: Ofdm
    echoes: Echoes
    delay_s: float = 0.0
    phases: np.ndarray = field(default_factory=lambda: np.zeros((1, 1)))
    amplifier: Amplifier = field(default_factory=Amplifier)
    spread: bool = True

    def arriving(self, symbols: np.ndarray) -> np.ndarray:
        """Return the samples that arrive of complex symbols [symbols, S]. Shape [symbols, length]."""
        ofdm, total = self.ofdm, np.zeros((len(symbols), self.ofdm.length))
        sent = ofdm.transformed(self.amplifier.amplified(ofdm.windowed(ofdm.spectrum(symbols))))
        for path, late in enumerate(self._late):
            echo = ofdm.samples(sent * self._factors(path, late / ofdm.rate_hz))
            moved = np.roll(echo.reshape(-1), late).reshape(echo.shape)
            total = total + self.echoes.gains[path] * moved
        return total * np.exp(1j * self.phases)

    def kept(self) -> np.ndarray:
        """Return the factor with which each symbol arrives on its own subcarrier: [symbols or 1, S].

        All else that arrives is interference. The amplifier is taken as ideal.
        """
        ofdm, turned = self.ofdm, np.exp(1j * self.phases)
        window = ofdm.start + np.arange(ofdm.window)
        total = np.zeros((1, ofdm.subcarriers))
        for path, late in enumerate(self._late):
            inside = (window >= late) & (window < late + ofdm.length)
            values = self.echoes.gains[path] * turned
            values = np.broadcast_to(values, (len(values), ofdm.length))
            share = np.mean(values[:, window] * inside, axis=-1, keepdims=True)
            total = total + share * self._factors(path)[ofdm.bins]
        return total

    @property
    def _late(self) -> np.ndarray:
        """Delay of each path in whole samples, by which its symbols begin late."""
        delays_s = self.delay_s + self.echoes.delays_s * self.spread
        return np.rint(delays_s * self.ofdm.rate_hz).astype(int)

    def _factors(self, path: int, done_s: float = 0.0) -> np.ndarray:
        """Return the factors of a path on a spectrum, less those of a delay that is done in samples. Shape [window]."""
        ofdm, delay_s, response = self.ofdm, self.echoes.delays_s[path], self.echoes.response
        turns = ofdm.frequencies_hz * (delay_s + self.delay_s - done_s)
        turns = turns - ofdm.first_hz * delay_s - ofdm.centre_hz * self.delay_s
        return np.exp(-2j * np.pi * turns) * (1.0 if response is None else ofdm.spectrum(response[path]))
