"""How the documentation is built: `make docs`. It needs no network, and its pages load nothing from one."""

import re
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent))

import pages  # noqa: E402

import otafl  # noqa: E402

project = "otafl"
author = "the otafl authors"
version = release = otafl.__version__
extensions = ["myst_nb", "sphinx_design", "sphinxcontrib.bibtex", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build", "examples", "paper.md"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_timeout = 600
nb_execution_raise_on_error = True
nb_ipywidgets_js = {}
nb_merge_streams = True
nb_output_stderr = "remove"
nb_execution_show_tb = True
bibtex_bibfiles = ["paper.bib"]
napoleon_custom_sections = [("Arguments", "params_style")]
autodoc_member_order = "bysource"
autodoc_typehints = "none"
add_module_names = False
html_theme = "furo"
html_title = f"otafl {version}"
html_math_renderer = "mathml"
html_show_sourcelink = False
html_show_copyright = False
html_static_path = ["_static"]
html_css_files = ["otafl.css"]
nitpicky = False

SEARCHED = {
    "explanation/snr": ("SNR", "which SNR", "signal-to-noise ratio", "Es/N0", "Eb/N0", "snr_db", "noise"),
    "explanation/antennas": ("MIMO", "antennas", "beamforming", "massive MIMO"),
    "explanation/limits": (
        "CFO",
        "frequency offset",
        "asynchronous",
        "async",
        "Doppler",
        "batch normalization",
        "batch normalisation",
    ),
    "explanation/truncation": ("truncation", "threshold", "silent workers", "deep fade"),
    "explanation/comparison": ("comparison", "compare", "which scheme", "analog or digital", "Pareto"),
    "explanation/accounting": ("channel use", "energy", "latency", "joules", "time slot"),
    "explanation/csi": ("CSI", "pilots", "channel estimation", "phase error", "synchronisation"),
    "explanation/fading": ("CDL", "CDL-C", "TDL", "TDL-C", "300 ns", "Rayleigh", "Rician", "delay spread", "gain"),
    "explanation/cells": ("UMi", "path loss", "interference", "cell"),
    "explanation/digital": (
        "quantization",
        "quantisation",
        "client selection",
        "device selection",
        "selection",
        "worker selection",
        "channel selection",
        "QSGD",
        "digital",
    ),
    "explanation/statistics": ("statistics", "confidence interval", "significance", "seeds"),
    "explanation/failures": ("Byzantine", "attack"),
    "explanation/privacy": ("privacy", "differential privacy"),
    "explanation/results": ("target", "budget", "stop", "early stopping"),
    "explanation/signal-model": ("power", "power control", "precoder", "OFDM", "channel inversion"),
    "explanation/speed": ("GPU",),
    "explanation/surface": ("RIS", "IRS", "reconfigurable intelligent surface"),
    "how-to/numerology": ("numerology", "bandwidth", "30 kHz", "subcarrier spacing", "grid"),
    "how-to/my-data": ("unequal", "unequal data", "non-IID", "Dirichlet", "heterogeneity", "CSV"),
    "how-to/from-a-paper": ("learning rate", "batch size", "epochs", "noise figure", "transmit power", "power budget"),
    "how-to/models": ("save", "models", "save a model", "trained model", "keras"),
    "how-to/my-figure": ("plot", "figure", "legend"),
    "how-to/running": ("resume", "checkpoint", "store"),
    "how-to/tables": ("table", "LaTeX", "LaTeX table", "BibTeX"),
}
"""Words for which the search of the site has a page first, by the page."""


def _indexed(app: Any, name: str, source: list[str]) -> None:
    """Put the words that find a page behind its title, as main entries of the index."""
    words = ", ".join(f"! {word}" for word in SEARCHED.get(name, ()))
    if words:
        source[0] = re.sub(r"^(# .*)$", rf"\1\n\n```{{index}} {words}\n```", source[0], count=1, flags=re.MULTILINE)


def _mathml(translator: Any, node: nodes.Element) -> None:
    """Equations as MathML, which browsers draw by themselves."""
    block = isinstance(node, nodes.math_block)
    translator.body.append(tex2mathml(node.astext(), as_block=block))
    raise nodes.SkipNode


def _plain(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Docstrings are prose: in |h|² no bar begins a substitution, and no star an emphasis.

    An empty comment keeps napoleon from reading the text before a property's or constant's first colon as a type.
    """
    lines[:] = [re.sub(r"(?<!`)([|*])(?!`)", r"\\\1", line) for line in lines]
    if what in ("attribute", "data", "property"):
        lines[:0] = ["..", ""]


def setup(app: Any) -> None:
    """Write the reference from the code, and draw equations."""
    app.connect("source-read", _indexed)
    app.connect("autodoc-process-docstring", _plain, priority=0)
    app.add_html_math_renderer("mathml", (_mathml, None), (_mathml, None))
    app.connect("builder-inited", lambda _: pages.write(HERE / "reference"))
