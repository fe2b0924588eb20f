"""Segments of a vector as indices of a codebook that all know (vector quantisation), with error feedback.

Source: L. Qiao, Z. Gao, M. B. Mashhadi, D. Gündüz, "Massive Digital Over-the-Air Computation for
Communication-Efficient Federated Edge Learning"; ``receivers.codeword_counts`` has the readings.
"""

from dataclasses import dataclass

from otafl.compressors.compressor import Compressor, Packet, one_scale, register
from otafl.numerics.tensors import Scalar, Tensor, Vectors, Words, tf
from otafl.receivers.codeword_counts import Codebook


@register("codebook")
@dataclass(frozen=True)
class CodebookIndices(Codebook, Compressor):
    """Nearest vectors of a codebook in place of segments, the rest remembered; the server wants the sum of those sent.

    An upload has a codeword for each segment, or silence for a segment nearest to 0.
    """

    remembers = True
    encodes = True

    def requires(self, chain, settings, method) -> str:
        if not chain.receiver.from_codewords:
            return "sends codewords, and needs uplink.receiver = 'codeword_counts'"
        if settings.uplink.downlink == "analog":
            return 'contradicts uplink.downlink = "analog", which is not compressed'
        if method.sends_models(settings) or not method.truncates:
            return f"needs updates, as it remembers what is left, but {settings.method} sends models"
        return one_scale(settings, method)

    def symbols(self, elements: int) -> int:
        return self.segments(elements) * self.codeword_length

    def parted(self, message: Vectors) -> Tensor:
        """Return the segments of vectors, the last one filled up with zeros. Shape [workers, segments, g, runs]."""
        workers, elements, runs = message.shape
        count = self.segments(elements)
        whole = tf.pad(message, [[0, 0], [0, count * self.segment - elements], [0, 0]])
        return tf.reshape(whole, [workers, count, self.segment, runs])

    def chosen(self, message: Vectors, draw: Scalar) -> Tensor:
        """Return 1 for the vector, or 0, nearest to each segment, else 0. Shape [workers, segments, Q, runs]."""
        vectors = self.vectors(draw, message.dtype)
        parted = self.parted(message)
        inside = self.parted(tf.ones_like(message[:1, :, :1]))[0, :, :, 0]
        length = tf.einsum("qs,cs->cq", tf.square(vectors), inside)[..., None]
        gain = 2 * tf.einsum("qs,wcsr->wcqr", vectors, parted) - length * self.codeword_scale
        best = tf.one_hot(tf.argmax(gain, axis=2), self.codewords, axis=2, dtype=message.dtype)
        return best * tf.cast(tf.reduce_max(gain, axis=2, keepdims=True) > 0, message.dtype)

    def kept(self, message: Vectors, random: Words | None, draw: Scalar) -> Vectors:
        workers, elements, runs = message.shape
        taken = tf.einsum("qs,wcqr->wcsr", self.vectors(draw, message.dtype), self.chosen(message, draw))
        return tf.reshape(taken, [workers, -1, runs])[:, :elements] * self.codeword_scale

    def packed(self, message: Vectors, random: Words | None, draw: Scalar) -> Packet:
        workers, _, runs = message.shape
        codewords = tf.einsum("lq,wcqr->wclr", self.columns(draw, message.dtype), self.chosen(message, draw))
        return Packet(tf.reshape(codewords, [workers, -1, runs]), message)
