"""3GPP's sectors and clustered delay lines by Sionna."""

import json
from importlib.resources import files

import numpy as np
import pytest

from otafl.channels.fading import CdlFading, Layout, RmaFading, UmaFading, UmiFading, clusters, realise, tdl
from otafl.channels.fading.paths import FIRST_BLOCKS

pytestmark = pytest.mark.usefixtures("sionna")
WORKERS = 20


def realised(model, seed=0, **given):
    layout = Layout(given.pop("workers", WORKERS), block_iterations=10, **given)
    return realise(model, layout, np.random.SeedSequence(seed))


def test_a_sector():
    """Blocks follow from the seed, however many are asked for; the worker of median path gain has unit gain."""
    made = realised(UmiFading())
    early = made.gains(3, 6)
    np.testing.assert_array_equal(early, realised(UmiFading()).gains(3, 6))
    assert not np.allclose(early, realised(UmiFading(), 1).gains(3, 6))
    late = made.gains(FIRST_BLOCKS + 5, 6)
    np.testing.assert_allclose(made.gains(3, 6), early)
    assert not np.allclose(late, early)
    power = np.mean([np.abs(made.gains(block, 6)) ** 2 for block in range(FIRST_BLOCKS)], axis=(0, 2, 3))
    assert 10 * np.log10(np.median(power)) == pytest.approx(0.0, abs=3.0)


def test_places_and_path_loss():
    """Within the sector, or up to a largest loss; no worker has more gain than in line of sight,
    32.4 + 21·log10(d) + 20·log10(f) dB (TR 38.901, table 7.4.1-1), with the antenna's 8 dBi and four deviations of 4 dB
    of shadowing; the gain falls with distance. Heights are those of table 7.2-1, antennas on either side or both."""
    made = realised(UmiFading(), workers=200)
    distance = np.linalg.norm(made.paths.places - made.paths.server, axis=1)
    np.testing.assert_allclose(made.paths.server, [0, 0, 10], atol=1e-6)
    np.testing.assert_allclose(made.paths.places[:, 2], 1.5, atol=1e-6)
    assert 8 < distance.min() < distance.max() < 120
    straight = -(32.4 + 21 * np.log10(distance) + 20 * np.log10(3.5))
    assert np.all(made.paths.gain_db < straight + 8 + 4 * 4)
    assert np.corrcoef(np.log10(distance), made.paths.gain_db)[0, 1] < -0.3
    for pairs, worker_antennas in ((3, 1), (3, 3), (6, 2)):
        near = realised(UmiFading(), workers=5, most_loss_db=90.0, antennas=pairs, worker_antennas=worker_antennas)
        assert near.gains(0, 4).shape == (5, pairs, 4)
        assert near.paths.gain_db.min() >= -90.0


def test_a_clustered_delay_line_has_the_tapped_one_s_correlation_over_frequency():
    """Σ_l p_l·e^(j2πkΔf·τ_l), of unit power, over 400 workers: the tables' powers, with those of D and E measured after
    the line of sight."""
    made = realised(CdlFading(cdl_model="C"), workers=400)
    h, taps = made.gains(0, 32)[:, 0], tdl.profile("C")
    theirs = np.exp(2j * np.pi * 15e3 * np.outer(np.arange(32), 300e-9 * taps.delays)) @ taps.powers
    np.testing.assert_allclose(np.mean(h[:, :1] * h.conj(), axis=0), theirs, atol=5 * np.sqrt(2 / 400))
    assert made.power.mean() == pytest.approx(1.0, abs=4 * made.power.std() / np.sqrt(400))


@pytest.mark.daily(1)
@pytest.mark.parametrize(
    ("pairs", "worker_antennas", "other", "azimuth", "zenith"),
    [(2, 1, 1, "aod", "zod"), (2, 2, 1, "aoa", "zoa"), (6, 3, 3, "aod", "zod"), (6, 3, 1, "aoa", "zoa")],
)
def test_antennas_of_a_side_fade_together_by_the_tables_angles(pairs, worker_antennas, other, azimuth, zenith):
    """E[h_0·h_1*] = Σ_l p_l·E[e^(jπ·sin θ·sin φ)] over a cluster's rays, each side with its own angles (TR 38.901,
    tables 7.7.1-3 and 7.5-3), to within 5 standard errors."""
    from sionna.phy.channel.tr38901 import models

    table = json.loads((files(models) / "CDL-C.json").read_text())
    rays = np.concatenate([OFFSETS, np.negative(OFFSETS)])
    side = azimuth[-1].upper()
    phi, theta = (
        np.deg2rad(np.array(table[angle])[:, None] + table[f"c{angle[0].upper()}S{side}"] * rays)
        for angle in (azimuth, zenith)
    )
    powers = 10 ** (np.array(table["powers"]) / 10)
    turned = np.exp(1j * np.pi * np.sin(theta)[:, :, None] * np.sin(phi)[:, None, :]).mean(axis=(1, 2))
    paths = CdlFading().found(Layout(1000, pairs, worker_antennas=worker_antennas), 1, 1)
    assert paths.amplitudes.shape[:2] == (1000, pairs)
    assert paths.places.shape == (1000, 3)
    both = paths.amplitudes[:, 0, :, 0] * paths.amplitudes[:, other, :, 0].conj()
    error = np.sqrt(np.sum((powers / powers.sum()) ** 2) / 1000)
    assert abs(abs(both.sum(axis=1).mean()) - abs(turned @ powers / powers.sum())) < 5 * error


@pytest.mark.parametrize("model", ["D", "E"])
def test_phases_of_a_line_of_sight_are_uniform(model):
    """E[h] = E[h²] = 0 over 1,000 workers, within 5 standard errors."""
    h = CdlFading(cdl_model=model).found(Layout(1000), 2, 1).amplitudes[:, 0, :, 0].sum(axis=-1)
    assert abs(h.mean()) < 5 / np.sqrt(1000)
    assert abs(np.mean(h**2)) < 5 * np.sqrt(2 / 1000)


@pytest.mark.parametrize("model", [UmiFading(), CdlFading()])
def test_blocks_that_are_found_in_parts_are_those_found_at_once(model, monkeypatch):
    layout = Layout(2, block_iterations=10)
    whole = model.found(layout, 1, 64).amplitudes
    monkeypatch.setattr(clusters, "LARGEST", 2 * 16 * clusters.RAYS)
    np.testing.assert_array_equal(model.found(layout, 1, 64).amplitudes, whole)


@pytest.mark.parametrize("model", [UmiFading(), CdlFading(), CdlFading(cdl_model="D")])
def test_gains_within_a_block_begin_with_the_first_one_and_go_on_in_the_next(model):
    made, steps = realised(model, antennas=2, worker_antennas=2), np.tile([0, 10, 4], (WORKERS, 1))
    first, second = (made.moving(block, 8, 1e-3, steps) for block in (0, 1))
    assert first.shape == (WORKERS, 2, 3, 8)
    starts = (first[:, :, 0], made.gains(0, 8)), (second[:, :, 0], made.gains(1, 8)), (second[:, :, 0], first[:, :, 1])
    for found, expected in starts:
        np.testing.assert_allclose(found, expected, atol=1e-4 * np.abs(expected).max())
    sums, delays_s = made.echoes(0, np.array([4e-3]))
    turned = np.exp(-2j * np.pi * 15e3 * np.arange(8) * delays_s[..., None])
    np.testing.assert_allclose(first[:, :, 2], (sums[..., 0] @ turned), atol=1e-4 * np.abs(first).max())


@pytest.mark.daily(1)
@pytest.mark.parametrize("name", ["UMi", "RMa", "CDL-A", "CDL-D"])
def test_motion_is_sionnas_where_its_receivers_move(name):
    """Correlation of each worker's paths over 27 ms and its mean magnitude, against downlinks that Sionna samples."""
    from sionna.phy.channel import gen_single_sector_topology, tr38901

    count, speed_m_s, made = 400, 2.0, {"UMi": UmiFading, "RMa": RmaFading}.get(name, CdlFading)
    fading = made(speed_m_s, **({"cdl_model": name[-1]} if made is CdlFading else {}))
    ends = clusters.antenna_arrays(Layout(count), 3.5e9, at_server="omni" if made is CdlFading else "38.901")
    if made is CdlFading:
        line = tr38901.CDL(name[-1], 300e-9, 3.5e9, direction="downlink", min_speed=speed_m_s, **ends)
        theirs = line(count, 2, 1 / 27e-3)[0].numpy()[:, 0, 0, 0, 0]
    else:
        into = {"o2i_model": "low"} if name == "UMi" else {}
        model = getattr(tr38901, name)(carrier_frequency=3.5e9, direction="downlink", **ends, **into)
        speed = {"min_ut_velocity": speed_m_s, "max_ut_velocity": speed_m_s}
        model.set_topology(*gen_single_sector_topology(1, count, name.lower(), indoor_probability=0.0, **speed))
        theirs = model(2, 1 / 27e-3)[0].numpy()[0, :, 0, 0, 0]
    rays = fading.rays(Layout(count), 5)
    assert np.abs(rays.shifts_hz).max() <= 1.0001 * fading.doppler_hz
    ours, sionnas = (correlation(paths) for paths in (rays.at(np.array([0, 27e-3]))[:, 0], theirs))
    error = np.sqrt((ours.var() + sionnas.var()) / count)
    assert abs(np.abs(ours).mean() - np.abs(sionnas).mean()) < 5 * error
    assert abs(ours.mean() - sionnas.mean()) < 5 * error
    assert np.abs(ours).mean() < 0.9 or name == "CDL-D"


def correlation(paths):
    """Correlation of paths [workers, paths, 2 times], of each worker."""
    powers = np.sum(np.abs(paths) ** 2, axis=1)
    return np.sum(paths[..., 1] * paths[..., 0].conj(), axis=1) / np.sqrt(powers[:, 0] * powers[:, 1])


LIGHT, FREQUENCY_GHZ = 299_792_458.0, 3.5
OFFSETS = 0.0447, 0.1413, 0.2492, 0.3715, 0.5129, 0.6797, 0.8844, 1.1481, 1.5195, 2.1551


def breakpoint_m(name, height, user):
    """d'_BP and d_BP of the notes of TR 38.901's table 7.4.1-1, with an effective environment height of 1 m."""
    if name == "rma":
        return 2 * np.pi * height * user * FREQUENCY_GHZ * 1e9 / LIGHT
    return 4 * (height - 1) * (user - 1) * FREQUENCY_GHZ * 1e9 / LIGHT


def in_sight_db(name, ground, space, height, user):
    """PL of table 7.4.1-1 in line of sight, PL1 up to the breakpoint on the ground and PL2 beyond."""
    far, frequency_db = breakpoint_m(name, height, user), 20 * np.log10(FREQUENCY_GHZ)
    if name == "rma":  # average building height of 5 m

        def near_db(distance):
            free = 20 * np.log10(40 * np.pi * distance * FREQUENCY_GHZ / 3)
            built = min(0.03 * 5**1.72, 10) * np.log10(distance) - min(0.044 * 5**1.72, 14.77)
            return free + built + 0.002 * np.log10(5) * distance

        return np.where(ground < far, near_db(space), near_db(far) + 40 * np.log10(space / far))
    begin, slope, bend = {"umi": (32.4, 21, 9.5), "uma": (28.0, 22, 9.0)}[name]
    beyond = begin + 40 * np.log10(space) + frequency_db - bend * np.log10(far**2 + (height - user) ** 2)
    return np.where(ground < far, begin + slope * np.log10(space) + frequency_db, beyond)


def out_of_sight_db(name, space, height, user):
    """PL' of table 7.4.1-1; streets are 20 m wide and buildings 5 m high where that matters."""
    if name == "rma":
        base, street, frequency_db = np.log10(height), 7.1 * np.log10(20), 20 * np.log10(FREQUENCY_GHZ)
        about = 161.04 - street + 7.5 * np.log10(5) - (24.37 - 3.7 * (5 / height) ** 2) * base
        users = 3.2 * np.log10(11.75 * user) ** 2 - 4.97
        return about + (43.42 - 3.1 * base) * (np.log10(space) - 3) + frequency_db - users
    if name == "uma":
        return 13.54 + 39.08 * np.log10(space) + 20 * np.log10(FREQUENCY_GHZ) - 0.6 * (user - 1.5)
    return 22.4 + 35.3 * np.log10(space) + 21.3 * np.log10(FREQUENCY_GHZ) - 0.3 * (user - 1.5)


def found_by(fading, monkeypatch):
    used = []
    monkeypatch.setattr(clusters, "in_parts", lambda model, links: used.append(model))
    fading.found(Layout(50), 1, 1)
    return used[0]


@pytest.mark.parametrize("fading", [UmiFading(), UmaFading(), RmaFading()])
@pytest.mark.parametrize("in_sight", [True, False])
def test_path_loss_is_that_of_the_specification(fading, in_sight, monkeypatch):
    """Table 7.4.1-1 of TR 38.901, from 10 m to beyond the breakpoints, and rays of table 7.5-3."""
    import tensorflow as tf

    model = found_by(fading, monkeypatch)
    scenario, offsets = model._scenario, model._ray_sampler._ray_offsets.numpy()
    np.testing.assert_allclose(offsets, np.outer(OFFSETS, [1, -1]).reshape(-1), rtol=1e-6)
    ground, height, user = np.geomspace(10, 9000, 50), {"umi": 10, "uma": 25, "rma": 35}[fading.scenario.lower()], 1.5
    places = np.stack([ground, np.zeros(50), np.full(50, user)], axis=-1)[None]
    server = tf.constant([[[0.0, 0.0, height]]], tf.float32)
    scenario.set_topology(tf.constant(places, tf.float32), server, los=in_sight)
    space = np.hypot(ground, height - user)
    expected = in_sight_db(fading.scenario.lower(), ground, space, height, user)
    if not in_sight:
        expected = np.maximum(expected, out_of_sight_db(fading.scenario.lower(), space, height, user))
    np.testing.assert_allclose(scenario.basic_pathloss.numpy()[0, 0], expected, atol=1e-3)
