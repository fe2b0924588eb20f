"""The name of a run: it changes with all that a result depends on, and with nothing else."""

import dataclasses

import numpy as np
import pytest

import otafl
from otafl.algorithms import METHODS
from otafl.data import sources
from otafl.errors import OtaflError
from otafl.store import identity
from otafl.store.identity import run_name
from otafl.uplinks import chain
from tests.otafl.small import settings_of


def name(overrides=None, study="quickstart", seed=0) -> str:
    return run_name(settings_of(study, overrides or {}), seed)


@pytest.mark.parametrize(
    "keys",
    [
        {"run.iterations": 7},
        {"run.seeds": 1},
        {"run.seed": 3},
        {"run.target_loss": 0.1},
        {"channel.fading": "rayleigh"},
        {"local.compute_s": 0.0, "uplink.charge_downlink": False, "federation.deadline_s": None},
        {"federation.cut_chance": 0},
        {"channel.snr_db": [10.0, 20.0]},
    ],
    ids=str,
)
def test_what_a_run_does_not_depend_on(keys):
    """Keys for the number and length of runs, for a summary, and for a default that is written out."""
    base = {"channel.snr_db": 10.0}
    assert name(base | keys) == name(base)


@pytest.mark.parametrize(
    "keys",
    [
        {"channel.snr_db": 11.0},
        {"method": "A-GD"},
        {"algorithm.rho": 0.6},
        {"run.max_channel_uses": 100.0},
        {"problem.dataset": "synthetic"},
        {"federation.workers": 9},
        {"run.record": "log"},
        {"federation.cut_chance": 0.5},
        {"local.compute_s": 1.0},
    ],
    ids=str,
)
def test_what_a_run_depends_on(keys):
    assert name({"method": "A-FADMM"} | keys) != name({"method": "A-FADMM"})


def test_runs_differ_by_their_seed_and_by_whose_numbers_are_drawn(monkeypatch):
    keys = {"federation.workers": 1200, "federation.participation": 0.005, "method": "FedAvg"}
    few = name(keys, "digits_quickstart")
    assert name(keys, "digits_quickstart", seed=1) != few
    monkeypatch.setattr("otafl.settings.keys.MANY_WORKERS", 10**9)
    assert name(keys, "digits_quickstart") != few


def test_data_tell_themselves_apart():
    before, problem = name(), otafl.load("quickstart").settings.problem
    real = sources.load(problem, 0, 0)
    changed = dataclasses.replace(real, targets=real.targets + np.float64(1e-9))
    with sources.given(changed, problem.kind, problem.dataset):
        assert name() != before


def test_a_change_and_a_file_that_is_deleted_are_told_by_their_keys(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.savez(tmp_path / "h.npz", h=np.ones((1, 9, 1, 9)))
    (tmp_path / "mine_deleted.py").write_text("WIDTH = 3\n")
    of_channels = {"channel.fading": "file", "channel.file": "h.npz", "method": "A-FADMM", "federation.workers": 9}
    gains = settings_of("quickstart", of_channels)
    model = settings_of("digits_quickstart", {"problem.model": "mine_deleted:build"})
    known = identity.inputs(gains), identity.inputs(model)
    identity.require_unchanged(gains, known[0])
    identity.require_unchanged(model, known[1])
    np.savez(tmp_path / "h.npz", h=2 * np.ones((1, 9, 1, 9)))
    (tmp_path / "mine_deleted.py").unlink()
    said = r"channel\.file = 'h\.npz': has changed since the study began; the same command"
    with pytest.raises(OtaflError, match=said):
        identity.require_unchanged(gains, known[0])
    with pytest.raises(OtaflError, match=r"problem\.model = 'mine_deleted.py': has changed since the study began"):
        identity.require_unchanged(model, known[1])


@pytest.mark.parametrize("changed", ["mine_changed.py", "a_helper.py"])
def test_the_file_that_has_changed_is_named(tmp_path, monkeypatch, changed):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine_changed.py").write_text("from a_helper import WIDTH\n")
    (tmp_path / "a_helper.py").write_text("WIDTH = 3\n")
    settings = settings_of("digits_quickstart", {"problem.model": "mine_changed:build"})
    known = identity.inputs(settings)
    with (tmp_path / changed).open("a") as file:
        file.write("# changed\n")
    with pytest.raises(OtaflError, match=f"problem.model = '{changed}': has changed since the study began"):
        identity.require_unchanged(settings, known)


def test_a_model_of_ones_own_counts_by_its_source(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = []
    for width in (3, 4):
        (tmp_path / "mine_told.py").write_text(f"WIDTH = {width}\n")
        names.append(name({"problem.model": "mine_told:build"}, "digits_quickstart"))
    assert names[0] != names[1]


@pytest.mark.parametrize("name", ["energy", "majority"])
def test_a_correction_of_a_part_renames_its_runs_alone(name, monkeypatch):
    keys = {"uplink.scheme": "FSK-MV", "method": "FedSGD", "local.steps": None, "uplink.kind": "analog"}
    votes, sums = (settings_of("digits_quickstart", given) for given in (keys, {"method": "FedAvg@analog"}))
    before = run_name(votes, 0), run_name(sums, 0)
    made = chain.PARTS["receiver"][name]
    monkeypatch.setattr(made, "version", made.version + 1)
    assert (run_name(votes, 0) != before[0]) == (name == "energy")
    assert run_name(sums, 0) == before[1]


def test_a_correction_of_a_method_renames_its_runs_alone(monkeypatch):
    settings = {method: settings_of("digits_quickstart", {"method": method}) for method in ("FedAdam", "FedAvg")}
    before = {method: run_name(read, 0) for method, read in settings.items()}
    monkeypatch.setattr(type(METHODS["FedAdam"]), "version", 1)
    assert {method for method, read in settings.items() if run_name(read, 0) != before[method]} == {"FedAdam"}


BROADCAST = {"uplink.downlink": "analog", "channel.coherence_iterations": 3.0, "method": "A-FADMM"}
SURFACE = {"cell.surface_elements": 4, "uplink.precoder": "channel_inversion", "method": "FedAvg@analog"}
SURFACE |= {"channel.fading": "rayleigh", "cell.radius_m": 9.0, "cell.inner_radius_m": 5.0}
FOLLOWED = {"method": "D-FADMM", "channel.linewidth_hz": 1.0, "channel.pilot_period_slots": 2}
HELD = FOLLOWED | {"channel.between_pilots": "hold"}
LATE = FOLLOWED | {"method": "A-FADMM", "channel.csi_delay_s": 1e-3}
ANALOG = {"method": "A-FADMM", "channel.pilots": 1}
CHARGED = {"energy.whole": True, "local.compute_s": "by_clock"}
FLIPS = {"method": "A-SFADMM", "channel.coherence_iterations": 2.0}
CORRECTIONS = {
    "analog broadcast": (
        "quickstart",
        [BROADCAST | {"energy.whole": True}],
        [BROADCAST, {"method": "A-FADMM", "energy.whole": True}, {"method": "A-FADMM"}],
    ),
    "interference": (
        "quickstart",
        [{"method": "A-FADMM", "channel.timing_error_s": 6e-6}],
        [{"method": "A-FADMM", "channel.timing_error_s": 1e-6}, {"method": "A-FADMM"}],
    ),
    "pilots after lines": (
        "quickstart",
        [FOLLOWED],
        [HELD, FOLLOWED | {"method": "A-FADMM", "channel.between_pilots": "linear"}],
    ),
    "pilots of uploads": (
        "quickstart",
        [FOLLOWED | {"channel.coherence_iterations": 2.0}, ANALOG | {"channel.linewidth_hz": 1.0}],
        [
            FOLLOWED | {"channel.coherence_iterations": 1.0},
            ANALOG,
            {"method": "A-FADMM", "channel.carrier_offset_hz": 1.0},
        ],
    ),
    "late data": ("quickstart", [LATE], [LATE | {"channel.csi_delay_s": 0.0}]),
    "feedback": (
        "quickstart",
        [ANALOG | {"uplink.charge_side_information": True}],
        [ANALOG, {"method": "A-FADMM", "uplink.charge_side_information": True}],
    ),
    "turning rays": (
        "quickstart",
        [{"method": "A-FADMM", "channel.fading": "cdl"}],
        [
            {"method": "A-FADMM", "channel.fading": "cdl", "channel.coherence_iterations": np.inf},
            {"method": "A-FADMM", "channel.fading": "cdl", "channel.speed_m_s": 0.0},
            {"method": "A-FADMM", "channel.fading": "tdl"},
        ],
    ),
    "clipping": ("quickstart", [{"method": "A-FADMM", "uplink.peak_backoff_db": 3.0}], [{"method": "A-FADMM"}]),
    "regularisers": ("digits_quickstart", [{"problem.model": "corrected:build"}], [{"problem.model": "mlp_small"}]),
    "surface": ("digits_quickstart", [SURFACE], [SURFACE | {"cell.surface_elements": 0}]),
    "work done": (
        "digits_quickstart",
        [CHARGED | {"method": "FedSGD@digital"}, CHARGED | FLIPS],
        [CHARGED | {"method": "FedAvg@digital"}, CHARGED | {"method": "D-SFADMM"}, {"method": "FedSGD@digital"}, FLIPS],
    ),
}
"""Scenario, keys of runs whose numbers were corrected, and keys of others, for each correction."""


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_a_correction_renames_the_runs_that_it_concerns_alone(correction, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "corrected.py").write_text("WIDTH = 3\n")
    study, concerned, others = CORRECTIONS[correction]
    before = [name(keys, study) for keys in (*concerned, *others)]
    monkeypatch.setitem(identity.CORRECTED, correction, (99, identity.CORRECTED[correction][1]))
    after = [name(keys, study) for keys in (*concerned, *others)]
    changed = [old != new for old, new in zip(before, after, strict=True)]
    assert changed == [True] * len(concerned) + [False] * len(others)
