"""Keys that break a rule, or contradict each other or a method: refused by key, value and reason, nothing written."""

import json

import pytest

import otafl
from otafl.errors import OtaflError
from tests.otafl.small import SMALL

CELL = {"cell.radius_m": 400.0, "cell.snr_at": "median"}
SURFACE = {"method": "FedAvg@analog", "cell.surface_elements": 4, "uplink.subcarriers": 2, "cell.antennas": 3}
SURFACE |= {"uplink.precoder": "channel_inversion", "cell.radius_m": 100.0, "cell.inner_radius_m": 50.0}
REGRESSIONS = {
    "plain": SMALL | {"method": "A-FADMM"},
    "digital": SMALL | {"method": "D-FADMM"},
    "blind": SMALL | {"method": "A-GD", "cell.antennas": 2, "uplink.combiner": "sum"},
    "cell": SMALL | CELL | {"method": "A-FADMM"},
    "ring": SMALL | CELL | {"method": "D-FADMM", "cell.neighbours": 6},
    "surface": SURFACE,
    "heavy": SMALL | {"method": "A-GD", "channel.noise": "alpha_stable"},
    "cut": SMALL | {"method": "A-FADMM", "federation.cut_chance": 0.5},
}
NETWORKS = {
    "FedAvg": {"method": "FedAvg"},
    "network": {},
    "fixed": {"method": "FedAvg@digital", "uplink.compressor": "top_k", "uplink.allocation": "fixed_uses"},
    "hostile": {"method": "FedAvg", "federation.hostile": 0.1, "uplink.subcarriers": 256},
    "bound": {"method": "FedAvg", "uplink.clip_norm": 1.0, "uplink.subcarriers": 256},
    "adapters": {"method": "FedAvg", "problem.adapter_rank": 2},
    "pretrained": {"method": "FedAvg", "problem.pretraining": 0.2, "federation.workers": 5},
    "characters": {"method": "FedAvg", "problem.dataset": "characters", "problem.model": "transformer"},
}
REFUSED = r"""
plain | channel.snr_db=true | channel.snr_db = True: must be a valid number
plain | channel.coherence_iterations=0 | channel.coherence_iterations = 0: must be a whole number of at least 1, or inf
plain | channel.coherence_iterations=-Infinity | channel.coherence_iterations = -inf: must be a whole number
plain | channel.coherence_iterations=NaN | channel.coherence_iterations = nan: must be a whole number
plain | uplink.subcarriers=two_slots | uplink.subcarriers = 'two_slots': must be a valid integer or be 'one_slot'
plain | uplink.subcarriers=["one_slot",10,0] | uplink.subcarriers = 0: must be greater
plain | uplink.inversion_threshold=0.0 | uplink.inversion_threshold = 0.0: must be greater than 0
plain | federation.workers=0 | federation.workers = 0: must be greater than or equal to 1
plain | algorithm.rho=Infinity | algorithm.rho = inf: must be a finite number
plain | algorithm.rho="0.5" | algorithm.rho = '0.5': must be a valid number
plain | local.learning_rate=0 | local.learning_rate = 0: must be greater than 0
plain | problem.condition_number=0.5 | problem.condition_number = 0.5: must be greater than or equal to 1
plain | problem.dataset=cats | must be one of california_housing, diabetes, breast_cancer, synthetic, mixture where
plain | problem.kind=["linear_regression"] | sweep.problem.kind = ['linear_regression']: cannot be swept
plain | run.iterations=0 | run.iterations = 0: must be greater than or equal to 1
plain | run.seeds=0 | run.seeds = 0: must be greater than or equal to 1
plain | run.seed=-1 | run.seed = -1: must be greater than or equal to 0
plain | run.max_channel_uses=0 | run.max_channel_uses = 0: must be greater than 0
plain | method=5 | method = 5: must be a valid string
plain | method=["A-FADMM","B-FADMM"] | method = 'B-FADMM': unknown method
plain | method=D-GD uplink.kind=analog | uplink.kind = 'analog': D-GD is carried by the digital
plain | channel.snr_db=[20,30,20] | sweep.channel.snr_db = [20, 30, 20]: must not list a value twice
plain | plugins=my_schemes | plugins = 'my_schemes': must list modules
plain | plugins=[1] | plugins = [1]: must list modules
plain | plugins=[""] | plugins = ['']: must list modules
plain | plot.x=nonsense | plot.x = 'nonsense': must be 'iteration', 'time_slots'
plain | plot.cost=nonsense | plot.cost = 'nonsense': must be 'iteration', 'time_slots', 'time', 'channel_uses', 'energy'
plain | plot.x=3 | plot.x = 3: must be a valid string
plain | plot.cost=3 | plot.cost = 3: must be a valid string
plain | plot.y=3 | plot.y = 3: must be a valid string
plain | plot.y=test_accuracy | plot.y = 'test_accuracy': regressions have none
plain | plot.y=local_epochs | plot.y = 'local_epochs': none of the methods trains in epochs
plain | plot.y=worker_accuracy | plot.y = 'worker_accuracy': run.metrics does not name it
plain | run.metrics=["nonsense"] | run.metrics = 'nonsense': must be 'worker_accuracy'
plain | run.metrics=["worker_accuracy"] | 'worker_accuracy': reads accuracies of workers, which only classification has
plain | run.metrics=worker_accuracy | run.metrics = 'worker_accuracy': must be a valid tuple
plain | run.metrics=["worker_accuracy","worker_accuracy"] | must not list a metric twice
plain | run.metrics=[["worker_accuracy"],[]] | sweep.run.metrics =
plain | run.stop_at={"test_accuracy":0.9} | {'test_accuracy': 0.9}: must name one of loss, primal_residual
plain | run.stop_at={"energy":1.0} | {'energy': 1.0}: must name one of loss
plain | run.stop_at={"nonsense":1.0} | {'nonsense': 1.0}: must name one of loss
plain | run.stop_at={"loss":0.0} | {'loss': 0.0}: must be above 0 and at most inf
plain | run.stop_at={"loss":NaN} | run.stop_at = nan: must be a finite number
plain | run.stop_at={"loss":"small"} | run.stop_at = 'small': must be a valid number
plain | run.stop_at=0.9 | run.stop_at = 0.9: must be a valid dictionary
plain | run.stop_at={"loss":1.0,"primal_residual":1.0} | must name one variable
plain | run.stop_at=[{"loss":1.0}] | cannot be swept
plain | run.stop_at={"loss":1.0} run.target_loss=0.1 | run.target_loss = 0.1: A-FADMM over the analog uplink does not
plain | channel.estimator=least_squares | channel.estimator = 'least_squares': channel.fading = rayleigh with A-FADMM
plain | cell.radius_m=100 cell.snr_at=link_budget channel.symbol_snr_db=20 | follows from the link budget
plain | channel.fading=file channel.file="a\u0000.npz" | there is no such file
digital | channel.estimator=least_squares channel.pilots=1 | belongs to analog uploads
digital | method=FedAvg@ideal channel.symbol_snr_db=20 | over the ideal uplink does not read it
network | problem.dataset="a\u0000.npz" | there is no such file
network | run.stop_at={"test_accuracy":1.1} | {'test_accuracy': 1.1}: must be above 0 and at most 1
network | run.threads=0 | run.threads = 0: must be greater than or equal to 1
network | method=D-SFADMM channel.snr_db=[10.0,-190.0] | channel.snr_db = -190.0: an upload of 75,776 bits
FedAvg | federation.partition=labels federation.labels_per_worker=10 federation.workers=1400 | are too few for 1400
plain | channel.timing_error_s=0.001 | channel.timing_error_s = 0.001: must be below the length of a symbol
plain | cell.antennas=9 cell.worker_antennas=2 uplink.combiner=sca | can have at most 8 cell.antennas
plain | uplink.combiner=principal | does not read it
plain | channel.pilots=2 uplink.elements_per_symbol=2 | whose two parts would leak
plain | channel.phase_error_rad=0.1 uplink.downlink=analog | which divides by gains
plain | channel.linewidth_hz=1.0 uplink.elements_per_symbol=2 | channel.linewidth_hz = 1.0: contradicts uplink.elements
plain | channel.carrier_offset_hz=1.0 uplink.downlink=analog | which divides by gains
plain | channel.carrier_offset_hz=1.0 channel.carrier_offset_ppm=0.1 | the offset is given in one of the two units
plain | channel.carrier_hz=1e9 | does not read it
plain | channel.carrier_hz=3.5e9 | does not read it
plain | channel.pilot_period_slots=2 | needs a carrier offset, phase noise or channel.evolves
plain | channel.linewidth_hz=1.0 channel.between_pilots=linear | needs channel.pilot_period_slots
plain | channel.linewidth_hz=1.0 channel.carrier_offset_drawn=each_upload | needs channel.carrier_offset_hz
plain | channel.evolves=by_symbol | needs gains that are known between blocks, of jakes, tdl, cdl, umi, uma, rma
plain | channel.fading=raytraced channel.evolves=by_symbol | needs gains that are known between blocks, of jakes
plain | channel.linewidth_hz=1.0 channel.carrier_offset_law=uniform | needs channel.carrier_offset_hz
digital | channel.linewidth_hz=1.0 | channel.pilot_period_slots = 0: must be at least 1: a receiver of digital uploads
digital | channel.linewidth_hz=1.0 channel.pilot_period_slots=1 uplink.symbols_per_slot=as_printed | needs symbols of
heavy | channel.server_linewidth_hz=1.0 | contradicts channel.server_linewidth_hz: interference is normal
plain | channel.fading=jakes channel.evolves=by_symbol uplink.charge_side_information=true | needs channel.pilots where
surface | channel.fading=jakes channel.evolves=by_symbol | whose phases are chosen once in a block
fixed | channel.linewidth_hz=1.0 channel.pilot_period_slots=1 | workers would not know their bits
plain | channel.fading=tdl channel.delay_spread_s=-1.0 | must be from 0 to 1
plain | channel.fading=tdl channel.tdl_model=F | must be 'A', 'B', 'C', 'D' or 'E'
plain | cell.antennas=0 | cell.antennas = 0: must be greater than or equal to 1
plain | channel.pilots=-1 | channel.pilots = -1
plain | channel.fading=cdl cell.antennas=4 | whose workers are all in the same direction
plain | channel.fading=umi cell.radius_m=100 | which places workers
plain | channel.fading=raytraced channel.scene_server=1,2 | must be three numbers of metres
plain | cell.radius_m=5.0 | cell.inner_radius_m = 10.0: must be below cell.radius_m = 5
plain | cell.radius_m=50 cell.sector_deg=90 cell.neighbours=2 | whose workers are all around
plain | cell.radius_m=200 cell.most_loss_db=40 | must be larger, as hardly any place has coverage
plain | cell.most_loss_db=100 | does not read it
plain | cell.radius_m=200 cell.snr_at=link_budget channel.snr_db=3 | follows from the link budget
plain | federation.participation=0.5 uplink.downlink=analog | uplink.downlink = 'analog': needs all workers in every
plain | federation.deadline_s=1.0 uplink.downlink=analog | uplink.downlink = 'analog': needs all workers
plain | uplink.outage=0.2 | does not read it
plain | channel.coherence_s=1e-6 channel.snr_db=-150 uplink.charge_downlink=true | channel.coherence_s = 1e-06: makes
plain | method=D-FADMM problem.kind=logistic_regression | problem.dataset = 'synthetic': must have the targets 0 and 1
plain | method=D-FADMM problem.kind=ridge_regression | problem.l2_weight = 0.0: must be above 0 in ridge regression
plain | energy.clock_hz=2e9 | not read it
plain | energy.whole=true energy.amplifier_efficiency=1.5 | energy.amplifier_efficiency
blind | method=A-FADMM | leaves workers without knowledge of their channels, by which A-FADMM
blind | cell.worker_antennas=2 | cell.worker_antennas = 2, which supposes that workers know their channels
blind | channel.pilots=1 | channel.pilots = 1, which supposes that workers know their channels
blind | cell.radius_m=100.0 | which nobody knows and which differ here
digital | method=FedAvg@digital channel.pilots=1 uplink.outage=0.2 | the slowest workers would be known without pilots
digital | local.compute_s=by_hand | local.compute_s = 'by_hand'
digital | local.compute_s=-1.0 | local.compute_s = -1.0
digital | energy.clock_spread=0.5 | energy.clock_spread = 0.5: D-FADMM over the digital uplink does not read it
digital | local.compute_s=by_clock energy.clock_spread=1.0 | energy.clock_spread = 1.0: must be less than 1
digital | federation.deadline_s=0.0 | federation.deadline_s = 0.0
digital | federation.deadline_s=1e-3 local.compute_s=5.0 | federation.deadline_s = 0.001: must be at least 5
digital | federation.deadline_s=1.0 method=D-GD | must be left out: with D-GD all workers take part
digital | federation.deadline_s=1.0 channel.pilots=2 | federation.deadline_s = 1.0: contradicts channel.pilots
digital | plot.y=loss plot.x=late_workers | plot.x = 'late_workers': it needs federation.deadline_s
digital | local.compute_s=by_clock energy.clock_hz=1e-20 channel.coherence_s=1.0 | channel.coherence_s = 1.0: makes
digital | method=FedAvg@ideal uplink.charge_downlink=true | = True: FedAvg over the ideal uplink
digital | method=FedAvg@ideal energy.whole=true | needs a radio, but the ideal uplink has none
digital | method=FedAvg@ideal federation.participation=0.5 federation.sampling=channel | the ideal uplink has none
digital | uplink.symbols_per_slot=15 | at most the 14 complex symbols that fit in a slot with their cyclic prefixes
digital | channel.coherence_s=0.0 | channel.coherence_s = 0.0
digital | channel.coherence_s=1.0 channel.coherence_iterations=5 | channel.coherence_iterations
digital | channel.coherence_s=1e-12 | would take
digital | uplink.outage=1.0 | less than 1
digital | uplink.outage=-0.1 | greater than or equal to 0
digital | uplink.outage=0.2 method=D-GD | must be 0: with D-GD all workers take part
digital | uplink.outage=0.2 uplink.subcarriers=one_slot | contradicts uplink.subcarriers
digital | uplink.outage=0.99 federation.workers=10 | leaves none of 10 workers
digital | uplink.allocation=min_makespan uplink.subcarriers=one_slot | no band to share
digital | uplink.allocation=min_makespan uplink.power_reference=total | equal parts of the band
digital | uplink.allocation=proportional_fair channel.coherence_s=1.0 | shares are constant
digital | uplink.block_error=0.1 | does not read it
digital | channel.phase_error_rad=0.1 | over the digital uplink does not read it: only uplink.kind = 'analog' has it
digital | uplink.code=turbo | shannon
digital | uplink.code=normal uplink.block_error=1.0 | less than 1
digital | algorithm.weight_exponent=1.0 | weight_exponent = 1.0: D-FADMM over the digital uplink
digital | uplink.compressor=qsgd uplink.bits_per_element=1 | bits_per_element of at least 2, as one is a sign
cell | cell.radius_m=null cell.snr_at=null federation.largest_loss_db=100 | federation.largest_loss_db
cell | federation.largest_loss_db=-1.0 | federation.largest_loss_db = -1.0
cell | federation.largest_loss_db=100 method=D-GD | with D-GD all workers take part
cell | cell.snr_at=best | cell.snr_at
cell | cell.activity=0.5 | does not read it
ring | cell.radius_m=null cell.snr_at=null | needs a ring of workers, cell.radius_m
ring | cell.antennas=2 | contradicts cell.neighbours
ring | method=A-FADMM channel.noise=alpha_stable | contradicts cell.neighbours
ring | channel.snr_db=Infinity | needs a finite channel.snr_db
ring | cell.neighbours=7 | less than or equal to 6
surface | method=FedAvg@digital uplink.precoder=null uplink.subcarriers=6 | needs an analog upload
surface | cell.radius_m=null cell.inner_radius_m=null | needs cell.radius_m
surface | cell.worker_antennas=2 cell.antennas=1 | contradicts cell.worker_antennas = 2
surface | channel.pilots=2 | needs channel.estimator = "least_squares"
surface | uplink.subcarriers=one_slot uplink.charge_side_information=true | contradicts uplink.subcarriers = "one_slot"
surface | uplink.precoder=truncated_inversion uplink.power_control=average cell.antennas=1 | phases are not Rayleigh
surface | cell.surface_elements=0 cell.surface_distance_m=10.0 | does not read it
heavy | channel.pilots=1 | contradicts channel.pilots = 1
heavy | uplink.downlink=analog | contradicts uplink.downlink
heavy | uplink.peak_backoff_db=3.0 | contradicts uplink.peak_backoff_db
heavy | uplink.power_control=mmse uplink.precoder=phase_compensation | the variance is infinite
heavy | channel.noise_alpha=1.0 | greater than 1
heavy | method=D-FADMM | does not read it
heavy | channel.noise=gaussian channel.noise_alpha=1.2 | does not read it
cut | federation.cut_chance=1.5 | federation.cut_chance = 1.5
cut | method=D-GD | must be 0 with the digital uplink, which loses a cut upload: with D-GD all workers
cut | method=FedSGD@digital uplink.receiver=majority uplink.compressor=sign | uplink.receiver = 'majority' needs all
cut | method=FedAvg@ideal | FedAvg over the ideal uplink does not read it
network | method=FedPD federation.participation=0.5 | federation.participation = 0.5: must be 1: with FedPD
network | method=VRL-SGD federation.participation=0.5 | with VRL-SGD all workers take part
network | method=A-SGD federation.participation=0.5 | must be 1: with A-SGD all workers take part
FedAvg | federation.participation=0.0 | federation.participation = 0.0: must be greater than 0
FedAvg | federation.participation=1.5 | must be less than or equal to 1
FedAvg | federation.participation=0.01 | leaves none of 20 workers
FedAvg | federation.probabilities=[0.5,0.5] | one entry for each of the 20 workers, not 2
FedAvg | federation.probabilities=[0.33,0.33] federation.workers=2 | must add up to a whole number of workers
FedAvg | federation.probabilities=[0.5,0.5] federation.workers=2 federation.participation=0.5 | contradicts
FedAvg | algorithm.regulariser=l1 | 'l1': FedAvg over the digital uplink does not read it
FedAvg | federation.partition=natural | data that name each sample's worker
FedAvg | local.epochs=0 | local.epochs = 0: must be greater than or equal to 1
FedAvg | local.steps=5 local.epochs=5 | contradicts local.steps
FedAvg | local.steps=5 local.work=uniform | draws epochs
FedAvg | local.batch_size=all local.steps=3 | only with federated methods and local.epochs
FedAvg | local.warm_start=local | does not read it: it has only one start of local training
FedAvg | algorithm.communication_probability=0.5 | communication_probability = 0.5: FedAvg over the
FedAvg | algorithm.server_step_schedule=300:0.1 | must not name rounds beyond run.iterations
FedAvg | federation.weights=samples federation.sampling=weighted | or numbers of samples would count twice
network | method=FedVRA-U algorithm.regulariser=l1 | must be 'none' or 'box' with FedVRA-U
network | method=VRL-SGD federation.partition=imbalanced | and VRL-SGD needs equal numbers
network | method=FedADMM-In local.steps=5 | looks at its residual after every epoch
network | method=VRL-SGD local.work=uniform | must be 'fixed' with VRL-SGD
network | method=SCAFFOLD local.optimizer=adam | local.optimizer = 'adam': must be 'sgd' with SCAFFOLD
network | method=FedNova local.optimizer=momentum | must be 'sgd' with FedNova: it divides by the number of
network | method=FedADMM-Gong algorithm.rho=0.0 | algorithm.rho = 0: must be greater than 0 with FedADMM-Gong
network | method=FedVRA algorithm.rho=0.0 | algorithm.rho = 0: must be greater than 0 with FedVRA
network | method=FedADMM-Gong algorithm.rho_schedule=30;0.1 | must name rounds and positive values
network | method=FedADMM algorithm.rho_schedule=3:0.1 | does not read it: it cannot change rho during a run
network | method=A-SFADMM algorithm.rho_schedule=3:0.1 | over the analog uplink does not read it: it cannot change
network | method=FedDyn algorithm.server_step_schedule=3:0.1 | cannot change server_step during a run
network | method=A-SFADMM algorithm.weight_exponent=-1.0 | weight_exponent = -1
network | method=FedVRA federation.sampling=weighted | must be a number where workers take part with unequal
network | method=SCAFFOLD federation.weights=samples | all workers have equal weights in its objective
hostile | method=SCAFFOLD | attacks and bounds are on updates
hostile | method=FedNova federation.hostile=1.0 | attacks and bounds are on updates
hostile | federation.hostile=0.0 federation.attack=norm | does not read it
hostile | federation.hostile=1.5 | less than or equal to 1
hostile | federation.attack=norm uplink.compressor=sign | signs have no length
bound | method=A-SFADMM | attacks and bounds are on updates
bound | uplink.compressor=sign | signs have no length
network | method=FedNova uplink.scheme=signSGD-MV | needs sums of vectors
adapters | problem.model=tests.otafl.training.test_layers:scaled | must be 0, as the model has no weight matrix
adapters | problem.adapter_rank=-1 | problem.adapter_rank = -1
adapters | problem.adapter_rank=0 problem.adapter_alpha=2.0 | problem.adapter_alpha = 2.0
adapters | algorithm.start=random method=A-SFADMM | algorithm.start = 'random': must be 'common'
pretrained | problem.pretraining=1.0 | problem.pretraining = 1.0
pretrained | problem.pretraining=0.0 problem.pretraining_epochs=2 | problem.pretraining_epochs = 2
pretrained | problem.dataset=synthetic federation.partition=natural | belong to no worker
pretrained | problem.pretraining=0.999 | federation.workers = 5
pretrained | problem.kind=linear_regression problem.dataset=diabetes | does not read it
characters | problem.standardise=true | problem.standardise = True: must be false where features are numbers of symbols
characters | problem.dataset=digits | must be sequences of characters
"""
"""A base, changed keys, and what the refusal says."""


def value(text: str):
    """Return a key's value, a number where it is written as one."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


@pytest.mark.parametrize("line", REFUSED.strip().splitlines())
def test_what_contradicts_itself_is_refused(line, tmp_path):
    base, words, said = line.split(" | ")
    changed = {key: value(text) for key, text in (word.split("=") for word in words.split())}
    scenario, bases = ("digits_quickstart", NETWORKS) if base in NETWORKS else ("quickstart", REGRESSIONS)
    keys = {key: given for key, given in (bases[base] | changed).items() if given is not None}
    with pytest.raises(OtaflError) as refusal:
        otafl.run(scenario, keys, out=tmp_path / "out")
    assert said in str(refusal.value)
    assert not (tmp_path / "out").exists()
