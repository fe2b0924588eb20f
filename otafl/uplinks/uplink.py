"""What an uplink offers: the channel and the draws that it needs, its link inside a program, and its cost."""

import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import DTypeLike

from channels.csi import ChannelState
from channels.effective_channel import Effective
from channels.gain import power_gain
from channels.grid import Grid
from otafl.algorithms import Method
from otafl.arrays import Tensor, tf
from otafl.round_draw import RoundDraw
from otafl.settings import user_keys
from otafl.settings.keys import Settings
from otafl.uplinks import chain as chains
from otafl.uplinks.chain import Chain
from otafl.uplinks.kinds import UPLINKS
from otafl.uplinks.link import Link, Numbers
from otafl.uplinks.physical_layer import grid, imperfections

Gains = Callable[[int], ChannelState]
"""Channels on the first so many subcarriers, in every block and under every seed. Shape [runs, workers, subcarriers]
each."""


class Cost(NamedTuple):
    """Cost of one upload: slots, channel uses, energy of digital symbols [J] and elements. Shape [runs] each."""

    slots: np.ndarray
    uses: np.ndarray
    energy: np.ndarray
    elements: np.ndarray


def free(runs: int) -> Cost:
    """The cost of nothing."""
    return Cost(*np.zeros((len(Cost._fields), runs)))


class Band(Protocol):
    """What is believed of the gains of a coherence block."""

    @property
    def correlated(self) -> bool:
        """Whether it matters which subcarriers a worker has."""
        ...

    @property
    def errors(self) -> np.ndarray:
        """Variance of what is believed around what is. Shape [runs, workers, 1]."""
        ...

    def first(self, subcarriers: int) -> np.ndarray:
        """Gains of the first S subcarriers, complex or their magnitudes. Shape [runs, workers, S]."""
        ...

    def split(self, run: int, each: int) -> np.ndarray:
        """Gains in a run of every worker on so many subcarriers of its own, side by side. Shape [workers, each]."""
        ...

    def pieces(self) -> Iterator[np.ndarray]:
        """The same subcarriers without end, in pieces. Shape [runs, workers, subcarriers of the piece]."""
        ...


class Senders(NamedTuple):
    """Those who upload, as far as costs depend on them.

    Arguments:
        workers: how many there are.
        band: their channel.
        snr: P/(W·N0) of each run, linear. Shape [runs].
        power: P of each run on one subcarrier [W]. Shape [runs].
        left: uses beyond which an upload in one slot need not be counted out: it has infinitely many.
        bands: where an upload may see several blocks, the channel of one after the other, and the slots until each; the
            first is ``band``.
    """

    workers: int
    band: Band
    snr: np.ndarray
    power: np.ndarray
    left: float = math.inf
    bands: Callable[[], Iterator[tuple[Band, int]]] | None = None


@dataclass(frozen=True)
class Uplink:
    """One kind of uplink, for the runs of a group.

    Arguments:
        settings: what the runs share.
        method: what is sent.
        elements: d, as many as are sent for each vector.
    """

    settings: Settings
    method: Method
    elements: int

    kinds: ClassVar[tuple[str, ...]] = ()
    """Names of the kind and of those that it is derived from, its own first; empty where none is registered."""
    keys: ClassVar[tuple[str, ...]] = ()
    """Dotted scenario keys that it reads."""
    splits: ClassVar[bool] = False
    """Whether each worker has a part of the band, which is another one with other workers beside it."""
    exact: ClassVar[bool] = False
    """Whether all arrives as it was sent, whatever the channel."""
    superposes: ClassVar[bool] = False
    """True where workers' symbols superpose over the air."""
    wireless: ClassVar[bool] = True
    """True where uploads go over a radio channel."""

    links: ClassVar[type[Link]] = Link
    """Class of its link inside a program."""
    parts: ClassVar[tuple[str, ...]] = ()
    """Parts of the chain that it has."""

    @classmethod
    def reads(cls, settings: Settings) -> tuple[str, ...]:
        """Dotted scenario keys that a run reads which has it."""
        return (*cls.keys, *(chains.keys(settings, cls.parts) if cls.parts else ()))

    @functools.cached_property
    def chain(self) -> Chain:
        """Parts of the uplink."""
        return chains.chain(self.settings)

    @functools.cached_property
    def grid(self) -> Grid:
        """The grid of an upload of elements as amplitudes."""
        return grid(self.settings, self.elements)

    @property
    def in_use(self) -> int:
        """Subcarriers that such an upload touches."""
        return self.grid.subcarriers_in_use(self.elements)

    @property
    def symbols(self) -> float:
        """Symbols q of a subcarrier in a slot."""
        return self.grid.symbols_per_slot

    @property
    def uploaded(self) -> int:
        """Numbers that one worker uploads."""
        return self.method.vectors * self.elements + self.method.scalars

    def channel(self, gains: Gains, workers: int, runs: int, dtype: DTypeLike) -> Effective:
        """The effective channel, blocks and seeds on the last axis: here only the gain of the method's arithmetic."""
        gain = np.ones((workers, 1, runs), dtype)
        if self.method.weighs_by_gain(self.settings):
            gain = np.moveaxis(power_gain(gains(self.in_use).worker, dtype), 0, -1)
        return Effective(gain, None, np.zeros((1, 1, runs), dtype), None)

    @property
    def noise_shape(self) -> tuple[int, ...]:
        """Shape of the samples that the server's receiver draws in an iteration."""
        return (self.method.vectors, self.chain.compressor.words)

    @property
    def downlink_noise_shape(self) -> tuple[int, ...]:
        """Likewise of the workers' receivers."""
        return (0, 0, 0)

    @classmethod
    def carried(cls, settings: Settings, elements: int) -> int:
        """Numbers that are sent for a vector of so many elements."""
        return elements

    @classmethod
    def radio(cls, settings: Settings, elements: int) -> Any:
        """Numbers in which runs of a group may differ and that its link needs, those of the chain under ``numbers``."""
        return Numbers(chains.chain(settings).numbers)

    @classmethod
    def link(cls, draw: RoundDraw, radio: Any, chain: Chain, runs: Tensor) -> Link:
        """The link of one iteration; ``runs`` is any array of shape [runs], and the chain has any numbers."""
        return cls.links(draw, radio, chain.with_numbers(radio.numbers), tf.zeros_like(runs))

    @property
    def most_subcarriers(self) -> int:
        """Subcarriers of which it takes all workers' gains at once."""
        return self.in_use

    def check(self, settings: Settings) -> None:
        """Refuse a run whose uploads would not end.

        Raises:
            OtaflError: at its SNR.
        """

    def rates(self, senders: Senders) -> np.ndarray:
        """Bits that each worker sends in a slot, where they do not send at once. Shape [runs, workers]."""
        raise NotImplementedError

    def cost(self, senders: Senders) -> Cost:
        """The cost of an upload by some workers.

        Raises:
            OtaflError: it takes more uses than can be counted.
        """
        raise NotImplementedError

    def scaling_report_cost(self, senders: Senders) -> Cost:
        """The cost of what workers tell the server with every upload: nothing."""
        return free(len(senders.snr))

    def csi_report_cost(self, senders: Senders) -> Cost:
        """The cost of what workers tell the server before they upload for the first time in a block: nothing."""
        return free(len(senders.snr))

    def sounding(self, share: float, upload: Cost, noise_psd_w_per_hz: np.ndarray) -> Cost:
        """The cost of the pilots of a share of the workers, one for each of their antennas, before an upload by all of
        them. Shape of the noise: [runs]."""
        channel = self.settings.channel
        if not channel.pilots or not share:
            return free(len(upload.slots))
        pilots = channel.pilots * self.settings.cell.worker_antennas
        slots, symbols = self.pilot_symbols(share, upload)
        joules = imperfections(self.settings).pilot_snr * noise_psd_w_per_hz
        return Cost(np.ceil(pilots * slots), pilots * symbols, pilots * symbols * joules, np.zeros_like(symbols))

    def pilot_symbols(self, share: float, upload: Cost) -> tuple[np.ndarray, np.ndarray]:
        """Slots, not rounded, and symbols that one pilot of each of a share of the workers takes. Shape [runs] each."""
        return np.zeros_like(upload.slots), np.zeros_like(upload.uses)


Made = TypeVar("Made", bound=Uplink)


def register(kind: str, **parameters: Any) -> Callable[[type[Made]], type[Made]]:
    """Register a class as a kind of uplink that scenarios can have, as a decorator.

    One that is derived from another kind carries what that carries.

    Arguments:
        kind: what ``uplink.kind`` calls it, such as "digital".
        parameters: of its own, made by ``otafl.key``: they become keys of the table ``uplink``, which it reads, and
            stand in ``settings.uplink``.

    Raises:
        OtaflError: the name or a key is taken, or the class is no uplink.
    """

    def taken(made: type[Made]) -> type[Made]:
        user_keys.require_new("uplink", kind, UPLINKS.get(kind), made, Uplink)
        numbers, others = user_keys.added("uplink", parameters, kind)
        made.kinds, made.keys = (kind, *made.kinds), (*made.keys, *numbers, *others)
        UPLINKS[kind] = made
        return made

    return taken
