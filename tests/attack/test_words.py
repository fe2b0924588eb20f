"""Words on the command line: typing errors, wrong types, numbers without bound, parts that contradict each other."""

import shlex

import pytest

LONG = "9" * 5000
WORDS = """
|Expected one of
frobnicate|Unrecognized options: frobnicate
list extra|folder = 'extra': unknown folder
run|NAME
plot a.nc|no such file
plot 'a[/b].nc'|result = 'a[/b].nc'
run quickstrat|did you mean 'quickstart'?
run 'a[/b].toml'|cannot be read
run ''|unknown scenario
run quickstart quickstart|Unrecognized options: quickstart
run quickstart --out|Expected 1 values
run quickstart --channel.snr 20|--channel.snr-db
run quickstart --federation.worker 3|--federation.workers
run quickstart --run '{seeds = 1}'|Unrecognized options
run quickstart --plot.kind pie|must be 'curve'
run quickstart --channel.snr-db|needs a value
run quickstart --channel.snr-db loud|valid number
run quickstart --channel.snr-db '[]'|at least one value
run quickstart --channel.snr-db nan|decibels
run quickstart --channel.snr-db=-201|decibels
run quickstart --channel.snr-db 20 20.0|twice
run quickstart --channel.coherence-iterations 1.5|whole number
run quickstart --channel.fading fog|'none', 'rayleigh'
run quickstart --uplink.kind digital|carried by the analog uplink
run quickstart --uplink.kind smoke|'analog', 'digital' or 'ideal'
run quickstart --uplink.subcarriers 0|one_slot
run quickstart --algorithm.rho=-1|greater than 0
run quickstart --federation.workers 2.0|integer
run quickstart --run.record some|'all' or 'log'
run quickstart --uplink.slot-s 1e300|from 1e-12 to 1e+12
run quickstart --uplink.slot-s 1e-5|at least 1/uplink.subcarrier_spacing_hz = 6.66667e-05 s, the length of a symbol
run quickstart --method D-FADMM --uplink.symbols-per-slot as_printed --uplink.slot-s 6.6e-5|the length of a symbol
run digits_quickstart --method FedAvg@digital --uplink.bits-per-element 1|must be 16 or 32, of a float
run quickstart --uplink.slot-s 1e12 --uplink.noise-psd-w-per-hz 1e-30|noise power
run quickstart --uplink.noise-psd-w-per-hz 1e36|transmit power
run quickstart --channel.coherence-s 1e-12 --local.compute-s 1e12|can be counted
run quickstart --energy.whole true --channel.snr-db inf|needs a finite channel.snr_db
run quickstart --uplink.downlink analog|can be used only with the analog uplink
run quickstart --run.seeds true|integer
run quickstart --run.seeds 3 4|cannot be swept
run quickstart --method ÄFADMM|unknown method
run quickstart --method A-FADMM A-FADMM|twice
run quickstart --method D-FADMM-10x --uplink.subcarriers one_slot|contradicts
run quickstart --method D-FADMM-99999999999999999999x|unknown method
run quickstart --federation.workers 443|must not exceed the number of samples, 442
run quickstart --federation.partition shards|needs labels
run quickstart --federation.workers 2 --federation.probabilities '[1e-300, 1e-300]'|add up to a whole number
run quickstart --federation.workers 2 --federation.probabilities '[1.0]'|one entry for each
run quickstart --federation.participation 1e-9|leaves none
run quickstart --local.steps 3|do not read it
run digits_quickstart --local.steps 3 --local.epochs 2 --method FedAvg|contradicts local.steps
run digits_quickstart --method FedAvg --local.batch-size some|'all'
run digits_quickstart --federation.partition labels --federation.labels-per-worker 11|must not exceed
run quickstart --run.seeds 1000000000|makes 4,000,000,000 runs, but a study can have at most 100,000
run quickstart --run.seeds 25000 --run.iterations 1000000|take
run quickstart --run.iterations 2000000000|run.iterations = 2000000000: curves of 20 runs take
run quickstart --run.iterations 2000000000 --run.record log|side by side take
run quickstart --uplink.subcarriers 2000000000 --method D-FADMM|uplink.subcarriers = 2000000000: gains of 20 workers on
run quickstart --problem.samples 1000000000 --problem.dataset synthetic|problem.samples = 1000000000: problem.dataset
run quickstart --problem.dimension 1000000000 --problem.dataset synthetic|problem.dimension = 1000000000: the equations
run quickstart --problem.dimension 20000 --problem.samples 50 --problem.dataset synthetic|with 20,000 unknowns
run quickstart --channel.snr-db -150 --method D-FADMM|an upload of 320 bits would take 3e+16 slots
run quickstart --channel.snr-db -100 --method D-FADMM --uplink.subcarriers one_slot|subcarriers, more than 1e+09
run quickstart --uplink.bits-per-element 2000000000 --method D-FADMM|must be 16, 32 or 64, of a floating-point number
run digits_quickstart --local.batch-size 1000000000|the order in which 20 workers read samples
run digits_quickstart --local.steps 1000000000000 --method D-SFADMM|must be at most 2147483647
run digits_quickstart --problem.standardise yes --problem.kind classification|must be true or false
run digits_quickstart --channel.snr-db -180 --method D-SFADMM|slots, more than 1e+12
""".strip("\n").splitlines()


@pytest.mark.parametrize("line", WORDS, ids=[line.rpartition("|")[0] for line in WORDS])
def test_words_that_make_no_sense(refused, line):
    words, _, part = line.rpartition("|")
    assert part in refused(*shlex.split(words))


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["run", LONG + ".toml"], "File name too long"),
        (["run", "quickstart", "--out", LONG], "must be a folder"),
        (["plot", LONG], "no such file"),
        (["run", "quickstart", "--method", f"D-FADMM-{LONG}x"], "unknown method"),
        (["run", "quickstart", "--channel.snr-db", LONG], "valid number"),
        (["run", "quickstart", "--channel.snr-db", "[" * 5000], "valid number"),
        (["run", "quickstart", "--problem.dataset", "\x1b[31m\n\tred"], "must be one of"),
        (["run", "quickstart", "--problem.model", "\udcff"], "valid string"),
        (["run", "\udcff.toml"], "must be a path in UTF-8"),
    ],
    ids=range(9),
)
def test_words_that_are_long_or_cannot_be_shown(refused, words, part):
    assert part in refused(*words)


def test_sweeps_of_too_many_points(refused):
    many = [str(value) for value in range(300)]
    words = ["--channel.snr-db", *many[:100], "--uplink.subcarriers", *many[1:202]]
    assert "makes 80,400 points, but a study can have at most 10,000" in refused("show", "quickstart", *words)


def test_memory_that_gives_out_all_the_same(refused, monkeypatch):
    def exhaust(scenario: object) -> None:
        raise MemoryError

    monkeypatch.setattr("otafl.scenario.study_size.require", exhaust)
    assert "memory does not suffice" in refused("run", "quickstart")
