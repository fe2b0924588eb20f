"""Link of one worker: its waveform as it arrives at the server, and what stays on its own subcarriers."""

from collections.abc import Iterator
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
        for late, gains, factors in self._paths():
            echo = ofdm.samples(sent * factors * np.exp(2j * np.pi * ofdm.frequencies_hz * late / ofdm.rate_hz))
            total = total + gains * np.roll(echo.reshape(-1), late).reshape(echo.shape)
        return total * np.exp(1j * self.phases)

    def kept(self) -> np.ndarray:
        """Return the factor of each symbol on its own subcarrier behind an ideal amplifier: [symbols or 1, S]."""
        ofdm, total = self.ofdm, np.zeros((1, self.ofdm.subcarriers))
        window = ofdm.start + np.arange(ofdm.window)
        for late, gains, factors in self._paths():
            inside = (window >= late) & (window < late + ofdm.length)
            values = gains * np.exp(1j * self.phases)
            values = np.broadcast_to(values, (len(values), ofdm.length))[:, window]
            total = total + np.mean(values * inside, axis=-1, keepdims=True) * factors[ofdm.bins]
        return total

    def _paths(self) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Yield a delay [samples], gains, and factors on a spectrum; still paths that are equally late are one."""
        echoes, factors = self.echoes, self._factors()
        late = np.rint((self.delay_s + echoes.delays_s * self.spread) * self.ofdm.rate_hz).astype(int)
        if echoes.gains.shape[1:] != (1, 1):
            yield from zip(late, echoes.gains, factors, strict=True)
            return
        for samples in np.unique(late):
            yield samples, np.ones((1, 1)), np.sum((echoes.gains[:, 0] * factors)[late == samples], axis=0)

    def _factors(self) -> np.ndarray:
        """Return the factors of paths on a spectrum, those of their delays included. Shape [paths, window]."""
        ofdm, delays_s, response = self.ofdm, self.echoes.delays_s[:, None], self.echoes.response
        turns = ofdm.frequencies_hz * (delays_s + self.delay_s)
        centre_hz = ofdm.first_hz + (ofdm.subcarriers - 1) / 2 * ofdm.spacing_hz
        turns = turns - ofdm.first_hz * delays_s - centre_hz * self.delay_s
        return np.exp(-2j * np.pi * turns) * (1.0 if response is None else ofdm.spectrum(response))
