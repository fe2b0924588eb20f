"""Base class of uplinks: the channel and draws that an uplink needs, its link inside a program, and its cost."""

import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import DTypeLike

from otafl.algorithms import Method
from otafl.channels.array_types import Gains, PerWorker
from otafl.channels.csi import ChannelState
from otafl.channels.effective_channel import Effective
from otafl.channels.gain import power_gain
from otafl.channels.grid import Grid
from otafl.settings import user_keys
from otafl.settings.keys import Settings
from otafl.uplinks import chain as chains
from otafl.uplinks.chain import Chain
from otafl.uplinks.kinds import UPLINKS
from otafl.uplinks.link import Link, Numbers
from otafl.uplinks.physical_layer import draws_lines, grid, imperfections, pilots_in_turn

GainsOf = Callable[..., ChannelState]
"""Function from S, and ``symbols`` on each, to the channels on the first S subcarriers, in all blocks under all seeds.

Shape [runs, workers, S], or [runs, workers, symbols · S] where carriers are not synchronised."""


class Cost(NamedTuple):
    """Cost of one upload by all its transmitters, for each of the runs computed side by side. Shape [runs] each.

    Arguments:
        slots: time slots of ``uplink.slot_s`` that the upload lasts.
        uses: channel uses, complex symbols summed over subcarriers and workers.
        energy: energy of digital symbols of all workers [J].
        elements: elements of vectors and single numbers that are sent, summed over workers.
    """

    slots: np.ndarray
    uses: np.ndarray
    energy: np.ndarray
    elements: np.ndarray


def free(runs: int) -> Cost:
    return Cost(*np.zeros((len(Cost._fields), runs)))


class Band(Protocol):
    """Estimated gains ĥ of workers in a coherence block: complex, or norms over antennas. The SNR is |ĥ|²·SNR."""

    @property
    def correlated(self) -> bool:
        """True where gains of a worker's subcarriers are correlated, so that the choice of subcarriers matters."""
        ...

    @property
    def errors(self) -> np.ndarray:
        """Variance of the estimates' errors, mean |h − ĥ|² of each worker. Shape [runs, workers, 1]."""
        ...

    @property
    def turned(self) -> np.ndarray:
        """Power that phases turn away from the estimate over the power |ĥ|²·P that stays. Shape [runs, workers, 1]."""
        ...

    def first(self, subcarriers: int) -> Gains:
        """Return gains of the first S subcarriers. Shape [runs, workers, S]."""
        ...

    def split(self, run: int, each: int) -> Gains:
        """Return gains in a run of every worker on as many adjacent subcarriers of its own. Shape [workers, each]."""
        ...

    def pieces(self) -> Iterator[Gains]:
        """Yield gains of a band without end, the same for all workers, in pieces. Shape [runs, workers, piece] each."""
        ...


class Senders(NamedTuple):
    """Transmitters of one upload: number, channel, SNR and power of each run.

    Arguments:
        workers: number of workers.
        band: their estimated channel gains in the coherence block.
        snr: P/(W·N0) on one subcarrier, linear. Shape [runs].
        power: transmit power P on one subcarrier [W]. Shape [runs].
        left: channel uses at which counting of an upload in one slot ends: beyond them it has infinitely many.
        bands: function that yields ``band`` and those of later blocks, with the slots before each; None: one band.
        sent: share of its upload that each worker sends before it is cut, 1 for a whole one. Shape [workers], or 1.
    """

    workers: int
    band: Band
    snr: np.ndarray
    power: np.ndarray
    left: float = math.inf
    bands: Callable[[], Iterator[tuple[Band, int]]] | None = None
    sent: PerWorker | float = 1.0

    @property
    def uploads(self) -> float:
        """Number of whole uploads that is sent, as the sum of shares."""
        return self.workers * float(np.mean(self.sent))


@dataclass(frozen=True)
class Uplink:
    """Base of the kinds of uplink: how a run's messages are carried, and what that costs.

    What is known of a kind stands in class attributes; an instance is the uplink of one run, or of runs side by side.
    Those have ``settings`` in common; numbers in which they differ are in ``Senders`` and ``radio``.
    """

    settings: Settings
    method: Method
    elements: int
    """Count of real numbers sent for each vector (``uplinks.uplink_of``)."""

    kinds: ClassVar[tuple[str, ...]] = ()
    """Name of the kind and names of those that it is derived from; empty where none is registered."""
    keys: ClassVar[tuple[str, ...]] = ()
    """Dotted scenario keys that the uplink reads, without those of its parts."""
    parts: ClassVar[tuple[str, ...]] = ()
    """Keys of the table ``uplink`` that choose parts of its chain."""
    splits: ClassVar[bool] = False
    """True where each worker has a part of the band, which depends on the number of workers."""
    exact: ClassVar[bool] = False
    """True where messages arrive as they were sent, whatever the channel."""
    superposes: ClassVar[bool] = False
    """True where workers send analog symbols at once, which add up over the air."""
    wireless: ClassVar[bool] = True
    """True where uploads go over a radio channel."""
    links: ClassVar[type[Link]] = Link
    """Class of the uplink's link inside a program."""

    @functools.cached_property
    def chain(self) -> Chain:
        """Parts of the uplink: compressor, precoder, power control and so on."""
        return chains.chain(self.settings)

    @functools.cached_property
    def grid(self) -> Grid:
        """Grid of subcarriers and slots of an upload, with elements as amplitudes of symbols."""
        return grid(self.settings, self.elements)

    @property
    def in_use(self) -> int:
        """Number of subcarriers in use by an upload of ``elements`` real numbers as amplitudes of symbols."""
        return self.grid.subcarriers_in_use(self.elements)

    @property
    def symbols_on_subcarrier(self) -> int:
        """Number of symbols of a vector on one subcarrier, over which gains of an upload may change; by default 1."""
        return 1

    @property
    def symbols(self) -> float:
        """Symbols q on a subcarrier in a slot."""
        return self.grid.symbols_per_slot

    @property
    def uploaded(self) -> int:
        """Count of numbers that one worker uploads in a round: elements of all vectors, and single numbers."""
        return self.method.vectors * self.elements + self.method.scalars

    @property
    def upload_size(self) -> str:
        """Size of what one worker uploads in a round, in words, such as "2,410 numbers"."""
        return f"{self.uploaded:,} numbers"

    def channel(self, gains: GainsOf, workers: int, runs: int, dtype: DTypeLike) -> Effective:
        """Return the effective channel in real arrays, coherence blocks and seeds on the last axis.

        By default it has only the method's weight of each worker, such as the estimated |h|², or 1 without one.
        """
        gain = np.ones((workers, 1, runs), dtype)
        if self.weighs:
            state = gains(self.in_use)
            weights = self.method.consensus_weight(self.settings, power_gain(state.worker, dtype), state.mean)
            gain = np.moveaxis(weights, 0, -1)
        return Effective(gain, None, np.zeros((1, 1, runs), dtype), None)

    @property
    def weighs(self) -> bool:
        """True where gains or mean gains of workers enter the method's arithmetic."""
        return self.method.weighs_by_gain(self.settings) or self.method.uses_mean_gain(self.settings)

    @property
    def noise_shape(self) -> tuple[int, int]:
        """Shape of a round's samples N(0, 1) for the server's receiver, (vectors, samples of each); by default none."""
        return (self.method.vectors, 0)

    @property
    def words_shape(self) -> tuple[int, int]:
        """Shape of a round's random words of the compressor, (vectors, words of each)."""
        return (self.method.vectors, self.chain.compressor.words)

    @property
    def downlink_noise_shape(self) -> tuple[int, int, int]:
        """Shape of a round's samples N(0, 1) of workers' receivers, (vectors, workers, d); by default (0, 0, 0)."""
        return (0, 0, 0)

    @property
    def radio(self) -> NamedTuple:
        """Numbers of one run that its link needs, a named tuple, of which a program holds tensors of shape [runs]."""
        return Numbers(self.chain.numbers)

    @property
    def most_subcarriers(self) -> int:
        """Number of subcarriers whose gains of all workers are needed at once."""
        return self.grid.subcarriers if self.settings.heard_alone else self.in_use

    def check(self, settings: Settings) -> None:
        """Refuse, by an OtaflError, a run whose uploads would not end; by default none."""

    def rates(self, senders: Senders) -> np.ndarray:
        """Return bits of each worker in a slot on its part of the band [bit/slot]. Shape [runs, workers]."""
        raise NotImplementedError

    def cost(self, senders: Senders) -> Cost:
        """Return the cost of an upload by some workers; OtaflError where it takes more uses than can be counted."""
        raise NotImplementedError

    def own_slots(self, senders: Senders) -> np.ndarray:
        """Return the slots that each worker's own upload lasts, pilots and reports aside. Shape [runs, workers]."""
        return np.repeat(self.cost(senders).slots[:, None], senders.workers, axis=1)

    def scaling_report_cost(self, senders: Senders) -> Cost:
        """Return the cost of workers' reports of the largest factors within their power budgets, with every upload."""
        return free(len(senders.snr))

    def csi_report_cost(self, senders: Senders) -> Cost:
        """Return the cost of workers' channel reports before their first upload in a coherence block."""
        return free(len(senders.snr))

    def telling_cost(self, listeners: Senders) -> Cost:
        """Return the cost of telling workers what the server estimates from their pilots, at a worker's power."""
        return free(len(listeners.snr))

    def mean_report_cost(self, senders: Senders) -> Cost:
        """Return the cost of telling the server the workers' mean gains, once in a run."""
        return free(len(senders.snr))

    def sounding(self, share: float | np.ndarray, upload: Cost, noise_psd_w_per_hz: np.ndarray) -> Cost:
        """Return the cost of pilots of a share of the workers, one for each of their antennas, for an upload by all.

        A share of 2 is two rounds of pilots by all. A surface of K elements takes K + 1 times as many, so that each
        path over an element is estimated. The noise density N0 [W/Hz] has shape [runs].
        """
        if not self.settings.channel.pilots or not np.any(share):
            return free(len(upload.slots))
        pilots = pilots_in_turn(self.settings)
        slots, symbols = self.pilot_symbols(share, upload)
        joules = imperfections(self.settings).pilot_snr * noise_psd_w_per_hz
        return Cost(np.ceil(pilots * slots), pilots * symbols, pilots * symbols * joules, np.zeros_like(symbols))

    def pilot_rounds(self, upload: Cost) -> np.ndarray:
        """Return the rounds of pilots in an upload, with the one after the data where lines end. Shape [runs]."""
        return self._periods(upload.slots) + draws_lines(self.settings)

    def _periods(self, slots: np.ndarray | int) -> np.ndarray:
        """Return the number of periods of pilots that begin in some slots, at least 1."""
        period = self.settings.channel.pilot_period_slots
        return np.ceil(slots / period) if period else np.ones_like(slots, float)

    def pilot_symbols(self, share: float | np.ndarray, upload: Cost) -> tuple[np.ndarray, np.ndarray]:
        """Return slots, not rounded, and symbols of a pilot of a share of the workers, of an upload by all; or 0."""
        return np.zeros_like(upload.slots), np.zeros_like(upload.uses)


Kind = TypeVar("Kind", bound=Uplink)


def register(kind: str, **parameters: Any) -> Callable[[type[Kind]], type[Kind]]:
    """Return a decorator that registers a class as a kind of uplink, which carries what its base carries.

    Arguments:
        kind: value of ``uplink.kind``, such as "digital".
        parameters: the uplink's own keys of the table ``uplink``, each made by ``otafl.key``; their values stand in
            ``settings.uplink``.

    Raises:
        OtaflError: the name or a key is taken, or the class is not derived from ``Uplink``.
    """

    def decorate(uplink: type[Kind]) -> type[Kind]:
        user_keys.require_new("uplink", kind, UPLINKS.get(kind), uplink, Uplink)
        numbers, others = user_keys.added("uplink", parameters, kind)
        uplink.kinds, uplink.keys = (kind, *uplink.kinds), (*uplink.keys, *numbers, *others)
        UPLINKS[kind] = uplink
        return uplink

    return decorate
