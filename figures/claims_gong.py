"""Claims of the FedADMM paper of Gong et al., with the measured numbers."""

from collections.abc import Iterable, Mapping
from types import SimpleNamespace

import numpy as np
import xarray as xr

from figures.claims import NO, YES, Claim, by_case, grid, highest, least, lowest, not_run, verdict
from figures.panels import final, mean_rounds, rounds, rounds_to
from figures.study import result
from otafl.federation.partition import deal
from otafl.training.models import MODELS

HEADING = "Gong et al.: FedADMM"
REMARK = (
    "Uploads are 2(w' − θ), as the released code sends them (`algorithm.stored_model = 'global'`), where a row does\n"
    "not say (4), which is what the paper prints. Let f be the mean of all f_i. At η = 1 neither rests at the\n"
    "optimum. The released one rests where ∇f + (ρ\\|S\\|/2m)(θ − θ⁰) = 0, (4) where ∇f = ρ(1 − \\|S\\|/m)(θ − θ⁰).\n"
    "With η = \\|S\\|/m, (4) rests at ∇f = 0, which is theorem 1. Tests check the three on quadratics, and the row of\n"
    "theorem 1 on a regression. Special cases of III-B (FedProx without duals, FedAvg with ρ = 0) are tests. Local\n"
    "training of 2(w' − θ) starts from θ, as in the released code, where a row does not say w.\n"
    "\n"
    "Numbers are mean ± standard deviation over seeds; the paper has five. A target is reached at its first\n"
    "reading; 60+ means that no seed gets there within 60 rounds. Means are told apart by an interval of 95%,\n"
    "Student's for unequal variances (Welch's). If some seed of a rival misses a target, a method is ahead if each\n"
    "of its numbers is below each of the rival's. Where it does not tell two methods apart at a row's own target,\n"
    "the row names who is ahead in each seed, if one of them is. Rounds of single runs are told apart by a tenth of\n"
    "the first method's, their accuracies by 0.01. FedADMM and FedProx do 1 to E epochs at random, the others E.\n"
    "Final accuracy is the mean of the last five rounds. The paper's rates are 0.01, 0.1, 0.2 and 0.5, of which it\n"
    "takes each method's best."
)
TARGET = 0.97
OTHER_TARGETS = 0.95, 0.96, 0.98
PAPER_RATES = 0.01, 0.1, 0.2, 0.5
FOUR = ("FedADMM-Gong", "FedAvg", "FedProx", "SCAFFOLD")
MNIST = {"IID": "gong_table3_iid", "two shards each": "gong_table3_shards_mnist"}
"""Studies of table III with CNN 1 and 2(w' − θ), by partition."""
PRINTED = "gong_table3_shards_plain"
SETTINGS = {
    "IID": ("", "_inputs", "_momentum", "_model", "_released", "_printed", "_own", "_own_local"),
    "two shards each": ("_shards",),
}
"""Suffixes of the studies of settings that may bring the paper's rounds, after ``gong_ingredients``."""
TWICE = "SCAFFOLD uploads two vectors in a round, FedADMM one"
ONE_RATE = "one rate for all methods, where the paper takes the best of four each"
NO_FMNIST, A_FIFTH = "Fashion-MNIST is not here", "of CIFAR-10's 50,000 images 10,000 are here"
WORDS = {
    "learning_rate": "rate {:g}",
    "standardise": "{}",
    "model": "{}",
    "server_step": "η = {}",
}
SHORT = {
    "global": "θ",
    "local": "w",
    "participation": "\\|S\\|/m",
    "1.0": "1",
    "True": "standardised",
    "False": "plain inputs",
    "cnn1_torch": "PyTorch's weights",
    "cnn1_linear": "no ReLU",
    "cnn1_softmax": "second softmax",
}
"""Words for values of swept keys."""


def rows() -> list[Claim]:
    """Return the claims of the FedADMM paper of Gong et al., with the numbers measured in its own settings."""
    return [
        *_headline(),
        *_costs(),
        *_theorems(),
        *_left("theory"),
        *_table3(),
        *_rounds_of_paper(),
        *_adaptation(),
        *_figures(),
        *_tables(),
    ]


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
    """Return mean and standard deviation of accuracies as text, such as "0.930 ± 0.002", and how many diverged.

    Arguments:
        values: accuracies of the seeds, 0 to 1. Shape [seeds].
    """
    if missing := int(values.isnull().sum()):
        return "diverged" if missing == values.size else f"diverged in {missing} of {values.size}"
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


def fewest(data: xr.Dataset, methods: tuple[str, ...], target: float, share: float = 1.0) -> str:
    """Return the verdict on a claim that the first method needs the fewest rounds to a test accuracy.

    It is YES, NO, or why it is undecided. The difference must exceed the spread of seeds, or a tenth for single runs.

    Arguments:
        data: a result, dataset over swept keys, seed and iteration, which sweeps methods.
        methods: names of the methods, the first being the one of the claim.
        target: the test accuracy, 0 to 1.
        share: share of the others' rounds that it must stay below, 0 to 1.
    """
    first, *others = (rounds(of(data, scheme=name), target) for name in methods)
    tenth = 0.1 * float(first.mean()) if first.size == 1 else 0.0
    return lowest(first, {name: share * one for name, one in zip(methods[1:], others, strict=True)}, tenth)


def at_other_targets(own: float, verdicts: Mapping[float, str]) -> tuple[str, str]:
    """Return the verdict on a claim about rounds to a target, and a remark if other targets say the same.

    It is that of a row's own target if others say YES, NO or "undecided" as it does, else that of each.

    Arguments:
        own: the row's own target, a test accuracy, 0 to 1.
        verdicts: verdict by target, the row's own among them.
    """
    kinds = {target: _kind(one) for target, one in verdicts.items()}
    others = [target for target in verdicts if target != own]
    if set(kinds.values()) == {kinds[own]}:
        return verdicts[own], f"{kinds[own]} to {percent(others)}, too"
    grouped: dict[str, list[float]] = {}
    for target, one in verdicts.items():
        grouped.setdefault(one, []).append(target)
    return by_case({percent(targets): one for one, targets in grouped.items()}, "target"), ""


def _kind(holds: str) -> str:
    return "no" if holds == NO else holds.split(":")[0]


def percent(shares: Iterable[float]) -> str:
    """Return shares as text, such as "95%, 96%".

    Arguments:
        shares: the shares, 0 to 1.
    """
    return ", ".join(f"{share:.0%}" for share in shares)


def standing(own: np.ndarray, others: Mapping[str, np.ndarray], name: str = "FedADMM") -> str:
    """Return who is ahead of whom, that is lower, with certainty or at least in each seed, as words.

    It is empty for single runs.

    Arguments:
        own: numbers of the seeds. Shape [seeds].
        others: numbers of its rivals, by name. Shape [seeds] each.
        name: whose the own numbers are.
    """
    if own.size == 1:
        return ""
    sure = [rival for rival, one in others.items() if lowest(own, {rival: one}) == NO]
    level = {rival: one for rival, one in others.items() if lowest(own, {rival: one}) not in (YES, NO)}
    behind = [rival for rival, one in level.items() if (one < own).all()]
    ahead = [rival for rival, one in level.items() if (own < one).all()]
    words = (
        f"{_are(sure)} certainly ahead of {name}" if sure else "",
        f"{_are(behind)} ahead of {name} in each seed, though not told apart" if behind else "",
        f"{name} is ahead of {' and '.join(ahead)} in each seed, though not told apart" if ahead else "",
    )
    return "; ".join(filter(None, words))


def _are(names: list[str]) -> str:
    """Return names with their verb, such as "A and B are"."""
    return f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'}"


def joined(*remarks: str) -> str:
    """Return remarks as one text, without the empty ones.

    Arguments:
        remarks: the remarks.
    """
    return "; ".join(filter(None, remarks))


def untried(rates: Iterable[float]) -> str:
    """Return which of the paper's rates were not tried, as words.

    Arguments:
        rates: the rates tried.
    """
    left = [f"{rate:g}" for rate in PAPER_RATES if not np.isclose(rate, [*rates]).any()]
    return f"{' and '.join(left)}, of the paper's four rates, {'was' if len(left) == 1 else 'were'} not tried"


def saved(data: xr.Dataset, target: float, methods: tuple[str, ...] = FOUR) -> float:
    """Return the share of the best other method's rounds that FedADMM saves; negative if it needs more.

    Arguments:
        data: a result, dataset over methods, seed and iteration.
        target: the test accuracy, 0 to 1.
        methods: names of the methods, FedADMM first.
    """
    own, *others = (mean_rounds(of(data, scheme=name), target) for name in methods)
    return 1 - own / min(others)


def _headline() -> list[Claim]:
    """Return the claims of the abstract, which table III sums up."""
    claimed = dict(zip(MNIST, (0.474, 0.566), strict=True))
    data = {words: result(name) for words, name in MNIST.items()}
    found = {words: fewest(part, FOUR, TARGET, 1 - claimed[words]) for words, part in data.items()}
    runs = (*MNIST.values(), PRINTED)
    parts = dict(zip((*MNIST, f"{[*MNIST][1]}, (4) from w, as printed"), runs, strict=True))
    orders = {words: fewest(result(name), FOUR, TARGET) for words, name in parts.items()}
    return [
        Claim(
            "V-B, table III",
            "FedADMM saves 47.4% (IID) and 56.6% (non-IID) of the best other method's rounds (paper: MNIST, 100 "
            "clients, 97%)",
            "saved: " + ", ".join(f"{words} {saved(part, TARGET):.0%}" for words, part in data.items()),
            least(list(found.values())),
            "FedAvg is faster here, with standardised inputs, than in the paper, which has 19 and 77 rounds; "
            f"{_plain()}; {ONE_RATE}; other rates are in the rows of table III below",
            "the claim is one on both partitions, and the saving is judged as the rounds are",
            runs=(*MNIST.values(), PRINTED, "gong_ingredients_shards"),
        ),
        *_left("headline"),
        Claim(
            "V (iii), V-B",
            "FedADMM outperforms all others in all settings (paper: eight each of tables III and V, "
            "figures 3, 4, 5, 10)",
            "rounds to 97%, MNIST, 100 clients: "
            + "; ".join(f"{words}: {counts(result(name), FOUR, TARGET)}" for words, name in parts.items()),
            by_case(orders, "setting"),
            "two of the settings are tried with CNN 1, see below for the others",
            runs=runs,
        ),
    ]


def _plain() -> str:
    """Return the rounds of FedAvg and FedADMM with plain inputs and two shards each as text."""
    own = of(result("gong_ingredients_shards").squeeze("scheme"), standardise=False, learning_rate=0.1)
    other = of(result(PRINTED), scheme="FedAvg")
    return (
        f"with plain inputs and two shards each FedAvg takes {rounds_to(other, TARGET)}, and FedADMM "
        f"{rounds_to(own, TARGET)}"
    )


def _costs() -> list[Claim]:
    """Return the claims on uploads, computation and numbers of weights."""
    data = result(MNIST["IID"])
    sent = {name: float(of(data, scheme=name)["uplink_elements"][0, 0]) / 10 for name in FOUR}
    epochs = {name: float(of(data, scheme=name)["local_epochs"].mean()) for name in FOUR}
    ratio = epochs["FedADMM-Gong"] / epochs["FedAvg"]
    weights = {"CNN 1": MODELS["cnn1"]((28, 28, 1), 10), "CNN 2": MODELS["cnn2"]((32, 32, 3), 10)}
    sizes = [model.count_params() for model in weights.values()]
    own = sent["FedADMM-Gong"]
    return [
        Claim(
            "I, III-B",
            "FedADMM uploads as much as FedAvg and FedProx, SCAFFOLD twice as much",
            "numbers in a client's upload: " + ", ".join(f"{name} {count:,.0f}" for name, count in sent.items()),
            verdict([sent[name] / own for name in FOUR] == [1, 1, 1, 2]),
            runs=(MNIST["IID"],),
        ),
        Claim(
            "V, table II",
            "weights (paper: CNN 1 1,663,370, CNN 2 1,105,098)",
            ", ".join(f"{name} {size:,}" for name, size in zip(weights, sizes, strict=True)),
            verdict(sizes == [1_663_370, 1_105_098]),
        ),
        Claim(
            "V-B",
            "FedADMM does half of FedAvg's and SCAFFOLD's training computation (paper: 50% less in all instances)",
            f"epochs a round: {epochs['FedADMM-Gong']:.2f} against {epochs['FedAvg']:.2f}, {1 - ratio:.0%} less",
            verdict(abs(ratio - 0.5) < 0.05),
            "1 to E epochs are (E + 1)/2 on average: 40% less with E = 5, 47.5% with E = 20",
            "half is read as within 5 points",
            runs=(MNIST["IID"],),
        ),
    ]


STATIONARY = 1e-5
"""Loss above the optimum below which a model is said to be at rest there; the first rounds have 1 to 8."""


def _theorems() -> list[Claim]:
    """Return the claims of theorem 1 and of the remark on uneven participation."""
    data = _rest("gong_rest")
    cases = [(stored, step) for stored in ("own", "global") for step in ("participation", "1.0")]
    found = {at: data.sel(stored_model=at[0], server_step=at[1]).values for at in cases}
    covered, uneven = (_rest(f"gong_rest_{name}").values for name in ("covered", "uneven"))
    words = {"own": "(4)", "global": "2(w' − θ)"}
    return [
        Claim(
            "IV, theorem 1",
            "with η = \\|S\\|/m FedADMM comes to rest at a stationary point of (1) (here: linear regression, "
            "local training from w)",
            "loss above the optimum in the end: ρ = 12, which the theorem covers: "
            f"(4), η = {SHORT['participation']}: {_above(covered)}; ρ = 0.1: "
            + ", ".join(f"{words[at]}, η = {SHORT[step]}: {_above(one)}" for (at, step), one in found.items()),
            verdict(bool(max(covered.max(), found["own", "participation"].max()) < STATIONARY)),
            but=f"at rest is read as below {STATIONARY:g} under each seed, in the mean of the last 20 rounds; with the "
            "other η or upload it stays above the optimum; theorem 1 asks for ρ above (1 + √5)L, here 9 "
            "to 10; its bound (8) is kept on quadratics, in a test with ρ = 3.5 L",
            runs=("gong_rest_covered", "gong_rest"),
        ),
        Claim(
            "IV, remark 2",
            "FedADMM converges however clients are selected, if each takes part infinitely often (here: (4) from w, "
            "η = \\|S\\|/m, ρ = 0.1, linear regression, odds of 0.06 to 0.44 in a round)",
            f"loss above the optimum in the end: {_above(uneven)}",
            verdict(bool(uneven.max() < STATIONARY)),
            but=f"converged is read as below {STATIONARY:g}, as in theorem 1; one way of selection of many",
            runs=("gong_rest_uneven",),
        ),
    ]


def _rest(name: str) -> xr.DataArray:
    """Return the mean loss above the optimum over the last 20 rounds of a regression. Shape [swept keys, seed]."""
    return result(name)["loss"].squeeze("scheme").isel(iteration=slice(-20, None)).mean("iteration")


def _above(losses: np.ndarray) -> str:
    """Return a mean loss as text, without digits that differ from machine to machine."""
    return f"{losses.mean():.0e}" if losses.max() >= STATIONARY else "below 1e-5 under each seed"


def _orders() -> list[Claim]:
    """Return who needs the fewest rounds in table III, MNIST, 100 clients."""
    paper = {
        "IID": "FedADMM 10, FedAvg 19, FedProx 29, SCAFFOLD 27",
        "two shards each": "FedADMM 33, FedAvg 77, FedProx 100+, SCAFFOLD 76",
    }
    settings = ("rate 0.2, standardised", "rate 0.1, standardised", "rate 0.1, plain inputs, (4) from w")
    parts = ("IID", "two shards each", "two shards each")
    studies = zip((*MNIST.values(), PRINTED), parts, settings, strict=True)
    first, *others = (_order(name, f"{part}, {words} (paper: {paper[part]})") for name, part, words in studies)
    shards, plain = others
    return [
        _at_other_rates(first, 0.2, RATES["IID"])._replace(
            but=joined(first.but, _proximal()), runs=(*first.runs, RATES["IID"], PROXIMAL)
        ),
        _at_other_rates(shards, 0.1, RATES["two shards each"])._replace(but=joined(shards.but, ONE_PENALTY)),
        plain._replace(but=joined(plain.but, f"the others have no rate but 0.1; {ONE_PENALTY}")),
    ]


def _at_other_rates(row: Claim, own: float, name: str) -> Claim:
    """Return a row of table III with the rounds of the other methods at other rates as its reason."""
    tried = untried((own, *result(name)["learning_rate"].values))
    return row._replace(why=f"{tried} with the others; {_rates(name)}", runs=(*row.runs, name))


ONE_PENALTY = "FedProx has ρ = 0.1 alone, where the paper takes the best of four"
PROXIMAL = "gong_proximal_iid"
RATES = {"IID": "gong_rates_iid", "two shards each": "gong_rates_shards"}
"""Studies of other rates of the other methods, by partition."""


def _rates(name: str) -> str:
    """Return the rounds of the other methods at other rates as text."""
    data = result(name)
    needed = {
        str(method): ", ".join(
            f"{rate:g}: {_or_diverged(of(data, scheme=method, learning_rate=rate))}"
            for rate in data["learning_rate"].values
        )
        for method in data["scheme"].values
    }
    return "rounds at other rates, one seed: " + "; ".join(f"{method} {words}" for method, words in needed.items())


def _or_diverged(data: xr.Dataset) -> str:
    """Return the rounds to the target of a single run as text, or that it diverged, and how low it falls later."""
    if "diverged" in data["outcome"].values:
        return "diverged"
    last, needed = float(final(data, 1).mean()), rounds_to(data, TARGET)
    but = "" if needed.endswith("+") else "but "
    return needed + (f" ({but}{last:.3f} in the last round)" if but == "" or last < TARGET - 0.05 else "")


def _proximal() -> str:
    """Return the rounds of FedProx with each ρ as text."""
    data = result(PROXIMAL).squeeze("scheme")
    needed = ", ".join(f"{rho:g}: {rounds_to(of(data, rho=rho), TARGET)}" for rho in data["rho"].values)
    return f"rounds of FedProx by its ρ, of which the paper takes the best, one seed: {needed}"


def _order(name: str, words: str) -> Claim:
    data = result(name)
    own, *others = (rounds(of(data, scheme=method), TARGET) for method in FOUR)
    return Claim(
        "V-B, table III",
        f"FedADMM needs the fewest rounds to 97%, MNIST, 100 clients, {words}",
        f"{counts(data, FOUR, TARGET)}; {ends(data, FOUR)}",
        fewest(data, FOUR, TARGET),
        f"{ONE_RATE}; SCAFFOLD diverges at it",
        joined(standing(own, dict(zip(FOUR[1:], others, strict=True))), _to_others(data)),
        (name,),
    )


def _to_others(data: xr.Dataset) -> str:
    """Return the verdicts to targets that are not the paper's as words."""
    found = {f"{target:.0%}": fewest(data, FOUR, target) for target in OTHER_TARGETS}
    return "to other targets: " + "; ".join(f"{to}: {'no' if one == NO else one}" for to, one in found.items())


def _table3() -> list[Claim]:
    return [*_orders(), *_left("table III")]


def _settings(part: str) -> dict[str, xr.Dataset]:
    """Return FedADMM's results under each setting tried, by its name in words, at a partition of table III."""
    found = {}
    for suffix in SETTINGS[part]:
        data = result(f"gong_ingredients{suffix}").squeeze("scheme", drop=True)
        swept = [str(name) for name in data["test_accuracy"].dims if name not in ("seed", "iteration")]
        for index in np.ndindex(*(data.sizes[name] for name in swept)):
            at = dict(zip(swept, index, strict=True))
            words = [_value(name, data[name].values[place]) for name, place in at.items()]
            found[", ".join((*filter(None, (PLAIN[suffix],)), *words))] = data.isel(at)
    return found


PLAIN = {
    "": "plain inputs",
    "_inputs": "standardised",
    "_momentum": "plain inputs, rate 0.1, momentum 0.5",
    "_model": "plain inputs, rate 0.1",
    "_released": "all of the released code",
    "_printed": "(4) from w, plain inputs, rate 0.1",
    "_own": "(4) from θ, standardised, rate 0.2",
    "_own_local": "(4) from w, standardised, rate 0.2",
    "_shards": "",
}
"""Words for the settings of each study, beside its swept keys."""


def _value(name: str, value: object) -> str:
    return WORDS[name].format(SHORT.get(str(value), value))


def _rounds_of_paper() -> list[Claim]:
    """Return whether some setting gives the paper's own numbers of rounds."""
    claims = []
    for part, paper in (("IID", 10), ("two shards each", 33)):
        found = _settings(part)
        if part != "IID":
            found["(4) from w, plain inputs, rate 0.1"] = of(result(PRINTED), scheme="FedADMM-Gong")
        within = [name for name, data in found.items() if mean_rounds(data, TARGET) <= 1.25 * paper]
        reach = [name for name, data in found.items() if np.isfinite(mean_rounds(data, TARGET))]
        runs = tuple(f"gong_ingredients{suffix}" for suffix in SETTINGS[part])
        claims.append(
            Claim(
                "V-B, table III",
                f"FedADMM reaches 97% in {paper} rounds, MNIST, 100 clients, {part} (here: in all seeds, and in a "
                "quarter more at most on average)",
                f"{len(found)} settings, in {len(reach)} of which all seeds get there "
                + ("within 15 rounds" if part == "IID" else "within 50 rounds, or 100 with (4); one seed each"),
                f"depends on the setting: yes in {len(within)} of {len(found)}" if within else NO,
                why=RATES_OF[part],
                but=f"yes with: {'; '.join(within)}" if within else "",
                runs=runs if part == "IID" else (*runs, PRINTED),
                detail=_listed(found),
            )
        )
    return claims


RATES_OF = {
    "IID": "the rate of 0.01 was tried in no setting, 0.2 and 0.5 in some, as listed below",
    "two shards each": "rates of 0.01 and 0.5 were not tried, and 0.1 alone with (4)",
}
"""Which rates the settings have, by partition."""


def _listed(found: dict[str, xr.Dataset]) -> str:
    """Return the rounds and the last accuracy of each setting as a table in Markdown."""
    return grid(
        "setting",
        {
            name: {"rounds to 97%": rounds_to(one, TARGET), "accuracy in the last round": accuracy(final(one, 1))}
            for name, one in found.items()
        },
    )


def _adaptation() -> list[Claim]:
    """Return the claims on adaptation to data without tuning."""
    even, uneven = result("gong_ingredients_inputs"), result("gong_ingredients_shards").sel(standardise=True)
    needed = {
        part: {float(rate): of(data.squeeze("scheme"), learning_rate=rate) for rate in data["learning_rate"].values}
        for part, data in (("IID", even), ("two shards each", uneven))
    }
    best = {part: min(found, key=lambda rate: _needs(found[rate])) for part, found in needed.items()}
    carried = {
        f"{best[one]:g}, the best of {len(needed[one])} for {one}, on {other}": _carries(
            needed[other][best[one]], needed[other][best[other]]
        )
        for one, other in (("IID", "two shards each"), ("two shards each", "IID"))
    }
    shards = {"standardised": result(MNIST["two shards each"]), "plain inputs, (4) from w": result(PRINTED)}
    end = {words: {name: final(of(data, scheme=name)) for name in FOUR[:2]} for words, data in shards.items()}
    return [
        Claim(
            "abstract, V (ii)",
            "FedADMM needs no tuning between IID and non-IID data (here: the best rate for the one does as well on the "
            "other as the best there, ρ = 0.01, standardised inputs, 2(w' − θ) from θ)",
            "rounds, and accuracy in the last one: "
            + "; ".join(
                _reached(f"{part}, rate {rate:g}", one) for part, found in needed.items() for rate, one in found.items()
            ),
            by_case(carried, "rate"),
            "the paper keeps ρ = 0.01, and takes the best rate of four in each experiment but figure 5; for ρ see the "
            f"MLP below; {_untried_on(needed)}",
            "best is the fewest rounds to 97%, else the highest last accuracy",
            runs=("gong_ingredients_inputs", "gong_ingredients_shards"),
        ),
        Claim(
            "VI",
            "duals safeguard against the client drift that causes FedAvg to diverge (here: MNIST, two shards each)",
            "; ".join(f"{words}: {ends(data, FOUR[:2])}" for words, data in shards.items()),
            verdict(all(one["FedAvg"].isnull().any() and one["FedADMM-Gong"].notnull().all() for one in end.values())),
            "FedAvg does not diverge, and is the more accurate in the end; nor does it in table III of the paper, "
            "where it gets to each target",
            runs=(MNIST["two shards each"], PRINTED),
        ),
    ]


def _untried_on(needed: Mapping[str, Mapping[float, xr.Dataset]]) -> str:
    """Return which of the paper's rates were not tried, by partition."""
    return "; ".join(f"{part}: {untried(found)}" for part, found in needed.items())


def _carries(data: xr.Dataset, best: xr.Dataset) -> str:
    """Return the verdict on a claim that a rate needs no more rounds than the best one."""
    if data is best:
        return YES
    taken, fewest_taken = rounds(data, TARGET), rounds(best, TARGET)
    tenth = 0.1 * float(fewest_taken.mean()) if fewest_taken.size == 1 else 0.0
    slower = np.isinf(taken).all() or lowest(fewest_taken, {"": taken}, tenth) == YES
    ahead = ", which is ahead in each seed" if (fewest_taken < taken).all() and taken.size > 1 else ""
    return NO if slower else f"undecided: not told apart from the best{ahead}"


def _reached(words: str, data: xr.Dataset) -> str:
    return f"{words}: {rounds_to(data, TARGET)}, {accuracy(final(data, 1))}"


def _needs(data: xr.Dataset) -> tuple[float, float]:
    """Return what ranks a run: rounds to the target, and the negative of the last accuracy."""
    last = float(final(data, 1).mean())
    return mean_rounds(data, TARGET), -last if np.isfinite(last) else np.inf


def _figures() -> list[Claim]:
    """Return the claims of figures 3 to 10."""
    warm, cold = (result(f"gong_ingredients_own{end}").squeeze("scheme") for end in ("_local", ""))
    parts = {step: of(cold, server_step=step) for step in ("1.0", "participation")}
    own, others = final(warm), {step: final(part) for step, part in parts.items()}
    best = parts["1.0"]["test_accuracy"].squeeze("seed")
    start = Claim(
        "V-B, figure 8",
        "local training from w is better than from θ, whatever η (here: (4), MNIST, CNN 1, IID, rate 0.2)",
        f"final accuracy from w, η = 1: {accuracy(own)}; from θ, "
        + ", ".join(f"η = {SHORT[step]}: {accuracy(one)}" for step, one in others.items()),
        by_case(
            {f"η = {SHORT[step]}": highest(own.values, {"θ": one.values}, 0.01) for step, one in others.items()},
            "step from θ",
        ),
        f"with η = 1 from θ accuracy falls after {float(best.max()):.3f} in round {int(best.idxmax('iteration'))}, "
        f"from w it is {float(warm['test_accuracy'].max()):.3f} at most; from w, η = \\|S\\|/m was not run",
        "one seed, 15 rounds; other data and 2(w' − θ) from w were not run with CNN 1, digits below; the released code "
        "starts from θ",
        runs=("gong_ingredients_own", "gong_ingredients_own_local"),
    )
    return [*_left("figures 3 to 7"), start, *_left("figures 9, 10")]


def _tables() -> list[Claim]:
    """Return the claims of tables IV to VI."""
    federation, paper = SimpleNamespace(workers=200, partition="imbalanced"), [(300, 171.03), (250, 142.52)]
    sizes = {n: [*map(len, deal(np.arange(n) % 10, federation, np.random.default_rng(0)))] for n in (60_000, 50_000)}
    found = {n: (float(np.mean(one)), float(np.std(one, ddof=1))) for n, one in sizes.items()}
    volumes = Claim(
        "V-B, table VI",
        "samples of 200 clients (paper: FMNIST mean 300, deviation 171.03; CIFAR-10 250, 142.52)",
        "; ".join(f"{n:,} samples: {mean:.0f}, {deviation:.2f}" for n, (mean, deviation) in found.items()),
        verdict(bool(np.allclose([*found.values()], paper, atol=0.01))),
    )
    return [*_left("tables IV, V"), volumes]


DIGITS, EPOCHS = f"{NO_FMNIST}, and {A_FIFTH}; digits below", "`gong_table4_*` with CNN 1 take 35 min a seed each"
LEFT = {
    "headline": [
        (
            "abstract; I; III-B; V-B, table III",
            "FedADMM saves 72% of the best other method's rounds on average over eight settings, and 87% at most "
            "(paper: MNIST, 1,000 clients, IID)",
            "six of the eight were not run, see below",
        ),
    ],
    "theory": [
        (
            "I, III-A",
            "η = 1 trains fast, η = \\|S\\|/m oscillates less where data are heterogeneous",
            "the text of the paper names no such run; with CNN 1 it was run on IID data alone, see figure 8; digits "
            "below",
        ),
        (
            "I; IV, table I",
            "rounds to an ε-stationary point: of the order of m/(ε\\|S\\|), for FedAvg and SCAFFOLD 1/ε²; 1/ε is the "
            "least possible",
            "orders without constants are no numbers to compare with",
        ),
    ],
    "table III": [
        (
            "V (iii)",
            "each of the other methods improves on either IID or non-IID data alone",
            "the paper does not say over what; in its table III FedAvg needs fewer rounds than FedSGD on both; FedSGD "
            "was not run with CNN 1",
        ),
        (
            "V-B, table III",
            "MNIST, 100 clients: FedADMM needs 29.7 (IID) and 7.6 times (non-IID) fewer rounds than FedSGD (paper: 297 "
            "and 250)",
            "`gong_fedsgd` takes 1.5 h and more; digits below",
        ),
        (
            "V-B, table III",
            "MNIST, 1,000 clients (paper: FedADMM 8 IID, 13 non-IID; best other 61, 73)",
            "`gong_thousand_iid` and `_shards`: 13 h each on two cores",
        ),
        ("V-B, table III", "FMNIST, 1,000 clients (paper: FedADMM 3 and 7; best other 10, 33)", NO_FMNIST),
        ("V-B, table III", "CIFAR-10, 1,000 clients (paper: FedADMM 7 and 9; best other 24, 50)", A_FIFTH),
    ],
    "figures 3 to 7": [
        (
            "abstract, V (iii), V-B, figures 3, 4",
            "FedADMM's lead grows with the number of clients, and most with heterogeneous data (paper: FMNIST, "
            "CIFAR-10)",
            f"{DIGITS}; in table III of the paper it saves more on IID than on non-IID data with MNIST and 1,000 "
            "clients (86.9% and 82.2%), and less in the other three pairs",
        ),
        (
            "V-B, figure 5",
            "FedADMM with rate 0.1 and ρ = 0.01 is ahead of others at their best (paper: FMNIST, CIFAR-10, 200 "
            "clients)",
            DIGITS,
        ),
        (
            "V-B, figure 6",
            "server's steps of 0.5 to 1.5 are alike for IID data; for non-IID data 1.5 stalls and 1 does not; a "
            "smaller one from round 60 on improves accuracy",
            "100 rounds of CNN 1 for four steps and two partitions: 1.5 h a seed; digits below",
        ),
        (
            "V-B, figure 7",
            "FedADMM converges with a fixed rate whatever E, and ends the more accurate the larger E is",
            f"{EPOCHS}; the MLP below",
        ),
    ],
    "figures 9, 10": [
        (
            "V-B, figure 9",
            "ρ = 0.01 first and a larger one later is better than either (the text says that both phases help)",
            "100 rounds of CNN 1 for three penalties and two partitions: 1 h a seed; digits below",
        ),
        ("V-B, figure 10", "FedADMM is the most accurate on imbalanced volumes (paper: FMNIST, CIFAR-10)", DIGITS),
    ],
    "tables IV, V": [
        (
            "V-B, table IV",
            "rounds to 97%, MNIST, E = 1, 5, 10 (paper: 27, 10, 6 IID; 56, 33, 32 non-IID)",
            f"{EPOCHS}; E = 5 is table III; the MLP below",
        ),
        (
            "V-B, table IV",
            "rounds to 45%, CIFAR-10, E = 1, 5, 10 (paper: 24, 12, 10 IID; 30, 14, 11 non-IID)",
            A_FIFTH,
        ),
        (
            "V-B, table V",
            "FedADMM with ρ = 0.01 beats FedProx with ρ = 0.01, 0.1 and 1, MNIST (paper: 3 against 25 IID, 29 against "
            "83 non-IID, 200 clients; 5 against 47, 14 against 82, 500 clients), and FedProx is not monotone in ρ (200 "
            "clients)",
            "CNN 1, four runs of 100 rounds: 1.5 h a column and seed; the MLP below",
        ),
        (
            "V-B, table V",
            "the same, FMNIST (paper: 2 against 5 IID, 13 against 34 non-IID, 200 clients; 2 against 11, 9 against 45, "
            "500 clients)",
            NO_FMNIST,
        ),
        (
            "V-B, table V",
            "the ρ of FedProx that is best on FMNIST, 0.01, is worst on MNIST, 200 clients (paper: 5 and 34 rounds, "
            "100+ and 100+)",
            f"{NO_FMNIST}; on MNIST the MLP below",
        ),
    ],
}
"""Claims that no study tests: section, claim and why, by the part of the paper."""


def _left(part: str) -> list[Claim]:
    return [not_run(*one) for one in LEFT[part]]
