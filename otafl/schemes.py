"""Published schemes of uplinks: combinations of parts, by the names of their papers."""

from typing import NamedTuple

OF_SCHEMES = ("compressor", "precoder", "power_control", "receiver")
"""Keys of the table ``uplink`` whose parts a scheme chooses; those that it does not name are the default ones."""


class Scheme(NamedTuple):
    """Published combination of parts, by keys of the table ``uplink``, for a kind of uplink, with its paper."""

    uplink: str
    parts: dict[str, str]
    paper: str


AMIRI = 'M. M. Amiri and D. Gündüz, "Machine Learning at the Wireless Edge: Distributed Stochastic Gradient Descent '
AMIRI += 'Over-the-Air"'
ALISTARH = 'D. Alistarh et al., "QSGD: Communication-Efficient SGD via Gradient Quantization and Encoding"'
BERNSTEIN = 'J. Bernstein et al., "signSGD: Compressed Optimisation for Non-Convex Problems"'
CAO = 'X. Cao, G. Zhu, J. Xu and K. Huang, "Optimized Power Control for Over-the-Air Computation in Fading Channels"'
ELGABLI = "A. Elgabli et al., the A-FADMM paper"

SCHEMES = {
    "inversion": Scheme("analog", {"precoder": "channel_inversion"}, f"{ELGABLI}, section II-D"),
    "truncation": Scheme("analog", {"precoder": "truncated_inversion"}, f"{ELGABLI}, section V-A"),
    "full_power": Scheme("analog", {"precoder": "phase_compensation"}, f"a baseline of {CAO}"),
    "MMSE": Scheme("analog", {"precoder": "phase_compensation", "power_control": "mmse"}, CAO),
    "BAA": Scheme(
        "analog",
        {"precoder": "truncated_inversion", "power_control": "average"},
        'G. Zhu, Y. Wang and K. Huang, "Broadband Analog Aggregation for Low-Latency Federated Edge Learning"',
    ),
    "COTAF": Scheme(
        "analog",
        {"precoder": "truncated_inversion", "power_control": "scheduled"},
        'T. Sery, N. Shlezinger, K. Cohen and Y. Eldar, "Over-the-Air Federated Learning from Heterogeneous Data"',
    ),
    "OBDA": Scheme(
        "analog",
        {"compressor": "sign", "precoder": "truncated_inversion", "power_control": "average", "receiver": "majority"},
        'G. Zhu, Y. Du, D. Gündüz and K. Huang, "One-Bit Over-the-Air Aggregation for Communication-Efficient '
        'Federated Edge Learning: Design and Convergence Analysis"',
    ),
    "A-DSGD": Scheme(
        "analog",
        {"compressor": "random_projection", "precoder": "channel_inversion", "receiver": "amp"},
        f"{AMIRI}; all share the smallest scaling factor, where the paper weighs each worker by its own",
    ),
    "CA-DSGD": Scheme(
        "analog",
        {"compressor": "random_projection", "precoder": "truncated_inversion", "receiver": "amp"},
        'M. M. Amiri and D. Gündüz, "Federated Learning over Wireless Fading Channels"',
    ),
    "SumComp": Scheme(
        "analog",
        {"compressor": "uniform", "precoder": "truncated_inversion", "receiver": "sum_of_integers"},
        'S. Razavikia, J. M. Barros da Silva Júnior and C. Fischione, "SumComp: Coding for Digital Over-the-Air '
        'Computation via the Ring of Integers"; integers are balanced around 0, so that a silent worker sends a 0',
    ),
    "MD-AirComp": Scheme(
        "analog",
        {"compressor": "codebook", "precoder": "channel_inversion", "receiver": "codeword_counts"},
        'L. Qiao, Z. Gao, M. B. Mashhadi and D. Gündüz, "Massive Digital Over-the-Air Computation for '
        'Communication-Efficient Federated Edge Learning"; its codebook is drawn, where the paper learns it',
    ),
    "D-DSGD": Scheme(
        "digital",
        {"compressor": "sign_mean"},
        f"{AMIRI}, section III; uses_per_round gives its uploads of fixed length",
    ),
    "FSK-MV": Scheme(
        "analog",
        {"compressor": "fsk", "precoder": "unprecoded", "receiver": "energy"},
        'A. Şahin, "Distributed Learning over a Wireless Network with Non-coherent Majority Vote Computation"; the '
        "threshold of absentee votes is relative to the root mean square of a vector",
    ),
    "REED": Scheme(
        "analog",
        {"compressor": "signed_energy", "precoder": "mean_inversion", "receiver": "energy_difference"},
        'H. Chen, Z. Bozorgasl, "Resource-Element Energy Difference for Noncoherent Over-the-Air Federated Learning"; '
        "symbols have random signs, where the paper draws phases",
    ),
    "QSGD": Scheme("digital", {"compressor": "qsgd"}, ALISTARH),
    "signSGD-MV": Scheme("digital", {"compressor": "sign", "receiver": "majority"}, BERNSTEIN),
}
