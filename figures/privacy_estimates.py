"""Privacy of a worker towards the server and an eavesdropper: definition 1, estimates, differential privacy."""

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from figures.study import Study
from otafl import privacy
from otafl.results.style import LOOKS, LineStyle

COMMON = {"run.iterations": 5, "run.seeds": 3, "local.batch_size": 20, "channel.coherence_iterations": 2.0}
SCHEMES: dict[str, dict[str, Any]] = {
    "A-SFADMM": {"method": "A-SFADMM"},
    "FedAvg, truncated at |h| = 1": {"method": "FedAvg@analog", "uplink.inversion_threshold": 1.0, "local.steps": 5},
    "FedAvg, digital": {"method": "FedAvg@digital", "local.steps": 5},
}
LIKE = "A-SFADMM", "truncation", "FedAvg@digital"
"""Schemes whose look in all figures the lines have."""
WORKERS, SNRS_DB = [1, 2, 3, 5, 10, 20], [-40.0, -30.0, -20.0, -10.0, 0.0, 10.0, 20.0]
COTAF = {"method": "FedAvg@analog", "uplink.scheme": "COTAF", "local.steps": 5, "run.seeds": 1, "run.iterations": 50}
BELOW_DB = [-100.0, -90.0, -80.0, -70.0, -60.0, -50.0, -40.0]


def draw(data: Mapping[str, xr.Dataset]) -> Figure:
    """Draw shares of private models, errors of estimates, and ε of differential privacy, as four panels.

    Arguments:
        data: unused, as all is computed here.
    """
    fig, ((private, by_workers), (by_snr, epsilon)) = plt.subplots(2, 2, figsize=(7.2, 5.0))
    for (label, keys), scheme in zip(SCHEMES.items(), LIKE, strict=True):
        many = _assess(keys, {"federation.workers": WORKERS, "channel.snr_db": 10.0})
        noisy = _assess(keys, {"federation.workers": 10, "channel.snr_db": SNRS_DB})
        line = LineStyle(LOOKS[scheme], LOOKS[scheme]).line
        private.plot(WORKERS, _mean(many["private"]), label=label, **line)
        private.plot(WORKERS, _mean(many["private_elsewhere"]), linewidth=0.5, **line)
        _errors(by_workers, WORKERS, many, line)
        _errors(by_snr, SNRS_DB, noisy, line)
    for place, threshold in enumerate((0.3, 1.0)):
        keys = COTAF | {"uplink.inversion_threshold": threshold, "federation.workers": 10, "channel.snr_db": BELOW_DB}
        found = privacy.assess("digits_quickstart", COMMON | keys)["epsilon_exact"].isel(iteration=-1).squeeze()
        epsilon.semilogy(BELOW_DB, found, label=f"$h_{{min}}$ = {threshold:g}", **LineStyle(LOOKS["COTAF"], place).line)
    _named(private, by_workers, by_snr, epsilon)
    return fig


def _named(private: Axes, by_workers: Axes, by_snr: Axes, epsilon: Axes) -> None:
    for ax, title, x, y in (
        (private, "models that do not follow", "Workers", "Share of uploads"),
        (by_workers, "estimate of a model, 10 dB", "Workers", "Normalised error"),
        (by_snr, "estimate of a model, 10 workers", "SNR [dB]", "Normalised error"),
        (epsilon, r"COTAF, 50 rounds, $\delta = 10^{-5}$", "SNR [dB]", r"$\varepsilon$"),
    ):
        ax.set(title=title, xlabel=x, ylabel=y)
    for ax in (private, by_workers, by_snr):
        ax.set_ylim(-0.05, 1.1)
    for ax in (private, by_workers):
        ax.set_xscale("log")
        ax.set_xticks(WORKERS, [str(count) for count in WORKERS])
        ax.minorticks_off()
    by_snr.legend(*private.get_legend_handles_labels(), loc=(0.03, 0.2))
    epsilon.axhline(1.0, color="0.5", linewidth=0.8)
    epsilon.legend()


def _assess(keys: dict[str, Any], swept: dict[str, Any]) -> xr.Dataset:
    return privacy.assess("digits_quickstart", COMMON | keys | swept)


def _errors(ax: Axes, x: list, data: xr.Dataset, line: dict[str, Any]) -> None:
    ax.plot(x, _mean(data["model_nmse"]), **line)
    ax.plot(x, _mean(data["model_nmse_elsewhere"]), linewidth=0.5, **line)


def _mean(values: xr.DataArray) -> np.ndarray:
    return values.mean(["seed", "iteration"]).values.ravel()


NOTES = """The eavesdropper is elsewhere and does not know its channels. Linear estimates of what it overhears therefore
find next to nothing.

The panel above left shows the A-FADMM paper's definition 1, by the rank of all that is received. The server
recovers all models of a worker that transmits alone, as its duals start at zero here. So does an eavesdropper who hears
the global model, and the lines coincide. From a random start the first round alone would be hidden.

Truncated inversion hides 0.40 of the uploads of 2 workers and 0.98 of those of 10. The others are those of a single
speaker.

Definition 1 is not differential privacy, and says little of estimates. With 10 workers at 10 dB it holds for 0.98 of
FedAvg's uploads and for all of A-SFADMM's. There the best linear estimate leaves 0.71 of what is unknown of a model of
FedAvg's, and 0.86 of A-SFADMM's, whose uploads carry duals as well. At -40 dB 0.96 and 0.99 are left. Digital uploads
leave nothing.

Nor is this estimate the best attack. The model of A-SFADMM's worker that is alone follows without noise, and the
estimate leaves 0.91 of it. With one worker silence counts: nobody knows what truncation leaves out of its model.

The panel below right has 50 rounds and one seed. It shows the exact ε that the receiver's noise gives COTAF, whose
factors do not depend on data. The common gain h_min (`uplink.inversion_threshold`) is 0.3 and 1. For these, ε is below
1 from -73 and -83 dB down. It is 111 and 870 at -40 dB, where COTAF still trains. Zero-concentrated privacy bounds them
by 118 and 891."""
"""Notes on the figure, as Markdown."""

STUDY = Study(
    title="What is learned of a worker",
    scenarios=(),
    draw=draw,
    caption=(
        "Models of a worker that do not follow from signals, errors of linear estimates, and ε of differential "
        "privacy; thin lines: an eavesdropper's. Embedded digits, Rayleigh fading, a new block every 2 rounds; means "
        "over 5 rounds and 3 seeds. Of A-SFADMM no model follows where two workers speak (theorem 2), but noise alone "
        "gives no differential privacy at an SNR of use."
    ),
    notes=NOTES,
)
