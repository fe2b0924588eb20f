"""How workers that send one beside the other share the band: shares x_nk of every subcarrier's time, Σ_n x_nk = 1.

Rates r_nk are what worker n carries on all of subcarrier k in a slot, and shares stay as they are for an upload.
"""

import numpy as np

ALLOCATIONS = ("equal", "min_makespan", "proportional_fair")
ROUNDS = 60
"""Of the search for proportional fairness."""


def min_makespan(rates: np.ndarray) -> np.ndarray:
    """Shares by which the last of equally long uploads ends soonest, max min_n Σ_k x_nk·r_nk, a linear program for each
    band. Shape of rates, [..., workers, S].

    Over flat channels that is x_n ∝ 1/r_n, and b bits take b·Σ_n(1/r_n)/S slots.
    """
    bands = rates.reshape(-1, *rates.shape[-2:])
    return np.stack([_max_min(one) for one in bands]).reshape(rates.shape)


def _max_min(rates: np.ndarray) -> np.ndarray:
    """Shares of one band that make the lowest rate t as high as can be. Shape [workers, S]."""
    from scipy import optimize, sparse

    (workers, subcarriers), scale = rates.shape, rates.mean() or 1.0
    own = sparse.block_diag([-row[None] / scale for row in rates])
    whole = sparse.kron(np.ones((1, workers)), sparse.identity(subcarriers))
    most = sparse.bmat([[own, np.ones((workers, 1))], [whole, None]], format="csr")
    bounds = np.repeat([0.0, 1.0], [workers, subcarriers])
    wanted = np.append(np.zeros(rates.size), -1.0)
    found = optimize.linprog(wanted, A_ub=most, b_ub=bounds, method="highs")
    return found.x[:-1].reshape(rates.shape)


def proportional_fair(rates: np.ndarray) -> np.ndarray:
    """Shares that maximise Σ_n log R_n, R_n = Σ_k x_nk·r_nk. Shape of rates, [..., workers, S].

    Found by proportional response: workers bid for subcarriers in proportion to what these bring them, and get shares
    in proportion to their bids. Source: F. Wu and L. Zhang, "Proportional Response Dynamics Leads to Market
    Equilibrium".
    """
    bids = np.ones_like(rates) / rates.shape[-1]
    for _ in range(ROUNDS):
        shares = _shares(bids)
        brought = shares * rates
        total = brought.sum(axis=-1, keepdims=True)
        bids = brought / np.where(total > 0, total, 1.0)
    return _shares(bids)


def _shares(bids: np.ndarray) -> np.ndarray:
    """Shares in proportion to bids; nobody has what nobody bids for."""
    asked = bids.sum(axis=-2, keepdims=True)
    return bids / np.where(asked > 0, asked, 1.0)
