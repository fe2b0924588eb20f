"""Words on the command line: typing errors, wrong types, numbers without bound, parts that contradict each other."""

import shlex

import pytest

LONG = "9" * 5000
WORDS = """
|Expected one of
frobnicate|Unrecognized options: frobnicate
list extra|folder = 'extra': unknown folder
show|NAME
run|NAME
plot|RESULT.nc
plot a.nc b.nc|no such file
plot a.nc|no such file
plot /dev/zero|no such file
plot 'a[/b].nc'|result = 'a[/b].nc'
run quickstrat|did you mean 'quickstart'?
run Quickstart|did you mean 'quickstart'?
run 'a[/b]'|scenario = 'a[/b]': unknown scenario
run 'a[/b].toml'|cannot be read
run ''|unknown scenario
run /dev/null|unknown scenario
run quickstart quickstart|Unrecognized options: quickstart
run quickstart --out|Expected 1 values
run quickstart --out a b|Unrecognized options: b
run quickstart --channel.snr 20|--channel.snr-db
run quickstart --federation.worker 3|--federation.workers
run quickstart '--[/b]' 3|Unrecognized options: --[/b]
run quickstart --run '{seeds = 1}'|Unrecognized options
run quickstart --channel 3|Unrecognized options
run quickstart --plot.kind pie|must be 'curve'
run quickstart --channel.snr-db|needs a value
run quickstart --channel.snr-db loud|valid number
run quickstart --channel.snr-db '[]'|at least one value
run quickstart --channel.snr-db '[[1, 2], [3]]'|valid number
run quickstart --channel.snr-db nan|decibels
run quickstart --channel.snr-db=-201|decibels
run quickstart --channel.snr-db 20 20.0|twice
run quickstart --channel.snr-db 1979-05-27|valid number
run quickstart --channel.coherence-iterations 1.5|whole number
run quickstart --channel.fading fog|'none', 'rayleigh'
run quickstart --uplink.kind smoke|'analog', 'digital' or 'ideal'
run quickstart --uplink.kind digital|carried by the analog uplink
run quickstart --uplink.slot-s nan|finite
run quickstart --uplink.slot-s 1e300|from 1e-12 to 1e+12
run quickstart --uplink.slot-s 1e-5|at least 1/uplink.subcarrier_spacing_hz = 6.66667e-05 s, the length of a symbol
run quickstart --uplink.subcarrier-spacing-hz 100|at least 1/uplink.subcarrier_spacing_hz = 0.01 s
run quickstart --method D-FADMM --uplink.symbols-per-slot as_printed --uplink.slot-s 6.6e-5|the length of a symbol
run digits_quickstart --method FedAvg@digital --uplink.bits-per-element 1|must be 16 or 32, of a float
run quickstart --uplink.slot-s 1e12 --uplink.noise-psd-w-per-hz 1e-30|noise power
run quickstart --uplink.slot-s 1e12 --uplink.subcarrier-spacing-hz 1e30|number of symbols
run quickstart --uplink.subcarrier-spacing-hz 1e-300|from 1e-36 to 1e+36
run quickstart --uplink.subcarrier-spacing-hz 1e-36|transmit power
run quickstart --uplink.noise-psd-w-per-hz 1e36|transmit power
run quickstart --uplink.peak-backoff-db 1e300|from -20 to 300, or inf
run quickstart --uplink.update-norm-decay 1e300|from 0 to
run quickstart --method D-FADMM --uplink.compressor qsgd --uplink.bits-per-element 1000000000|at most 32
run quickstart --channel.coherence-s 1e-12 --local.compute-s 1e12|can be counted
run quickstart --energy.whole true --channel.snr-db inf|needs a finite channel.snr_db
run quickstart --energy.whole true --energy.clock-hz 1e300|from 1e-36 to 1e+15
run quickstart --method A-FADMM --cell.antennas 4096|at most 256
run quickstart --uplink.bits-per-element 0|greater than or equal to 1
run quickstart --uplink.subcarriers 0|one_slot
run quickstart --uplink.downlink analog|can be used only with the analog uplink
run quickstart --algorithm.rho=-1|greater than 0
run quickstart --run.seed 4294967296|less than
run quickstart --run.seeds 1.5|integer
run quickstart --run.seeds true|integer
run quickstart --run.seeds 3 4|cannot be swept
run quickstart --run.record some|'all' or 'log'
run quickstart --method ''|unknown method
run quickstart --method ÄFADMM|unknown method
run quickstart --method A-FADMM A-FADMM|twice
run quickstart --method D-FADMM-10x --uplink.subcarriers one_slot|contradicts
run quickstart --method D-FADMM-99999999999999999999x|unknown method
run quickstart --problem.dataset cats|must be one of
run quickstart --problem.dataset ''|at least 1 character
run quickstart --problem.kind clustering|classification
run quickstart --problem.kind classification|
run quickstart --problem.model mlp_small|do not read it
run quickstart --federation.workers 443|must not exceed the number of samples, 442
run quickstart --federation.workers 2.0|integer
run quickstart --federation.partition shards|needs labels
run quickstart --federation.partition natural|name each sample's worker
run quickstart --federation.probabilities 0 0|greater than 0
run quickstart --federation.workers 2 --federation.probabilities '[1e-300, 1e-300]'|add up to a whole number
run quickstart --federation.workers 2 --federation.probabilities '[1.0]'|one entry for each
run quickstart --federation.workers 2 --federation.probabilities '["a", "b"]'|valid number
run quickstart --federation.participation 0|greater than 0
run quickstart --federation.participation 1.5|less than or equal to 1
run quickstart --federation.participation 1e-9|leaves none
run quickstart --local.steps 3|do not read it
run digits_quickstart --local.steps 3 --local.epochs 2 --method FedAvg|contradicts local.steps
run digits_quickstart --method FedAvg --local.batch-size some|'all'
run digits_quickstart --method FedAvg --algorithm.rho-schedule 30|
run digits_quickstart --method FedProx --algorithm.rho-schedule '0: 1'|rounds and positive values
run digits_quickstart --method FedProx --algorithm.rho-schedule '1e9: nan'|rounds and positive values
run digits_quickstart --method FedProx --algorithm.rho-schedule '99999: 1'|beyond run.iterations
run digits_quickstart --problem.model cnm|must be one of
run digits_quickstart --problem.model :f|cannot be imported
run digits_quickstart --problem.model os:name|must name a function
run digits_quickstart --federation.partition shards --federation.shards 1000|must divide
run digits_quickstart --federation.partition labels --federation.labels-per-worker 11|must not exceed
run digits_quickstart --federation.partition imbalanced --federation.workers 7|must be even
run digits_quickstart --federation.labelled 0|greater than 0
""".strip("\n").splitlines()


@pytest.mark.parametrize("line", WORDS, ids=[line.rpartition("|")[0] for line in WORDS])
def test_words_that_make_no_sense(refused, line):
    words, _, part = line.rpartition("|")
    assert part in refused(*shlex.split(words))


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["run", LONG], "unknown scenario"),
        (["run", LONG + ".toml"], "File name too long"),
        (["run", "quickstart", "--out", LONG], "must be a folder"),
        (["plot", LONG], "no such file"),
        (["run", "quickstart", f"--{LONG}", "1"], "Unrecognized"),
        (["run", "quickstart", "--method", f"D-FADMM-{LONG}x"], "unknown method"),
        (["run", "quickstart", "--run.seeds", LONG], "valid integer"),
        (["run", "quickstart", "--channel.snr-db", LONG], "valid number"),
        (["run", "quickstart", "--channel.snr-db", "-" + LONG[:4000]], ""),
        (["run", "quickstart", "--channel.snr-db", "[" * 5000], "valid number"),
        (["run", "quickstart", "--problem.dataset", "\x1b[31m\n\tred"], "must be one of"),
        (["run", "a\nb"], "unknown scenario"),
        (["run", "quickstart", "--problem.model", "\udcff"], "valid string"),
        (["run", "\udcff.toml"], "must be a path in UTF-8"),
    ],
    ids=range(14),
)
def test_words_that_are_long_or_cannot_be_shown(refused, words, part):
    assert part in refused(*words)


UNBOUNDED = {
    "run.seeds 1000000000": "run.seeds = 1000000000: makes 4,000,000,000 runs, but a study can have at most 100,000",
    "run.seeds 1000000000000": "must be at most 2147483647, as programs count in 32 bits",
    "run.seeds 25000 --run.iterations 1000000": "take",
    "run.iterations 1000000000000": "must be at most 2147483647",
    "run.iterations 2000000000": "run.iterations = 2000000000: curves of 20 runs take",
    "run.iterations 2000000000 --run.record log": "side by side take",
    "uplink.subcarriers 2000000000 --method D-FADMM": "uplink.subcarriers = 2000000000: gains of 20 workers on",
    "uplink.subcarriers 1000000000000": "must be at most 2147483647",
    "uplink.subcarriers 30 --method D-FADMM-999999999x": "gains of 20 workers on 29,999,999,970 subcarriers",
    "federation.workers 1000000000": "must not exceed the number of samples, 442",
    "problem.samples 1000000000 --problem.dataset synthetic": "problem.samples = 1000000000: problem.dataset",
    "problem.dimension 1000000000 --problem.dataset synthetic": "problem.dimension = 1000000000: the equations",
    "problem.dimension 20000 --problem.samples 50 --problem.dataset synthetic": "with 20,000 unknowns",
    "channel.snr-db -150 --method D-FADMM": "channel.snr_db = -150.0: an upload of 320 bits would take 3e+16 slots",
    "channel.snr-db -200 --method D-GD": "would take 3e+21 slots",
    "channel.snr-db -100 --method D-FADMM --uplink.subcarriers one_slot": "subcarriers, more than 1e+09",
    "uplink.bits-per-element 2000000000 --method D-FADMM": "must be 16, 32 or 64, of a floating-point number",
    "uplink.bits-per-element 1000000000000 --method D-FADMM": "must be at most",
}
NETWORKS = {
    "local.batch-size 1000000000": "local.batch_size = 1000000000: the order in which 20 workers read samples",
    "local.steps 1000000000 --method D-SFADMM": "local.steps = 1000000000: the order in which",
    "local.steps 1000000000000 --method D-SFADMM": "must be at most 2147483647",
    "local.epochs 1000000000 --method FedAvg": "local.epochs = 1000000000: the order in which",
    "run.iterations 2000000000": "curves of",
    "run.seeds 100001 --method FedAvg": "makes 100,001 runs",
    "federation.workers 1000000": "must not exceed the number of samples",
    "algorithm.pseudo-steps 1000000000 --method FedVRA-U": "must be from 1 to 100",
    "problem.standardise yes --problem.kind classification": "must be true or false",
    "channel.snr-db -180 --method D-SFADMM": "slots, more than 1e+12",
}


@pytest.mark.parametrize(
    ("name", "words", "part"),
    [("quickstart", words, part) for words, part in UNBOUNDED.items()]
    + [("digits_quickstart", words, part) for words, part in NETWORKS.items()],
)
def test_numbers_without_bound(refused, name, words, part):
    assert part in refused("run", name, *shlex.split(f"--{words}"))


def test_sweeps_of_too_many_points(refused):
    many = [str(value) for value in range(300)]
    words = ["--channel.snr-db", *many[:100], "--uplink.subcarriers", *many[1:202]]
    assert "makes 80,400 points, but a study can have at most 10,000" in refused("show", "quickstart", *words)


def test_memory_that_gives_out_all_the_same(refused, monkeypatch):
    def exhaust(scenario: object) -> None:
        raise MemoryError

    monkeypatch.setattr("otafl.scenario.study_size.require", exhaust)
    assert "memory does not suffice" in refused("run", "quickstart")


@pytest.mark.parametrize("rate", ["1e9", "1e30"])
def test_numbers_that_make_a_run_diverge(call, rate):
    """That is an outcome, and no mistake."""
    keys = ["--run.iterations", "2", "--run.seeds", "1", "--federation.workers", "2", "--local.epochs", "1"]
    method = ["--method", "FedVRA-U", "--problem.model", "linear"]
    answer = call("run", "digits_quickstart", *keys, *method, "--local.learning-rate", rate)
    assert answer.code == 0
    assert all(line.startswith("note: ") for line in answer.stderr.splitlines())
    assert "diverged" in answer.stdout


@pytest.mark.slow
def test_values_that_are_almost_bad(call):
    """The lowest SNR of a digital upload that ends, and names that look like markup."""
    keys = ["--method", "D-FADMM", "--run.iterations", "2", "--run.seeds", "1", "--channel.snr-db", "-90"]
    answer = call("run", "quickstart", *keys, "--out", "o[/b]")
    assert (answer.code, answer.stderr) == (0, "")
    assert "wrote o[/b]/quickstart.nc" in answer.stdout
