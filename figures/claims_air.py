"""Expectations of no paper on federated methods over the air, with the measured numbers."""

from figures.claims import Claim, least, lowest, spread, verdict
from figures.claims_gong import of
from figures.panels import final
from figures.study import result
from otafl.results import analysis

HEADING = "Federated methods over the air"
REMARK = (
    "These expectations are our own, before the figures were seen. No paper states them. The studies have MNIST, an\n"
    "MLP with 109,184 weights, 50 clients, 4,096 subcarriers and Rayleigh fading. In the federated methods 10\n"
    "clients take part in a round, with 5 local epochs of SGD at 0.1. Their analog uploads invert the channel where\n"
    "its gain is at least 0.1. A-SFADMM and D-SFADMM take all 50, with 20 steps of Adam at 0.01 and ρ = 0.5. An\n"
    "accuracy counts where the running median holds it."
)


def rows() -> list[Claim]:
    """Return expectations of no paper on methods over the air, with the measured numbers."""
    claims = []
    for kind, words in (("iid", "IID"), ("noniid", "80% from two classes")):
        runs = tuple(f"air_{uplink}_{kind}" for uplink in ("analog", "digital"))
        analog, digital = map(result, runs)
        names = [str(name) for name in analog["scheme"].values]
        common = [name for name in names if name in digital["scheme"].values]
        slots = {
            name: [
                analysis.to_target(of(d, scheme=name), 0.9, "time_slots", "test_accuracy").sel(snr_db=10.0).values
                for d in (analog, digital)
            ]
            for name in common
        }
        low, high = (
            {name: float(final(of(analog, scheme=name, snr_db=snr)).mean()) for name in names} for snr in (-10.0, 30.0)
        )
        claims.append(
            Claim(
                "over the air",
                f"analog uploads take fewer slots to 0.9 than digital ones at 10 dB, {words}",
                "analog and digital: "
                + ", ".join(f"{name} {spread(a)} and {spread(b)}" for name, (a, b) in slots.items()),
                least([lowest(a, {name: b}) for name, (a, b) in slots.items()]),
                "some method does not reach 0.9 over the air",
                runs=runs,
            )
        )
        claims.append(
            Claim(
                "over the air",
                "methods that carry duals or control variates along, all but FedAvg, lose at most 0.02 of accuracy at "
                f"-10 dB, {words}",
                "final accuracy at -10 and 30 dB: "
                + ", ".join(f"{name} {low[name]:.3f} and {high[name]:.3f}" for name in low),
                verdict(all(low[name] > high[name] - 0.02 for name in low if name != "FedAvg")),
                "what the server accumulates keeps the noise of all rounds",
                runs=runs[:1],
            )
        )
    return claims
