"""Uploads of scenarios as waveforms, and the command that compares them with what runs take them to be."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

import otafl
from otafl.channels.waveform import Converter
from otafl.cli import comments
from otafl.engine.waveform import Uploads, cases_of, sent_by_run
from otafl.engine.waveform_upload import Quality, Upload
from otafl.uplinks.left_out import left_out
from otafl.uplinks.physical_layer import symbol_snr_db

FEW = {"uplink.symbols_per_slot": 14, "uplink.subcarriers": 32, "federation.workers": 3, "channel.snr_db": 20.0}
TDL = {"channel.delay_spread_s": 1e-7, "channel.speed_m_s": 0.0}
DRAWS = 6


def compared(impairment: str, method: str = "A-FADMM", fading: str = "tdl", **keys: object) -> tuple[Quality, Quality]:
    given = FEW | {"method": method, "channel.fading": fading} | (TDL if fading == "tdl" else {})
    given |= {name.replace("__", "."): value for name, value in keys.items()}
    ((_, settings),) = otafl.load("quickstart", given).points()
    return Uploads(settings, DRAWS).qualities(dict(cases_of(settings, Converter(), np.inf))[impairment])


def apart_db(of_runs: np.ndarray, of_waveforms: np.ndarray) -> tuple[float, float]:
    """The difference of two means over the same draws, and three standard errors of it [dB]."""
    relative = of_waveforms / of_waveforms.mean() - of_runs / of_runs.mean()
    return 10 * np.log10(of_waveforms.mean() / of_runs.mean()), 13.03 * relative.std(ddof=1) / np.sqrt(DRAWS)


@pytest.mark.parametrize("scheme", ["inversion", "truncation", "full_power"])
@pytest.mark.parametrize("fading", ["none", "rayleigh", "tdl"])
def test_without_impairments_sums_arrive_as_they_are_wanted(fading, scheme):
    of_runs, of_waveforms = compared("none", "A-GD", fading, uplink__scheme=scheme)
    np.testing.assert_allclose(of_runs.gain, 1)
    np.testing.assert_allclose(of_waveforms.gain, 1, atol=1e-6)
    assert max(of_runs.error.max(), of_waveforms.error.max(), of_waveforms.interference.max()) < 1e-10


@pytest.mark.parametrize(
    ("impairment", "keys"),
    [
        ("noise", {}),
        ("motion", {"channel__speed_m_s": 20.0, "channel__evolves": "by_symbol"}),
        ("motion", {"fading": "jakes", "channel__speed_m_s": 20.0, "channel__evolves": "by_symbol"}),
        ("estimates", {"channel__pilots": 1}),
        ("phase errors", {"channel__phase_error_rad": 0.3}),
        ("timing", {"channel__timing_error_s": 2e-6}),
        ("carrier offsets", {"channel__carrier_offset_hz": 100.0}),
        ("phase noise", {"channel__linewidth_hz": 20.0}),
        ("server's phase noise", {"channel__server_linewidth_hz": 20.0}),
    ],
)
def test_errors_of_sums_are_those_of_runs(impairment, keys):
    """Within three standard errors, or half a decibel; of motion, interference is less in waveforms."""
    of_runs, of_waveforms = compared(impairment, **keys)
    for what in ("error", "interference"):
        expected, found = getattr(of_runs, what), getattr(of_waveforms, what)
        if found.mean() > 1e-10 and (impairment, what) != ("motion", "interference"):
            difference, most = apart_db(expected, found)
            assert abs(difference) < max(most, 0.5), what


def test_vectors_are_what_workers_upload_in_a_round_of_the_run():
    """They have the power of the messages that a metric reads, and their sum arrives as it is wanted."""

    @otafl.metric("uploaded_power")
    def uploaded_power(record):
        return tf.reduce_sum(tf.square(record.messages[0]), axis=[0, 1])

    keys = FEW | {"method": "A-GD", "uplink.subcarriers": 10, "run.seeds": 1}
    ((_, settings),) = otafl.load("quickstart", keys).points()
    of_run = otafl.run("quickstart", keys | {"run.metrics": ["uploaded_power"], "run.iterations": 7}, store=False)
    *_, numbers = sent_by_run(settings, settings.run.seed, 7)
    assert numbers.shape == (3, 10)
    np.testing.assert_allclose(np.sum(numbers**2), of_run["uploaded_power"].isel(seed=0, iteration=-1), rtol=1e-9)
    case = dict(cases_of(settings, Converter(), np.inf))["none"]
    for side in Uploads(settings, 1, 7).qualities(case):
        np.testing.assert_allclose(side.gain, 1, atol=1e-6)
        assert side.error.max() < 1e-10


def test_clusters_of_a_later_block_are_those_of_runs_without_motion():
    pytest.importorskip("sionna.phy")
    keys = FEW | {"method": "A-GD", "channel.fading": "cdl", "channel.evolves": "by_symbol", "channel.speed_m_s": 3.0}
    ((_, settings),) = otafl.load("quickstart", keys).points()
    cases = dict(cases_of(settings, Converter(), np.inf))
    still, moving = (Upload(cases[impairment], 1, 1) for impairment in ("none", "motion"))
    assert still.measured().error < 1e-10
    assert moving.measured().error == pytest.approx(moving.predicted().error, rel=0.1)


def test_the_command_prints_a_table_and_writes_samples(call):
    words = "--method A-FADMM --channel.fading tdl --federation.workers 2 --channel.timing-error-s 1e-6 --draws 2"
    found = call(
        *("waveform", "quickstart", *words.split(), "--uplink.symbols-per-slot", "14"),
        *("--converter-bits", "6", "--samples", "upload.sigmf-data"),
    )
    assert found.code == 0, found
    rows = [line for line in found.stdout.splitlines() if re.match(r" *[a-z].*±", line)]
    names = [re.split(r"\s{2,}", row.strip())[0] for row in rows]
    assert names == ["none", "timing", "motion", "echoes beyond the prefix", "converter", "noise", "all together"]
    data, meta = found.stdout.splitlines()[-1].removeprefix("wrote ").split(", ")
    samples = np.fromfile(data, "<c8")
    told = json.loads(Path(meta).read_text())["global"]
    assert told["core:datatype"] == "cf32_le"
    assert told["core:sample_rate"] == 4 * 10 * 15e3
    assert len(samples) == 14 * round(told["core:sample_rate"] * 1e-3 / 14)
    assert np.isfinite(samples).all()


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"channel.speed_m_s": 3.0}, "movements of gains"),
        ({"channel.speed_m_s": 3.0, "channel.evolves": "by_symbol"}, ""),
        ({"channel.speed_m_s": 3.0, "channel.snr_db": -10.0}, ""),
        ({"channel.speed_m_s": 0.0, "channel.delay_spread_s": 1e-6}, "echoes beyond half the prefix"),
        ({"channel.speed_m_s": 0.0, "channel.delay_spread_s": 3e-7}, ""),
    ],
)
def test_a_comment_says_what_runs_leave_out(keys, said):
    """At 20 dB of SNR, of delay line C."""
    scenario = otafl.load("quickstart", FEW | {"method": "A-GD", "channel.fading": "tdl"} | keys)
    told = [line for line in comments.lines(scenario) if "in a waveform" in line]
    assert len(told) == (said != "")
    assert said in "".join(told)


@pytest.mark.parametrize("fading", ["jakes", "tdl"])
def test_left_out_motion_has_the_power_over_noise_that_a_comment_says(fading):
    """At constant power, in which each of 3 workers has the mean power."""
    keys = FEW | {"method": "A-GD", "channel.fading": fading, "uplink.scheme": "full_power", "channel.speed_m_s": 3.0}
    ((_, settings),) = otafl.load("quickstart", keys).points()
    cases, uploads = dict(cases_of(settings, Converter(), np.inf)), Uploads(settings, 10)
    moved, noise = (uploads.qualities(cases[impairment])[1].error.mean() for impairment in ("motion", "noise"))
    (power,) = (power for key, _, power in left_out(settings) if key == "channel.evolves")
    said = 3 * power * 10 ** (symbol_snr_db(settings) / 10)
    assert abs(10 * np.log10(moved / noise / said)) < 1.5


@pytest.mark.parametrize(("delay_spread_s", "power_db"), [(6e-7, -32.6), (1e-6, -26.1)])
def test_left_out_echoes_have_the_power_that_a_remark_says(delay_spread_s, power_db):
    keys = {"uplink__inversion_threshold": 0.3, "channel__delay_spread_s": delay_spread_s}
    _, of_waveforms = compared("echoes beyond the prefix", "A-GD", **keys)
    assert 10 * np.log10(of_waveforms.interference.mean()) == pytest.approx(power_db, abs=1.5)
    ((_, settings),) = otafl.load(
        "quickstart", FEW | TDL | {"method": "A-GD", "channel.fading": "tdl", "channel.delay_spread_s": delay_spread_s}
    ).points()
    ((_, _, power),) = [left for left in left_out(settings) if left[0] == "channel.delay_spread_s"]
    assert 10 * np.log10(power) == pytest.approx(power_db, abs=1.0)


def test_the_first_analog_method_is_made_where_a_digital_one_is_refused(call):
    words = ["quickstart", "--method", "D-FADMM", "A-FADMM", "--channel.carrier-offset-hz", "1", "--draws", "2"]
    assert call("run", *words[:-2]).code == 2
    found = call("waveform", *words)
    assert found.code == 0
    assert "A-FADMM, 2 uploads" in found.stdout


def test_a_method_that_another_one_s_key_is_not_for_is_still_the_first(call):
    found = call("waveform", "quickstart", "--method", "A-GD", "A-FADMM", "--algorithm.rho", "0.3", "--draws", "2")
    assert "A-GD, 2 uploads" in found.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("quickstart --draws 1", "--draws"),
        ("quickstart --converter-bits 17", "--converter-bits"),
        ("quickstart --rapp 0", "--rapp"),
        ("quickstart --samples .", "--samples"),
        ("quickstart --iteration -1", "--iteration"),
        ("quickstart --samples nowhere/upload", "--samples"),
        ("quickstart --method A-GD --uplink.subcarriers 11 --iteration 1", "uplink.subcarriers"),
        ("digits_quickstart --method FedAvg@analog --federation.participation 0.5 --iteration 1", "all workers"),
        ("quickstart --method D-FADMM", "must be analog"),
        ("quickstart --cell.antennas 4", "cell.antennas"),
        ("nowhere", "nowhere"),
    ],
)
def test_what_cannot_be_made_is_refused(call, words, said):
    found = call("waveform", *words.split())
    assert found.code == 2
    assert len(found.messages) == 1
    assert said in found.messages[0]
