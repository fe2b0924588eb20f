"""Texts that act: in formats that results are written in, and on terminals."""

import csv
import io
import itertools
import re
import shutil
import warnings
from pathlib import Path
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markupsafe import Markup

import otafl
from otafl.errors import OtaflError, Remark
from otafl.results import result_file
from otafl.study.engines import engine

mpl.use("Agg")

from otafl.plain_text import printable
from otafl.results import escapes, formulas, report, table_formats
from otafl.results.matplotlib_setup import plt
from otafl.results.style import STYLE, drawable
from otafl.results.table import Cell, Column, ResultTable
from tests.html_page import Page

WORDS = r"""
-2+3 @SUM(1) ＝1 a";=1;" a,"=1" -10.0 \input{/etc/passwd} $\input{/etc/passwd}$ $^^5cinput{/etc/passwd}$ ^^5cinput{x}
$a%$ $}{$ }\end{tabular} % [1em] * $\lamda$ $\frac$ $λ^2$ $a$b$c$d$ $a$$b$ <script>alert(1)</script> $<script>$
</title></style><script> [x](javascript:alert(1)) ![x](x) $[x](javascript:x)$ a|b a\|b &lt;b&gt; [red]x[/red]
"""
ATTACKS = [
    *WORDS.split(),
    *("=cmd|' /C calc'!A0", "+1+cmd|' /C calc'!A0", "\t=1", "\r=1", "\n=1", " =1", "\0", "\udcff", "a\n| b |"),
    *("\\immediate\\write18{rm -rf /}", "$a & b \\\\ c$", "$\\frac{a}{b}$ and \\$5", "λ, ς, ά, Ω, ο"),
    *("<img src=x onerror=alert(1)>", '" onmouseover="alert(1)', "<!-- -->", "`x`, *x*, __x__, ~~x~~"),
    *("$*a*$ and $(_{b}$ and $)_{d}$", "$" + "{" * 90 + "}" * 90 + "$"),
    *("\x1b]0;title\x07\x1b[2J\x9b31m", "\u202eabc\u2028"),
]
CHUNKS = [*"=+-@;|<>&$\\{}[]()^_#%~'`*!\t\r\n\x1b ", '"', "^^5c", "\\input", "\\lambda", "\\frac", "λ", "ς", "</td>"]
TEXTS = st.text() | st.lists(st.sampled_from(CHUNKS) | st.text(max_size=3)).map("".join)


def attacked(function):
    """A test of a text: of each known attack, and of texts that are drawn."""
    for text in ATTACKS:
        function = example(text)(function)
    return settings(max_examples=25)(given(TEXTS)(function))


def table_of(text: str) -> ResultTable:
    rows = [([text], [Cell(np.inf, 0.0, 1.0, 1, 2)])]
    return ResultTable(f"costs to {text}", [text], [Column(text, "J", text)], rows, "mean")


@attacked
def test_cells_of_csv_are_read_back_and_are_no_formulas(text):
    made = table_formats.comma_separated(table_of(text))
    ((key,),) = (pd.read_csv(io.StringIO(made), dtype=str, keep_default_na=False).iloc[:, :1].to_numpy(),)
    head, row = csv.reader(io.StringIO(made))
    assert key[0] == row[0] == escapes.csv_text(text)
    for cell in (head[0], row[0]):
        for part in cell.split(";"):
            assert not re.match(r"\s*[=+\-@＝＋－＠]", part) or is_number(cell)
    assert row[1:] == ["inf", "0.0", "1.0", "1", "2"]
    assert head[0].replace("'", "") == printable(text).replace("'", "")


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


OF_TEXT = {"textbackslash", "textasciitilde", "textasciicircum", "textbar", "ldots"}
SYMBOLS = {False: set("&%$#_{}"), True: set(",;:!{}| ")}


def assert_harmless_latex(text: str) -> None:
    """Braces and dollars are paired, and commands are known; what acts stands in formulas alone, or not at all."""
    depth, math = 0, False
    assert "^^" not in text
    for token in re.findall(r"\\[A-Za-z]+|\\.|.", text, re.DOTALL):
        if token == "$":
            math = not math
        elif token[0] == "\\":
            assert token[1:] in (formulas.COMMANDS if math else OF_TEXT) | SYMBOLS[math], token
        else:
            assert token not in ("%#&~" if math else "%#&~^_"), token
            depth += {"{": 1, "}": -1}.get(token, 0)
        assert depth >= 0
    assert (depth, math) == (0, False)
    assert not text.startswith(("[", "*"))


@attacked
def test_latex_has_known_commands_alone(text):
    assert_harmless_latex(escapes.latex_text(text))
    lines = table_formats.latex(table_of(text)).splitlines()
    assert lines[1:4] == [r"% \usepackage{booktabs}", r"\begin{tabular}{lr}", r"\toprule"]
    assert [lines[5], *lines[7:]] == [r"\midrule", r"\bottomrule", r"\end{tabular}"]


FORMULAS = [
    ("λς", r"$\lambda$$\varsigma$", "λς"),
    ("Αο", "Ao", "Αο"),
    (r"$\lambda_i$ & 5%", r"$\lambda_i$ \& 5\%", r"$\lambda_i$ & 5%"),
    ("$λ^2$", r"$\lambda ^2$", "$λ^2$"),
    (r"$\lamda$", r"\$\textbackslash{}lamda\$", r"\$\lamda\$"),
    (r"\$5 and $x$", r"\$5 and $x$", r"\$5 and $x$"),
    ("10⁻⁵", "10$^{-5}$", "10⁻⁵"),
]
"""Texts, in LaTeX, and as they are drawn."""


@pytest.mark.parametrize(("text", "latex", "drawn"), FORMULAS)
def test_formulas_have_their_commands_and_other_dollars_are_dollars(text, latex, drawn):
    assert escapes.latex_text(text) == latex
    assert drawable(text) == drawn


MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


@attacked
def test_markdown_makes_no_element_of_its_own(text):
    page = Page(MARKDOWN.render(table_formats.markdown(table_of(text))))
    math = any(math for _, math in formulas.parts(text))
    tags = [tag for tag, _ in page.tags if tag != "em" or not math]  # of indices, where no mathematics is known
    assert tags == ["table", "thead", "tr", "th", "th", "tbody", "tr", "td", "td", "p"]
    assert {name for _, attributes in page.tags for name in attributes} <= {"style"}
    if not math:
        assert " ".join(page.rows[1][0].split()) == " ".join(printable(text).replace(r"\$", "$").split())


def html_of(text: str) -> str:
    costs = SimpleNamespace(title=text, caption=text, headings=[text], rows=[([text], [text])])
    places = dict.fromkeys(("title", "name", "scenario", "origin"), text)
    facts = {key: [(text, text)] for key in ("study", "compute_time", "environment")}
    figures = {"result_figure": (text, Markup("<svg></svg>")), "panels": []}
    runs = {"marks": report.MARKS, "counts": [(text, 1)], "points": [([text], text, [(1, text)])]}
    return report._template().render(**places, **facts, **figures, **runs, keys=[text], costs=costs)


@attacked
def test_html_has_its_own_elements_alone(text):
    source = html_of(text)
    page, plain = Page(source), Page(html_of("x"))
    assert [(tag, [*attributes]) for tag, attributes in page.tags] == [(tag, [*names]) for tag, names in plain.tags]
    assert {attributes.get("title") for _, attributes in page.tags} >= {printable(text, "\n\t")}
    assert page.rows[0][0].strip() == printable(text, "\n\t").strip()
    assert not {letter for letter in source if not letter.isprintable()} - {"\n", "\t"}
    source.encode()


@attacked
@pytest.mark.filterwarnings("ignore")
def test_every_text_can_be_drawn(text):
    with plt.rc_context(STYLE):
        figure = plt.figure()
        words = figure.text(0.1, 0.1, drawable(text))
        words.get_window_extent(figure.canvas.get_renderer())
        plt.close(figure)
    commands = (re.findall(r"\\([A-Za-z]+)", part) for part, math in formulas.parts(text) if math)
    assert formulas.COMMANDS.issuperset(itertools.chain(*commands))


def test_commands_of_formulas_are_known_to_matplotlib():
    taken = {"frac": "{a}{b}", "left": r"(a\right)", "right": ""}
    of_one = (
        "sqrt hat bar tilde dot ddot vec overline acute grave breve check mathrm mathbf mathit mathcal mathsf mathtt"
    )
    taken |= dict.fromkeys(of_one.split(), "{a}")
    made = {name: rf"$\{name}{taken.get(name, '')}$" for name in formulas.COMMANDS - {"right"}}
    assert [name for name, text in made.items() if list(formulas.parts(text)) != [(text[1:-1], True)]] == []


HARM = "\x1b]0;title\x07\x1b[2J\x9b31m\x08\r\u202e[red]|<script>"
"""Sequences that name a window, clear a screen and colour it, letters that run backwards, and markup."""
TOML = r"""
title = "a\u001B[2J\u009B31m\u202E"
base = "quickstart"
[sweep]
method = ["A-GD", "D-GD \u001B[2J[red]\u202E"]
"channel.snr_db" = [0.0, 20.0]
[plot]
kind = "to_target"
title = "a\u001B[2J"
x_label = "\u001B[2J"
[plot.labels]
"A-GD" = "=\u001B[2J\u009B31m"
[run]
iterations = 3
seeds = 2
[federation]
workers = 3
"""


def assert_plain(text: str) -> None:
    """A text steers nothing: it is printable, but for the ends of its lines."""
    assert [one for one in text if not one.isprintable() and one != "\n"] == [], text


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    (folder / "a\x1b[2J.toml").write_text(TOML)
    data = otafl.run(folder / "a\x1b[2J.toml", out=folder / "out", store=False, engine=engine(processes=0))
    names = {"scheme": [f"A-GD{HARM}", f"D-GD {HARM}"], "snr_db": [f"0{HARM}", HARM]}
    hostile = data.assign_coords(names).rename(snr_db="x\x1b[2J[red]\u202e")
    hostile["loss"].attrs |= {"long_name": f"Loss{HARM}", "units": HARM}
    hostile.attrs |= dict.fromkeys(("name", "title", "git_revision", "scenario_file"), f"a{HARM}")
    result_file.save(hostile.assign(own=hostile["loss"].assign_attrs(long_name=HARM)), folder / "x.nc")
    return folder


COMMANDS = {
    "show": ["show", "a\x1b[2J.toml"],
    "run": ["run", "a\x1b[2J.toml", "--out", "out", "--store", "store", "--processes", "0"],
    "status": ["status", "out"],
    "watch": ["watch", "out"],
    "collect": ["collect", "out"],
    "report": ["report", "x.nc", "--out", "o\x1b[2J.html"],
    "plot": ["plot", "x.nc", "--out", "o\x1b[2J"],
    "table": ["table", "x.nc"],
    "table of own": ["table", "x.nc", "--variable", "own", "--budget", "3"],
    "table as CSV": ["table", "x.nc", "--format", "csv"],
    "table as LaTeX": ["table", "x.nc", "--format", "latex"],
    "a missing file": ["plot", "n\x1b[2J.nc"],
    "an unknown scenario": ["show", "n\x1b[2J"],
    "an unknown option": ["show", "quickstart", "--\x1b[2J", "3"],
    "a reference that is missing": ["table", "x.nc", "--reference", "\x1b[2J"],
    "the store": ["store", "--store", "s\x1b[2J"],
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_commands_print_nothing_that_steers(words, made, call, tmp_path):
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    answer = call(*words)
    assert answer.code in (0, 2), answer
    assert answer.stdout + answer.stderr
    assert_plain(answer.stdout + answer.stderr)


@given(st.text())
def test_what_is_printable_stays(text):
    assert_plain(printable(text, "\n"))
    assert len(printable(text)) == len(text)
    assert [one for one in printable(text) if one != " "] == [one for one in text if one.isprintable() and one != " "]


def test_errors_and_remarks_are_one_line():
    assert_plain(str(OtaflError(HARM, HARM, HARM)))
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        warnings.warn(f"{HARM}\nnote: more", Remark, stacklevel=1)
    assert_plain(str(heard[0].message))
    assert "\n" not in str(heard[0].message)
