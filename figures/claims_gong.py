"""Claims of the FedADMM paper of Gong et al., with the measured numbers."""

import numpy as np
import xarray as xr

from figures.claims import YES, Claim, by_reading, highest, lowest, verdict
from figures.panels import final, rounds, rounds_to
from figures.study import result

HEADING = "Gong et al.: FedADMM"
REMARK = (
    "Small studies have embedded digits, 20 clients, 3 seeds, mean ± standard deviation; others are as their figure\n"
    "says. Rounds to an accuracy end with the first reading at or above it. 40+ means that no seed gets\n"
    "there within 40."
)
DIGITS_TARGET = 0.9
FOUR = ("FedADMM-Gong", "FedAvg", "FedProx", "SCAFFOLD")
PRINTED = (
    "with the algorithm of the released code (`algorithm.stored_model = 'global'`), which sends 2(w' - θ). What is "
    "printed, (4), is another one. At η = 1 the server's memory cancels, and θ becomes the participants' mean of 2w' - "
    "w, w being the model that a worker has stored. Its limit solves ∇f + (ρ\\|S\\|/2m)(θ - θ⁰) = 0, not ∇f = 0. With "
    "ρ = 0.01 nothing draws local models together on the way"
)
STARTS = [(stored, start) for stored in ("global", "own") for start in ("local", "global")]
TWICE = "SCAFFOLD uploads two vectors in a round, FedADMM one"


def rows() -> list[Claim]:
    """Return the claims of the FedADMM paper of Gong et al., with the measured numbers."""
    return [*_table3(), *_thousand(), *_ingredients(), *_epochs(), *_penalty(), *_figures()]


def of(data: xr.Dataset, **where) -> xr.Dataset:
    """Return the part of a result at given values of swept keys.

    Arguments:
        data: a result, dataset over swept keys, seed and iteration.
        where: value by dimension, such as ``scheme="FedADMM"``.
    """
    return data.sel(where)


def ends(data: xr.Dataset, methods: tuple[str, ...]) -> str:
    """Return the final test accuracies of methods as text, mean and standard deviation over seeds.

    Arguments:
        data: a result, dataset over swept keys, seed and iteration, which sweeps methods.
        methods: names of the methods.
    """
    return "final accuracy: " + ", ".join(f"{name} {accuracy(final(of(data, scheme=name)))}" for name in methods)


def accuracy(values: xr.DataArray) -> str:
    """Return mean and standard deviation of accuracies as text, such as "0.930 ± 0.002", or "diverged".

    Arguments:
        values: accuracies of the seeds, 0 to 1. Shape [seeds].
    """
    if values.isnull().any():
        return "diverged"
    mean, deviation = float(values.mean()), float(values.std(ddof=1)) if values.size > 1 else 0.0
    return f"{mean:.3f} ± {deviation:.3f}" if values.size > 1 else f"{mean:.3f}"


def counts(data: xr.Dataset, methods: tuple[str, ...], target: float) -> str:
    """Return the rounds that methods need to a test accuracy, as text.

    Arguments:
        data: a result, dataset over swept keys, seed and iteration, which sweeps methods.
        methods: names of the methods.
        target: the test accuracy, 0 to 1.
    """
    return ", ".join(f"{name} {rounds_to(of(data, scheme=name), target)}" for name in methods)


def fewest(data: xr.Dataset, methods: tuple[str, ...], target: float) -> str:
    """Return the verdict on a claim that the first method needs the fewest rounds to a test accuracy.

    It is YES, NO, or why it is undecided. The difference must exceed the spread of seeds, or a tenth for single runs.

    Arguments:
        data: a result, dataset over swept keys, seed and iteration, which sweeps methods.
        methods: names of the methods, the first being the one of the claim.
        target: the test accuracy, 0 to 1.
    """
    first, *others = (rounds(of(data, scheme=name), target) for name in methods)
    tenth = 0.1 * float(first.mean()) if first.size == 1 else 0.0
    return lowest(first, dict(zip(methods[1:], others, strict=True)), tenth)


def _table3() -> list[Claim]:
    paper = "FedADMM 10, FedAvg 19, FedProx 29, SCAFFOLD 27", "FedADMM 33, FedAvg 77, FedProx 100+, SCAFFOLD 76"
    claims = []
    parts = ("iid", "iid_small", "IID"), ("shards_mnist", "shards_small", "two shards each")
    for (large, small, words), found in zip(parts, paper, strict=True):
        for name, where, target in ((large, "MNIST, CNN 1", 0.97), (small, "small", DIGITS_TARGET)):
            data = result(f"gong_table3_{name}")
            claim = f"FedADMM needs the fewest rounds, {where}, {words} (paper, MNIST, 97%: {found})"
            single = "; one seed" if data.sizes["seed"] == 1 else ""
            measured = f"to {target}: {counts(data, FOUR, target)}; {ends(data, FOUR)}{single}"
            claims.append(Claim("Gong III", claim, measured, fewest(data, FOUR, target), TWICE, PRINTED))
    return claims


def _thousand() -> list[Claim]:
    data, slow = result("gong_thousand_small"), result("gong_fedsgd_small").squeeze("scheme")
    pairs = {
        words: [of(slow, partition=part), of(result(f"gong_table3_{name}_small"), scheme="FedADMM-Gong")]
        for words, part, name in (("IID", "iid", "iid"), ("two labels each", "labels", "shards"))
    }
    ratios = [np.divide(*(rounds(one, DIGITS_TARGET).mean() for one in pair)) for pair in pairs.values()]
    measured = {words: [rounds_to(one, DIGITS_TARGET) for one in pair] for words, pair in pairs.items()}
    return [
        Claim(
            "Gong III",
            "FedADMM needs the fewest rounds with ten times the clients, full batches and 20 epochs (small, IID)",
            f"to {DIGITS_TARGET}: {counts(data, FOUR, DIGITS_TARGET)}",
            fewest(data, FOUR, DIGITS_TARGET),
            "it and FedProx do 1 to 20 epochs, the others 20; with 20 for all (`--local.work fixed`) it takes 5 ± 1",
        ),
        Claim(
            "Gong III",
            "FedSGD takes 7 to 30 times FedADMM's rounds (small)",
            f"to {DIGITS_TARGET}: " + "; ".join(f"{words}: {a} against {b}" for words, (a, b) in measured.items()),
            verdict(bool(min(ratios) >= 7)),
            "a small network on few samples goes far by single gradients at a rate of 0.5",
        ),
    ]


def _ingredients() -> list[Claim]:
    """Return a claim of no paper: the changes that give the paper's numbers of rounds."""
    base, inputs = result("gong_ingredients"), result("gong_ingredients_inputs")
    parts = {f"rate {rate:g}": of(base, learning_rate=rate) for rate in base["learning_rate"].values}
    parts |= {f"rate {rate:g}, inputs standardised": of(inputs, learning_rate=rate) for rate in (0.1, 0.2, 0.5)}
    parts["momentum 0.5"] = result("gong_ingredients_momentum")
    model = result("gong_ingredients_model")
    parts |= {str(name).replace("cnn1_", "model: "): of(model, model=name) for name in model["model"].values}
    released = result("gong_ingredients_released")
    parts |= {
        f"all of it, rate {rate:g}": of(released, learning_rate=rate) for rate in released["learning_rate"].values
    }
    parts["(4) as printed"] = result("gong_ingredients_printed")
    found = {name: data.squeeze("scheme") for name, data in parts.items()}
    within = bool(rounds(found["rate 0.2, inputs standardised"], 0.97).mean() <= 15)
    return [
        Claim(
            "Gong III",
            "FedADMM reaches 97% in 10 rounds, IID (here: within 1.5 times of them)",
            "rounds and final accuracy, one change at a time from rate 0.1 with plain inputs and 2(w' - θ): "
            + "; ".join(f"{name}: {rounds_to(data, 0.97)}, {accuracy(final(data, 1))}" for name, data in found.items()),
            verdict(within),
        )
    ]


def _epochs() -> list[Claim]:
    claims = []
    for part, found, words in (("iid", "27, 10, 6", "IID"), ("shards", "56, 33, 32", "non-IID")):
        for name, where, target in (("mnist", "MNIST, MLP", 0.95), ("small", "small", DIGITS_TARGET)):
            data = result(f"gong_table4_{part}_{name}").sel({"scheme": "FedADMM-Gong"})
            epochs = data["epochs"].values
            needed = {count: rounds(data.sel(epochs=count), target) for count in epochs}
            measured = f"to {target}: " + ", ".join(
                f"E = {count}: {rounds_to(data.sel(epochs=count), target)} "
                f"(final accuracy {float(final(data.sel(epochs=count)).mean()):.3f})"
                for count in epochs
            )
            claim = f"FedADMM needs fewer rounds with more local work, {where}, {words} (paper, to 97%: {found})"
            most = lowest(needed[epochs[-1]], {f"E = {epochs[0]}": needed[epochs[0]]})
            claims.append(Claim("Gong IV", claim, measured, most))
    return claims


def _penalty() -> list[Claim]:
    claims = []
    for part, words in (("iid", "IID"), ("shards", "non-IID")):
        for name, where, target in ((part, "MNIST, MLP", 0.95), (f"{part}_small", "small", DIGITS_TARGET)):
            data = result(f"gong_table5_{name}")
            own = of(data, scheme="FedADMM-Gong", rho=0.01)
            others = {f"ρ = {rho:g}": of(data, scheme="FedProx", rho=rho) for rho in data["rho"].values}
            measured = f"to {target}: FedADMM {rounds_to(own, target)}; FedProx " + ", ".join(
                f"{rho}: {rounds_to(other, target)}" for rho, other in others.items()
            )
            better = lowest(rounds(own, target), {rho: rounds(other, target) for rho, other in others.items()})
            claim = f"FedADMM with ρ = 0.01 beats FedProx with any ρ, {where}, {words}"
            claims.append(Claim("Gong V", claim, measured, better))
    return claims


def _figures() -> list[Claim]:
    warm = result("gong_warm_start_small").squeeze("scheme")
    end = {key: final(warm.sel(stored_model=key[0], warm_start=key[1])) for key in STARTS}
    better = {
        stored: highest(end[stored, "local"].values, {"global": end[stored, "global"].values}) == YES
        for stored in ("global", "own")
    }
    uneven = result("gong_imbalanced_small")
    own, *others = (final(of(uneven, scheme=name)).values for name in FOUR)
    return [
        *_scale(),
        *_heterogeneity(),
        Claim(
            "Gong 8",
            "training from the own model is better than from the global one (small)",
            "final accuracy from the own and the global model: "
            + "; ".join(
                f"{words} {accuracy(end[stored, 'local'])} and {accuracy(end[stored, 'global'])}"
                for stored, words in (("global", "2(w' - θ) is sent:"), ("own", "(4) is sent:"))
            ),
            by_reading(released=better["global"], as_printed=better["own"]),
            "in either reading local models that are never set back drift apart; the authors' code starts from the "
            "global model",
        ),
        Claim(
            "Gong 10",
            "FedADMM is the most accurate on imbalanced volumes (small)",
            ends(uneven, FOUR),
            highest(own, dict(zip(FOUR[1:], others, strict=True))),
            TWICE,
        ),
    ]


def _scale() -> list[Claim]:
    data = result("gong_scale_small")
    sizes = data["workers"].values
    gaps = {n: _saved(of(data, workers=n)) for n in sizes}
    measured = "; ".join(f"{n} clients: {counts(of(data, workers=n), FOUR, DIGITS_TARGET)}" for n in sizes)
    return [
        Claim(
            "Gong 3, 4",
            "FedADMM saves a larger share of the best other method's rounds with more clients (small, two labels)",
            f"{measured}; share saved: "
            + ", ".join(f"{gap:.0%}" if np.isfinite(gap) else "-" for gap in gaps.values()),
            verdict(bool(gaps[sizes[-1]] > gaps[sizes[0]])),
            TWICE,
        )
    ]


def _saved(data: xr.Dataset) -> float:
    """Return the share of the best other method's rounds that FedADMM saves, as text."""
    own, *others = (rounds(of(data, scheme=name), DIGITS_TARGET).mean() for name in FOUR)
    return 1 - own / min(others)


def _heterogeneity() -> list[Claim]:
    data = result("gong_heterogeneity_small")
    parts = {"IID": of(data, partition="iid"), "two labels each": of(data, partition="labels")}
    return [
        Claim(
            "Gong 5",
            f"with the same penalty and rate FedADMM is ahead of all others, {words} (small)",
            counts(part, FOUR, DIGITS_TARGET),
            fewest(part, FOUR, DIGITS_TARGET),
            TWICE,
        )
        for words, part in parts.items()
    ]
