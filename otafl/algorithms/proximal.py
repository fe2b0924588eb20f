"""Regularisers g by their proximal operators, prox_{sg}(x) = argmin_y g(y) + ‖x − y‖²/2s, in closed form.

Source: Parikh and Boyd, "Proximal algorithms" (2014), chapter 6.
"""

from otafl.arrays import Tensor, tf
from otafl.settings.part_keys import key
from otafl.settings.types import Positive


def none(x: Tensor, step: Tensor, weight: Tensor) -> Tensor:
    """g = 0: x itself."""
    return x


def l1(x: Tensor, step: Tensor, weight: Tensor) -> Tensor:
    """g = κ‖x‖₁: soft thresholding at sκ."""
    return tf.sign(x) * tf.nn.relu(tf.abs(x) - step * weight)


def l2(x: Tensor, step: Tensor, weight: Tensor) -> Tensor:
    """g = κ/2·‖x‖²: x/(1 + sκ)."""
    return x / (1 + step * weight)


def box(x: Tensor, step: Tensor, weight: Tensor) -> Tensor:
    """g is 0 where all |x_i| ≤ κ and infinite elsewhere: projection onto the box."""
    return tf.clip_by_value(x, -weight, weight)


PROXIMAL = {"none": none, "l1": l1, "l2": l2, "box": box}
REGULARISED = {
    "regulariser": key(
        "none",
        "FedADMM-Wang, FedDR, FedVRA-U: g(x) at the server: κ‖x‖₁, κ/2·‖x‖², or |x_i| ≤ κ (FedVRA-U: only the latter)",
        choices=PROXIMAL,
    ),
    "regulariser_weight": key(1e-3, "κ of the regulariser", takes=Positive),
}
"""Parameters of methods whose server has a regulariser."""
