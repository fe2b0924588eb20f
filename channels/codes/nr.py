"""5G NR's modulation and coding schemes: what a symbol of the uplink shared channel (PUSCH) carries with the fastest
scheme that keeps to a block error rate, by Sionna's tables.

Without transform precoding PUSCH has the schemes of the downlink, 3GPP TS 38.214, table 5.1.3.1-1, and so the block
errors of Sionna's tables for the downlink: those for PUSCH are with transform precoding, table 6.1.4.1-1, which has
other schemes from row 17 on, and one less.

Approximations: blocks have RESOURCES symbols, all of the same channel, so that each subcarrier has a scheme of its own;
Sionna's tables begin with the fourth scheme (0.49 bits), of SNRs 1.8 dB apart, so below LEAST_DB blocks of it are
repeated, the SNRs of repetitions add up, and the standard's first three schemes would be up to a third faster; they end
at MOST_DB, where 1 in 116 blocks of the fastest scheme fails, tenfold fewer with every 0.75 dB, and all arrive from
CERTAIN_DB on.
"""

import functools
import importlib.util
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from channels.codes.protocol import FallibleCode, register

RESOURCES = 2016
"""Symbols of a block: a slot of 12 resource blocks, without pilots."""
LEAST_DB, MOST_DB, CERTAIN_DB = -2.0, 20.0, 22.0
"""SNRs between which the tables serve, as below no scheme of them is decoded, and one above which the fastest is."""
FASTEST = 28
"""Last scheme of the table, of 6·948/1024 bits."""
DOWNLINK = 1
"""Category of Sionna's tables of block errors that holds the downlink's."""
STEP_DB = 0.25


@register("nr")
@dataclass(frozen=True)
class Nr(FallibleCode):
    """Modulation and coding of 5G NR, from LEAST_DB on."""

    def requires(self, chain: Any, settings: Any, method: Any) -> str:
        """Refuse tables that are not there, and those that begin above a run's SNR."""
        if importlib.util.find_spec("sionna") is None:
            return "needs Sionna, pip install 'otafl[sionna]'"
        uplink, snr_db = settings.uplink, settings.channel.snr_db
        if uplink.symbols_per_slot != "as_printed":
            snr_db += 10 * math.log10(uplink.subcarrier_spacing_hz * uplink.slot_s / uplink.symbols_per_slot)
        if uplink.power_reference == "total":
            snr_db -= 10 * math.log10(int(settings.subcarriers) / settings.participants)
        if snr_db >= LEAST_DB:
            return ""
        rule = f"is for symbols of at least {LEAST_DB:g} dB, below which its tables know nothing, and with "
        return f"{rule}channel.snr_db they have {snr_db:.1f} dB"

    def rate(self, capacity: np.ndarray) -> np.ndarray:
        """Bits that arrive with a symbol of some capacity. Shape of capacity [bit]."""
        return goodput(capacity, self.block_error)


def goodput(capacity: np.ndarray, block_error: float) -> np.ndarray:
    """Bits that arrive with a symbol of some capacity, failures left out [bit]. Shape of capacity.

    Arguments:
        capacity: log2(1 + γ) [bit].
        block_error: most blocks that may fail, where some scheme keeps to it.

    Raises:
        ImportError: Sionna is not installed.
    """
    snrs_db, found = table(block_error)
    snr_db = 10 * np.log10(np.maximum(np.expm1(np.log(2) * capacity), 1e-300))
    repeated = 10 ** (np.minimum(snr_db - LEAST_DB, 0.0) / 10)
    return np.interp(snr_db, snrs_db, found) * repeated


@functools.cache
def table(block_error: float) -> tuple[np.ndarray, np.ndarray]:
    """SNRs [dB] and the bits that arrive with a symbol there."""
    import tensorflow as tf
    from sionna.phy.nr.utils import decode_mcs_index
    from sionna.sys import InnerLoopLinkAdaptation, PHYAbstraction

    snrs_db = np.arange(LEAST_DB, MOST_DB + STEP_DB, STEP_DB)
    tables = PHYAbstraction()
    given = {
        "sinr_eff": tf.constant(10 ** (snrs_db / 10), tf.float32),
        "num_allocated_re": tf.fill([len(snrs_db)], RESOURCES),
        "mcs_table_index": 1,
        "mcs_category": DOWNLINK,
    }
    scheme = InnerLoopLinkAdaptation(tables, block_error)(**given)
    *_, failed, _ = tables(scheme, **given)
    bits, rate = decode_mcs_index(tf.concat([scheme, [FASTEST]], axis=0), table_index=1, is_pusch=True)
    found = bits.numpy() * rate.numpy() * (1 - np.append(failed.numpy(), 0.0))
    return np.append(snrs_db, CERTAIN_DB), np.maximum.accumulate(found).astype(float)
