"""How workers that send one beside the other share the band: shares x_nk of every subcarrier's time, Σ_n x_nk = 1.

Rates r_nk are what worker n carries on all of subcarrier k in a slot, and shares stay as they are for an upload. They
are found by proportional response: workers with budgets bid for subcarriers in proportion to what these have brought
them, and get shares in proportion to their bids. Source: F. Wu and L. Zhang, "Proportional Response Dynamics Leads to
Market Equilibrium".
"""

import numpy as np

ROUNDS = 100
"""Of bids."""


def min_makespan(rates: np.ndarray) -> np.ndarray:
    """Shares by which the last of equally long uploads ends soonest, max min_n Σ_k x_nk·r_nk. Shape of rates, [...,
    workers, S].

    Budgets go to those who carry least, until all carry as much; ROUNDS bring the lowest rate to within 1% of what a
    linear program finds. Over flat channels x_n ∝ 1/r_n, and b bits take b·Σ_n(1/r_n)/S slots.
    """
    return _shares(rates, levels=True)


def proportional_fair(rates: np.ndarray) -> np.ndarray:
    """Shares that maximise Σ_n log R_n, R_n = Σ_k x_nk·r_nk, with equal budgets. Shape of rates, [..., workers, S]."""
    return _shares(rates, levels=False)


def _shares(rates: np.ndarray, levels: bool) -> np.ndarray:
    """Shares after so many rounds of bids, with budgets that level rates, or equal ones."""
    rates = np.nan_to_num(rates, posinf=1.0)  # without noise all that arrives is worth as much
    bids, budget = np.ones_like(rates), np.ones((*rates.shape[:-1], 1))
    for _ in range(ROUNDS):
        bids = _of_bids(bids)
        bids *= rates
        total = bids.sum(axis=-1, keepdims=True)
        total = np.where(total > 0, total, 1.0)
        budget = budget / total if levels else budget
        budget = budget / budget.sum(axis=-2, keepdims=True)
        bids *= budget / total
    return _of_bids(bids)


def _of_bids(bids: np.ndarray) -> np.ndarray:
    """Shares in proportion to bids, in their place; nobody has what nobody bids for."""
    asked = bids.sum(axis=-2, keepdims=True)
    bids /= np.where(asked > 0, asked, 1.0)
    return bids
