"""S. U. Stich, J.-B. Cordonnier, M. Jaggi, "Sparsified SGD with Memory": the largest elements of a vector are sent,
with error feedback: the others are remembered and added to the next vector.

Source for wireless uploads: M. M. Amiri and D. Gündüz, "Machine Learning at the Wireless Edge: Distributed Stochastic
Gradient Descent Over-the-Air". An element that a worker does not send because of a deep fade is lost, and not
remembered.
"""

from dataclasses import dataclass

import numpy as np

from otafl.compressors.compressor import register
from otafl.compressors.floating_point import FloatingPoint
from otafl.compressors.largest import CodedPlaces, sets_of_size


@register("top_k")
@dataclass(frozen=True)
class TopK(FloatingPoint, CodedPlaces):
    """The k = ``uplink.sparsity``·d largest elements, the others remembered; the server wants the sum of those sent.

    An analog upload has all d elements, as workers do not know which elements the others send. A digital one has k
    floating-point numbers, and the log2 of the number of sets of k places, "d over k", in whole bits.
    """

    def value_bits(self, count: np.ndarray | int, bits_per_element: int) -> np.ndarray | int:
        return count * bits_per_element

    def sets(self, elements: int) -> np.ndarray:
        return sets_of_size(elements)
