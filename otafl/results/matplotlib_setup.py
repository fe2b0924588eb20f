"""Matplotlib, imported without the file matplotlibrc of the working folder, which may be somebody else's."""

import os
import sys

_exists = os.path.exists
os.path.exists = lambda path: path != "matplotlibrc" and _exists(path)
try:
    import matplotlib
    import matplotlib.pyplot as plt
    from matplotlib import colors, mathtext, ticker
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
finally:
    os.path.exists = _exists
if "ipykernel" in sys.modules:  # a backend that is loaded within a style would lose that notebooks show figures
    plt.switch_backend(matplotlib.get_backend())

__all__ = ["Artist", "Axes", "Figure", "Line2D", "colors", "mathtext", "matplotlib", "plt", "ticker"]
