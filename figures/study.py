"""Figures of the gallery: their scenarios, their functions that draw, and their captions."""

import importlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import xarray as xr
from matplotlib.figure import Figure

import otafl
from figures import compare_points
from otafl.results import file, style
from otafl.results.provenance import provenance
from otafl.store import identity

style.LOOKS.update(
    {
        "FedAvg@analog full power": style.LOOKS["full_power"],
        "FedAvg@digital 32 bits": 26,
        "FedAvg@digital 8 bits": 27,
        "FedAvg@digital 4 bits": 28,
        "FedAvg@digital 2 bits": 29,
        "FedAvg@digital top-k": 30,
        "A-SFADMM p=1 κ=0.5": 37,
        "A-SFADMM p=1": 40,
        "A-SFADMM-10x": 42,
        "A-SFADMM as published": 43,
    }
)
RESULTS, FIGURES = Path("results"), Path("figures")
"""Folders of the working folder in which results and figures are written: those of the project, if it runs there."""
COMPUTED = Path(__file__).parent / "computed"
"""Folder of the results of studies that take minutes to an hour; a result is valid while its scenario is the same."""
NUMBERS = "numbers.json"
"""File beside kept results with the versions of their numbers, by name: where one is corrected, they are not valid."""
COMMITTED = re.compile("[0-9a-f]{40}")
"""Revision of committed code."""
LONG = ("channel_communication",)
"""Names of studies that take long without training networks."""
STEPS = {"local.steps": [5, 20], "run.seeds": 1, "run.iterations": 60}
ALL = ["A", "B", "C", "D", "E"]
SPREADS, BLOCKS = [1e-8, 1e-7, 3e-7, 1e-6, 3e-6], [2.0, 5.0, 10.0, 20.0, 50.0]
COVERED = [90.0, 95.0, 100.0, 105.0, 110.0]
CHANNELS: dict[str, dict[str, Any]] = {
    "channel_fading": {"channel.fading": ["none", "rayleigh", "rician", "jakes"]},
    "channel_tdl": {"channel.fading": "tdl", "channel.tdl_model": ALL},
    "channel_cdl": {"channel.fading": "cdl", "channel.cdl_model": ALL},
    "channel_umi": {"channel.fading": "umi", "cell.most_loss_db": 95.0},
    "channel_uma": {"channel.fading": "uma", "cell.most_loss_db": 115.0},
    "channel_rma": {"channel.fading": "rma", "cell.most_loss_db": 135.0},
    "channel_canyon": {"channel.fading": "raytraced", "cell.most_loss_db": 100.0},
    "channel_munich": {"channel.fading": "raytraced", "channel.scene": "munich", "cell.most_loss_db": 100.0},
    "channel_covered": {"channel.fading": "umi", "cell.most_loss_db": COVERED},
    "channel_spread": {"channel.fading": "tdl", "channel.delay_spread_s": SPREADS},
    "channel_blocks": {"channel.coherence_iterations": BLOCKS},
    "channel_ring": {"cell.radius_m": 250.0, "cell.snr_at": "median", "cell.shadowing_db": [0.0, 4.0, 8.0]},
}
"""Keys of the studies of fading models on linear regression."""
ESTIMATED = {"channel.pilots": 1, "channel.pilot_snr_db": [-10.0, 0.0, 10.0, 20.0, 30.0]}
ANTENNAS = [2, 4, 8, 16, 32]
WEIGHTS = {"algorithm.weight_exponent": 1.0}
LOSS_OF_ALL = {"problem.loss_function": "global"}
AT_SERVER = {"plugins": ["figures.server_loss"], "method": ["A-FADMM-Θ", "D-FADMM-Θ"]}
NOISE_FREE = {"channel.snr_db": float("inf")}
UNCAPPED = {"run.max_channel_uses": 1e15}
PRINTED = {"uplink.symbols_per_slot": "as_printed"}
FEW: dict[str, Any] = {"federation.workers": [5, 10], "run.iterations": 150}
ON_PAPER: dict[str, tuple[str, dict[str, Any]]] = {
    "linreg_communication_p1": ("linreg_communication", {"method": "A-FADMM", **WEIGHTS}),
    "linreg_energy_p1": ("linreg_energy", {"method": "A-FADMM", **WEIGHTS}),
    "linreg_scalability_p1": ("linreg_scalability", {"method": "A-FADMM", **WEIGHTS}),
    "linreg_penalty_p1": ("linreg_penalty", {"method": "A-FADMM", **WEIGHTS}),
    "mnist_communication_p1": ("mnist_communication", {"method": "A-SFADMM", **WEIGHTS}),
    "mnist_scalability_p1": ("mnist_scalability", {"method": "A-SFADMM", **WEIGHTS}),
    "mnist_scalability_few_p1": ("mnist_scalability", {"method": "A-SFADMM", **FEW, **WEIGHTS}),
    "mnist_energy_p1": (
        "mnist_energy",
        {"method": "A-SFADMM", "channel.snr_db": [-10.0, 40.0], "run.seeds": 1, **WEIGHTS},
    ),
    "mnist_penalty_p1": ("mnist_penalty", {"method": "A-SFADMM", "run.seeds": 1, **WEIGHTS}),
}
"""Studies of the A-FADMM paper's figures with weights |h| in place of |h|^2."""
ON_DIGITS: dict[str, dict[str, Any]] = {
    "digits_pilots": ESTIMATED,
    "digits_all_speak": {"method": "FedAvg", "uplink.inversion_threshold": 1e-6, **ESTIMATED},
    "digits_phase": {"channel.phase_error_rad": [0.03, 0.1, 0.3, 1.0]},
    "digits_timing": {"channel.timing_error_s": [1e-8, 3e-8, 1e-7, 3e-7, 1e-6, 2e-6]},
    "digits_speed": {"channel.fading": "jakes", "channel.speed_m_s": [0.03, 0.1, 0.3, 1.0, 3.0, 10.0]},
    "digits_rician": {"channel.fading": "rician", "channel.rician_k_db": [-10.0, 0.0, 10.0, 20.0]},
    "digits_antennas": {"cell.antennas": ANTENNAS},
    "digits_blind": {"method": "FedAvg", "cell.antennas": ANTENNAS, "uplink.combiner": "sum"},
    "digits_worker_antennas": {"cell.worker_antennas": [2, 4, 8, 16]},
    "digits_backoff": {"uplink.peak_backoff_db": [-6.0, -3.0, 0.0, 3.0, 6.0]},
    "digits_spread": {"channel.fading": "tdl", "channel.delay_spread_s": SPREADS},
    "digits_blocks": {"channel.coherence_iterations": BLOCKS},
    "digits_covered": {"channel.fading": "umi", "cell.most_loss_db": COVERED},
    "digits_radius": {"cell.radius_m": [100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0], "cell.snr_at": "link_budget"},
}
"""Keys of the studies of imperfections, antennas and cells with networks; those of linear regression are scenarios."""
TRIAL = {"channel.fading": "rayleigh", "run.seed": 1000, "run.seeds": 1, "run.iterations": 40}
NOISY = TRIAL | {"channel.snr_db": [-60.0, -50.0, -40.0, -30.0, -20.0, 0.0]}
QUIET = TRIAL | {"channel.snr_db": [-30.0, -20.0, -10.0, 0.0, 10.0, 20.0]}
RATES = {"local.learning_rate": [0.03, 0.1, 0.3, 1.0]}
STEPS_OF_SIGNS = {"algorithm.server_step": [0.0005, 0.0015, 0.005, 0.015]}
PENALTIES = {"algorithm.rho": [0.05, 0.2, 0.5, 2.0]}
ON_AIR = [f"FedAvg@analog {name}" for name in ("inversion", "truncation", "BAA", "full power", "MMSE")]
VOTES = ["FedAvg@analog OBDA", "FedAvg@analog FSK-MV"]
OF_BITS = [f"FedAvg@digital {name}" for name in ("32 bits", "8 bits", "4 bits", "2 bits", "top-k")]
TRIALS: dict[str, tuple[str, dict[str, Any]]] = {
    "trials_ideal": ("compare_analog", {"method": "FedAvg@ideal", **TRIAL, **RATES}),
    "trials_analog": ("compare_analog", {"method": ON_AIR, **NOISY, **RATES}),
    "trials_cotaf": (
        "compare_analog",
        {
            "method": "FedAvg@analog COTAF",
            **NOISY,
            "uplink.update_norm": [0.5, 1.5, 4.5, 13.5],
            "local.learning_rate": 0.3,
        },
    ),
    "trials_votes": ("compare_coded", {"method": VOTES, **NOISY, **STEPS_OF_SIGNS}),
    "trials_integers": (
        "compare_coded",
        {
            "method": "FedAvg@analog SumComp",
            **NOISY,
            "uplink.element_range": [0.01, 0.03, 0.1, 0.3],
            "local.learning_rate": 0.3,
        },
    ),
    "trials_measured": ("compare_coded", {"method": "FedAvg@analog CA-DSGD", **NOISY, **RATES}),
    "trials_signs": ("compare_coded", {"method": "FedAvg@digital signSGD-MV", **QUIET, **STEPS_OF_SIGNS}),
    "trials_digital": ("compare_digital", {"method": OF_BITS, **QUIET, **RATES}),
    "trials_fixed_uses": ("compare_digital", {"method": "FedAvg@digital D-DSGD", **QUIET, **RATES}),
    "trials_a_sfadmm": ("compare_admm", {"method": "A-SFADMM", **NOISY, **PENALTIES}),
    "trials_d_sfadmm": ("compare_admm", {"method": "D-SFADMM", **QUIET, **PENALTIES}),
}
"""Trials that tune the schemes of the comparison, on a seed of their own: 24 for each scheme and partition."""
LIMIT: dict[str, Any] = {
    "method": "FedADMM-In",
    "algorithm.residual_at": "local",
    "federation.participation": 1.0,
    "local.batch_size": "all",
    "local.epochs": 1000,
    "local.learning_rate": 0.05,
}
"""Setting of theorem 3.3 of Song et al.: local training that the inexactness criterion ends, at the worker's model."""
AS_IN_THEOREM_1 = {"algorithm.stored_model": "own", "algorithm.server_step": "participation"}
RATES_OF_BOTH = {"algorithm.rho": 0.01, "local.learning_rate": [0.2, 0.5]}
PARTS: dict[str, tuple[str, dict[str, Any]]] = {
    "mnist_energy_digital": ("mnist_energy", {"method": "D-SFADMM"}),
    "mnist_scalability_few": ("mnist_scalability", FEW),
    "mnist_communication_wide": (
        "mnist_communication",
        {"method": "A-SFADMM-10x", "run.seeds": 3},
    ),
    "linreg_noise_free": ("linreg_communication", {"method": "A-FADMM", **NOISE_FREE}),
    "linreg_communication_printed": (
        "linreg_communication",
        {"method": ["D-FADMM", "D-FADMM-10x"], "run.iterations": 1000, **PRINTED},
    ),
    "linreg_communication_printed_global": (
        "linreg_communication_global",
        {"method": ["D-FADMM", "D-FADMM-10x"], "run.iterations": 1000, **PRINTED},
    ),
    "linreg_communication_printed_amplitude": ("linreg_communication_amplitude", PRINTED),
    "linreg_charged": ("linreg_communication", {"method": "A-FADMM", "uplink.charge_side_information": True}),
    "mnist_charged": (
        "mnist_communication",
        {"method": "A-SFADMM", "uplink.charge_side_information": True, "run.iterations": 2, "run.seeds": 1},
    ),
    "linreg_static": (
        "linreg_communication",
        {"method": "A-FADMM", "channel.coherence_iterations": 1e6, "run.record": "log", **NOISE_FREE},
    ),
    "linreg_gd_steps": (
        "linreg_communication",
        {"method": "A-GD", "local.learning_rate": [1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3], "run.record": "log"},
    ),
    "linreg_energy_global": ("linreg_energy", LOSS_OF_ALL),
    "linreg_energy_printed_global": ("linreg_energy_printed", LOSS_OF_ALL),
    "linreg_scalability_global": ("linreg_scalability", LOSS_OF_ALL),
    "linreg_energy_uncapped": (
        "linreg_energy",
        {"channel.snr_db": [-20.0, -10.0, -5.0, 0.0, 10.0, 20.0, 30.0, 40.0], "run.iterations": 5000, **UNCAPPED},
    ),
    "linreg_total_power_low": (
        "linreg_total_power",
        {"channel.snr_db": [-20.0, -10.0, 0.0, 10.0, 20.0, 30.0, 40.0]},
    ),
    "fedvra_table4_uneven_mnist": ("fedvra_table4_uneven", {"run.seeds": 1, "run.iterations": 300}),
    "fedvra_labels_160": ("fedvra_labels_small", {"method": ["FedVRA-U", "FedDyn-U"], "run.iterations": 160}),
    "fedvra_steps_mnist": ("fedvra_steps", {"algorithm.dual_step": [1.0, 5.0], "run.iterations": 500}),
    "gong_table4_iid_mnist": ("gong_table4_iid", {"problem.model": "mlp", "run.seeds": 3}),
    "gong_table4_shards_mnist": ("gong_table4_shards", {"problem.model": "mlp", "run.seeds": 3}),
    "insa_regression_fedavg": ("insa_regression", {"method": "FedAvg"}),
    "insa_mnist_300": ("insa_mnist", {"run.seeds": 1}),
    "insa_mnist_adaptive": ("insa_mnist", {"method": "FedADMM-InSa", "run.seeds": 1}),
    "insa_regression_insa": ("insa_regression", {"method": "FedADMM-InSa"}),
    "insa_reference_small": (
        "insa_mnist_small",
        {"method": ["FedADMM-In", "FedADMM-InSa"], "algorithm.residual_at": ["global", "local"]},
    ),
    "insa_limit_small": (
        "insa_regression_small",
        {**LIMIT, "algorithm.rho": [1.0, 2.0, 5.0, 10.0], "run.iterations": 100},
    ),
    "insa_limit_small_low": ("insa_regression_small", {**LIMIT, "algorithm.rho": 0.1, "run.iterations": 600}),
    "wang_all_small": (
        "wang_synthetic_0_small",
        {"method": ["FedADMM-Wang", "FedPD"], "federation.participation": 1.0},
    ),
    "gong_rest_covered": (
        "gong_rest",
        {**AS_IN_THEOREM_1, "algorithm.rho": 12.0, "local.learning_rate": 0.05, "run.iterations": 1500},
    ),
    "gong_rest_uneven": (
        "gong_rest",
        {
            "algorithm.stored_model": "own",
            "algorithm.server_step": 0.25,
            "federation.participation": 1.0,
            "federation.probabilities": [0.06 + 0.02 * place for place in range(20)],
        },
    ),
    "gong_table5_rates_iid": ("gong_table5_iid", {**RATES_OF_BOTH, "run.iterations": 30}),
    "gong_table5_rates_shards": ("gong_table5_shards", {**RATES_OF_BOTH, "run.iterations": 60}),
    "gong_table3_shards_mnist": ("gong_table3_shards", {"run.seeds": 1}),
    "gong_ingredients_own_local": (
        "gong_ingredients_own",
        {"local.warm_start": "local", "algorithm.server_step": 1.0},
    ),
    "wang_last_digit": (
        "wang_synthetic_0",
        {
            "method": "FedADMM-Wang",
            "local.learning_rate": [0.01, 0.010000001],
            "run.seeds": 1,
            "run.iterations": 80,
        },
    ),
    "wang_images_mnist": ("wang_images", {"run.seeds": 1, "run.iterations": 20}),
    "mnist_penalty_summed": (
        "mnist_penalty",
        {"algorithm.rho": [0.0005, 0.005], "run.seeds": 1, "run.iterations": 60},
    ),
    "mnist_penalty_random": (
        "mnist_penalty",
        {"algorithm.start": "random", "run.iterations": 5},
    ),
    "mnist_local_steps_minibatch": ("mnist_local_steps", {"local.minibatch": "every_round", **STEPS}),
    "mnist_local_steps_random": ("mnist_local_steps", {"algorithm.start": "random", **STEPS}),
    "mnist_energy_analog": ("mnist_energy", {"method": "A-SFADMM", "channel.snr_db": [-10.0, 40.0]}),
    "cell_power": (
        "cell_networks",
        {"method": "A-SFADMM", "channel.fading": ["umi", "raytraced"], "channel.snr_db": 60.0},
    ),
    **{f"cell_federated_{name}": ("cell_federated", {"federation.partition": name}) for name in ("iid", "two_classes")},
    "cell_federated_epoch": (
        "cell_federated",
        {
            "method": "FedAvg one epoch",
            "channel.fading": "rayleigh",
            "federation.participation": 0.2,
            "local.batch_size": 100,
            "local.epochs": 1,
            "uplink.kind": "analog",
            "uplink.inversion_threshold": 1e-3,
            "run.seeds": 3,
        },
    ),
    "cell_gd_steps": ("cell_methods", {"method": "A-GD", "local.learning_rate": [1e-3, 2e-3, 5e-3]}),
    "cell_methods_global": ("cell_methods", {"method": "A-FADMM p=1", **LOSS_OF_ALL}),
    "channel_noise_free": ("channel_communication", {"method": "A-FADMM", **NOISE_FREE}),
    **ON_PAPER,
    **TRIALS,
    **compare_points.parts(),
    **{name: ("channel_plain", changed) for name, changed in CHANNELS.items()},
    **{name: ("channel_digits", changed) for name, changed in ON_DIGITS.items()},
}
"""Parts of scenarios that would take too long as a whole, and scenarios with some keys changed: name and overrides."""
PLUGGED: dict[str, tuple[str, dict[str, Any]]] = {
    "linreg_communication_server": ("linreg_communication", AT_SERVER),
    "linreg_energy_server": ("linreg_energy", AT_SERVER),
}
"""Parts with methods of the gallery's own, which are known from when such a part is resolved."""


@dataclass(frozen=True)
class Study:
    """Figure of the gallery: its scenarios, the function that draws it, and its caption.

    Arguments:
        title: heading in the gallery.
        scenarios: names of its scenarios, or of parts of scenarios (PARTS).
        draw: function that draws the figure from the results, by scenario name.
        caption: caption, with the readings that it shows, of at most three sentences.
        notes: what else is known of it, for the page of its paper or section.
    """

    title: str
    scenarios: tuple[str, ...]
    draw: Callable[[Mapping[str, xr.Dataset]], Figure]
    caption: str
    notes: str = ""


def _part(name: str) -> tuple[str, dict[str, Any]]:
    """Return the scenario and the overrides of a part, none for a scenario."""
    return {**PARTS, **PLUGGED}.get(name, (name, {}))


def resolved(name: str) -> otafl.Scenario:
    """Return a scenario, or a part of one (PARTS) under the part's name.

    Arguments:
        name: name of the scenario or the part.
    """
    scenario, overrides = _part(name)
    return otafl.load(scenario).override(overrides).model_copy(update={"name": name})


def result(name: str, progress: Callable[[str, int, int], None] | None = None) -> xr.Dataset:
    """Return the result of a scenario: the saved one while it is valid, else that of a new run.

    It is valid while its scenario has not changed, and none of its numbers was corrected; for studies that take no long
    time, while the committed source is the same. One that is kept takes no run from the user's store, which may be of
    code that is not committed.

    Arguments:
        name: name of the scenario, or of a part of one (PARTS).
        progress: function to call with a label of the runs under way, the iterations done and those in all; None: none.

    Returns:
        Dataset over swept keys, seed and iteration.

    Raises:
        OtaflError: the result is to be kept, and code or scenarios are not committed.
    """
    scenario = resolved(name)
    kept = _kept(scenario)
    folder = FIGURES / COMPUTED.name if kept else RESULTS / name
    for place in (COMPUTED, folder) if kept else (folder,):
        saved = _saved(place / f"{name}.nc")
        if saved is not None and _good(saved, scenario, place):
            return saved
    if not kept:
        return otafl.run(scenario, out=folder, progress=progress)
    _refuse_uncommitted(name)
    data = otafl.run(scenario, out=folder, progress=progress, store=False)
    note(scenario, folder)
    return data


def versions(scenario: otafl.Scenario) -> dict[str, int]:
    """Return the versions of the numbers of a scenario's runs, of all and of what was corrected in some, by name.

    Arguments:
        scenario: the scenario.
    """
    corrected = [identity.corrections(settings) for _, settings in scenario.points()]
    return {"all": identity.RESULTS_VERSION} | {key: value for one in corrected for key, value in one.items()}


def noted(folder: Path) -> dict[str, dict[str, int]]:
    """Return the versions of the numbers of kept results, by name.

    Arguments:
        folder: folder of the results.
    """
    path = folder / NUMBERS
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def note(scenario: otafl.Scenario, folder: Path) -> None:
    """Note the versions of the numbers of a result that has just been computed.

    Arguments:
        scenario: its scenario.
        folder: folder of the result.
    """
    known = noted(folder) | {scenario.name: versions(scenario)}
    lines = (f"  {json.dumps(name)}: {json.dumps(known[name])}" for name in sorted(known))
    (folder / NUMBERS).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _refuse_uncommitted(name: str) -> None:
    """Raise an error where the code that would compute a kept result is not committed."""
    revision = provenance()["git_revision"]
    if not COMMITTED.fullmatch(revision):
        rule = f"figures/computed keeps what committed code computes; commit it before {name} is computed"
        raise otafl.OtaflError("git revision", revision, rule)


def _saved(path: Path) -> xr.Dataset | None:
    try:
        return file.load(path)
    except otafl.OtaflError:
        return None


def _good(saved: xr.Dataset, scenario: otafl.Scenario, folder: Path) -> bool:
    before, now = file.scenario_of(saved), provenance()["git_revision"]
    same = list(before.points()) == list(scenario.points())
    whole = not (saved["outcome"] == "stopped").any()
    if not _kept(scenario):
        return same and whole and saved.attrs["git_revision"] == now
    return same and whole and noted(folder).get(scenario.name) == versions(scenario)


def _kept(scenario: otafl.Scenario) -> bool:
    return "local_epochs" in scenario.variables or scenario.name in LONG


def command(name: str) -> str:
    """Return the command line that runs a scenario, or a part of one.

    Arguments:
        name: name of the scenario or the part (PARTS).
    """
    scenario, overrides = _part(name)
    options = [f"--{key.replace('_', '-')} {_words(value)}" for key, value in overrides.items()]
    return " ".join(["otafl run", scenario, *options])


def load(name: str) -> Study:
    """Import the module of a figure; return the figure's scenarios, drawing function and caption.

    Arguments:
        name: name of the module in the folder figures.
    """
    return importlib.import_module(f"figures.{name}").STUDY


def _words(value: Any) -> str:
    values = value if isinstance(value, list) else [value]
    return " ".join(_shortest(item) if isinstance(item, float) else str(item) for item in values)


def _shortest(value: float) -> str:
    """Return a number as text that reads as the same number."""
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


def renamed(data: xr.Dataset, reading: str) -> xr.Dataset:
    """Return a result with the name of a reading of a paper behind each of its schemes, for a legend.

    Arguments:
        data: a result, dataset over swept keys, seed and iteration.
        reading: name of the reading.
    """
    names = [f"{name}, {reading}" for name in data["scheme"].values.reshape(-1)]
    return data.assign_coords(scheme=(data["scheme"].dims, names) if data["scheme"].dims else names[0])
