"""Proximal operators of regularisers g, prox_{sg}(x) = argmin_y g(y) + ‖x − y‖²/2s, in closed form.

Source: Parikh and Boyd, "Proximal algorithms" (2014), chapter 6.
"""

from otafl.numerics.tensors import Tensor, tf
from otafl.settings.part_keys import key
from otafl.settings.types import Positive


def none(x: Tensor, step: Tensor, weight: Tensor) -> Tensor:
    """Return x itself, the proximal operator of a regulariser g = 0. Shape [1, d, runs].

    Arguments:
        x: point of d elements for each run. Shape [1, d, runs].
        step: unused.
        weight: unused.
    """
    return x


def l1(x: Tensor, step: Tensor, weight: Tensor) -> Tensor:
    """Return x soft-thresholded at sκ, the proximal operator of a regulariser g = κ‖x‖₁. Shape [1, d, runs].

    The norm is the sum of absolute values over the d elements.

    Arguments:
        x: point of d elements for each run. Shape [1, d, runs].
        step: step s of the proximal operator. Shape [runs] or [].
        weight: weight κ of the regulariser. Shape [runs] or [].
    """
    return tf.sign(x) * tf.nn.relu(tf.abs(x) - step * weight)


def l2(x: Tensor, step: Tensor, weight: Tensor) -> Tensor:
    """Return x/(1 + sκ), the proximal operator of a regulariser g = κ/2·‖x‖². Shape [1, d, runs].

    The norm is the 2-norm over the d elements.

    Arguments:
        x: point of d elements for each run. Shape [1, d, runs].
        step: step s of the proximal operator. Shape [runs] or [].
        weight: weight κ of the regulariser. Shape [runs] or [].
    """
    return x / (1 + step * weight)


def box(x: Tensor, step: Tensor, weight: Tensor) -> Tensor:
    """Return the projection of x onto the box |x_i| ≤ κ, outside of which g is infinite. Shape [1, d, runs].

    It is the proximal operator of that regulariser g.

    Arguments:
        x: point of d elements for each run. Shape [1, d, runs].
        step: unused.
        weight: half the box's width κ. Shape [runs] or [].
    """
    return tf.clip_by_value(x, -weight, weight)


PROXIMAL = {"none": none, "l1": l1, "l2": l2, "box": box}
"""Proximal operators by the regulariser's name: functions of x, s and κ."""
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
