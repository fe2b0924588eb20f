"""Claims of the A-FADMM paper on linear regression (sections V-A to V-E), with the measured numbers."""

import math
from collections.abc import Callable, Mapping

import numpy as np
import xarray as xr

from figures.claims import (
    NO,
    YES,
    Claim,
    Decades,
    by_case,
    decibels,
    grid,
    least,
    lowest,
    near,
    spread,
    spread_of_losses,
    times,
    verdict,
)
from figures.linreg_energy import BUDGETS
from figures.linreg_joules import PANELS as POWERS
from figures.linreg_joules import TARGET as JOULES_TARGET
from figures.study import resolved, result
from otafl.problems.exact_regression import Exact
from otafl.results import analysis

TARGET, LOWER = 1e-4, (1e-5, 1e-7)
PAIR = ("A-FADMM", "D-FADMM")
HEADING = "What the A-FADMM paper claims for linear regression, and what we measure"
REMARK = (
    "California housing, mean ± standard deviation over 5 seeds; every reading is at its default (`otafl show\n"
    "NAME`). D-FADMM is plain consensus, (3) to (5), unless called weighted, (9) to (11). The loss is |Σ f_n(θ_n) -\n"
    "min|, of each worker's own f_n; that of section V-A has the mean f of all f_n at the same θ_n. The first is of\n"
    "first order in θ_n - θ*. It changes its sign, and at high SNR it falls by half a decade in 10 dB. The second\n"
    "is quadratic. It has no changes of sign, and falls by a decade. The figures of the paper came without their\n"
    "data: its numbers are those of its text.\n"
    "\n"
    "A method is at a target from the first reading there, once the running median holds it to the end of the run.\n"
    "That is a median over 11 readings, or over those from 7/8 to 9/8 of an iteration's number if these are more,\n"
    "and over fewer at both ends. Not held: no seed gets there. One is ahead if the means differ by more than\n"
    "Student's interval of 95% (Welch); where some seed of a rival misses a target, if each number is below each of\n"
    "the rival's. A ratio is beyond a number if Student's interval of 95% of its logarithm is. In proportion is\n"
    "read as a power of N within 0.1 of 1; it is a no if it is farther by more than Student's interval. In figure\n"
    "3(b) seeds are paired. SNRs at which D-FADMM's gap, the median over seeds, more than halves in its last\n"
    "iteration before the budget are judged apart: such a gap is about to change its sign. If the verdict with them\n"
    "is another one, it follows in brackets."
)
OWN, ALL = "each worker's own f_n", "the loss of section V-A"
USES = {
    OWN: "linreg_energy",
    ALL: "linreg_energy_global",
    "uses as printed": "linreg_energy_printed",
    "loss and uses as printed": "linreg_energy_printed_global",
}
"""Readings of figure 3(b), with their studies."""
PRINTED = (
    "as printed, a digital use carries 15 complex symbols and an analog one a single element. With one symbol in a use "
    "of either kind, D-FADMM's uploads take up to 15 times as many"
)


def rows() -> list[Claim]:
    """Return the claims of the A-FADMM paper on linear regression, with the measured numbers."""
    return [_slot(), *_communication(), *_gradients(), *_energy(), *_joules(), *_scalability(), *_penalty()]


def ours() -> list[Claim]:
    """Return rows on linear regression for which the A-FADMM paper has no claim."""
    plain = result("linreg_communication")
    digital, analog = (_target(plain, name, "iteration") for name in ("D-FADMM", "A-FADMM"))
    weighted = _target(result("linreg_communication_weighted"), "D-FADMM", "iteration")
    return [
        Claim(
            "V-B",
            "in iterations, with uploads for nothing, A-FADMM is ahead of D-FADMM, too",
            f"iterations to 1e-4: A-FADMM {spread(analog)}, D-FADMM {spread(digital)}",
            lowest(analog, {"D-FADMM": digital}),
            "weights \\|h\\|² that fade slow the consensus down: with them and uploads without errors D-FADMM takes "
            f"{spread(weighted)}",
            runs=("linreg_communication", "linreg_communication_weighted"),
        )
    ]


def _slot() -> Claim:
    slots = result("linreg_communication").sel(scheme="A-FADMM")["time_slots"].isel(iteration=0)
    return Claim(
        "V-A",
        "A-FADMM takes one time slot for an upload of d = 6 elements on 10 subcarriers (paper: 1)",
        f"{spread(slots)}",
        verdict(bool((slots == 1).all())),
        runs=("linreg_communication",),
    )


def _communication() -> list[Claim]:
    plain, weighted = result("linreg_communication"), result("linreg_communication_weighted")
    slots = {name: _target(plain, name, "time_slots") for name in plain["scheme"].values}
    heavy = {f"{name}, weighted": _target(weighted, name, "time_slots") for name in weighted["scheme"].values}
    analog, rivals = slots["A-FADMM"], {name: one for name, one in slots.items() if name != "A-FADMM"} | heavy
    others = {
        words: (_target(result(own), "A-FADMM", "time_slots"), _slots(name))
        for words, (own, name) in PRINTED_3A.items()
    }
    fewest = {ONE_SYMBOL: lowest(analog, rivals)} | {words: lowest(*pair) for words, pair in others.items()}
    best = _best_gradient()
    fewest |= {f"one symbol, A-GD with a step of {BEST_STEP:g}": lowest(analog, {"A-GD": best})}
    wide = {name: one for name, one in rivals.items() if "10x" in name}
    readings = {ONE_SYMBOL: (analog, wide)} | {
        words: (own, {name: one for name, one in rival.items() if "10x" in name})
        for words, (own, rival) in others.items()
    }
    runs = ("linreg_communication", "linreg_communication_weighted", "linreg_communication_global")
    printed = tuple(name for _, name in PRINTED_3A.values() if name not in runs)
    return [
        Claim(
            "V-B, fig. 3(a)",
            "A-FADMM needs the fewest communication rounds (uploads) to a loss of 1e-4",
            f"time slots: {ONE_SYMBOL}: A-FADMM {spread(analog)}; {_listed(rivals)}. "
            + ". ".join(f"{words}: A-FADMM {spread(own)}; {_listed(rival)}" for words, (own, rival) in others.items()),
            by_case(fewest, "reading"),
            PRINTED_RATE,
            f"A-GD is at the paper's step where no other is named; with {BEST_STEP:g} it takes {spread(best)} slots "
            "(V-A, below)",
            runs=(*runs, *printed, "linreg_gd_steps"),
        ),
        Claim(
            "V-B, fig. 3(a)",
            "D-FADMM does not reach that speed even with 10 times the subcarriers",
            "times A-FADMM's slots: "
            + "; ".join(
                f"{words}: " + ", ".join(f"{name} {one.mean() / own.mean():.1f}" for name, one in rival.items())
                for words, (own, rival) in readings.items()
                if rival
            ),
            by_case({words: lowest(*pair) for words, pair in readings.items() if pair[1]}, "reading"),
            PRINTED_RATE,
            runs=(*runs[:2], *printed),
        ),
        _low_losses(),
    ]


ONE_SYMBOL = "one symbol in a use"
PRINTED_3A = {
    "the loss of section V-A": ("linreg_communication_global", "linreg_communication_global"),
    "15 symbols in a digital use": ("linreg_communication", "linreg_communication_printed"),
    "15 symbols, the loss of section V-A": ("linreg_communication_global", "linreg_communication_printed_global"),
    "15 symbols, and \\|h\\| in the rate, as printed": (
        "linreg_communication",
        "linreg_communication_printed_amplitude",
    ),
}
"""Other readings of figure 3(a): the studies of A-FADMM and of its rivals."""
PRINTED_RATE = (
    "as printed, a slot of a subcarrier carries 15 complex symbols of a digital upload and a single element of an "
    "analog one. Then D-FADMM-10x uploads in 2 to 3 slots in the mean, and it needs fewer iterations"
)


def _slots(name: str) -> dict[str, np.ndarray]:
    """Return the time slots of the digital methods of a study to the target, by method. Shape [seeds] each."""
    data = result(name)
    return {method: _target(data, method, "time_slots") for method in data["scheme"].values if method != "A-FADMM"}


def _low_losses() -> Claim:
    """Return the claim on losses below 1e-4, with a target above and one below A-FADMM's other noise floor."""
    studies = {OWN: "linreg_communication", ALL: "linreg_communication_global"}
    found = {words: [_below(result(name), target) for target in LOWER] for words, name in studies.items()}
    floors = {words: _floors(result(name)) for words, name in studies.items()}
    cases = {
        f"{words}, to {t:g}": verdict(one[1])
        for words, both in found.items()
        for t, one in zip(LOWER, both, strict=True)
    } | {f"{words}, in the end": _lower_floor(result(name)) for words, name in studies.items()}
    return Claim(
        "V-B, fig. 3(a)",
        "below 1e-4 A-FADMM suffers from noise, and D-FADMM may be the better choice, as long as very large bandwidth "
        "or long uploading time are available",
        ". ".join(
            f"{words}: "
            + "; ".join(f"slots to {t:g}: {one[0]}" for t, one in zip(LOWER, found[words], strict=True))
            + f"; median loss of the last 5,000 iterations: {floors[words]}"
            for words in studies
        ),
        by_case(cases, "loss"),
        f"with {ALL} the noise floor lies between the two targets, so that A-FADMM holds {LOWER[0]:g} first",
        runs=tuple(studies.values()),
    )


def _below(data: xr.Dataset, target: float) -> tuple[str, bool]:
    """Return slots to a target in words, and True if D-FADMM is ahead of A-FADMM there."""
    slots = {name: analysis.to_target(data.sel(scheme=name), target, "time_slots").values for name in PAIR}
    words = ", ".join(f"{name} {spread(slots[name])}" for name in PAIR)
    return words, lowest(slots["D-FADMM"], {"A-FADMM": slots["A-FADMM"]}) == YES


def _lower_floor(data: xr.Dataset) -> str:
    """Return the verdict that D-FADMM has the lower median loss over the last 5,000 iterations, in decades."""
    ends = {name: np.log10(_last(data.sel(scheme=name))) for name in PAIR}
    return lowest(ends["D-FADMM"], {"A-FADMM": ends["A-FADMM"]})


def _last(data: xr.Dataset) -> np.ndarray:
    """Return the median loss over the last 5,000 iterations. Shape [seeds]."""
    return data["loss"].isel(iteration=slice(-5000, None)).median("iteration").values


def _floors(data: xr.Dataset) -> str:
    """Return the noise floors of both methods in words."""
    return ", ".join(f"{name} {spread_of_losses(_last(data.sel(scheme=name)))}" for name in PAIR)


def _gradients() -> list[Claim]:
    plain, steps = result("linreg_communication"), result("linreg_gd_steps")
    analog, own, digital = (_target(plain, name, "time_slots") for name in ("A-FADMM", "A-GD", "D-FADMM"))
    exact = _target(plain, "D-GD", "iteration")
    ends = steps["loss"].isel(iteration=-1).fillna(np.inf)
    rates = [float(one) for one in steps["learning_rate"].values]
    larger = [rate for rate in rates if rate > TARGET_STEP]
    found = analysis.to_target(steps, TARGET, "time_slots")
    drawn = float(exact.mean()) / 10 * 100 * 6
    silent = {words: -math.expm1(-threshold) for words, threshold in SILENT.items()}
    best = _best_gradient()
    stronger = _target(result("linreg_penalty").sel(rho=1.0), "A-FADMM", "time_slots")
    return [
        Claim(
            "I",
            "as a second-order method, A-FADMM converges faster than first-order ones such as GD",
            f"slots to 1e-4: A-FADMM {spread(analog)}, A-GD {spread(own)} with a step of {TARGET_STEP:g}, "
            f"{spread(best)} with {BEST_STEP:g}; A-FADMM with ρ = 1 {spread(stronger)}",
            by_case(
                {
                    f"{TARGET_STEP:g}, the paper's": lowest(analog, {"A-GD": own}),
                    f"{BEST_STEP:g}": lowest(analog, {"A-GD": best}),
                    f"{BEST_STEP:g}, and A-FADMM with ρ = 1": lowest(stronger, {"A-GD": best}),
                },
                "step of A-GD",
            ),
            "the paper found that a larger step diverges, which it does not here (V-A, below)",
            runs=("linreg_communication", "linreg_gd_steps", "linreg_penalty"),
        ),
        Claim(
            "V-B, fig. 3(a)",
            "A-GD takes too many rounds",
            f"{spread(own)} slots to 1e-4, {own.mean() / analog.mean():.0f} times A-FADMM's",
            verdict(own.mean() > 10 * analog.mean()),
            but="too many is read as ten times A-FADMM's, at the paper's step; D-FADMM takes "
            f"{digital.mean() / own.mean():.1f} times A-GD's. With a step of {BEST_STEP:g} A-GD takes {spread(best)}",
            runs=("linreg_communication", "linreg_gd_steps"),
        ),
        Claim(
            "V-B, fig. 3(a)",
            f"because uploads are truncated where \\|h\\| < ε = {EPSILON:g} (section I: \\|h\\|²)",
            f"of {drawn:,.0f} gains in {exact.mean():,.0f} rounds so many are expected to be silent: "
            + ", ".join(f"{drawn * chance:.1g} ({words})" for words, chance in silent.items())
            + f". Without noise, fading and truncation D-GD takes {spread(exact)} rounds",
            verdict(bool(own.mean() > 1.01 * exact.mean())),
            f"hardly anything is ever truncated. What makes it slow is the step of {TARGET_STEP:g}; truncation counts "
            "here if it costs more than a hundredth of the rounds",
            runs=("linreg_communication",),
        ),
        Claim(
            "V-A",
            f"A-GD diverges for a larger learning rate than {TARGET_STEP:g}",
            "slots to 1e-4 by learning rate: "
            + ", ".join(f"{rate:g}: {_reached(found, ends, rate)}" for rate in rates)
            + f". Without noise gradient descent is stable below {_stable('mean'):.2g}, with summed losses below "
            f"{_stable('sum'):.2g}",
            by_case({f"{rate:g}": verdict(not _finite(ends, rate)) for rate in larger}, "learning rate"),
            "the step is along the sum of 100 gradients of mean losses over a worker's samples; along that of summed "
            f"losses, 200 samples each, {TARGET_STEP:g} itself diverges",
            "the losses of these runs are read at a hundred iterations of each decade; read at each iteration, "
            f"{TARGET_STEP:g} takes {spread(own)}",
            runs=("linreg_gd_steps",),
        ),
    ]


TARGET_STEP, BEST_STEP, EPSILON = 1e-4, 5e-3, 1e-6
"""The paper's learning rate of A-GD, the largest that we tried, and the threshold of channel inversion."""
SILENT = {"\\|h\\| < ε": EPSILON**2, "\\|h\\|² < ε": EPSILON}
"""Power gains below which an upload is truncated, by reading."""


def _best_gradient() -> np.ndarray:
    """Return A-GD's slots to the target at the largest step that was tried. Shape [seeds]."""
    steps = result("linreg_gd_steps").squeeze()
    return analysis.to_target(steps.sel(learning_rate=BEST_STEP), TARGET, "time_slots").values


def _stable(reduction: str) -> float:
    """Return the step below which gradient descent along the sum of all gradients converges: 2 over its curvature.

    Arguments:
        reduction: "mean" or "sum" of the losses over a worker's samples.
    """
    ((_, settings), *_) = resolved("linreg_gd_steps").override({"problem.loss_reduction": reduction}).points()
    curvature = Exact(settings, [0]).stacked.hessian[..., 0].sum(axis=0)
    return float(2 / np.linalg.eigvalsh(curvature)[-1])


def _finite(ends: xr.DataArray, rate: float) -> bool:
    return bool(np.isfinite(ends.sel(learning_rate=rate)).all())


def _reached(found: xr.DataArray, ends: xr.DataArray, rate: float) -> str:
    return spread(found.sel(learning_rate=rate)) if _finite(ends, rate) else "diverges"


def _energy() -> list[Claim]:
    few, many = ({words: AtBudget(result(name), budget) for words, name in USES.items()} for budget in BUDGETS)
    runs, how = tuple(USES.values()), "mean over paired seeds and Student's interval of 95%"
    return [
        Claim(
            "V-C, fig. 3(b)",
            "at 100,000 channel uses A-FADMM is always below D-FADMM, even at -10 dB",
            f"decades by which D-FADMM's loss is above A-FADMM's, {how}, least of all SNRs: "
            + "; ".join(f"{words}: {one.decades.least()}" for words, one in few.items()),
            by_case({words: one.judged(lambda found: found.exceeds(0)) for words, one in few.items()}, "reading"),
            PRINTED,
            FLOOR,
            runs=runs,
            detail=grid("reading", {words: one.decades.words() for words, one in few.items()}),
        ),
        Claim(
            "V-C, fig. 3(b)",
            "by an order of magnitude",
            "as above: ten times are one decade",
            by_case({words: one.judged(lambda found: found.exceeds(1)) for words, one in few.items()}, "reading"),
            SIGN.format(snr=-5, rounds=9),
            runs=runs,
        ),
        Claim(
            "V-C, fig. 3(b)",
            "at 200,000 channel uses D-FADMM is the better one, but only at a high SNR exceeding 20 dB",
            "decades, likewise. D-FADMM is below at "
            + "; ".join(f"{words}: {one.decades.below()}" for words, one in many.items()),
            by_case(
                {words: one.judged(lambda found: found.turns(20)) for words, one in many.items()}
                | {f"{OWN}, nowhere worse": many[OWN].judged(lambda found: nowhere_worse(found, 20))},
                "reading",
            ),
            f"{SIGN.format(snr=-10, rounds=10)}. With the loss of section V-A the two differ by less than half a "
            "decade from 0 dB on",
            "exceeding 20 dB is read as better at each SNR beyond it, and at no other; nowhere worse: better at some "
            "SNR beyond it, and worse at none there",
            runs=runs,
            detail=grid("reading", {words: one.decades.words() for words, one in many.items()}),
        ),
    ]


def nowhere_worse(found: Decades, ratio_db: float) -> str:
    """Return the verdict that a loss is below at some SNR beyond a value, above at none there, and below nowhere else.

    Arguments:
        found: decades by which the loss lies above the other.
        ratio_db: the value of the SNR [dB].
    """
    late = found.mean["snr_db"] > ratio_db
    below, above = found.mean + found.error < 0, found.mean - found.error > 0
    return verdict(bool((below & late).any() and not (below & ~late).any() and not (above & late).any()))


FLOOR = (
    "A-FADMM has come to its noise floor long before, and one reading of it hangs on the noise of one iteration. Its "
    "loss is the median of its readings over the second half of the budget"
)
SIGN = (
    "of each worker's own f_n, at {snr} dB the budget ends for D-FADMM after {rounds} iterations, where its gap falls "
    "to less than half in one iteration and then changes its sign"
)


class AtBudget:
    """Decades between D-FADMM's and A-FADMM's loss at a budget of channel uses.

    Arguments:
        data: result, dataset over schemes, SNRs, seed and iteration.
        budget: the number of channel uses.

    ``apart`` is the largest ratio of A-FADMM's losses of two seeds at one SNR.
    """

    def __init__(self, data: xr.Dataset, budget: float) -> None:
        self.data, self.budget = data, budget
        uses = self.data["channel_uses"]
        late = self.data["loss"].where((uses <= budget) & (uses >= budget / 2)).median("iteration")
        losses = self._last(self.data["loss"])
        analog, digital = (one.sel({"scheme": [name]}) for one, name in zip((late, losses), PAIR, strict=True))
        self.apart = float((analog.max("seed") / analog.min("seed")).max())
        self.decades = Decades.of(xr.concat([analog, digital], "scheme"), "D-FADMM", "A-FADMM")

    def judged(self, judge: Callable[[Decades], str]) -> str:
        """Return the verdict, and that at SNRs where D-FADMM's gap is about to change its sign, if it differs.

        Arguments:
            judge: function of the decades that returns a verdict.
        """
        there = self._sign_changes()
        rest = judge(Decades(*(one.sel(snr_db=~there) for one in self.decades)))
        whole = judge(self.decades)
        words = decibels(self.decades.mean["snr_db"].values[there.values])
        if rest.startswith("undecided") and whole.startswith("undecided"):
            return whole
        return rest if whole == rest else f"{'no' if rest == NO else rest} ({words}: {'no' if whole == NO else whole})"

    def _sign_changes(self) -> xr.DataArray:
        """Return True for each SNR at which D-FADMM's loss more than halves in its last iteration. Shape [SNRs]."""
        loss, number = self.data["loss"], xr.zeros_like(self.data["loss"]) + self.data["iteration"]
        now, before, last, earlier = (
            self._last(one).sel(scheme="D-FADMM", drop=True).median("seed")
            for one in (loss, loss.shift(iteration=1), number, number.shift(iteration=1))
        )
        return (now < before / 2) & (last - earlier == 1)

    def _last(self, values: xr.DataArray) -> xr.DataArray:
        """Return the last reading within the budget."""
        return analysis.at_budget(self.data.assign(loss=values), "loss", "channel_uses", self.budget)


def _joules() -> list[Claim]:
    """Return the claims that A-FADMM takes less energy and bandwidth than D-FADMM."""
    parts = {title: _Best(result(name)) for name, title in POWERS.items()}
    runs = tuple(POWERS)
    alike = {title: _Best(result(name)) for title, name in ALIKE.items()}
    least_of_all = alike[ALL].least("energy")[0], _least_digital()
    equal = grid("D-FADMM's energy over A-FADMM's, medians", _filled({t: one.ratios() for t, one in alike.items()}))
    fewest = {title: one.least("channel_uses") for title, one in alike.items()}
    return [
        Claim(
            "V-C",
            "A-FADMM is more energy-efficient: least energy to a loss of 1e-3 over all SNRs",
            "medians over seeds: "
            + ". ".join(f"{title}: {one.words()}" for title, one in parts.items())
            + f". {ALL}: A-FADMM {least_of_all[0]:.2g} J, D-FADMM {least_of_all[1]:.2g} J at {SNR_OF_LEAST:g} dB",
            by_case(
                {title: verdict(one.less("energy")) for title, one in parts.items()}
                | {ALL: verdict(least_of_all[0] < least_of_all[1])},
                "reading",
            ),
            "the paper counts channel uses, and calls them energy. D-FADMM's uploads have no errors at any SNR, and "
            "take the less energy the longer, or the wider, they are; A-FADMM does not hold 1e-3 at low SNR",
            "D-FADMM waits for its slowest worker. With a tenth of a subcarrier each, and in a deep fade at -20 dB, "
            "that one alone sends most of the uses, for hours",
            runs=(*runs, ALIKE[ALL]),
        ),
        Claim(
            "V-C",
            "at equal SNR, where A-FADMM holds a loss of 1e-3, it takes less energy to it",
            "it holds 1e-3 with all seeds at "
            + ". ".join(f"{title}: {one.at_equal_snr()[0]}" for title, one in alike.items()),
            by_case({title: one.at_equal_snr()[1] for title, one in alike.items()}, "reading"),
            but="D-FADMM holds 1e-3 at any SNR, as its uploads have no errors; the last two readings end at 200,000 "
            "uses",
            runs=tuple(ALIKE.values()),
            detail=equal,
        ),
        Claim(
            "V-C",
            "A-FADMM is more bandwidth-efficient: fewest channel uses to a loss of 1e-3 over all SNRs",
            "medians over seeds: "
            + ". ".join(f"{title}: A-FADMM {one[0]:,.0f}, D-FADMM {one[1]:,.0f}" for title, one in fewest.items()),
            verdict(all(one[0] < one[1] for one in fewest.values())),
            runs=tuple(ALIKE.values()),
        ),
    ]


ALIKE = {title: name for name, title in POWERS.items()} | {
    ALL: "linreg_energy_global",
    "uses as printed": "linreg_energy_printed",
}
"""Studies in which energies are compared at equal SNR, by reading."""


class _Best:
    """Costs at which A-FADMM and D-FADMM come to a loss of 1e-3, medians over seeds at each SNR."""

    def __init__(self, data: xr.Dataset) -> None:
        names = ("energy", "time_slots", "channel_uses")
        self.seeds = {name: analysis.to_target(data, JOULES_TARGET, name) for name in names}
        self.costs = {name: one.median("seed") for name, one in self.seeds.items()}

    def least(self, cost: str) -> list[float]:
        """Return the least cost over all SNRs, of A-FADMM and of D-FADMM.

        Arguments:
            cost: "energy", "time_slots" or "channel_uses".
        """
        return [float(self.costs[cost].sel(scheme=name).min()) for name in PAIR]

    def less(self, cost: str) -> bool:
        """Return True if A-FADMM's least cost is below D-FADMM's.

        Arguments:
            cost: "energy", "time_slots" or "channel_uses".
        """
        analog, digital = self.least(cost)
        return analog < digital

    def words(self) -> str:
        """Return the least energy of both methods, and what it takes besides, as text."""
        return "; ".join(map(self._at_best, PAIR))

    def _at_best(self, method: str) -> str:
        own = {name: one.sel(scheme=method) for name, one in self.costs.items()}
        best = own["energy"].idxmin("snr_db")
        energy, slots, uses = (float(one.sel(snr_db=best)) for one in own.values())
        return f"{method} {energy:.2g} J at {float(best):g} dB, in {slots:,.0f} slots and {uses:,.0f} uses"

    def at_equal_snr(self) -> tuple[str, str]:
        """Return the SNRs at which A-FADMM holds the target with all seeds, and the verdict on its energy, as text."""
        energy = self.seeds["energy"]
        pairs = {
            float(snr): [energy.sel(scheme=name, snr_db=snr).values for name in PAIR] for snr in energy["snr_db"].values
        }
        held = {snr: pair for snr, pair in pairs.items() if np.isfinite(pair[0]).all()}
        verdicts = {f"{snr:g} dB": lowest(analog, {"D-FADMM": digital}) for snr, (analog, digital) in held.items()}
        return decibels(np.array(list(held))), by_case(verdicts, "SNR", ", ")

    def ratios(self) -> dict[str, str]:
        """Return the ratio of D-FADMM's energy to A-FADMM's as text, by SNR."""
        energy = self.costs["energy"]
        return {
            f"{snr:g} dB": _times(*(energy.sel(scheme=name, snr_db=snr).item() for name in PAIR))
            for snr in energy["snr_db"].values
        }


SNR_OF_LEAST = -20.0
"""Least SNR that was run, where D-FADMM takes least energy [dB]."""


def _least_digital() -> float:
    """Return D-FADMM's median energy to the target with the loss of section V-A, at the least SNR [J].

    Uploads have no errors, so that the target is met in the same iteration at any SNR.
    """
    rounds = analysis.to_target(result(ALIKE[ALL]).sel(scheme="D-FADMM"), JOULES_TARGET, "iteration").min("snr_db")
    spent = result("linreg_energy_uncapped").sel(scheme="D-FADMM", snr_db=SNR_OF_LEAST)["energy"]
    return float(spent.sel(iteration=rounds).median("seed"))


def _filled(rows: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """Return rows of a table that all have the columns of any of them, by SNR, empty where a row lacks one."""
    columns = sorted({column for row in rows.values() for column in row}, key=lambda column: float(column.split()[0]))
    return {title: {column: row.get(column, "") for column in columns} for title, row in rows.items()}


def _times(analog: float, digital: float) -> str:
    """Return the ratio of two costs, of which some may be infinite, as text."""
    ratio = digital / analog
    alone = {(True, False): "A-FADMM alone", (False, True): "D-FADMM alone", (False, False): "neither"}
    return alone.get(
        (bool(np.isfinite(analog)), bool(np.isfinite(digital))), f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2g}"
    )


def _scalability() -> list[Claim]:
    found = {words: _Scaled(*reading) for words, reading in SCALED.items()}
    first = found["to 1e-4"]
    runs = tuple(dict.fromkeys(name for name, _ in SCALED.values()))
    slopes = {words: one.slope() for words, one in found.items()}
    grown = {words: one.grown() for words, one in found.items()}
    few = {words: one.ratio(10) for words, one in found.items()}
    late = np.median(first.ratio(100))
    return [
        Claim(
            "V-D, fig. 3(c)",
            "A-FADMM does not need more channel uses for more workers to a target loss (paper: 1e-4)",
            "median uses at N = 200 over those at N = 10: "
            + ", ".join(f"{_growth(one)} ({words})" for words, one in grown.items()),
            by_case({words: verdict(one < 20**0.1) for words, one in grown.items()}, "reading"),
            "with 20,000 samples in all, more workers have fewer each, their losses differ more, and consensus takes "
            "more iterations, for D-FADMM too. A loss of 1e-4 is the stricter for each worker the more there are. "
            "With 100 samples each A-FADMM's noise floor lies above 1e-6·N for few workers",
            "not more is read as not beyond the power of 0.1 of N",
            runs=runs,
            detail=grid("A-FADMM's uses, medians", {words: one.uses() for words, one in found.items()}),
        ),
        Claim(
            "V-D, fig. 3(c)",
            "D-FADMM needs channel uses in proportion to the number of workers",
            "as N to the power of "
            + ", ".join(f"{one.mean():.2f} ± {one.std(ddof=1):.2f} ({words})" for words, one in slopes.items()),
            by_case({words: near(one, np.ones(1), 0.1) for words, one in slopes.items()}, "reading"),
            f"more than in proportion: each iteration costs uses in proportion to N, and the iterations grow with N as "
            f"well, to 1e-4 from {first.iterations[0]:.0f} at N = 10 to {first.iterations[-1]:.0f} at N = 200",
            runs=runs,
        ),
        Claim(
            "V-D, fig. 3(c)",
            "already with N = 10 workers A-FADMM needs an order of magnitude fewer channel uses",
            "D-FADMM's over A-FADMM's, medians: "
            + ", ".join(f"{_times_held(one)} ({words})" for words, one in few.items()),
            by_case({words: times(one, 10) for words, one in few.items()}, "reading"),
            f"an iteration of D-FADMM does cost more, but it needs fewer; to 1e-4 the factor is {late:.0f} at N = 100",
            runs=runs,
        ),
    ]


SCALED: dict[str, tuple[str, bool]] = {
    "to 1e-4": ("linreg_scalability", False),
    "to 1e-6·N": ("linreg_scalability", True),
    "100 samples each, to 1e-6·N": ("linreg_scalability_growing", True),
    "uses as printed, to 1e-4": ("linreg_scalability_printed", False),
    f"{ALL}, to 1e-4": ("linreg_scalability_global", False),
    f"{ALL}, to 1e-6·N": ("linreg_scalability_global", True),
}
"""Readings of figure 3(c): the study, and True for a target in proportion to the workers."""


class _Scaled:
    """Channel uses to a target loss by number of workers and seed."""

    def __init__(self, name: str, fair: bool) -> None:
        data = result(name)
        data = data.assign(loss=data["loss"] * 100 / data["workers"]) if fair else data
        self.analog, self.digital = (
            analysis.to_target(data.sel(scheme=name, drop=True), TARGET, "channel_uses") for name in PAIR
        )
        digital = analysis.to_target(data.sel(scheme="D-FADMM", drop=True), TARGET, "iteration")
        self.iterations = digital.median("seed").values

    def slope(self) -> np.ndarray:
        """Return the exponent of a power law of the workers for D-FADMM, by least squares. Shape [seeds]."""
        held = self.digital.transpose("workers", "seed")
        return np.polyfit(np.log(held["workers"].values), np.log(held.values), 1)[0]

    def grown(self) -> float:
        """Return A-FADMM's median uses with most workers over those with fewest; 0: the fewest miss the target."""
        held = self.analog.median("seed").values
        return held[-1] / held[0]

    def ratio(self, workers: int) -> np.ndarray:
        """Return the ratio of D-FADMM's uses to A-FADMM's; 0 if A-FADMM misses the target. Shape [seeds].

        Arguments:
            workers: the number of workers.
        """
        return (self.digital / self.analog).sel(workers=workers).values

    def uses(self) -> dict[str, str]:
        """Return A-FADMM's median uses as text, by number of workers, or how many seeds hold the target."""
        held, seeds = self.analog.median("seed"), self.analog.sizes["seed"]
        counts = (self.analog < np.inf).sum("seed").values
        return {
            f"N = {n}": f"{value:,.0f}" if np.isfinite(value) else f"held by {count} of {seeds} seeds"
            for n, value, count in zip(held["workers"].values, held.values, counts, strict=True)
        }


def _growth(ratio: float) -> str:
    missed = "held by less than half of the seeds at"
    return f"{missed} 200" if np.isinf(ratio) else f"{ratio:.1f}" if ratio else f"{missed} 10"


def _times_held(ratio: np.ndarray) -> str:
    return f"{np.median(ratio):.2g}" if ratio.all() else "not held by A-FADMM"


def _penalty() -> list[Claim]:
    counts = analysis.to_target(result("linreg_penalty"), TARGET, "iteration")
    steps = {name: counts.sel({"scheme": name}) for name in PAIR}
    best = [values.median("seed") for values in steps.values()]
    words = "; ".join(
        f"{name} " + ", ".join(spread(one.sel(rho=rho)) for rho in one["rho"]) for name, one in steps.items()
    )
    values = counts["rho"].values
    grows = {
        f"to ρ = {rho:g}": verdict(all(_falls(*one.values[place : place + 2]) for one in best))
        for place, rho in enumerate(values[1:])
    }
    over = {name: (one.sel(rho=0.5) / one.min("rho")).values for name, one in steps.items()}
    first = analysis.to_target(result("linreg_penalty"), TARGET, "iteration", reached="first").sel(scheme="D-FADMM")
    touched = ", ".join(f"{one:.0f}" for one in np.sort(first.sel(rho=1.0).values))
    return [
        Claim(
            "V-E, fig. 5(a)",
            "a larger ρ converges faster, with diminishing returns",
            f"iterations that hold 1e-4 at ρ = {', '.join(f'{rho:g}' for rho in values)}: {words}",
            _up_to(grows),
            "at ρ = 5 the local models are held too tightly to the global one; tried without noise, D-FADMM's "
            "iterations grow in proportion to ρ from 5 to 20",
            "; ".join(["read by medians", *filter(None, (_unknown(name, one) for name, one in steps.items()))]),
            runs=("linreg_penalty",),
        ),
        Claim(
            "V-E, fig. 5(a)",
            "ρ = 0.5 is fast enough",
            "iterations that hold 1e-4, over those with the best of five ρ, by seed: "
            + "; ".join(f"{name} {one.min():.1f} to {one.max():.1f}" for name, one in over.items()),
            verdict(all(bool((one < 2).all()) for one in over.values())),
            but="read as less than twice, with every seed. Where the first reading at 1e-4 counts, D-FADMM with ρ = 1 "
            f"takes {touched} iterations, the fewest at a change of sign; with ρ = 0.5 it takes up to "
            f"{(first.sel(rho=0.5) / first.min('rho')).max():.1f} times as many",
            runs=("linreg_penalty",),
        ),
    ]


def _unknown(name: str, counts: xr.DataArray) -> str:
    """Return between which penalties a scheme's counts are not known, as its medians are beyond the run, as text."""
    held = counts.median("seed")
    never = [f"{rho:g}" for rho, one in zip(held["rho"].values, held.values, strict=True) if np.isinf(one)]
    return f"not known between ρ = {' and '.join(never)} for {name}, which holds 1e-4 at neither" if never[1:] else ""


def _falls(before: float, after: float) -> bool:
    """Return True if a count falls, or neither is known, as both are beyond the run."""
    return after < before or not np.isfinite([before, after]).any()


def _up_to(steps: Mapping[str, str]) -> str:
    """Return the verdict on a claim of steps in order: YES, NO, or up to which step it holds."""
    held = [words for words, one in steps.items() if one == YES]
    if len(held) in (0, len(steps)) or list(steps)[: len(held)] != held:
        return least(list(steps.values()))
    missed = [words for words in steps if words not in held]
    return f"yes {held[-1].replace('to', 'up to', 1)}; no {missed[0]}"


def _listed(found: Mapping[str, np.ndarray]) -> str:
    return "; ".join(f"{name} {spread(one)}" for name, one in found.items())


def _target(data: xr.Dataset, method: str, cost: str) -> np.ndarray:
    return analysis.to_target(data.sel({"scheme": method}), TARGET, cost).values
