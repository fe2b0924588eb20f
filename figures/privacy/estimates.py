"""Privacy of a worker towards the server and an eavesdropper: definition 1, estimates, differential privacy."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from figures.gallery.pictures import Results
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


def privacy_estimates(_: Results) -> Figure:
    """Return shares of private models, errors of estimates, and ε of differential privacy, as four panels."""
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
