"""The gallery: what it says that one types is what was computed, and panels show what was read."""

import matplotlib as mpl
import numpy as np
import pytest
import xarray as xr

mpl.use("Agg")

from figures import cell_paper
from figures.channel_panels import Measure, Panel, against_each
from figures.sections import CHANNELS
from figures.study import PARTS, command, load, resolved
from otafl import cli
from otafl.results import analysis
from otafl.scenario.file import parse


@pytest.mark.parametrize("name", ["channel_fading", "channel_umi", "digits_timing", "digits_blind", "wang_last_digit"])
def test_a_command_stands_for_its_part(name, monkeypatch, capsys):
    _, _, *words = command(name).split()
    monkeypatch.setattr("sys.argv", ["otafl", "show", *words])
    cli.main()
    shown = parse(name, capsys.readouterr().out)
    assert list(shown.points()) == list(resolved(name).points())


def test_every_part_can_be_run():
    assert {name for name in PARTS if resolved(name).name != name} == set()


def test_a_command_names_the_keys_that_a_part_changes():
    wanted = "otafl run channel_digits --method FedAvg --cell.antennas 2 4 8 16 32 --uplink.combiner sum"
    assert command("digits_blind") == wanted


def test_panels_show_median_and_quartiles_and_what_there_is_without():
    values = np.array([[1.0, 2.0, 10.0], [3.0, 3.0, 3.0]])
    data = xr.Dataset(
        {"loss": (("pilot_snr_db", "seed", "iteration"), values[..., None])},
        {"pilot_snr_db": [0.0, 10.0], "iteration": [1], "scheme": "A-FADMM"},
    )
    reading = Measure(lambda data: data["loss"].isel(iteration=-1), "median", (0.1, 100.0))
    panel = Panel("pilots", "pilot_snr_db", ("own",))
    _, (ax,) = against_each([panel], {"own": data}, data.sel(pilot_snr_db=10.0, drop=True), reading)
    (drawn,) = ax.containers
    np.testing.assert_array_equal(drawn.lines[0].get_ydata(), [2.0, 3.0])
    np.testing.assert_array_equal(drawn.lines[2][0].get_segments()[0][:, 1], [1.5, 6.0])
    assert ax.get_lines()[-1].get_ydata()[0] == 3.0


def test_sections_figures_say_what_they_show():
    for study in map(load, CHANNELS):
        assert study.caption
        assert study.title


def test_figure_4c_has_the_fewest_workers_from_the_longer_study_also_beside_weights_of_its_own():
    def accuracies(scheme: str, workers: list[int], curve: list[float]) -> xr.Dataset:
        values = np.broadcast_to(curve, (1, len(workers), 1, len(curve)))
        rounds = {"iteration": range(1, len(curve) + 1), "workers": workers, "scheme": [scheme], "seed": [0]}
        dims = ("scheme", "workers", "seed", "iteration")
        return xr.Dataset({"test_accuracy": (dims, values), "channel_uses": (dims, np.cumsum(values > 0, -1))}, rounds)

    def both(workers: list[int], curve: list[float]) -> xr.Dataset:
        return xr.concat([accuracies(scheme, workers, curve) for scheme in ("A-SFADMM", "D-SFADMM")], "scheme")

    short, few = [0.5, 0.95], [0.5, 0.95, 0.5, 0.95]
    data = {"mnist_scalability": both([5, 10, 20], short), "mnist_scalability_few": both([5, 10], few)}
    data |= {f"{name}_p1": one.sel(scheme="A-SFADMM") for name, one in data.items()}
    for line in cell_paper.lines(data, "mnist_scalability"):
        uses = analysis.to_target(line, 0.9, "channel_uses", "test_accuracy")
        assert uses.transpose("workers", "seed").values.tolist() == [[4], [4], [2]]
