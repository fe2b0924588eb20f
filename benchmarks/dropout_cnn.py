"""The network of the CIFAR-10 benchmark of pfl-research and of the FEMNIST benchmark of FLUTE."""

import keras


def dropout_cnn(input_shape: tuple[int, ...], outputs: int) -> keras.Model:
    """Two convolutions 3 x 3, pooling, and a dense layer of 128, with dropout: 1,626,442 weights on CIFAR-10."""
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input(input_shape),
            layers.Conv2D(32, 3, activation="relu"),
            layers.Conv2D(64, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Dropout(0.25),
            layers.Flatten(),
            layers.Dense(128, activation="relu"),
            layers.Dropout(0.5),
            layers.Dense(outputs),
        ]
    )
