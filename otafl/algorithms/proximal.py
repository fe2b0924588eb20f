"""Proximal operators of regularisers g, prox_{sg}(x) = argmin_y g(y) + ‖x − y‖²/2s, in closed form.

Each is a function of the point x, the step s, [runs] or [], and the weight κ of the regulariser, likewise. Source:
Parikh and Boyd, "Proximal algorithms" (2014), chapter 6.
"""

from otafl.numerics.tensors import GlobalModel, PerRun, tf
from otafl.settings.part_keys import key
from otafl.settings.types import Positive


def none(x: GlobalModel, step: PerRun, weight: PerRun) -> GlobalModel:
    """Return x itself, the proximal operator of a regulariser g = 0."""
    return x


def l1(x: GlobalModel, step: PerRun, weight: PerRun) -> GlobalModel:
    """Return x soft-thresholded at sκ, the proximal operator of a regulariser g = κ‖x‖₁."""
    return tf.sign(x) * tf.nn.relu(tf.abs(x) - step * weight)


def l2(x: GlobalModel, step: PerRun, weight: PerRun) -> GlobalModel:
    """Return x/(1 + sκ), the proximal operator of a regulariser g = κ/2·‖x‖².

    >>> float(l2(tf.constant(3.0), 1.0, 0.5))
    2.0
    """
    return x / (1 + step * weight)


def box(x: GlobalModel, step: PerRun, weight: PerRun) -> GlobalModel:
    """Return the projection of x onto the box |x_i| ≤ κ, outside of which g is infinite."""
    return tf.clip_by_value(x, -weight, weight)


PROXIMAL = {"none": none, "l1": l1, "l2": l2, "box": box}
REGULARISED = {
    "regulariser": key(
        "none",
        "FedADMM-Wang, FedDR, FedVRA-U: regulariser g at the server, κ‖x‖₁, κ/2·‖x‖², or the box |x_i| ≤ κ "
        "(FedVRA-U: none or the box)",
        choices=PROXIMAL,
    ),
    "regulariser_weight": key(1e-3, "weight κ of the regulariser", takes=Positive),
}
"""Parameters of methods whose server has a regulariser."""
