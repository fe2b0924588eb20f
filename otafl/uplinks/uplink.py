"""Base class of uplinks: the channel and draws that an uplink needs, its link inside a program, and its cost."""

import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import DTypeLike

from otafl.algorithms import Method
from otafl.channels.csi import ChannelState
from otafl.channels.effective_channel import Effective
from otafl.channels.gain import power_gain
from otafl.channels.grid import Grid
from otafl.federation.round_draw import RoundDraw
from otafl.numerics.tensors import Tensor, tf
from otafl.settings import user_keys
from otafl.settings.keys import Settings
from otafl.uplinks import chain as chains
from otafl.uplinks.chain import Chain
from otafl.uplinks.kinds import UPLINKS
from otafl.uplinks.link import Link, Numbers
from otafl.uplinks.physical_layer import grid, imperfections, symbol_snr_db

Gains = Callable[[int], ChannelState]
"""Function from S to channels on the first S subcarriers, in every block and under every seed. Shape [runs, workers, S]
each."""


class Cost(NamedTuple):
    """Cost of one upload by all its transmitters, for each of the runs computed side by side. Shape [runs] each.

    Arguments:
        slots: time slots of ``uplink.slot_s`` that the upload lasts.
        uses: channel uses, complex symbols summed over subcarriers and workers where each has subcarriers of its own.
        energy: energy of digital symbols of all workers [J].
        elements: elements of vectors and single numbers that are sent, summed over workers.
    """

    slots: np.ndarray
    uses: np.ndarray
    energy: np.ndarray
    elements: np.ndarray


def free(runs: int) -> Cost:
    """Return a cost of zero for each run, a ``Cost`` of slots, uses, energy [J] and elements. Shape [runs] each.

    Arguments:
        runs: number of runs.
    """
    return Cost(*np.zeros((len(Cost._fields), runs)))


class Band(Protocol):
    """Estimated channel gains ĥ of workers on subcarriers in a coherence block, over which the channel stays the same.

    Gains are linear factors on amplitudes: complex ĥ with one antenna, or with several the real root of the sum of |ĥ|²
    over antennas. With transmit power P, bandwidth W of a subcarrier and noise density N0, the received SNR is
    |ĥ|²·P/(W·N0).
    """

    @property
    def correlated(self) -> bool:
        """True where gains of a worker's subcarriers are correlated, so that the choice of subcarriers matters."""
        ...

    @property
    def errors(self) -> np.ndarray:
        """Variance of the estimates' errors, mean |h − ĥ|² of each worker, linear. Shape [runs, workers, 1]."""
        ...

    def first(self, subcarriers: int) -> np.ndarray:
        """Return gains of the first S subcarriers, complex with one antenna, else real. Shape [runs, workers, S].

        Arguments:
            subcarriers: number S of subcarriers.
        """
        ...

    def split(self, run: int, each: int) -> np.ndarray:
        """Return gains in a run of every worker on adjacent subcarriers of its own. Shape [workers, each].

        They are complex with one antenna, else real.

        Arguments:
            run: index of the run among those side by side.
            each: number of subcarriers of each worker.
        """
        ...

    def pieces(self) -> Iterator[np.ndarray]:
        """Return an endless iterator over gains of further subcarriers, in pieces. Shape [runs, workers, piece] each.

        They are complex with one antenna, else real. All workers have the same subcarriers.
        """
        ...


class Senders(NamedTuple):
    """Transmitters of one upload: number, channel, SNR and power of each run.

    Arguments:
        workers: number of workers.
        band: a ``Band``, their estimated channel gains in the coherence block, over which the channel stays the same.
        snr: P/(W·N0) of each run, linear: transmit power over the noise of one subcarrier of width W. Shape [runs].
        power: transmit power P of each run on one subcarrier [W]. Shape [runs].
        left: channel uses at which counting of an upload in one slot ends: beyond them it has infinitely many.
        bands: function that returns gains of successive coherence blocks with the number of slots before each; its
            first is ``band``. None: the channel of ``band`` holds for the whole upload.
        sent: share of its upload that each worker sends before it is cut, 1 for a whole one. Shape [workers], or 1.
    """

    workers: int
    band: Band
    snr: np.ndarray
    power: np.ndarray
    left: float = math.inf
    bands: Callable[[], Iterator[tuple[Band, int]]] | None = None
    sent: np.ndarray | float = 1.0

    @property
    def uploads(self) -> float:
        """Number of whole uploads that is sent, as the sum of shares."""
        return self.workers * float(np.mean(self.sent))


@dataclass(frozen=True)
class Uplink:
    """Base of the kinds of uplink, for the runs of a group.

    Arguments:
        settings: ``Settings`` that the runs share.
        method: ``Method`` whose messages are sent.
        elements: count of real numbers sent for each vector.
    """

    settings: Settings
    method: Method
    elements: int

    kinds: ClassVar[tuple[str, ...]] = ()
    """Name of the kind and names of those that it is derived from; empty where none is registered."""
    keys: ClassVar[tuple[str, ...]] = ()
    """Dotted scenario keys that the uplink reads, without those of its parts."""
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
    parts: ClassVar[tuple[str, ...]] = ()
    """Keys of the table ``uplink`` that choose parts of its chain."""

    @classmethod
    def reads(cls, settings: Settings) -> tuple[str, ...]:
        """Return the dotted scenario keys that a run over this uplink reads, those of its parts included.

        Arguments:
            settings: the run's ``Settings``, which choose the parts.
        """
        return (*cls.keys, *(chains.keys(settings, cls.parts) if cls.parts else ()))

    @classmethod
    def snr_lines(cls, settings: Settings) -> list[str]:
        """Return lines of text on the SNRs of an upload: of a subcarrier, and of a symbol [dB].

        Arguments:
            settings: the run's ``Settings`` as it uses them.
        """
        each, share = settings.uplink.power_reference == "subcarrier", "on all its subcarriers together, "
        power = f"channel.snr_db = {settings.channel.snr_db:.10g}: power P of a worker {'' if each else share}over W·N0"
        whole = "" if each else ", if all of P is on its subcarrier"
        return [power, f"a symbol has {symbol_snr_db(settings):.1f} dB, energy P·T/q over N0{whole}"]

    @functools.cached_property
    def chain(self) -> Chain:
        """Chain of the uplink's seven parts, a ``Chain``: compressor, precoder, power control and so on."""
        return chains.chain(self.settings)

    @functools.cached_property
    def grid(self) -> Grid:
        """Grid of subcarriers and slots of an upload, a ``Grid``, with elements as amplitudes of symbols.

        It holds the number of subcarriers, their spacing [Hz], the slot [s], symbols in a slot, and elements of a
        symbol.
        """
        return grid(self.settings, self.elements)

    @property
    def in_use(self) -> int:
        """Number of subcarriers in use by an upload of ``elements`` real numbers as amplitudes of symbols."""
        return self.grid.subcarriers_in_use(self.elements)

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

    def channel(self, gains: Gains, workers: int, runs: int, dtype: DTypeLike) -> Effective:
        """Return the effective channel in real arrays, coherence blocks and seeds on the last axis.

        By default it has only the gain of the method's arithmetic: its weight of each worker, such as the estimated
        |h|², linear, where it has one, else 1.

        Arguments:
            gains: function from S to the ``ChannelState`` of the first S subcarriers, with complex gains h, [runs,
                workers, S].
            workers: number of workers.
            runs: length of the last axis, blocks times seeds.
            dtype: real NumPy type of the arrays.

        Returns:
            An ``Effective`` with power gains, arrival factors, transmit powers and noise factors. Arrays of shape
            [workers or 1, subcarriers or 1, runs], None where they would be 1 everywhere.
        """
        gain = np.ones((workers, 1, runs), dtype)
        if self.weighs:
            found = gains(self.in_use)
            weights = self.method.consensus_weight(self.settings, power_gain(found.worker, dtype), found.mean)
            gain = np.moveaxis(weights, 0, -1)
        return Effective(gain, None, np.zeros((1, 1, runs), dtype), None)

    @property
    def weighs(self) -> bool:
        """True where gains or mean gains of workers enter the method's arithmetic."""
        return self.method.weighs_by_gain(self.settings) or self.method.uses_mean_gain(self.settings)

    def mean_report_cost(self, senders: Senders) -> Cost:
        """Return the cost of telling the server the workers' mean gains, once in a run; 0 by default. Shape [runs].

        Arguments:
            senders: the transmitters, with their gains, SNR and power.
        """
        return free(len(senders.snr))

    @property
    def noise_shape(self) -> tuple[int, ...]:
        """Shape of a round's samples N(0, 1) for the server's receiver, (vectors, samples and random words of each).

        By default there is no noise, but the random words of the compressor.
        """
        return (self.method.vectors, self.chain.compressor.words)

    @property
    def downlink_noise_shape(self) -> tuple[int, ...]:
        """Shape of a round's samples N(0, 1) of workers' receivers, (vectors, workers, d); by default (0, 0, 0)."""
        return (0, 0, 0)

    @classmethod
    def carried(cls, settings: Settings, elements: int) -> int:
        """Return the count of real numbers sent for a vector of d elements, by default d.

        Arguments:
            settings: the run's ``Settings``; unused by default.
            elements: number d of elements.
        """
        return elements

    @classmethod
    def radio(cls, settings: Settings, elements: int) -> Any:
        """Return the numbers of one run that its link needs, those of the chain's parts under ``numbers``.

        Arguments:
            settings: the run's ``Settings``.
            elements: count of real numbers sent for a vector; unused by default.

        Returns:
            A ``Numbers``, or in subclasses a record with further fields. Its ``numbers`` are by part and name, such as
            {"compressor": {"sparsity": 0.05}}.
        """
        return Numbers(chains.chain(settings).numbers)

    @classmethod
    def link(cls, draw: RoundDraw, radio: Any, chain: Chain, runs: Tensor) -> Link:
        """Return the link of one round, which carries messages to the server and the broadcast back.

        Arguments:
            draw: record of the round: number, weights, channel repeated for the numbers sent, noise.
            radio: result of ``radio``, as tensors of shape [runs] each.
            chain: a ``Chain`` with any numbers; those of ``radio`` take their place.
            runs: any real tensor of shape [runs], of which shape and type are taken.
        """
        return cls.links(draw, radio, chain.with_numbers(radio.numbers), tf.zeros_like(runs))

    @property
    def most_subcarriers(self) -> int:
        """Number of subcarriers whose gains of all workers are needed at once: all for digital reports and broadcasts.

        Those of an upload suffice without them.
        """
        uplink, settings = self.settings.uplink, self.settings
        reports = uplink.charge_side_information or settings.by_channel
        broadcast = uplink.downlink == "digital" and (uplink.charge_downlink or settings.energy.whole)
        return self.grid.subcarriers if reports or broadcast else self.in_use

    def check(self, settings: Settings) -> None:
        """Refuse a run whose uploads would not end; by default none.

        Arguments:
            settings: the run's ``Settings``.

        Raises:
            OtaflError: the run's SNR is too low.
        """

    def rates(self, senders: Senders) -> np.ndarray:
        """Return bits of each worker in a slot on its part of the band [bit/slot]. Shape [runs, workers].

        Uplinks whose workers superpose have none: NotImplementedError.

        Arguments:
            senders: the transmitters, with their gains, SNR and power.
        """
        raise NotImplementedError

    def cost(self, senders: Senders) -> Cost:
        """Return the cost of an upload by some workers: slots, uses, energy [J] and elements. Shape [runs] each.

        Arguments:
            senders: the transmitters, with their gains, SNR and power.

        Raises:
            OtaflError: it takes more uses than can be counted.
        """
        raise NotImplementedError

    def own_slots(self, senders: Senders) -> np.ndarray:
        """Return the slots that each worker's own upload lasts, pilots and reports aside. Shape [runs, workers].

        By default all last as long as the whole upload.

        Arguments:
            senders: the transmitters, with their gains, SNR and power.
        """
        return np.repeat(self.cost(senders).slots[:, None], senders.workers, axis=1)

    def scaling_report_cost(self, senders: Senders) -> Cost:
        """Return the cost of workers' reports of scaling factors with every upload, by default 0.

        A worker's scaling factor is the largest factor on symbols within its power budget; all use the smallest.

        Arguments:
            senders: the transmitters, with their gains, SNR and power.

        Returns:
            A ``Cost`` of slots, channel uses, energy [J] and elements. Shape [runs] each.
        """
        return free(len(senders.snr))

    def csi_report_cost(self, senders: Senders) -> Cost:
        """Return the cost of workers' channel reports before their first upload in a coherence block, by default 0.

        It is a ``Cost`` of slots, uses, energy [J] and elements, [runs] each. In a coherence block the channel stays
        the same.

        Arguments:
            senders: the transmitters, with their gains, SNR and power.
        """
        return free(len(senders.snr))

    def sounding(self, share: float, upload: Cost, noise_psd_w_per_hz: np.ndarray) -> Cost:
        """Return the cost of pilots of some workers, one for each of their antennas, before an upload by all of them.

        A surface of K elements takes K + 1 times as many, so that each path over an element is estimated.

        Arguments:
            share: share of the workers that send a pilot, from 0 to 1.
            upload: a ``Cost`` of the upload, of which slots, uses and elements count. Shape [runs] each.
            noise_psd_w_per_hz: noise power spectral density N0 [W/Hz]. Shape [runs].

        Returns:
            A ``Cost`` with slots, rounded up, symbols as uses, energy [J], and no elements. Shape [runs] each.
        """
        channel = self.settings.channel
        if not channel.pilots or not share:
            return free(len(upload.slots))
        cell = self.settings.cell
        pilots = channel.pilots * cell.worker_antennas * (1 + cell.surface_elements)
        slots, symbols = self.pilot_symbols(share, upload)
        joules = imperfections(self.settings).pilot_snr * noise_psd_w_per_hz
        return Cost(np.ceil(pilots * slots), pilots * symbols, pilots * symbols * joules, np.zeros_like(symbols))

    def pilot_symbols(self, share: float, upload: Cost) -> tuple[np.ndarray, np.ndarray]:
        """Return slots, not rounded, and symbols that one pilot of each of some workers takes. Shape [runs] each.

        By default both are 0.

        Arguments:
            share: share of the workers that send a pilot, from 0 to 1.
            upload: cost of the upload by all workers. Shape [runs] each.
        """
        return np.zeros_like(upload.slots), np.zeros_like(upload.uses)


Made = TypeVar("Made", bound=Uplink)


def register(kind: str, **parameters: Any) -> Callable[[type[Made]], type[Made]]:
    """Return a decorator that registers a class as a kind of uplink.

    A class that is derived from another kind carries the methods of that kind.

    Arguments:
        kind: value of ``uplink.kind``, such as "digital".
        parameters: the uplink's own keys of the table ``uplink``, each made by ``otafl.key``; their values stand in
            ``settings.uplink``.

    Raises:
        OtaflError: the name or a key is taken, or the class is not derived from ``Uplink``.
    """

    def taken(made: type[Made]) -> type[Made]:
        user_keys.require_new("uplink", kind, UPLINKS.get(kind), made, Uplink)
        numbers, others = user_keys.added("uplink", parameters, kind)
        made.kinds, made.keys = (kind, *made.kinds), (*made.keys, *numbers, *others)
        UPLINKS[kind] = made
        return made

    return taken
