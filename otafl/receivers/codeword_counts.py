"""L. Qiao, Z. Gao, M. B. Mashhadi, D. Gündüz, "Massive Digital Over-the-Air Computation for Communication-Efficient
Federated Edge Learning" (MD-AirComp): workers send indices of a shared codebook as non-orthogonal codewords, all at
once, and the server estimates how many sent each.

A segment of a vector, g = ``uplink.segment`` elements, becomes the nearest of Q = ``uplink.codewords`` vectors, or 0,
with which a worker is silent. It sends column q of a matrix A of L = ``uplink.codeword_length`` rows. The server hears
y = A·c + z for each segment, with counts c of workers, and finds c by message passing. The sum is Σ_q c_q·v_q.

Readings: vectors are drawn N(0, γ²) under the public seed, new in every round, with γ = ``uplink.codeword_scale``, and
workers remember what they do not send. The paper learns its codebook. Counts have a geometric prior, the distribution
of largest entropy for whole numbers of a given mean; the mean is estimated for each segment.
"""

from dataclasses import dataclass, replace
from typing import Self

from otafl.channels.registry import parameter
from otafl.numerics.tensors import Estimate, Number, Received, Scalar, Tensor, tf
from otafl.receivers import amp
from otafl.receivers.receiver import register
from otafl.receivers.sum import Sum

ROUNDS = 10
NEAR = 1
"""Whole numbers on each side of the likeliest count in its mean; 2 take 1.6 times as long for little."""
LEAST = 1e-4
"""Least variance that message passing assumes, so that it does not divide by 0 without noise."""
VECTOR_SEED = 2
"""Seed of the vectors, which all workers and the server know, and which are new in every round of communication."""


@dataclass(frozen=True)
class Codebook:
    """Vectors that stand for segments of a vector, and the codewords that are sent in their place; all know both."""

    codewords: int = parameter(
        64,
        "codebook: vectors in the codebook that stand for segments of an update",
        label="Codewords",
        symbol="$Q$",
        ge=2,
        le=amp.BLOCK,
    )
    segment: int = parameter(
        20,
        "codebook: elements of an update that one vector of the codebook stands for",
        label="Elements of a segment",
        symbol="$g$",
        ge=1,
        le=1024,
    )
    codeword_length: int = parameter(
        64,
        "codebook: real numbers that are sent for each segment, those of its codeword",
        label="Codeword length",
        symbol="$L$",
        ge=1,
        le=amp.BLOCK,
    )
    codeword_scale: Number = parameter(
        0.01,
        "codebook: standard deviation of the elements of its vectors. For methods with weighed messages, such as "
        "FedAvg, it is that of N times the message, which for equal weights is the update",
        label="Codeword scale",
        symbol="$\\gamma$",
        ge=1e-9,
        le=1e9,
    )
    shapes = ("codewords", "segment", "codeword_length")

    def weighed(self, weight: float) -> Self:
        return replace(self, codeword_scale=self.codeword_scale * weight)

    def segments(self, elements: int) -> int:
        return -(-elements // self.segment)

    def vectors(self, draw: Scalar, dtype: "tf.DType") -> Tensor:
        """Return the vectors of the codebook of one draw before scaling, with elements N(0, 1). Shape [Q, g]."""
        shape = self.codewords, self.segment
        return tf.cast(tf.random.stateless_normal(shape, tf.stack([VECTOR_SEED, draw]), alg="philox"), dtype)

    def columns(self, draw: Scalar, dtype: "tf.DType") -> Tensor:
        """Return the matrix A of codewords of one draw, a column for each, with entries N(0, 1/L). Shape [L, Q]."""
        return amp.matrix(self.codewords, self.codeword_length, draw, dtype)


@register("codeword_counts")
@dataclass(frozen=True)
class CodewordCounts(Codebook, Sum):
    """Sum of the vectors that codewords stand for, times the numbers of workers that sent them, by message passing."""

    from_codewords = True

    def requires(self, chain, settings, method) -> str:
        if not chain.compressor.encodes:
            return "needs uplink.compressor = 'codebook'"
        if settings.uplink.precoder is None:
            return "needs an analog uplink, over which codewords superpose"
        if not chain.precoder.exact:
            return "needs uplink.precoder = 'channel_inversion', so that codewords arrive whole"
        if chain.power_control.expected_norm(1) is not None:
            return "needs a power control that does not shorten vectors, so that counts are whole numbers"
        return ""

    def estimate(self, total: Received, elements: int, draw: Scalar) -> Estimate:
        count, runs = self.segments(elements), total.shape[1]
        heard = tf.transpose(tf.reshape(total, [count, self.codeword_length, runs]), [1, 0, 2])
        counts = counted(self.columns(draw, total.dtype), tf.reshape(heard, [self.codeword_length, count * runs]))
        summed = tf.matmul(self.vectors(draw, total.dtype), counts, transpose_a=True)
        parted = tf.transpose(tf.reshape(summed, [self.segment, count, runs]), [1, 0, 2])
        return tf.reshape(parted, [count * self.segment, runs])[:elements] * self.codeword_scale


def counted(operator: Tensor, signal: Tensor) -> Tensor:
    """Return the counts behind noisy sums y, [L, segments], of codewords A, [L, Q], whole numbers. [Q, segments]."""
    columns = operator.shape[1]
    mean = tf.reduce_sum(tf.square(signal), axis=0) / columns + LEAST
    start = tf.constant(0), tf.zeros([columns, signal.shape[1]], signal.dtype), signal, mean

    def again(number: Scalar, counts: Tensor, residual: Tensor, mean: Tensor) -> tuple:
        counts, residual = passed(operator, signal, counts, residual, mean)
        return number + 1, counts, residual, tf.maximum(tf.reduce_mean(counts, axis=0), LEAST)

    return tf.round(tf.while_loop(lambda number, *_: number < ROUNDS, again, start)[1])


def passed(operator: Tensor, signal: Tensor, counts: Tensor, residual: Tensor, mean: Tensor) -> tuple:
    """Return the next counts x, [Q, segments], and residual r, [L, segments], of sums y of codewords A, [L, Q].

    The residual has Onsager's term: r ← y - Ax + r·Σ_q v_q/(L·τ²), v_q being the posterior variance of count q and
    τ² the mean square of r. Source: D. L. Donoho, A. Maleki, A. Montanari, "Message passing algorithms for compressed
    sensing: I. Motivation and construction", of which the posterior mean is the Bayesian case.
    """
    variance = tf.maximum(tf.reduce_mean(tf.square(residual), axis=0), LEAST)
    counts, spread = posterior(counts + tf.matmul(operator, residual, transpose_a=True), variance, mean)
    share = tf.reduce_sum(spread, axis=0) / variance / operator.shape[0]
    return counts, signal - operator @ counts + share * residual


def posterior(seen: Tensor, variance: Tensor, mean: Tensor) -> tuple[Tensor, Tensor]:
    """Return mean and variance of counts seen as s in noise of variance τ², under a geometric prior of mean m.

    A count k has the weight β^k·exp(-(s - k)²/2τ²) with β = m/(1 + m), largest next to s + τ²·ln β, where it is summed.
    """
    slope = tf.math.log(mean / (1 + mean))
    near = tf.range(-NEAR, NEAR + 1, dtype=seen.dtype)[:, None, None]
    counts = tf.nn.relu(tf.round(seen + variance * slope)) + near
    exponent = counts * slope - tf.square(seen - counts) / (2 * variance)
    weights = tf.nn.softmax(tf.where(counts >= 0, exponent, exponent.dtype.min), axis=0)
    expected = tf.reduce_sum(weights * counts, axis=0)
    return expected, tf.reduce_sum(weights * tf.square(counts - expected), axis=0)
