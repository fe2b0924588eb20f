"""Runs that differ in numbers alone are computed together, none is left out, and memory is forecast."""

import tracemalloc

import numpy as np
import pytest
from keras.layers import Dense

import otafl
from benchmarks.groups import first_group
from otafl.channels.fading import FADING
from otafl.engine import run_size
from otafl.engine.run_spec import RunSpec, group_key
from otafl.errors import OtaflError, Remark
from otafl.uplinks import Analog
from tests.otafl.small import SMALL, dotted, group_of, settings_of
from tests.otafl.training.stacked import stacked
from tests.rounding import assert_close

REGRESSION = ["A-FADMM", "D-FADMM", "A-GD"]
NETWORKS = ["A-SFADMM", "D-SFADMM", "FedAvg"]


def key(method: str, seed: int = 0, **keys) -> str:
    """The group of a run of quickstart, or of digits where networks are trained."""
    name = "quickstart" if method in REGRESSION else "digits_quickstart"
    return group_key(RunSpec(settings_of(name, {"method": method} | dotted(keys)), seed))


NUMBERS = [
    ("A-FADMM", {"algorithm__rho": 2.0}),
    ("A-FADMM", {"channel__snr_db": 0.0}),
    ("A-FADMM", {"uplink__noise_psd_w_per_hz": 1e-6}),
    ("A-FADMM", {"uplink__power_budget": "per_upload"}),
    ("A-GD", {"local__learning_rate": 1e-3}),
    ("FedAvg", {"channel__snr_db": 0.0}),
]
FORMS = [
    ("A-FADMM", {"federation__workers": 19}),
    ("A-FADMM", {"channel__coherence_iterations": 5.0}),
    ("A-FADMM", {"uplink__downlink": "analog"}),
    ("A-FADMM", {"run__iterations": 3}),
    ("D-FADMM", {"algorithm__consensus": "channel_weighted"}),
    ("A-SFADMM", {"channel__snr_db": 0.0}),
    ("A-SFADMM", {"algorithm__rho": 2.0}),
    ("FedAvg", {"uplink__kind": "analog"}),
]
DRAWN = {"federation__participation": 0.5}, {"federation__partition": "power_law"}
"""Participants and numbers of samples of a seed's own, by which time and energy of computation go."""


def test_runs_that_differ_in_numbers_go_together_and_those_of_another_form_do_not():
    assert [key(method, **keys) == key(method) for method, keys in NUMBERS] == [True] * len(NUMBERS)
    assert [key(method, **keys) == key(method) for method, keys in FORMS] == [False] * len(FORMS)


def test_seeds_go_together_where_nothing_is_trained_or_drawn():
    for method in REGRESSION + NETWORKS:
        assert (key(method) == key(method, seed=1)) == (method in REGRESSION)
    for keys in DRAWN:
        assert key("A-FADMM", **keys) != key("A-FADMM", 1, **keys)


def test_channel_of_a_group_has_its_seeds_last():
    keys = {"method": "A-FADMM", "federation.workers": 7}
    both, one = (group_of("quickstart", keys, seeds) for seeds in ([3, 8], [8]))
    (second, third), (alone, _) = both.channels([2, 3]).gain, one.channels([2, 3]).gain
    assert second.shape == (7, 10, 2)
    np.testing.assert_array_equal(second[..., 1], alone[..., 0])
    np.testing.assert_array_equal(both.channels([2], [1, 4]).of_block(0).gain, second[[1, 4]])
    assert not np.array_equal(second, third)


def test_a_group_has_no_value_of_a_key_in_which_its_runs_differ():
    sweep = {"channel.snr_db": [0.0, 40.0], "algorithm.rho": [0.1, 0.2], "uplink.noise_psd_w_per_hz": 1e-8}
    shared = group_of(
        "quickstart", {"method": "A-FADMM", "uplink.power_budget": ["per_upload", "per_subcarrier"]} | sweep
    )
    for key, instead in [
        ("channel.snr_db", r"senders\.snr or senders\.power in costs"),
        ("uplink.power_budget", "in a link what the uplink's radio returns"),
        ("algorithm.rho", r"now\.parameters"),
    ]:
        said = f"{key} = .*differs between runs that are computed side by side.*{instead}"
        with pytest.raises(OtaflError, match=said):
            shared.settings.value(key)
    assert shared.settings.uplink.noise_psd_w_per_hz == 1e-8
    assert "snr_db" not in shared.settings.channel.model_dump()


class Louder(Analog):
    """An uplink of the user's that reads a key of the group, in place of an array of the runs."""

    def channel(self, gains, workers, runs, dtype):
        found = super().channel(gains, workers, runs, dtype)
        return found._replace(noise_gain=10 ** (self.settings.channel.snr_db / 20) * np.ones_like(found.gain[:1]))


@pytest.mark.slow
def test_an_own_uplink_that_reads_the_key_of_one_run_is_refused_within_a_sweep(registries):
    keys = SMALL | {"method": "A-GD", "uplink.kind": "louder", "run.iterations": 3, "run.seeds": 2}
    otafl.uplink("louder")(Louder)
    with pytest.raises(OtaflError, match=r"channel\.snr_db = .*differs between runs"):
        otafl.run("quickstart", keys | {"channel.snr_db": [0.0, 40.0]})
    alone = [otafl.run("quickstart", keys | {"channel.snr_db": snr_db})["loss"] for snr_db in (0.0, 40.0)]
    plain = otafl.run("quickstart", keys | {"uplink.kind": "analog", "channel.snr_db": 0.0})["loss"]
    np.testing.assert_allclose(alone[0], plain)
    np.testing.assert_allclose(alone[1], plain)


EVERYTHING = {
    "energy.whole": True,
    "uplink.charge_downlink": True,
    "channel.coherence_iterations": 2.0,
    "federation.workers": 5,
    "run.iterations": 5,
    "run.seeds": 2,
}
ANALOG = {"uplink.downlink": "analog", "uplink.power_budget": ["per_upload", "per_subcarrier"]}
CHARGED = {"uplink.charge_side_information": True}
TEN = {"federation.workers": 10, "uplink.subcarriers": 20, "run.iterations": 30}


@pytest.mark.daily(3)
@pytest.mark.parametrize(
    ("method", "keys"),
    [
        ("A-FADMM", ANALOG | CHARGED | {"algorithm.rho": [0.1, 0.5]}),
        ("D-FADMM", {"algorithm.rho": [0.1, 0.5], "channel.pilots": 2}),
        ("A-GD", ANALOG | CHARGED | {"local.learning_rate": [0.01, 0.02]}),
        ("A-GD", CHARGED | {"uplink.power_budget": ["per_upload", "per_subcarrier"], "channel.pilots": 2}),
        ("D-GD", {"cell.radius_m": 500.0, "cell.path_loss_exponent": 3.0}),
        ("D-FADMM", {"channel.snr_db": [-10.0, 40.0], "uplink.outage": 0.3} | TEN),
    ],
)
def test_runs_side_by_side_are_those_alone(method, keys):
    swept = {"channel.snr_db": [0.0, 20.0], "uplink.noise_psd_w_per_hz": [1e-9, 1e-8]}
    data = otafl.run("quickstart", SMALL | EVERYTHING | {"method": method} | swept | keys)
    swept |= {key: values for key, values in keys.items() if isinstance(values, list)}
    names = {key: key.split(".")[1] for key in swept}
    for last in (False, True):
        point = {key: values[-1 if last else 0] for key, values in swept.items()}
        alone = otafl.run("quickstart", SMALL | EVERYTHING | {"method": method} | keys | point)
        beside = data.sel({names[key]: value for key, value in point.items()})
        for name in alone.data_vars:
            if name not in ("outcome", "compute_time"):
                np.testing.assert_allclose(beside[name], alone[name], rtol=1e-9, err_msg=str(name))


CUT = SMALL | {"federation.cut_chance": 0.5, "channel.snr_db": 20.0}
QUANTISED = SMALL | {"method": "D-FADMM", "uplink.compressor": "qsgd", "uplink.bits_per_element": 12}
OWN_COUNTS = {"method": "A-FADMM", "federation.partition": "power_law", "local.compute_s": "by_clock"}


@pytest.mark.parametrize(
    "keys",
    [CUT | {"method": "A-FADMM"}, CUT | {"method": "D-FADMM"}, QUANTISED, OWN_COUNTS],
    ids=["analog", "digital", "quantised", "counts"],
)
def test_a_seed_beside_another_is_that_alone(keys):
    """Its cuts, its rounding at random, and the numbers of samples by which its time goes, are its own."""
    both, alone = (
        otafl.run("quickstart", keys | {"federation.workers": 5, "run.iterations": 6} | seeds).sel(seed=1)
        for seeds in ({"run.seeds": 2}, {"run.seeds": 1, "run.seed": 1})
    )
    assert_close(both["loss"], alone["loss"])
    np.testing.assert_array_equal(both["time"], alone["time"])
    assert np.isfinite(both["loss"]).all()


def test_an_own_key_that_differs_between_runs_has_no_value_either(registries):
    from otafl.settings import user_keys
    from otafl.settings.keys import Settings, common

    user_keys.add("algorithm", "own_number", otafl.key(0.9, "of a scheme of the user's"), "a scheme")
    several = [Settings.model_validate({"algorithm": {"own_number": value}}) for value in (0.1, 0.2)]
    with pytest.raises(OtaflError, match=r"algorithm.own_number = .*differs between runs"):
        _ = common(several).algorithm.own_number  # pyright: ignore[reportAttributeAccessIssue]
    default = Settings.model_validate({})
    with pytest.raises(OtaflError, match="differs between runs"):
        _ = common([default, several[0]]).algorithm.own_number  # pyright: ignore[reportAttributeAccessIssue]


KEYS = {"problem.dataset": "digits", "problem.model": f"{__name__}:as_large_as_cnn1", "local.epochs": 1}
KEYS |= {"federation.workers": 1000, "federation.participation": 0.01, "run.iterations": 1, "run.seeds": 1}


@pytest.mark.slow
def test_memory_is_said_and_refused_beforehand(monkeypatch):
    """1,000 workers with one dual of CNN 1 need 6.2 GiB and some for the round; of all at a time twice as much."""
    keys = KEYS | {"method": "FedDyn", "uplink.kind": "ideal"}
    monkeypatch.setattr(run_size, "available", lambda: 10 * run_size.GIB)
    with pytest.warns(Remark, match=r"FedDyn with 1,000 workers, 10 of them in a round, takes 6.44 GiB"):
        data = otafl.run("digits_quickstart", keys)
    assert data["test_accuracy"].notnull().all()
    keys |= {"federation.participation": 0.5}
    with pytest.raises(OtaflError, match=r"federation.workers = 1000: .* takes 12.39 GiB .* has 10.00 GiB left"):
        otafl.run("digits_quickstart", keys)


@pytest.mark.slow
def test_rows_without_room_in_memory_lie_in_a_file(monkeypatch):
    """100 workers keep 1.24 GiB with FedADMM-Gong: that is said, and refused without that on the disk."""
    keys = KEYS | {"method": "FedADMM-Gong", "uplink.kind": "ideal", "federation.workers": 100}
    monkeypatch.setattr(run_size, "available", lambda: 1.4 * run_size.GIB)
    said = r"100 workers, 1 of them in a round, takes 0.04 GiB of memory .*, and 1.24 GiB in a file in /"
    with pytest.warns(Remark, match=said):
        data = otafl.run("digits_quickstart", keys)
    assert data["test_accuracy"].notnull().all()
    monkeypatch.setattr(run_size, "room", lambda: run_size.GIB)
    with pytest.raises(OtaflError, match=r"federation.workers = 100: keep 1.24 GiB in a file .* has 1.00 GiB left"):
        otafl.run("digits_quickstart", keys | {"run.seed": 1})


@pytest.mark.parametrize(("at_server", "antennas"), [(1, 1), (1, 8), (2, 4)])
@pytest.mark.parametrize("name", [name for name, model in FADING.items() if not model.costly])
def test_channels_take_what_is_estimated(name, at_server, antennas):
    """The estimate for 1,000 gains of workers or pairs of antennas on 64 subcarriers is 1 to 3 times what is taken."""
    keys = {"method": "A-FADMM", "problem.dataset": "synthetic", "problem.dimension": 64, "problem.samples": 2000}
    keys |= {"uplink.subcarriers": 64, "channel.fading": name, "run.seeds": 1, "cell.worker_antennas": antennas}
    keys |= {"cell.antennas": at_server, "uplink.combiner": "principal"} if at_server > 1 else {}
    tracemalloc.start()
    made = first_group(otafl.load("quickstart", keys | {"federation.workers": 1000 // (at_server * antennas)}))
    for block in (0, 1, 200):
        made.channels([block]).of_block(0)
    at_air = tracemalloc.Filter(True, "*/channels/*"), tracemalloc.Filter(True, "*/otafl/engine/channel_process.py")
    kept = sum(line.size for line in tracemalloc.take_snapshot().filter_traces(at_air).statistics("filename"))
    tracemalloc.reset_peak()
    before, _ = tracemalloc.get_traced_memory()
    made.channels([400]).of_block(0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    taken = kept + peak - before
    assert taken <= made.air.demand(1, made.uplink.most_subcarriers).size <= 3 * taken


as_large_as_cnn1 = stacked(
    lambda outputs: [Dense(22_478, use_bias=False), Dense(outputs, use_bias=False), Dense(outputs)]
)
