"""Claims of the A-FADMM paper on power, convergence, privacy and coverage, with what we measure."""

import functools
import itertools
from typing import NamedTuple

import numpy as np

from figures import linreg_inversion, noise_free
from figures.claims import (
    NO,
    ROUNDING,
    YES,
    Claim,
    accuracy,
    by_case,
    by_reading,
    highest,
    named,
    near,
    not_run,
    spread,
    verdict,
)
from figures.study import resolved, result
from otafl.engine.group import Group
from otafl.engine.run_spec import RunSpec
from otafl.privacy.identifiability import Case, hidden
from otafl.privacy.observation import observe
from otafl.results import analysis

HEADING = "What the A-FADMM paper proves and concludes, and what we measure"
REMARK = (
    "Section III: California housing, 100 workers, ρ = 0.5, Rayleigh fading, no noise. Section IV: which models\n"
    "follow is decided by the rank of all that the server receives in 20 rounds of 2 coherence blocks, at random\n"
    "points. There duals start at random, and the server knows the sum of \\|h\\|², as in sections II-D and IV.\n"
    "Slots to a loss count to where the running median (A-FADMM for linear regression, below) holds it. Final\n"
    "accuracies are means of the last 5 rounds. They are told apart by Student's interval of 95% (Welch) for the\n"
    "difference of their means over seeds; for section VI's reason a difference of 0.01 or less counts as none."
)
BLOCK, SETTLED = 10, 1000
BLOCKS = (True, *[False] * (BLOCK - 1)) * 2
PLAIN = {"gains": "one", "dual": False, "flips": False}


def rows() -> list[Claim]:
    """Return the claims of the A-FADMM paper that are proven or concluded, with the measured numbers."""
    return [
        _inversion(),
        _dual_update(),
        *_power_control(),
        _lemma_1(),
        *_theorem_1(),
        _corollary_1(),
        *_privacy(),
        *_conclusion(),
    ]


def _inversion() -> Claim:
    point, faded = linreg_inversion.rest(), 1e-3
    parts = {
        "model": point._replace(mu=np.zeros_like(point.mu)),
        "dual": point._replace(theta=np.zeros_like(point.theta)),
        "both": point,
    }
    at = {
        name: [linreg_inversion.power(one, np.full((1, 1), gain)).mean() for gain in (faded, 1.0)]
        for name, one in parts.items()
    }
    grows = {name: low / high for name, (low, high) in at.items()}
    return Claim(
        "abstract, II-A",
        "A-FADMM sends without channel inversion",
        f"at the fixed point, mean power of a symbol at \\|h\\|² = {faded:g} over that at 1, before power control: "
        + ", ".join(f"{name} {one:,.4g}" for name, one in grows.items()),
        by_case({f"the {name}": verdict(grows[name] < 1) for name in ("model", "dual")}, "part"),
        "a worker sends conj(h)θ + μ/(ρh). At the fixed point μ = -∇f_n, whatever h is, so that the dual comes out "
        "inverted by the channel (notes, below)",
    )


def _dual_update() -> Claim:
    runs = {rule: noise_free.run(SETTLED, rule) for rule in noise_free.RULES}
    losses = {rule: _rises(one.loss[BLOCK::BLOCK], one.loss[BLOCK - 1 : -1 : BLOCK]) for rule, one in runs.items()}
    sums = {rule: _rises(one.entering[BLOCK::BLOCK], one.leaving[BLOCK - 1 : -1 : BLOCK]) for rule, one in runs.items()}
    kept, solved = "λ kept", "solved for"
    return Claim(
        "I, II-C",
        "where the channel changes, (9) and (11) alone do not keep the optimality gap from rising; solving for the "
        "dual does",
        f"of {SETTLED // BLOCK - 1} changes, those at which the loss rises, and the sum of (22), and the loss after "
        f"{SETTLED:,} iterations: "
        + "; ".join(f"dual {rule}: {losses[rule]}, {sums[rule]}, {_level(one.loss[-1])}" for rule, one in runs.items()),
        by_case(
            {
                "loss": verdict(losses[kept] > 0 and losses[solved] == 0),
                "sum of (22)": verdict(sums[kept] > 0 and sums[solved] == 0),
            },
            "gap",
        ),
        "from the end of a block to the new gains and duals the sum rises with each rule; within an iteration, as (22) "
        "is written, with none",
        "one seed, without noise, other gains than in the row of theorem 1. With λ kept the loss stays high; with λh "
        "kept it falls as low as with the dual solved for. On MNIST, too, training through changes ends as high "
        "(Beyond the paper)",
    )


def _rises(after: np.ndarray, before: np.ndarray) -> int:
    """Return the number of changes of channel at which a number rises."""
    return int((after > before).sum())


def _level(loss: float) -> str:
    """Return a loss as text, without digits that differ between machines."""
    return f"{loss:.2g}" if loss > 1e-6 else "below 1e-10"


def _power_control() -> list[Claim]:
    shares = np.stack([_share_of_budgets(name, method, d) for name, method, d in UPLOADS.values()])
    reports = {words: _reports(f"{name.split('_')[0]}_charged") for words, (name, *_) in UPLOADS.items()}
    single = result("linreg_communication").sel(scheme="A-FADMM")["worker_power"] / (BUDGET_J / 100 / 1e-3)
    free, charged = (
        analysis.to_target(data, 1e-4, "time_slots").values
        for data in (result("linreg_communication").sel(scheme="A-FADMM"), result("linreg_charged").squeeze())
    )
    return [
        not_run(
            "II-E",
            "the matched filter leaves noise of variance N0/T",
            "an identity; tests/channels/test_noise.py takes the variance of samples of the filter",
        ),
        Claim(
            "II-F",
            "with α = min α_n no worker exceeds its power budget",
            f"the largest power of a worker in an iteration, over the budget: {float(single.min()):.2f} to "
            f"{float(single.max()):.2f} in linear regression; all workers of an iteration, there and on MNIST, spend "
            f"{shares.min():.2f} to {shares.max():.2f} of their budgets together",
            verdict(bool(shares.max() <= 1 and single.max() < 1 + 1e-9)),
            but="the budget is P on each symbol, on average over the upload. The worker with the least α_n spends all "
            "of its own, which tests/channels/test_power.py checks; the power of single workers is not kept on MNIST",
            runs=tuple(name for name, *_ in UPLOADS.values()),
        ),
        Claim(
            "II-F",
            "the scalars α_n are exchanged with negligible overhead",
            "uses of their reports, over those of the upload: "
            + ", ".join(f"{words} {share:.2g}" for words, share in reports.items()),
            by_case({words: verdict(share < 0.1) for words, share in reports.items()}, "problem"),
            "100 workers report a number each, of 64 bits in linear regression and 32 on MNIST, at the rate of their "
            "channels. With 6 elements to send that is most of the traffic; on MNIST it is one slot of the band",
            "negligible is read as less than a tenth. With reports of \\|h\\|² in each block, too, A-FADMM takes "
            f"{spread(charged)} slots to 1e-4 in linear regression, in place of {spread(free)}",
            runs=("linreg_charged", "linreg_communication", "mnist_charged"),
        ),
    ]


UPLOADS = {
    "linear regression": ("linreg_communication", "A-FADMM", 6),
    "MNIST": ("mnist_communication", "A-SFADMM", 109184),
}
"""Study, method and elements of an upload, by problem."""
BUDGET_J = 1e4 * 1e-9 * 15e3 * 1e-3 * 100
"""Energy that 100 workers have for an element: 40 dB over N0 on a subcarrier, for one slot [J]."""


def _share_of_budgets(name: str, method: str, elements: int) -> np.ndarray:
    """Return the least and the largest share of all budgets that an iteration spends. Shape [2]."""
    spent = result(name).sel(scheme=method)["energy"].diff("iteration") / (BUDGET_J * elements)
    return np.array([spent.min(), spent.max()])


def _reports(name: str) -> float:
    """Return the uses of the reports of scaling factors over those of an upload, where the channel stays."""
    uses, elements = (result(name).isel(seed=0)[key].squeeze().values for key in ("channel_uses", "uplink_elements"))
    upload = elements[0] / 100
    return (uses[1] - uses[0] - upload) / upload


class _Seen(NamedTuple):
    """Iterations of a run of A-FADMM that converges, without noise; the last one stands for the optimum.

    Arguments:
        theta: model of each worker. Shape [iterations, workers, d].
        slope: gradient at it. Shape [iterations, workers, d].
        model: global model before the iteration. Shape [iterations, 1, d].
        weight: penalty ρ|h|². Shape [iterations, workers, d].
    """

    theta: np.ndarray
    slope: np.ndarray
    model: np.ndarray
    weight: np.ndarray

    @property
    def entering(self) -> np.ndarray:
        """Dual μ with which an iteration begins, by (9). Shape [iterations, workers, d]."""
        return -self.slope - self.weight * (self.theta - self.model)

    @property
    def leaving(self) -> np.ndarray:
        """Dual μ after an iteration, by (18); none of the last one. Shape [iterations - 1, workers, d]."""
        return self.entering[:-1] + self.weight[:-1] * (self.theta[:-1] - self.model[1:])


@functools.cache
def _seen() -> _Seen:
    """Return a run of A-FADMM over a channel that changes every 10 iterations, without noise."""
    keys = {"run.iterations": 3 * SETTLED // 2, "run.seeds": 1}
    ((_, settings),) = resolved("linreg_noise_free").override(keys).points()
    seen = list(observe(Group([RunSpec(settings, 0)])))
    theta, slope, gain = (np.stack([getattr(one, key) for one in seen]) for key in ("model", "gradient", "gain"))
    model = np.stack([one.known for one in seen])[:, None]
    return _Seen(theta, slope, model, settings.value("algorithm.rho") * gain)


def _lemma_1() -> Claim:
    gap, lower, upper = (one[:SETTLED] for one in _bounds(_seen()))
    proven, printed = lower <= gap, -lower <= gap
    return Claim(
        "III, lemma 1",
        "the optimality gap Σ f_n(θ_n) - min lies between the bounds (20) and (21)",
        f"in {len(gap):,} iterations with one seed: below (21) in {int((gap <= upper).sum())}, above (34), the lower "
        f"bound of the proof, in {int(proven.sum())}, above (20) in {int(printed.sum())}",
        by_case(
            {"as proven": verdict(bool((proven & (gap <= upper)).all())), "as printed": verdict(bool(printed.all()))},
            "lower bound",
        ),
        "(20) lacks the minus sign of (34)",
        runs=("linreg_noise_free",),
    )


def _bounds(seen: _Seen) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the optimality gap, and the lower and upper bound that the proof of lemma 1 has. Shapes [iterations].

    Losses are quadratic, so that their differences follow from gradients at both ends.
    """
    best, steepest, theta = seen.model[-1], seen.slope[-1], seen.theta[:-1]
    residual = theta - seen.model[1:]
    pull = seen.weight[:-1] * np.diff(seen.model, axis=0)
    gap = (seen.slope[:-1] + steepest) / 2 * (theta - best)
    upper = pull * (best - theta) - seen.leaving * residual
    return tuple(one.sum(axis=(1, 2)) for one in (gap, steepest * residual, upper))


def _theorem_1() -> list[Claim]:
    falls, jumps = _lyapunov(_seen())
    rises = jumps > 1
    ends = _ends("linreg_noise_free")
    return [
        Claim(
            "III, theorem 1",
            "over a channel that changes, the optimality gap (22) does not increase",
            f"in {len(falls):,} iterations with one seed the sum of (22) is multiplied by at most "
            f"1 - {1 - falls.max():.1e}",
            verdict(bool(falls.max() <= 1)),
            but="(22) takes gains and duals of one iteration, after algorithm 1 has solved for the dual",
            runs=("linreg_noise_free",),
        ),
        Claim(
            "abstract, III",
            "A-FADMM converges over channels that change, which theorem 1 proves",
            f"largest loss of the seeds after the last iteration: {_below_rounding(ends)}. With one seed, over "
            f"{len(falls):,} iterations: from the end of a block to the new gains and duals the sum of (22) rises at "
            f"{rises.sum()} of {len(rises)} changes, by up to {jumps.max():.0f} times",
            by_case(
                {
                    "as measured": verdict(bool(ends.max() < ROUNDING)),
                    "as theorem 1 proves it": verdict(not rises.any()),
                },
                "reading",
            ),
            "(22) bounds each iteration alone. As its sum may rise at a change, convergence does not follow from it",
            runs=("linreg_noise_free",),
        ),
    ]


def _below_rounding(values: np.ndarray) -> str:
    """Return the largest value as text, but for rounding errors, which are those of a machine."""
    return f"below {ROUNDING:g}" if values.max() < ROUNDING else f"{values.max():.0e}"


def _lyapunov(seen: _Seen) -> tuple[np.ndarray, np.ndarray]:
    """Return the factors of the sum of (22) in each iteration, and at each change of channel. Shapes [...]."""

    def gap(dual: np.ndarray, model: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Return the sum of (22), with models and duals of the last iteration as optimal ones. Shape [iterations]."""
        far = (dual + seen.slope[-1]) ** 2 / weight + weight * (model - seen.model[-1]) ** 2
        return far.sum(axis=(1, 2))

    before = gap(seen.entering, seen.model, seen.weight)[:-1]
    after = gap(seen.leaving, seen.model[1:], seen.weight[:-1])
    return (after / before)[:SETTLED], (before[1:] / after[:-1])[BLOCK - 1 : SETTLED : BLOCK]


def _ends(name: str) -> np.ndarray:
    """Return the losses after the last iteration. Shape [seeds]."""
    return result(name)["loss"].isel(iteration=-1).values.ravel()


def _corollary_1() -> Claim:
    data = result("linreg_static").squeeze()
    names = ("loss", "primal_residual", "dual_residual")
    at = {k: [float(data[name].sel(iteration=k, method="nearest").max()) for name in names] for k in DECADES}
    falling = all(np.all(np.array(at[late]) < at[early]) for early, late in itertools.pairwise(DECADES))
    moving = result("linreg_noise_free").squeeze()["loss"].sel(iteration=SETTLED)
    deep, lifted = (float(noise_free.run(SETTLED, moving=False, least=least).loss[-1]) for least in (0.0, LIFTED))
    return Claim(
        "III, corollary 1",
        "over a static channel the optimality gap and both residuals converge to zero",
        "largest loss, primal and dual residual of the seeds: "
        + "; ".join(f"iteration {k:,}: {', '.join(f'{value:.1e}' for value in values)}" for k, values in at.items()),
        verdict(falling),
        but="read as the largest of the seeds falling, of all three, from each decade of iterations to the next. They "
        "fall slowly, as a worker in a "
        f"deep fade has a tiny penalty for good: with other gains and one seed the loss after {SETTLED:,} "
        f"iterations is {deep:.1g}, and {lifted:.1g} with \\|h\\|² of at least {LIFTED:g}. Over a channel that changes "
        f"every 10 iterations it is {float(moving.max()):.0e}",
        runs=("linreg_static", "linreg_noise_free"),
    )


LIFTED = 0.1
"""Least power gain |h|² of a static channel without deep fades."""
DECADES = (10, 100, 1000, 10000)
"""Iterations at which the static channel is read."""


def _privacy() -> list[Claim]:
    some, alone, far = AMONG, AMONG._replace(speakers=1), AMONG._replace(gains="unknown", elsewhere=True)
    unknown = hidden(alone._replace(gains="unknown"))
    digital, single = (hidden(Case(count, BLOCKS, digital=count > 1, **PLAIN)) for count in (2, 1))
    ended = some._replace(converged=True)
    kept = ended._replace(blocks=(*BLOCKS, True))
    return [
        Claim(
            "IV",
            "digital uploads always violate privacy (definition 1)",
            f"{_share(digital)} models of a worker are hidden",
            verdict(not digital.any()),
        ),
        Claim(
            "IV",
            "so do inverted ones where a single worker sends",
            f"{_share(single)} are hidden",
            verdict(not single.any()),
        ),
        _theorem_2("IV, theorem 2", "before convergence A-FADMM hides each local model and gradient", some),
        _theorem_2("abstract, IV", "and from any eavesdropper that transmits nothing and knows the global models", far),
        Claim(
            "I",
            "even when a single worker is transmitting over a given channel",
            f"models: {_share(hidden(alone))} are hidden, {_rounds(hidden(alone))}; {_share(unknown)} if the server "
            f"does not know \\|h\\|². Gradients: {_share(hidden(alone, 'gradient'))}",
            by_case(
                {
                    "models, first round": verdict(bool(hidden(alone)[0] and unknown[0])),
                    "models, later rounds": verdict(bool(hidden(alone)[1:].all() and unknown[1:].all())),
                    "gradients": verdict(bool(hidden(alone, "gradient").all())),
                },
                "round",
            ),
            "the one worker is alone in all rounds here. Its first dual is not known; its dual is zero after that, and "
            "Θ is its model from then on, the case that theorem 2 excepts",
        ),
        *_theorem_3(ended, kept),
    ]


def _theorem_2(section: str, claim: str, case: Case) -> Claim:
    models, gradients = hidden(case), hidden(case, "gradient")
    return Claim(
        section,
        claim,
        f"{_share(models)} models and {_share(gradients)} gradients are hidden {MANY}",
        verdict(bool(models.all() and gradients.all())),
        but="with random first duals and without noise; this is no differential privacy, and says nothing of estimates",
    )


def _theorem_3(ended: Case, kept: Case) -> list[Claim]:
    cases = {"last_round_within_a_block": ended, "last_round_after_a_change": kept}
    earlier = {name: hidden(case)[:-1] for name, case in cases.items()}
    gradients = {name: hidden(case, "gradient") for name, case in cases.items()}
    alone = ended._replace(speakers=1)
    return [
        Claim(
            "IV, theorem 3",
            "at convergence, with the last models known, the earlier models stay hidden",
            f"{MANY}: "
            + "; ".join(f"{named(name)}: {_share(one)} of the earlier ones" for name, one in earlier.items()),
            by_reading(**{name: bool(one.all()) for name, one in earlier.items()}),
            "after a change of channel algorithm 1 keeps the model, so that the last one tells the one before it",
            f"where one worker sends alone: {_share(hidden(alone)[:-1])}, last round within a block",
        ),
        Claim(
            "IV, theorem 3",
            "and all gradients",
            f"{MANY}: " + "; ".join(f"{named(name)}: {_share(one)}" for name, one in gradients.items()),
            by_reading(**{name: bool(one.all()) for name, one in gradients.items()}),
            but=f"where one worker sends alone: {_share(hidden(alone, 'gradient'))}, last round within a block",
        ),
    ]


MANY = "where two workers or more send"
AMONG = Case(2, BLOCKS, random_start=True)
"""Case of two workers and a server, which stands for more of them."""


def _share(found: np.ndarray) -> str:
    return f"{found.sum()} of {len(found)}"


def _rounds(found: np.ndarray) -> str:
    """Return the numbers of the rounds whose models are hidden as text."""
    return "round " + ", ".join(f"{k + 1}" for k in np.flatnonzero(found)) if found.any() else "none"


def _apart(high: np.ndarray, low: np.ndarray) -> str:
    """Return the least and the largest difference of two accuracies seed by seed, as text."""
    return f"{(high - low).min():.2f} to {(high - low).max():.2f}"


def _conclusion() -> list[Claim]:
    last = result("channel_networks").sel(scheme="A-SFADMM")["test_accuracy"].isel(iteration=slice(-5, None))
    ends = {name: last.sel(fading=name).mean("iteration").values for name in ("rayleigh", "umi", "raytraced")}
    cells = {"UMi": ends["umi"], "street canyon": ends["raytraced"]}
    return [
        Claim(
            "VI",
            "faraway workers are difficult to reach, which hinders the wide-area coverage of A-FADMM",
            f"final accuracy of A-SFADMM on MNIST: {accuracy(ends['rayleigh'])} over Rayleigh fading; with up to "
            f"120 dB of path loss, UMi {accuracy(ends['umi'])}, street canyon {accuracy(ends['raytraced'])}",
            by_case(
                {name: highest(ends["rayleigh"], {"Rayleigh fading": one}) for name, one in cells.items()}, "channel"
            ),
            but="in the street canyon each of three seeds is below, by "
            f"{_apart(ends['rayleigh'], ends['raytraced'])}, and one of them makes the interval wide",
            runs=("channel_networks",),
        ),
        _cause(),
        not_run(
            "VI",
            "longer transmissions make up for asynchronous arrivals",
            "delays and their harm are studied on embedded digits (`digits_timing`), transmissions of another length "
            "are not",
        ),
        not_run(
            "VI",
            "compressive sensing with approximate message passing carries large models",
            "an outlook; CA-DSGD of others does so for FedAvg (`compare_coded`)",
        ),
        not_run("VI", "a decentralised version covers wider areas", "workers that talk to neighbours are not there"),
    ]


def _cause() -> Claim:
    """Return the claim on why faraway workers are not reached, by a hundred times the power, and by weights |h|."""
    ends = {name: result(name)["test_accuracy"].isel(iteration=slice(-5, None)).mean("iteration") for name in POWERS}
    spent = {name: result(name)["energy"].isel(iteration=-1).mean("seed") for name in POWERS}
    words, verdicts, energies = [], {}, {}
    for fading, cell in {"umi": "UMi", "raytraced": "street canyon"}.items():
        old, other = (ends["cell_networks"].sel(scheme=scheme, fading=fading).values for scheme in WEIGHTS)
        more = ends["cell_power"].squeeze().sel(fading=fading).values
        words.append(f"{cell} {accuracy(old)} and {accuracy(more)}; with weights \\|h\\| {accuracy(other)}")
        each = [float(spent["cell_networks"].sel(scheme=scheme, fading=fading)) for scheme in WEIGHTS]
        energies[cell] = float(spent["cell_power"].squeeze().sel(fading=fading)) / each[0], each[1] / each[0]
        same = near(more - old, np.zeros(1), DIGITS) == YES
        verdicts[cell] = NO if same else highest(more, {"40 dB": old}, DIGITS)
    return Claim(
        "VI",
        "because workers have limited transmit energy",
        f"final accuracy of A-SFADMM on MNIST at 40 and 60 dB: {'. '.join(words)}",
        by_case(verdicts, "channel"),
        but="the weight \\|h\\|² hinders it: with \\|h\\| faraway workers count within the same budget "
        "(A-FADMM in a cell). Energy spent, over that at 40 dB: "
        + "; ".join(
            f"{cell} {more:.0f} at 60 dB, {other:.1f} with \\|h\\|" for cell, (more, other) in energies.items()
        ),
        runs=POWERS,
    )


POWERS = ("cell_networks", "cell_power")
"""Studies of the weights at 40 dB, and of the paper's at 60 dB."""
DIGITS = 0.01
"""Difference of accuracies that counts."""
WEIGHTS = ("A-SFADMM", "A-SFADMM p=1")
"""Methods with weights |h|² and |h|."""
