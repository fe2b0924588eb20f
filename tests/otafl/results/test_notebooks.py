"""Figures in notebooks."""

import nbformat
import pytest
from nbclient import NotebookClient

DRAWN = """
with plt.rc_context(style.STYLE):
    plt.subplots()
"""


@pytest.mark.slow
def test_every_cell_that_draws_within_the_style_shows_its_figure(tmp_path):
    cells = ["import matplotlib.pyplot as plt\nfrom otafl.results import style, plot", DRAWN, DRAWN]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [[list(one.get("data", {})) for one in cell.outputs] for cell in notebook.cells]
    assert all(any("image/png" in kinds for kinds in cell) for cell in shown[1:])
