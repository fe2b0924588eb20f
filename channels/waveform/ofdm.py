"""OFDM symbols as samples: subcarriers to a waveform with cyclic extensions, echoes of it, and back."""

from dataclasses import dataclass

import numpy as np

OVERSAMPLING = 4
"""Samples of a waveform for each subcarrier, enough to show its peaks."""


@dataclass(frozen=True)
class Ofdm:
    """OFDM with cyclic extensions, oversampled.

    A symbol of S subcarriers at multiples of their spacing W around 0 Hz is extended on both sides of the receiver's
    window, by equal parts of the prefix. Transforms keep energy: white noise has its variance on a subcarrier.

    Arguments:
        subcarriers: number S of subcarriers.
        spacing_hz: subcarrier spacing W [Hz].
        symbol_s: time from one symbol to the next [s].
        periods: length of the window in periods 1/W, a whole number.
    """

    subcarriers: int
    spacing_hz: float = 15e3
    symbol_s: float = 1e-3 / 14
    periods: int = 1

    @property
    def rate_hz(self) -> float:
        """Samples in a second [Hz]."""
        return OVERSAMPLING * self.subcarriers * self.spacing_hz

    @property
    def window(self) -> int:
        """Number of samples in the receiver's window."""
        return OVERSAMPLING * self.subcarriers * self.periods

    @property
    def length(self) -> int:
        """Number of samples of a symbol with its prefix."""
        return max(self.window, round(self.symbol_s * self.rate_hz))

    @property
    def start(self) -> int:
        """First sample of the window in a symbol."""
        return (self.length - self.window) // 2

    @property
    def bins(self) -> np.ndarray:
        """Place of each subcarrier in the spectrum of a window. Shape [S]."""
        return (np.arange(self.subcarriers) - self.subcarriers // 2) * self.periods % self.window

    @property
    def frequencies_hz(self) -> np.ndarray:
        """Frequencies of the spectrum of a window [Hz]. Shape [window]."""
        return np.fft.fftfreq(self.window, 1 / self.rate_hz)

    @property
    def first_hz(self) -> float:
        """Frequency of the first subcarrier [Hz]."""
        return -(self.subcarriers // 2) * self.spacing_hz

    def times_s(self, symbols: int) -> np.ndarray:
        """Return the time of each sample since the middle of the window before the first one [s]: [symbols, length]."""
        in_symbol = np.arange(self.length) - self.start - (self.window - 1) / 2
        return self.symbol_s * np.arange(1, symbols + 1)[:, None] + in_symbol / self.rate_hz

    def spectrum(self, symbols: np.ndarray) -> np.ndarray:
        """Return the spectra of windows with symbols on their subcarriers, from [..., S] to [..., window]."""
        spectrum = np.zeros((*symbols.shape[:-1], self.window), complex)
        spectrum[..., self.bins] = symbols
        return spectrum

    def samples(self, spectrum: np.ndarray) -> np.ndarray:
        """Return the samples of symbols, cyclically extended. Shape [..., length]."""
        return self.windowed(spectrum)[..., (np.arange(self.length) - self.start) % self.window]

    def windowed(self, spectrum: np.ndarray) -> np.ndarray:
        """Return the samples of symbols in the window. Shape [..., window]."""
        return np.fft.ifft(spectrum, axis=-1, norm="ortho")

    def transformed(self, samples: np.ndarray) -> np.ndarray:
        """Return the spectra of windows. Shape [..., window]."""
        return np.fft.fft(samples, axis=-1, norm="ortho")

    def demodulated(self, samples: np.ndarray) -> np.ndarray:
        """Return the symbols on subcarriers, of samples [..., length]. Shape [..., S]."""
        return self.transformed(samples[..., self.start : self.start + self.window])[..., self.bins]
