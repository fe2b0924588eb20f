"""Modulation and coding schemes of 5G NR's uplink shared channel (PUSCH), by Sionna's tables of block errors.

A symbol carries the bits of the fastest scheme that keeps to a block error rate. Without transform precoding PUSCH has
the schemes of the downlink, 3GPP TS 38.214, table 5.1.3.1-1, and so the block errors of Sionna's tables for the
downlink. Its tables for PUSCH are with transform precoding, with other schemes from row 17 on.

Approximations: blocks have RESOURCES symbols, all over the same channel, so each subcarrier has a scheme of its own.
Sionna's tables begin with the fourth scheme (0.49 bits). Below LEAST_DB its blocks are repeated, and the SNRs of
repetitions add up; the standard's first three schemes would be up to a third faster. The tables end at MOST_DB;
failures fall tenfold with every 0.75 dB, and from CERTAIN_DB on all blocks are taken to arrive.
"""

import functools
from dataclasses import dataclass

import numpy as np

from .code import FallibleCode, register

RESOURCES = 2016
"""Symbols of a block: a slot of 12 resource blocks, without pilots."""
LEAST_DB, MOST_DB, CERTAIN_DB = -2.0, 20.0, 22.0
"""First and last SNR of Sionna's tables, and the SNR from which blocks of the fastest scheme always arrive [dB]."""
FASTEST = 28
"""Index of the table's last scheme, of 6·948/1024 bits a symbol."""
DOWNLINK = 1
"""Category of the downlink in Sionna's tables of block errors."""
STEP_DB = 0.25
"""Step of SNRs in the table of bits [dB]."""


@register("nr")
@dataclass(frozen=True)
class Nr(FallibleCode):
    """Modulation and coding of 5G NR, for SNRs from -2 dB on, where the tables of block errors begin."""

    def rate(self, capacity: np.ndarray) -> np.ndarray:
        return goodput(capacity, self.block_error)


def goodput(capacity: np.ndarray, block_error: float) -> np.ndarray:
    """Return the mean bits that arrive with symbols of a capacity [bit], without those of failed blocks."""
    snrs_db, bits = table(block_error)
    snr_db = 10 * np.log10(np.maximum(np.expm1(np.log(2) * capacity), 1e-300))
    repeated = 10 ** (np.minimum(snr_db - LEAST_DB, 0.0) / 10)
    return np.interp(snr_db, snrs_db, bits) * repeated


@functools.cache
def table(block_error: float) -> tuple[np.ndarray, np.ndarray]:
    """Return SNRs of symbols, from -2 to 22 dB, and the mean bits that arrive with a symbol at each, never falling."""
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
    order, rate = decode_mcs_index(tf.concat([scheme, [FASTEST]], axis=0), table_index=1, is_pusch=True)
    arriving = order.numpy() * rate.numpy() * (1 - np.append(failed.numpy(), 0.0))
    return np.append(snrs_db, CERTAIN_DB), np.maximum.accumulate(arriving).astype(float)
