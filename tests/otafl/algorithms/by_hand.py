"""Rounds of every method by hand: each paper's equations in NumPy, worker by worker and one run at a time.

Three workers, of whom two take part in most rounds, have quadratic losses, and with pseudo labels a cross-entropy
beside them. A mean that a paper forms over all workers is formed here of what all of them hold.
"""

import functools
from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
from scipy.optimize import brentq

WORKERS, DIM, PLACES, CLASSES = 3, 2, 2, 3
SOME, ALL = [[0, 2], [1, 2], [0, 1], [0, 2]], [[0, 1, 2]] * 4
START = np.array([0.5, -0.3])
HESSIAN = np.array([[[1.0, 0.3], [0.3, 0.8]], [[2.0, -0.5], [-0.5, 1.0]], [[0.6, 0.1], [0.1, 1.5]]])
LINEAR = np.array([[1.0, -2.0], [-1.5, 0.5], [0.3, 2.5]])
SAMPLING = np.array([[0.2, -0.1], [-0.3, 0.4], [0.1, 0.5]])
"""A mini-batch's gradient less that over all samples."""
FEATURES = np.random.default_rng(1).standard_normal((WORKERS, PLACES, CLASSES, DIM))
"""Features of samples without a label, whose logits are these times the model."""
NUMBERS = {
    "rho": (0.7, 1.3),
    "learning_rate": (0.1, 0.15),
    "step_size": (0.05, 0.08),
    "server_step": (0.8, 1.2),
    "proximal_step": (0.9, 0.6),
    "relaxation": (0.8, 1.3),
    "regulariser_weight": (0.1, 0.05),
    "dual_step": (0.6, 1.1),
    "aggregation_step": (0.9, 1.4),
    "strong_convexity": (0.1, 0.3),
    "penalty_ratio": (1.1, 1.3),
    "penalty_factor": (2.0, 3.0),
    "memory_weight": (0.7, 0.4),
    "pseudo_learning_rate": (0.2, 0.3),
    "first_moment_decay": (0.9, 0.6),
    "second_moment_decay": (0.99, 0.8),
    "adaptivity": (0.05, 0.3),
}
"""Parameters of methods in each of two runs."""
Models = Iterator[np.ndarray]


def log_probabilities(n: int, x: np.ndarray) -> np.ndarray:
    logits = FEATURES[n] @ x
    return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))


def slope(n: int, x: np.ndarray, labels: np.ndarray | None = None) -> np.ndarray:
    """∇f_n: of ½xᵀAx − bᵀx, and with pseudo labels y of −Σ y·log p(x)."""
    exact = HESSIAN[n] @ x - LINEAR[n]
    if labels is None:
        return exact
    probabilities = np.exp(log_probabilities(n, x))
    residual = probabilities * labels.sum(axis=1, keepdims=True) - labels
    return exact + np.einsum("pc,pcd->d", residual, FEATURES[n])


def path(p, n: int, start, dual=0.0, weight=0.0, anchor=0.0) -> list[np.ndarray]:
    """Points of gradient descent on f_n(x) + ⟨dual, x⟩ + weight/2·‖x − anchor‖²."""
    points = [start]
    for _ in range(p.steps[n]):
        x = points[-1]
        points.append(x - p.learning_rate * (slope(n, x, p.labels.get(n)) + dual + weight * (x - anchor)))
    return points


def train(p, n: int, start, dual=0.0, weight=0.0, anchor=0.0) -> np.ndarray:
    return path(p, n, start, dual, weight, anchor)[-1]


def guess(p, who, theta) -> None:
    """S. Wang et al., "Beyond ADMM", algorithm 2: projected gradient steps on pseudo labels at the global model."""
    for n in who if p.pseudo_steps else ():
        for _ in range(p.pseudo_steps):
            moved = p.labels.get(n, np.full((PLACES, CLASSES), 1 / CLASSES))
            moved = moved + p.pseudo_learning_rate * log_probabilities(n, theta)
            p.labels[n] = np.array([on_simplex(values) for values in moved])


def on_simplex(values: np.ndarray) -> np.ndarray:
    level = brentq(lambda t: np.maximum(values - t, 0).sum() - 1, values.min() - 1, values.max(), xtol=1e-15)
    return np.maximum(values - level, 0)


def proximal(p, x: np.ndarray, step: float) -> np.ndarray:
    """argmin_y g(y) + ‖x − y‖²/(2·step), g of strength κ."""
    kappa = p.regulariser_weight
    forms = {
        "none": x,
        "l1": x - np.clip(x, -step * kappa, step * kappa),
        "l2": x / (1 + step * kappa),
        "box": np.clip(x, -kappa, kappa),
    }
    return forms[p.regulariser]


def fadmm(p) -> Models:
    """Elgabli et al., algorithm 1, complex h and λ: (9), or its solution for λ; (13), (15); with h = 1 (3) to (5)."""
    theta, dual, model, last = np.tile(START, (WORKERS, 1)), np.zeros((WORKERS, DIM), complex), START, {}
    for who, h in zip(p.rounds, p.h, strict=True):
        gain = np.abs(h) ** 2
        for n in who:
            weight, mu = p.rho * gain[n], (np.conj(dual[n]) * h[n]).real
            if not np.array_equal(last.get(n, h[n]), h[n]):
                dual[n] = np.conj((-slope(n, theta[n]) - weight * (theta[n] - model)) / h[n])
            elif p.exact:
                theta[n] = np.linalg.solve(HESSIAN[n] + np.diag(weight), LINEAR[n] - mu + weight * model)
            else:
                theta[n] = train(p, n, theta[n], mu, weight, model)
            last[n] = h[n]
        received = sum(h[n] * (np.conj(h[n]) * theta[n] + np.conj(dual[n]) / p.rho) for n in who)
        model = received.real / sum(gain[n] for n in who)
        for n in who:
            dual[n] = dual[n] + p.rho * h[n] * (theta[n] - model)
        yield model


def descent(p) -> Models:
    """Elgabli et al., section V-A: gradient descent; after several local steps the mean of models."""
    theta = START
    for who in p.rounds:
        if p.local_steps == 1:
            theta = theta - p.step_size * sum(slope(n, theta) + p.sampled * SAMPLING[n] for n in who)
        else:
            theta = np.mean([train(p, n, theta) for n in who], axis=0)
        yield theta


def fedprox(p, near: bool = True) -> Models:
    """Li et al., algorithm 2; without its penalty McMahan et al., algorithm 1, the server's step η beside it."""
    theta = START
    for who in p.rounds:
        guess(p, who, theta)
        updates = [p.omega[n] * (train(p, n, theta, weight=near * p.rho, anchor=theta) - theta) for n in who]
        theta = theta + p.server_step * sum(updates) / sum(p.omega[n] for n in who)
        yield theta


def fedadam(p) -> Models:
    """Reddi et al., algorithm 2, FedAdam."""
    theta, m, v = START, np.zeros(DIM), np.full(DIM, p.adaptivity**2)
    for who in p.rounds:
        total = sum(p.omega[n] for n in who)
        update = sum(p.omega[n] * (train(p, n, theta) - theta) for n in who) / total
        m = p.first_moment_decay * m + (1 - p.first_moment_decay) * update
        v = p.second_moment_decay * v + (1 - p.second_moment_decay) * update**2
        theta = theta + p.server_step * m / (np.sqrt(v) + p.adaptivity)
        yield theta


def fedsgd(p) -> Models:
    """McMahan et al., section 2."""
    theta = START
    for who in p.rounds:
        mean = sum(p.omega[n] * slope(n, theta) for n in who) / sum(p.omega[n] for n in who)
        theta = theta - p.server_step * p.learning_rate * mean
        yield theta


def fednova(p) -> Models:
    """J. Wang et al., in the form of S. Wang et al., (22)."""
    theta = START
    for who in p.rounds:
        share = {n: p.omega[n] / sum(p.omega[m] for m in who) for n in who}
        effective = sum(share[n] * p.steps[n] for n in who)
        means = {n: np.mean([slope(n, x) for x in path(p, n, theta)[:-1]], axis=0) for n in who}
        theta = theta - p.server_step * p.learning_rate * effective * sum(share[n] * means[n] for n in who)
        yield theta


def scaffold(p) -> Models:
    """Karimireddy et al., algorithm 1, option II: c_i is the mean of local gradients, c that of all workers' c_i."""
    theta, control = START, np.zeros((WORKERS, DIM))
    for who in p.rounds:
        guess(p, who, theta)
        common, ends = control.mean(axis=0), []
        for n in who:
            points = path(p, n, theta, common - control[n])
            control[n] = np.mean([slope(n, x, p.labels.get(n)) for x in points[:-1]], axis=0)
            ends.append(points[-1])
        theta = theta + p.server_step * np.mean([end - theta for end in ends], axis=0)
        yield theta


def vrl_sgd(p) -> Models:
    """Liang et al., algorithm 1: Δ_i ← Δ_i + (x̂ − x_i)/kγ, then k steps along ∇f_i − Δ_i from the mean x̂."""
    theta, ends, correction = START, np.tile(START, (WORKERS, 1)), np.zeros((WORKERS, DIM))
    for who in p.rounds:
        for n in who:
            correction[n] += (theta - ends[n]) / (p.steps[n] * p.learning_rate)
            ends[n] = train(p, n, theta, -correction[n])
        theta = ends.mean(axis=0)
        yield theta


def feddyn(p) -> Models:
    """Acar et al., algorithm 1: ∇L_k(θ_k) ← ∇L_k(θ_k) − α(θ_k − θ), h is their mean, θ = mean of θ_k less h/α."""
    theta, slopes = START, np.zeros((WORKERS, DIM))
    for who in p.rounds:
        guess(p, who, theta)
        ends = np.array([train(p, n, theta, -slopes[n], p.rho, theta) for n in who])
        slopes[who] -= p.rho * (ends - theta)
        theta = ends.mean(axis=0) - slopes.mean(axis=0) / p.rho
        yield theta


def fedvra(p) -> Models:
    """S. Wang et al., algorithm 1, (8) to (10), λ = Σω_i λ_i over all workers and β = 1/γ; algorithm 2 projects."""
    theta, dual = START, np.zeros((WORKERS, DIM))
    for who in p.rounds:
        guess(p, who, theta)
        updates = {n: train(p, n, theta, -dual[n], p.rho, theta) - theta for n in who}
        for n in who:
            dual[n] = dual[n] - p.dual_step * p.rho * updates[n]
        step = sum(p.omega[n] * p.aggregation_step * p.rho * updates[n] for n in who)
        theta = proximal(p, theta + step / p.rho - p.omega @ dual / p.rho, 1.0)
        yield theta


def fedpd(p) -> Models:
    """Zhang et al., algorithm 1, 1/η = ρ; without an upload a worker goes on from its own x_0i."""
    theta, x, dual, common = START, np.tile(START, (WORKERS, 1)), np.zeros((WORKERS, DIM)), np.tile(START, (WORKERS, 1))
    for who, uploads in zip(p.rounds, p.uploads, strict=True):
        for n in who:
            x[n] = train(p, n, p.warm(x[n], common[n]), dual[n], p.rho, common[n])
            dual[n] = dual[n] + p.rho * (x[n] - common[n])
            common[n] = x[n] + dual[n] / p.rho
        if uploads:
            theta = common.mean(axis=0)
            common[:] = theta
        yield theta


def fedadmm_gong(p) -> Models:
    """Gong et al., (3) to (5); in their code the stored model is the global one when the change is taken."""
    theta, w, dual = START, np.tile(START, (WORKERS, 1)), np.zeros((WORKERS, DIM))
    for who in p.rounds:
        changes = []
        for n in who:
            before = (w[n] if p.stored_model == "own" else theta) + dual[n] / p.rho
            w[n] = train(p, n, p.warm(w[n], theta), dual[n], p.rho, theta)
            dual[n] = dual[n] + p.rho * (w[n] - theta)
            changes.append(w[n] + dual[n] / p.rho - before)
        theta = theta + p.server_step / len(who) * sum(changes)
        yield theta


def fedadmm_song(p, accurate: bool = False, adaptive: bool = False) -> Models:
    """Song et al., (2.8), (2.12) and (3.1); accurate: (3.6) to (3.8) with 0.999 of the bound; adaptive: (3.15)."""
    z, u, dual = START, np.tile(START, (WORKERS, 1)), np.zeros((WORKERS, DIM))
    beta, sent = np.full(WORKERS, p.rho), np.full(WORKERS, p.rho)
    for who in p.rounds:
        for n in who:
            before, sent[n] = u[n].copy(), beta[n]
            points = path(p, n, z, -dual[n], beta[n], z)
            if accurate:
                bound = 0.999 * np.sqrt(2) / (np.sqrt(2) + np.sqrt(beta[n] / p.strong_convexity))
                errors = [norm(slope(n, x) - dual[n] + beta[n] * (x - z)) for x in [*points, u[n]]]
                most = bound * (errors[0] if p.residual_at == "global" else errors[-1])
                points = points[: next((at for at, error in enumerate(errors[:-1]) if error <= most), p.steps[n]) + 1]
            u[n] = points[-1]
            dual[n] = dual[n] - beta[n] * (u[n] - z)
            if adaptive:
                primal, far = beta[n] * norm(u[n] - before), norm(u[n] - z)
                if p.penalty_ratio * primal < far:
                    beta[n] *= p.penalty_factor
                elif p.penalty_ratio * far < primal:
                    beta[n] /= p.penalty_factor
        z = p.memory_weight * (sent @ u - dual.sum(axis=0)) / sent.sum() + (1 - p.memory_weight) * z
        yield z


def fedadmm_wang(p) -> Models:
    """H. Wang et al., algorithm 2, x̄ = prox_{g/η} of the mean of all x̂_i = x_i + z_i/η."""
    model, x, dual = START, np.tile(START, (WORKERS, 1)), np.zeros((WORKERS, DIM))
    for who in p.rounds:
        for n in who:
            x[n] = train(p, n, p.warm(x[n], model), dual[n], p.rho, model)
            dual[n] = dual[n] + p.rho * (x[n] - model)
        model = proximal(p, (x + dual / p.rho).mean(axis=0), 1 / p.rho)
        yield model


def feddr(p) -> Models:
    """H. Wang et al., algorithm 1, from x_i = y_i = x̄: x̄ = prox_{ηg} of the mean of all 2x_i − y_i."""
    model, x, y = START, np.tile(START, (WORKERS, 1)), np.tile(START, (WORKERS, 1))
    for who in p.rounds:
        for n in who:
            y[n] = y[n] + p.relaxation * (model - x[n])
            x[n] = train(p, n, p.warm(x[n], model), weight=1 / p.proximal_step, anchor=y[n])
        model = proximal(p, (2 * x - y).mean(axis=0), p.proximal_step)
        yield model


def norm(x: np.ndarray) -> float:
    return float(np.sqrt(x @ x))


EQUATIONS = {
    **dict.fromkeys(("A-FADMM", "D-FADMM", "A-SFADMM", "D-SFADMM"), fadmm),
    **dict.fromkeys(("A-GD", "D-GD", "A-SGD", "D-SGD"), descent),
    **dict.fromkeys(("FedAvg", "FedAvg-U"), functools.partial(fedprox, near=False)),
    **dict.fromkeys(("FedProx", "FedProx-U"), fedprox),
    "FedAdam": fedadam,
    "FedSGD": fedsgd,
    "FedNova": fednova,
    **dict.fromkeys(("SCAFFOLD", "SCAFFOLD-U"), scaffold),
    "VRL-SGD": vrl_sgd,
    **dict.fromkeys(("FedDyn", "FedDyn-U"), feddyn),
    **dict.fromkeys(("FedVRA", "FedVRA-U"), fedvra),
    "FedPD": fedpd,
    "FedADMM-Gong": fedadmm_gong,
    "FedADMM": fedadmm_song,
    "FedADMM-In": functools.partial(fedadmm_song, accurate=True),
    "FedADMM-InSa": functools.partial(fedadmm_song, accurate=True, adaptive=True),
    "FedADMM-Wang": fedadmm_wang,
    "FedDR": feddr,
}
"""Equations of each method, by its name."""


def models(method: str, p: SimpleNamespace) -> np.ndarray:
    """Global models after each round of one run. Shape [rounds, d]."""
    return np.array(list(EQUATIONS[method](p)))
