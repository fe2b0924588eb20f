"""Uploads of scenarios as waveforms, and the command that compares them with what runs take them to be."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import otafl
from otafl.channels.waveform import Converter
from otafl.engine.waveform import cases, qualities
from otafl.engine.waveform_upload import Quality

FEW = {"uplink.symbols_per_slot": 14, "uplink.subcarriers": 32, "federation.workers": 3, "channel.snr_db": 20.0}
TDL = {"channel.delay_spread_s": 1e-7, "channel.speed_m_s": 0.0}
DRAWS = 6


def compared(impairment: str, method: str = "A-FADMM", fading: str = "tdl", **keys: object) -> tuple[Quality, Quality]:
    given = FEW | {"method": method, "channel.fading": fading} | (TDL if fading == "tdl" else {})
    given |= {name.replace("__", "."): value for name, value in keys.items()}
    ((_, settings),) = otafl.load("quickstart", given).points()
    return qualities(dict(cases(settings, Converter(), np.inf))[impairment], DRAWS)


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
    assert told["core:sample_rate"] == 4 * 10 * 15e3
    assert len(samples) == 14 * round(told["core:sample_rate"] * 1e-3 / 14)
    assert np.isfinite(samples).all()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("quickstart --draws 1", "--draws"),
        ("quickstart --converter-bits 17", "--converter-bits"),
        ("quickstart --rapp 0", "--rapp"),
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
