"""Stand-ins for studies of the FedADMM paper of Gong et al., and rows that the paper does not have."""

from collections.abc import Iterator

import numpy as np
import xarray as xr

from figures.claims import YES, Claim, by_reading, highest, least, lowest, verdict
from figures.claims_gong import FOUR, SHORT, TWICE, accuracy, counts, ends, fewest, of, saved
from figures.panels import final, mean_rounds, rounds, rounds_to
from figures.study import result

HEADING = "Beyond the paper"
REMARK = (
    "Stand-ins for studies of the paper, and rows that it does not have. Digits: embedded digits, 20 clients of which\n"
    "5 take part, a network of one hidden layer, two labels each as non-IID data, 90% as the target. MLP: MNIST as in\n"
    "the paper, with the MLP of 109,184 weights in place of CNN 1, and 95% in place of 97%. They say nothing about\n"
    "the paper's own numbers."
)
MLP_TARGET, DIGITS_TARGET = 0.95, 0.9
STARTS = [(stored, start) for stored in ("global", "own") for start in ("local", "global")]


def rows() -> list[Claim]:
    """Return what stand-ins for the paper's studies say, digits or an MLP, and rows that the paper does not have."""
    digits = [_small_scale(), *_small_heterogeneity(), *_small_steps(), _small_start(), _small_penalty()]
    return [*_small_table3(), *digits, _small_imbalanced(), *_epochs(), *_penalties(), *_monotone(), *_sensitivity()]


def _small_table3() -> list[Claim]:
    """Return table III on digits: who needs the fewest rounds, with few and many clients, and FedSGD."""
    slow = result("gong_fedsgd_small").squeeze("scheme")
    names = {"IID": "gong_table3_iid_small", "two labels each": "gong_table3_shards_small"}
    pairs = {
        words: (of(slow, partition=part), of(result(names[words]), scheme="FedADMM-Gong"))
        for words, part in (("IID", "iid"), ("two labels each", "labels"))
    }
    ratios = [mean_rounds(one, DIGITS_TARGET) / mean_rounds(own, DIGITS_TARGET) for one, own in pairs.values()]
    shown = {words: [rounds_to(one, DIGITS_TARGET) for one in pair] for words, pair in pairs.items()}
    many = "100 clients of which 10 take part, full batches and 20 epochs, IID"
    return [
        *(_small_order("table III", words, name, TWICE) for words, name in names.items()),
        _small_order("table III", many, "gong_thousand_small", "it and FedProx do 1 to 20 epochs, the others 20"),
        Claim(
            "table III",
            "FedSGD takes 7 to 30 times FedADMM's rounds (paper: 7.6 to 130 times)",
            "; ".join(f"{words}: {a} against {b}" for words, (a, b) in shown.items()),
            _said("digits", verdict(bool(min(ratios) >= 7))),
            but="a small network on few samples goes far by single gradients at a rate of 0.5",
            runs=("gong_fedsgd_small", *names.values()),
        ),
    ]


def _said(where: str, holds: str) -> str:
    """Return a verdict that a stand-in gives, such as "digits: yes"."""
    return f"{where}: {holds}"


def _small_order(section: str, words: str, name: str, but: str, **at) -> Claim:
    data = of(result(name), **at)
    return Claim(
        section,
        f"FedADMM needs the fewest rounds, {words}",
        f"{counts(data, FOUR, DIGITS_TARGET)}; {ends(data, FOUR)}",
        _said("digits", fewest(data, FOUR, DIGITS_TARGET)),
        but=but,
        runs=(name,),
    )


def _small_scale() -> Claim:
    data = result("gong_scale_small")
    sizes = data["workers"].values
    gaps = [saved(of(data, workers=n), DIGITS_TARGET) for n in sizes]
    return Claim(
        "figures 3, 4",
        "FedADMM saves rounds over the best other method, and more with more clients, two labels each",
        "; ".join(f"{n} clients: {counts(of(data, workers=n), FOUR, DIGITS_TARGET)}" for n in sizes)
        + f"; saved: {', '.join(f'{gap:.0%}' for gap in gaps)}",
        _said("digits", verdict(min(gaps) > 0 and bool(np.all(np.diff(gaps) > 0)))),
        but=f"SCAFFOLD is ahead each time; {TWICE}",
        runs=("gong_scale_small",),
    )


def _small_heterogeneity() -> list[Claim]:
    name = "gong_heterogeneity_small"
    parts = {"IID": "iid", "two labels each": "labels"}
    return [
        _small_order("figure 5", f"40 clients, {words}, rate 0.2 for all, ρ = 0.01", name, TWICE, partition=part)
        for words, part in parts.items()
    ]


def _small_steps() -> list[Claim]:
    data = result("gong_server_step_small").squeeze("scheme")
    parts = {SHORT.get(str(step), str(step)): of(data, server_step=step) for step in data["server_step"].values}
    end = {step: final(part) for step, part in parts.items()}
    swing = {step: _swing(part) for step, part in parts.items()}
    share = SHORT["participation"]
    return [
        Claim(
            "figure 6",
            "a server's step of 1.5 stalls, 1 does not, two labels each",
            "final accuracy: " + ", ".join(f"η = {step}: {accuracy(one)}" for step, one in end.items()),
            _said("digits", highest(end["1"].values, {"1.5": end["1.5"].values})),
            runs=("gong_server_step_small",),
        ),
        Claim(
            "III-A",
            "η = 1 trains fast, and η = \\|S\\|/m oscillates less, two labels each",
            "change of accuracy from round to round in the last 20: "
            + ", ".join(f"η = {step}: {one.mean():.3f}" for step, one in swing.items())
            + f"; rounds: η = 1: {rounds_to(parts['1'], DIGITS_TARGET)}, η = {share}: "
            + rounds_to(parts[share], DIGITS_TARGET),
            _said(
                "digits",
                least(
                    [
                        lowest(rounds(parts["1"], DIGITS_TARGET), {share: rounds(parts[share], DIGITS_TARGET)}),
                        lowest(swing[share], {"1": swing["1"]}),
                    ]
                ),
            ),
            runs=("gong_server_step_small",),
        ),
    ]


def _swing(data: xr.Dataset) -> np.ndarray:
    """Return the mean change of accuracy from round to round in the last 20 rounds. Shape [seeds]."""
    changes = data["test_accuracy"].isel(iteration=slice(-20, None)).diff("iteration")
    return abs(changes).mean("iteration").values


def _small_start() -> Claim:
    warm = result("gong_warm_start_small").squeeze("scheme")
    end = {key: final(warm.sel(stored_model=key[0], warm_start=key[1])) for key in STARTS}
    better = {
        stored: highest(end[stored, "local"].values, {"θ": end[stored, "global"].values}) == YES
        for stored in ("global", "own")
    }
    return Claim(
        "figure 8",
        "local training from w is better than from θ, IID",
        "final accuracy from w and θ: "
        + "; ".join(
            f"{words} {accuracy(end[stored, 'local'])} and {accuracy(end[stored, 'global'])}"
            for stored, words in (("global", "2(w' − θ) is sent:"), ("own", "(4) is sent:"))
        ),
        _said("digits", by_reading(released=better["global"], as_printed=better["own"])),
        but="with ρ = 0.01 local models that are never set back drift apart",
        runs=("gong_warm_start_small",),
    )


def _small_penalty() -> Claim:
    names = {"IID": "gong_penalty_small", "two labels each": "gong_penalty_shards_small"}
    end = {words: final(result(name).squeeze("scheme")) for words, name in names.items()}
    keys = {"": "0.01", "1: 0.1": "0.1", "30: 0.1": "0.01, then 0.1"}
    return Claim(
        "figure 9",
        "ρ = 0.01 first, and 0.1 from round 30 on, is better than either",
        "final accuracy: "
        + "; ".join(
            f"{words}, "
            + ", ".join(f"ρ = {value}: {accuracy(one.sel(rho_schedule=key))}" for key, value in keys.items())
            for words, one in end.items()
        ),
        _said(
            "digits",
            least(
                [
                    highest(
                        one.sel(rho_schedule="30: 0.1").values,
                        {value: one.sel(rho_schedule=key).values for key, value in list(keys.items())[:2]},
                    )
                    for one in end.values()
                ]
            ),
        ),
        runs=tuple(names.values()),
    )


def _small_imbalanced() -> Claim:
    data = result("gong_imbalanced_small")
    own, *others = (final(of(data, scheme=name)).values for name in FOUR)
    return Claim(
        "figure 10",
        "FedADMM is the most accurate on imbalanced volumes",
        ends(data, FOUR),
        _said("digits", highest(own, dict(zip(FOUR[1:], others, strict=True)))),
        but=TWICE,
        runs=("gong_imbalanced_small",),
    )


def _epochs() -> list[Claim]:
    return [
        claim
        for part, found, words in (("iid", "27, 10, 6", "IID"), ("shards", "56, 33, 32", "non-IID"))
        for name, where, target in (("mnist", "MLP", MLP_TARGET), ("small", "digits", DIGITS_TARGET))
        for claim in _more_work(f"gong_table4_{part}_{name}", words, found, where, target)
    ]


def _more_work(name: str, words: str, found: str, where: str, target: float) -> Iterator[Claim]:
    data = result(name).sel({"scheme": "FedADMM-Gong"})
    parts = {count: data.sel(epochs=count) for count in data["epochs"].values}
    first, *_, last = parts
    yield Claim(
        "table IV",
        f"FedADMM needs fewer rounds with E = {last} than with E = {first}, {where}, {words} (paper: {found})",
        ", ".join(f"E = {count}: {rounds_to(one, target)}" for count, one in parts.items()),
        _said(where, lowest(rounds(parts[last], target), {f"E = {first}": rounds(parts[first], target)})),
        runs=(name,),
    )
    ended = {count: final(one) for count, one in parts.items()}
    yield Claim(
        "figure 7",
        f"FedADMM ends more accurate with E = {last} than with E = {first}, {where}, {words}",
        "final accuracy: " + ", ".join(f"E = {count}: {accuracy(one)}" for count, one in ended.items()),
        _said(where, highest(ended[last].values, {f"E = {first}": ended[first].values})),
        runs=(name,),
    )


TABLE5 = {
    "gong_table5_iid": ("MLP", "IID", MLP_TARGET),
    "gong_table5_iid_small": ("digits", "IID", DIGITS_TARGET),
    "gong_table5_shards": ("MLP", "two shards each", MLP_TARGET),
    "gong_table5_shards_small": ("digits", "two labels each", DIGITS_TARGET),
}
"""Stand-ins of table V: what they are, their partition and the target."""


def _penalties() -> list[Claim]:
    claims = []
    for name, (where, words, target) in TABLE5.items():
        data = result(name)
        own = of(data, scheme="FedADMM-Gong", rho=0.01)
        others = {f"ρ = {rho:g}": of(data, scheme="FedProx", rho=rho) for rho in data["rho"].values}
        better = lowest(rounds(own, target), {rho: rounds(other, target) for rho, other in others.items()})
        claims.append(
            Claim(
                "table V",
                f"FedADMM with ρ = 0.01 beats FedProx with any ρ, {where}, {words}",
                f"FedADMM {rounds_to(own, target)}; FedProx "
                + ", ".join(f"{rho}: {rounds_to(other, target)}" for rho, other in others.items()),
                _said(where, better),
                runs=(name,),
            )
        )
    return claims


def _monotone() -> Iterator[Claim]:
    """Yield whether FedProx is not monotone in ρ, as table V has it."""
    for name, (where, words, target) in TABLE5.items():
        data = result(name)
        needed = [mean_rounds(of(data, scheme="FedProx", rho=rho), target) for rho in data["rho"].values]
        yield Claim(
            "table V",
            f"FedProx is not monotone in ρ, {where}, {words} (paper: MNIST, FMNIST)",
            "its rounds as above",
            _said(where, verdict(needed != sorted(needed) and needed != sorted(needed, reverse=True))),
            "it is the slower the larger ρ is",
            runs=(name,),
        )


def _sensitivity() -> list[Claim]:
    """Return whether ρ matters less for FedADMM than for FedProx, which table V does not ask."""
    claims = []
    for name, (where, words, _) in list(TABLE5.items())[::2]:
        end = final(result(name))
        ranges = {
            method: (one.max("rho") - one.min("rho")).values
            for method, one in ((method, end.sel({"scheme": method})) for method in ("FedADMM-Gong", "FedProx"))
        }
        claims.append(
            Claim(
                "table V",
                f"ρ from 0.01 to 1 changes FedADMM's accuracy less than FedProx's, {where}, {words} (the paper varies "
                "that of FedProx alone)",
                "range of final accuracy over ρ: "
                + ", ".join(f"{method} {one.mean():.3f}" for method, one in ranges.items()),
                _said(where, lowest(ranges["FedADMM-Gong"], {"FedProx": ranges["FedProx"]})),
                runs=(name,),
            )
        )
    return claims
