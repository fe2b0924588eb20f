"""Figures of Gong et al.: tables III and V, figures 3 to 6, 8 and 9, and what brings the rounds of table III."""

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from figures.gallery.pictures import Results
from figures.gong.panels import Panel, drawn

MODELS = {"torch": "PyTorch's weights", "linear": "no ReLU", "softmax": "second softmax"}
STEPS = {"1.0": "η = 1", "participation": "η = |S|/m"}
WORDS = {
    "stored_model": {"global": "2(w' − θ)", "own": "(4)"},
    "warm_start": {"global": "from θ", "local": "from w"},
    "rho_schedule": {"": "ρ = 0.01", "1: 0.1": "ρ = 0.1", "30: 0.1": "ρ = 0.01, then 0.1"},
    "server_step": {"0.5": "η = 0.5", "1.5": "η = 1.5", **STEPS},
}
"""Words of the legend for values of swept keys."""


def gong_table3(data: Results) -> Figure:
    """Return the test accuracy against rounds, with a panel for each data set, partition and kind of upload."""
    panels = {
        "MNIST, CNN 1, IID": Panel(data["gong_table3_iid"], 0.97, 0.9),
        "MNIST, CNN 1, two shards each": Panel(data["gong_table3_shards_mnist"], 0.97),
        "the same, plain inputs, FedADMM by (4)": Panel(data["gong_table3_shards_plain"], 0.97, 0.0),
        "digits, two labels each": Panel(data["gong_table3_shards_small"], 0.9, 0.7),
    }
    return drawn(panels)


def gong_table5(data: Results) -> Figure:
    """Return the test accuracy by penalty against rounds, with a panel for each method and partition."""
    parts = {"IID": (data["gong_table5_iid"], 0.9), "two shards each": (data["gong_table5_shards"], 0.75)}
    panels = {
        f"{method}, {words}": Panel(part.sel(scheme=method, drop=True), 0.95, lowest)
        for words, (part, lowest) in parts.items()
        for method in part["scheme"].values
    }
    return drawn(panels)


def gong_scale(data: Results) -> Figure:
    """Return the test accuracy of FedADMM and its rivals against rounds, by the number of clients and partition."""
    more, other = data["gong_scale_small"], data["gong_heterogeneity_small"]
    parts = {f"{n} clients, two labels each": more.sel(workers=n, drop=True) for n in more["workers"].values}
    parts["40 clients, IID"] = other.sel(partition="iid", drop=True)
    return drawn({title: Panel(part, 0.9, 0.7) for title, part in parts.items()})


def gong_settings(data: Results) -> Figure:
    """Return the test accuracy of FedADMM against rounds, by server's step, start of local training and penalty."""
    titles = {
        "server's step, two labels each": "gong_server_step_small",
        "start of local training, IID": "gong_warm_start_small",
        "penalty, IID": "gong_penalty_small",
        "penalty, two labels each": "gong_penalty_shards_small",
    }
    parts = {title: data[name].squeeze("scheme", drop=True) for title, name in titles.items()}
    panels = {
        title: Panel(part.assign_coords(_words(part)), 0.9, 0.2 if "stored_model" in part.dims else 0.5)
        for title, part in parts.items()
    }
    return drawn(panels, shared=False)


def _words(data: xr.Dataset) -> dict[str, list[str]]:
    """Return the legend's words for values of a swept key."""
    return {key: [words[str(value)] for value in data[key].values] for key, words in WORDS.items() if key in data.dims}


def gong_ingredients(data: Results) -> Figure:
    """Return the test accuracy against rounds for changes of FedADMM's settings, one at a time and with rates."""
    part = {name.removeprefix("gong_ingredients").strip("_"): one.squeeze("scheme") for name, one in data.items()}
    changes = {"none": part[""].sel(learning_rate=0.1), "momentum 0.5": part["momentum"]}
    changes |= {words: part["model"].sel(model=f"cnn1_{name}") for name, words in MODELS.items()}
    changes["(4), from w"] = part["printed"]
    own = {"(4), from w, η = 1": part["own_local"]}
    own |= {f"(4), from θ, {words}": part["own"].sel(server_step=step) for step, words in STEPS.items()}
    panels = {
        "plain inputs, rate 0.1, one change": changes,
        "plain inputs": _by_rate(part[""]),
        "standardised inputs": _by_rate(part["inputs"]) | _by_rate(part["released"], "released code, "),
        "standardised inputs, rate 0.2": {"2(w' − θ), from θ, η = 1": part["inputs"].sel(learning_rate=0.2)} | own,
    }
    return drawn({title: Panel(_together(parts), 0.97, 0.5) for title, parts in panels.items()}, shared=False)


def _by_rate(data: xr.Dataset, words: str = "") -> dict[str, xr.Dataset]:
    return {f"{words}rate {rate:g}": data.sel(learning_rate=rate) for rate in data["learning_rate"].values}


def _together(parts: Mapping[str, xr.Dataset]) -> xr.Dataset:
    """Return results as one, over their names; seeds that one lacks are left out there."""
    plain = [part.drop_vars(part.coords.keys() - {"seed", "iteration"}) for part in parts.values()]
    return xr.concat(plain, "change", join="outer").assign_coords(change=list(parts))
