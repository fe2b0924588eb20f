"""Uploads of a scenario as waveforms, beside what runs take them to be, for each impairment alone and all together."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from otafl import uplinks
from otafl.channels import fading
from otafl.channels.waveform import Converter, recording
from otafl.engine.coherence_blocks import segments
from otafl.engine.group import Group
from otafl.engine.iteration import RoundDone
from otafl.engine.round_by_round import observed
from otafl.engine.run_spec import RunSpec
from otafl.engine.waveform_upload import Case, Quality, Upload
from otafl.errors import OtaflError
from otafl.numerics.tensors import Tensor
from otafl.scenario.keys_read import keys_read_by
from otafl.settings.keys import Settings, bandwidth_factor
from otafl.uplinks import chain

MOST_SUBCARRIERS = 64
"""Bound on the size of an upload that makes it quick."""
IDEAL = {
    "estimates": {"channel.pilots": 0},
    "phase errors": {"channel.phase_error_rad": 0.0},
    "timing": {"channel.timing_error_s": 0.0},
    "carrier offsets": {"channel.carrier_offset_hz": 0.0, "channel.carrier_offset_ppm": 0.0},
    "phase noise": {"channel.linewidth_hz": 0.0},
    "server's phase noise": {"channel.server_linewidth_hz": 0.0},
    "motion": {"channel.evolves": "by_block"},
    "amplifiers": {"uplink.peak_backoff_db": np.inf},
}
"""Impairments by keys, and the values of the keys without them."""


def first_analog(points: Iterable[Settings]) -> Settings:
    """Return the settings of the first analog upload of some, on so few subcarriers that its waveform is quick."""
    settings = [point for point in points if uplinks.uplink(uplinks.kind(point)).superposes]
    if not settings:
        raise OtaflError("uplink.kind", "digital", "must be analog: symbols of codes are not made as waveforms")
    (first, *_), cell = settings, settings[0].cell
    parts = chain.chain(first)
    first.require(
        (
            ("cell.antennas", cell.antennas > 1, "must be 1 for a waveform"),
            ("cell.worker_antennas", cell.worker_antennas > 1, "must be 1 for a waveform"),
            ("cell.neighbours", cell.neighbours, "must be 0 for a waveform"),
            ("channel.noise", first.channel.noise != "gaussian", "must be gaussian for a waveform"),
            ("uplink.elements_per_symbol", first.uplink.elements_per_symbol > 1, "must be 1 for a waveform"),
            ("uplink.receiver", parts.receiver.non_coherent, "must be coherent for a waveform"),
            ("uplink.power_control", parts.power_control.edges > 1, "must have one server for a waveform"),
        )
    )
    count, most = first.uplink.subcarriers, max(1, MOST_SUBCARRIERS // bandwidth_factor(first.method)[1])
    return first.with_values({"uplink.subcarriers": most if count == "one_slot" else min(count, most)})


def cases_of(settings: Settings, converter: Converter, smoothness: float) -> Iterator[tuple[str, Case]]:
    """Yield the name and the case of each impairment of the settings alone, and of all together."""
    read, noisy = keys_read_by([settings]), settings.channel.snr_db < np.inf
    given = {
        name: {key: settings.value(key) for key in keys}
        for name, keys in IDEAL.items()
        if any(key in read and settings.value(key) != value for key, value in keys.items())
    }
    ideal = settings.with_values({key: value for keys in IDEAL.values() for key, value in keys.items()})
    yield "none", Case(ideal, ideal)
    for name, keys in given.items():
        yield name, Case(ideal.with_values(keys), ideal, moving=name == "motion", smoothness=smoothness)
    if "motion" not in given and fading.FADING[settings.channel.fading].moves:
        yield "motion", Case(ideal, ideal, moving=True)
    if fading.FADING[settings.channel.fading].correlated:
        yield "echoes beyond the prefix", Case(ideal, ideal, spread=True)
    if converter.bits:
        yield "converter", Case(ideal, ideal, converter=converter)
    if noisy:
        yield "noise", Case(ideal, ideal, noisy=True)
    impaired = ideal.with_values({key: value for keys in given.values() for key, value in keys.items()})
    yield "all together", Case(impaired, ideal, noisy, True, True, converter, smoothness)


def sent_by_run(settings: Settings, seed: int, iteration: int) -> tuple[int, int, np.ndarray]:
    """Return block, number in it and vectors, [workers, elements], of an upload of a run, over weights by gains."""
    group = Group([RunSpec(settings.with_values({"run.iterations": iteration}), seed)])
    if group.partial or not group.resident or settings.channel.coherence_s:
        rule = "needs all workers in each round, one program that holds them, and blocks of iterations, not of seconds"
        raise OtaflError("--iteration", iteration, rule)
    if int(settings.subcarriers) > group.uplink.elements:
        rule = f"must be at most {group.uplink.elements}, the numbers of a vector"
        raise OtaflError("uplink.subcarriers", settings.subcarriers, rule)
    for number, _, (vectors,) in observed(group, _sent):
        if number + 1 == iteration:
            (part,) = segments(iteration, group.coherence, 1, number)
            return part.block, part.upload, vectors.numpy()
    raise OtaflError("--iteration", iteration, "is beyond the end of the run")


def _sent(done: RoundDone) -> tuple[Tensor, ...]:
    """Return the numbers of the first vector that workers send in a round, over their weights."""
    link = done.upload.link
    messages, _ = link.compress(done.upload.messages, done.before.memory)
    return (link.radiated(link.packed(messages[0]).sent) / done.now.gain,)


class Uploads:
    """Uploads under some seeds, from the first on.

    Arguments:
        settings: settings of the upload.
        draws: number of seeds.
        iteration: iteration of the seeds' runs whose vectors are sent; 0: random numbers.
    """

    def __init__(self, settings: Settings, draws: int, iteration: int = 0) -> None:
        self.seeds = range(settings.run.seed, settings.run.seed + draws)
        self.sent = [sent_by_run(settings, seed, iteration) if iteration else (0, 0, None) for seed in self.seeds]

    def qualities(self, case: Case) -> tuple[Quality, Quality]:
        """Return the qualities of uploads as runs take them to be, and of their waveforms."""
        uploads = [Upload(case, seed, *sent) for seed, sent in zip(self.seeds, self.sent, strict=True)]
        predicted, measured = ([side(upload) for upload in uploads] for side in (Upload.predicted, Upload.measured))
        return Quality(*np.transpose(predicted)), Quality(*np.transpose(measured))

    def record(self, case: Case, path: Path) -> tuple[Path, Path]:
        """Write the samples that the server receives of the first one as SigMF, and return the paths of both files."""
        stem = path.with_suffix("") if path.suffix in (".sigmf-data", ".sigmf-meta") else path
        upload = Upload(case, self.seeds[0], *self.sent[0])
        samples = case.converter.converted(upload.samples())
        carrier_hz = case.settings.channel.model_dump()["carrier_hz"]
        text = f"Superposed OFDM symbols of {upload.workers} workers, {case.settings.method}"
        return recording.write(stem, samples, case.ofdm.rate_hz, carrier_hz, text)
