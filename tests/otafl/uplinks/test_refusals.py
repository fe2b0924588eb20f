"""Parts and schemes of uplinks that make no sense with a method, a channel or each other, refused by their reasons."""

import pytest

import otafl
from otafl.errors import OtaflError
from tests.otafl.small import chosen

CODEBOOK = {"compressor": "codebook", "receiver": "codeword_counts", "precoder": "channel_inversion"}
ENERGIES = {"compressor": "signed_energy", "receiver": "energy_difference", "precoder": "mean_inversion"}
INTEGERS = {"compressor": "uniform", "receiver": "sum_of_integers"}
FIXED = {"compressor": "top_k", "allocation": "fixed_uses"}
EDGES = {"power_control": "per_edge", "edges": 4}
OBDA, COTAF, BAA, REED = {"scheme": "OBDA"}, {"scheme": "COTAF"}, {"scheme": "BAA"}, {"scheme": "REED"}
VOTES, SPARSE = {"scheme": "FSK-MV"}, {"scheme": "CA-DSGD"}
SURFACE = {"cell__radius_m": 200.0, "cell__surface_elements": 4}
AVERAGE, STEP, MODELS = "FedAvg@analog", "FedSGD@analog", "A-SFADMM"

SCHEMES = [
    (chosen(MODELS, COTAF), "must be 'channel_inversion': A-SFADMM already weighs by gains"),
    (chosen(MODELS, SPARSE), "already weighs by gains"),
    (chosen(MODELS, REED), "already weighs by gains"),
    (chosen("SCAFFOLD@analog", OBDA), "gives signs, but SCAFFOLD"),
    (chosen(STEP, OBDA, federation__participation=0.5), "needs all workers in every round"),
    (chosen(STEP, OBDA, federation__weights="samples"), "votes have equal weights"),
    (chosen(STEP, OBDA, receiver="mean_of_active"), "'mean_of_active': is chosen by uplink.scheme = OBDA"),
    (chosen(STEP, OBDA, power_control="common"), "'common': is chosen by uplink.scheme = OBDA"),
    (chosen(AVERAGE, BAA, cell__antennas=2), "averages over the fading of a single antenna"),
    (chosen(AVERAGE, COTAF, cell__antennas=2, combiner="sum"), "contradicts uplink.combiner = 'sum'"),
    (chosen("A-SGD", COTAF, local__steps=5), "with local.steps sends models"),
    (chosen("A-SGD", SPARSE, local__steps=5), "few large elements"),
    (chosen(AVERAGE, scheme="COTA"), "must be 'inversion', 'truncation', 'full_power'"),
    (chosen("FedAvg@digital", COTAF), "do not read it|does not read it"),
    (chosen(AVERAGE, update_norm=2.0), "does not read it"),
    (chosen("FedAvg", precoder="truncated_inversion"), r"only uplink\.kind = 'analog' has it"),
    (chosen(AVERAGE, SPARSE, downlink="analog"), "which is not compressed"),
    (chosen(AVERAGE, SPARSE, sparsity=0.0), "uplink.sparsity"),
    (chosen(AVERAGE, SPARSE, compression_ratio=1.5), "uplink.compression_ratio"),
]
ON_TWO_SYMBOLS = [
    (chosen(STEP, VOTES, channel__pilots=1), "needs channel.pilots = 0"),
    (chosen(STEP, VOTES, cell__antennas=2), "needs cell.antennas = 1"),
    (chosen(STEP, VOTES, downlink="analog"), "needs uplink.downlink = 'digital'"),
    (chosen(STEP, VOTES, **SURFACE), "needs cell.surface_elements = 0"),
    (chosen("SCAFFOLD@analog", VOTES), "gives signs, but SCAFFOLD needs sums"),
    (chosen("FedSGD@digital", VOTES), "does not read it|needs"),
    (chosen(STEP, compressor="fsk"), "needs a receiver that compares energies"),
    (chosen(STEP, precoder="unprecoded"), "leaves random phases"),
    (chosen(STEP, receiver="energy"), "needs votes on two symbols"),
    (chosen(STEP, compressor="fsk", receiver="energy", precoder="channel_inversion"), "symbols without a precoder"),
    (chosen(AVERAGE, REED, channel__pilots=1), "needs channel.pilots = 0"),
    (chosen(AVERAGE, REED, cell__antennas=2), "needs cell.antennas = 1"),
    (chosen(AVERAGE, REED, elements_per_symbol=2), "needs uplink.elements_per_symbol = 1"),
    (chosen(AVERAGE, REED, channel__noise="alpha_stable"), "whose energy has no mean"),
    (chosen("FedVRA@analog", REED), "FedVRA sends multiples of its vector"),
    (chosen(AVERAGE, compressor="signed_energy"), "needs a receiver that takes energies"),
    (chosen(AVERAGE, receiver="energy_difference"), "needs elements as energies of two symbols"),
    (chosen(AVERAGE, precoder="mean_inversion"), "leaves random phases"),
    (chosen(AVERAGE, ENERGIES, precoder="truncated_inversion"), "needs a precoder that knows no gain of a block"),
    (chosen(AVERAGE, ENERGIES, power_control="scheduled"), "take truncated_inversion"),
    (chosen(AVERAGE, COTAF), r"1e\+12 times that at \|h\| = 1; set uplink.inversion_threshold = 0.3"),
    (chosen(AVERAGE, ENERGIES, power_control="per_edge", edges=2), "needs one server"),
]
CODES = [
    (chosen(AVERAGE, CODEBOOK, receiver="sum"), "sends codewords, and needs uplink.receiver = 'codeword_counts'"),
    (chosen(AVERAGE, CODEBOOK, downlink="analog"), "which is not compressed"),
    (chosen("A-SGD", CODEBOOK, local__steps=5), "needs updates, as it remembers what is left, but A-SGD sends models"),
    (chosen("FedVRA@analog", CODEBOOK), "has one scale .*, but FedVRA sends multiples of its vector, too"),
    (chosen(AVERAGE, CODEBOOK, codewords=1), "uplink.codewords"),
    (chosen(AVERAGE, CODEBOOK, codeword_scale=0.0), "uplink.codeword_scale"),
    (chosen(AVERAGE, CODEBOOK, compressor="none"), "'codeword_counts': needs uplink.compressor = 'codebook'"),
    (chosen("FedAvg@digital", CODEBOOK, precoder=None), "needs an analog uplink, over which codewords"),
    (chosen(AVERAGE, CODEBOOK, precoder="truncated_inversion"), "needs uplink.precoder = 'channel_inversion'"),
    (chosen(AVERAGE, compressor="uniform", levels=4), "needs an odd uplink.levels, so that 0 is a level, not 4"),
    (chosen("FedNova@digital", compressor="uniform"), "has one scale .*, but FedNova sends single numbers, too"),
    (chosen("FedVRA@analog", compressor="uniform"), "has one scale .*, but FedVRA sends multiples of its vector, too"),
    (chosen(MODELS, compressor="uniform"), "already weighs by gains"),
    (chosen(AVERAGE, compressor="uniform", levels=1), "uplink.levels"),
    (chosen(AVERAGE, compressor="uniform", element_range=0.0), "uplink.element_range"),
    (chosen(AVERAGE, INTEGERS, compressor="qsgd"), "'sum_of_integers': needs uplink.compressor = 'uniform'"),
    (chosen(AVERAGE, INTEGERS, precoder="phase_compensation"), "needs a precoder that inverts the channel"),
    (
        chosen(AVERAGE, INTEGERS, power_control="scheduled", inversion_threshold=0.3),
        "needs a power control that does not shorten vectors",
    ),
]
DIGITAL = [
    (chosen("FedAvg@digital", FIXED, compressor="none"), "needs a compressor that adapts to the bits"),
    (chosen("FedNova@digital", FIXED), "single numbers must arrive whatever the bits"),
    (chosen("FedAvg@digital", FIXED, code="normal"), "needs uplink.code = 'shannon'"),
    (chosen("FedAvg@digital", FIXED, subcarriers="one_slot"), "contradicts uplink.subcarriers"),
    (chosen("FedAvg@digital", FIXED, channel__pilots=1), "workers would not know their bits"),
    (chosen("FedAvg@digital", FIXED, outage=0.4), "no upload is slower than another"),
    (chosen("FedAvg@digital", FIXED, sparsity=0.1), "does not read it"),
    (chosen("FedAvg@digital", FIXED, uses_per_round=0), "uses_per_round"),
    (
        chosen("FedAvg@digital", FIXED, compressor="none", code="normal", outage=0.4),
        r"'top_k'; needs uplink\.code = 'shannon'; contradicts uplink\.outage",
    ),
    (chosen("FedAvg@digital", bits_per_element=64), "FedAvg computes in single precision"),
    (chosen("FedVRA@digital", bits_per_element=16), "forms sums of multiples of what is sent"),
    (chosen(AVERAGE, bits_per_element=16), "does not read it"),
    (chosen("FedAvg@ideal", bits_per_element=16), "does not read it"),
    (chosen("FedSGD@digital", compressor="sign", bits_per_element=16), "does not read it"),
    (chosen(AVERAGE, charge_side_information=True, charge_downlink=True, bits_per_element=1), "does not read it"),
    *(
        (
            chosen("FedAvg@digital", compressor=compressor, bits_per_element=bits),
            rf"uplink\.bits_per_element = {bits}: must be 16 or 32, of.*uplink\.compressor = 'qsgd'",
        )
        for compressor, bits in (("none", 1), ("none", 48), ("top_k", 8), ("top_k", 320))
    ),
    (chosen("D-SFADMM", compressor="top_k"), "sends models"),
    (chosen("D-SFADMM", compressor="sign"), "needs sums of vectors|sends models"),
    (chosen("D-SFADMM", receiver="amp"), "needs uplink.compressor"),
    (chosen(AVERAGE, receiver="median"), "over the air only their sum arrives"),
    (chosen("SCAFFOLD", receiver="median"), "needs their sums"),
    (chosen("FedNova", receiver="median"), "needs their sums"),
    (chosen("FedAvg", receiver="trimmed_mean", federation__weights="samples"), "equal weights"),
    (chosen("FedAvg", receiver="trimmed_mean", compressor="top_k"), "most elements of a sparse vector are 0"),
]
EDGE_SERVERS = [
    (chosen(AVERAGE, EDGES, edges=3), "20 workers are no multiple of uplink.edges = 3"),
    (chosen(AVERAGE, EDGES, federation__participation=0.5), "needs all workers in every round"),
    (chosen(STEP, EDGES, compressor="sign"), "decided on at the edge"),
    (chosen(AVERAGE, EDGES, cell__antennas=2), "contradicts cell.antennas"),
    (chosen(AVERAGE, EDGES, **SURFACE), "contradicts cell.surface_elements"),
    (chosen(AVERAGE, EDGES, channel__noise="alpha_stable"), "contradicts uplink.power_control = 'per_edge'"),
    (chosen("FedAvg@digital", EDGES), "does not read it"),
    (chosen(AVERAGE, edges=4), "does not read it"),
    (chosen(AVERAGE, EDGES, edges=0), "greater than or equal to 1"),
]


@pytest.mark.filterwarnings("ignore::otafl.errors.Remark")
@pytest.mark.parametrize(("keys", "rule"), [*SCHEMES, *ON_TWO_SYMBOLS, *CODES, *DIGITAL, *EDGE_SERVERS])
def test_what_makes_no_sense_is_refused_with_its_reason(keys, rule):
    with pytest.raises(OtaflError, match=rule):
        otafl.load("digits_quickstart", keys)
