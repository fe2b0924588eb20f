"""Samples of any kind, as they are stored."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Samples:
    """Training samples with their targets, and what a classifier is tested on.

    Arguments:
        features: of training. Shape [samples, ...].
        targets: labels from 0 on, int32, or real targets of a regression. Shape [samples].
        test_features: likewise for testing; a regression has none. Shape [tests, ...].
        test_targets: Shape [tests].
        scale: what the features are multiplied by before use.
        subset: name of the file, where it holds a part of the data set.
        shares: training samples of each worker, where they belong to workers from the start.
        classes: number of classes; of a regression it has no meaning.
    """

    features: np.ndarray
    targets: np.ndarray
    test_features: np.ndarray
    test_targets: np.ndarray
    scale: float = 1.0
    subset: str = ""
    shares: tuple[np.ndarray, ...] = ()
    classes: int = 10
