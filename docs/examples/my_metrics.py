"""Metrics of one's own: functions of a round that become variables of results."""

import otafl
from otafl.numerics.tensors import tf


@otafl.metric("drift", long_name="Distance of workers' models from their mean")
def drift(seen):
    """The root mean square over workers of the distance ‖θ_n − mean θ‖."""
    away = seen.models - seen.mean(seen.models)
    return tf.sqrt(seen.mean(tf.reduce_sum(away**2, axis=1)))


@otafl.metric("step_norm", long_name="Norm of the server's step")
def step_norm(seen):
    """The distance ‖Θ' − Θ‖ between the global models before and after the round."""
    return tf.norm(seen.server.model - seen.before.model, axis=1)[0]


@otafl.metric("cosine", long_name="Cosine of meant and received sum", every="evaluation", rises=True, linear=True)
def cosine(seen):
    """The cosine between the sum of the workers' first vectors and what the server has received of it."""
    meant, received = seen.meant[0][0], seen.received[0][0]
    return tf.reduce_sum(meant * received, axis=0) / (tf.norm(meant, axis=0) * tf.norm(received, axis=0))
