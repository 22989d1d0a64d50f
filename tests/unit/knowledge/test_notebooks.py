"""Notebooks, pages with formulas, and works that come as one file of pages."""

from __future__ import annotations

import json
import zipfile

import pytest
from factories import course as make_course

from knowledge.sources.notebook import read_notebook
from knowledge.sources.web_page import read_html
from services.reading.readers import build_readers
from vta.errors import InvalidInput
from vta.ingest.zipped import is_packed, unpack_zip


def cell(kind: str, source, **metadata):
    return {"cell_type": kind, "source": source, "metadata": metadata}


def notebook(*cells, **metadata) -> str:
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4})


def texts(document) -> list[str]:
    return [block.text for block in document.blocks]


def test_a_notebook_gives_its_text_and_its_code_under_the_headings():
    """Sources are lists of lines or one text; outputs and raw cells are left out."""
    shown = cell("code", ["x = 1\n", "print(x)"])
    text = notebook(
        cell("markdown", ["# Loops\n", "\n", "A loop runs again."]),
        shown | {"outputs": [{"text": ["1\n"]}]},
        cell("raw", "for the press"),
        cell("code", ""),
        cell("markdown", "## While\n\nA while loop has a condition."),
        kernelspec={"language": "python"},
    )
    document = read_notebook(text, path="a.ipynb")
    assert document.title == "Loops"
    assert texts(document) == [
        "A loop runs again.",
        "```python\nx = 1\nprint(x)\n```",
        "A while loop has a condition.",
    ]
    assert [block.locator.heading_path for block in document.blocks][2] == ("Loops", "While")


@pytest.mark.parametrize(
    "hidden",
    [
        {"tags": ["remove-cell"]},
        {"tags": ["remove_input", "x"]},
        {"nbgrader": {"solution": True}},
        {"nbgrader": {"grade": True, "solution": False}},
        {"tags": ["solution"]},
        {"slideshow": {"slide_type": "skip"}},
    ],
)
def test_what_readers_do_not_see_and_solutions_are_no_text(hidden):
    text = notebook(cell("markdown", "Shown."), cell("code", "answer = 42", **hidden))
    assert texts(read_notebook(text, path="a.ipynb")) == ["Shown."]


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("Do it.\n\n<details><summary>Solution of exercise 1</summary>\n\n2.5\n\n</details>", ["Do it."]),
        ("<details open>\n<summary><b>点击查看答案</b></summary>2.5", []),
        ("x = 1\n### BEGIN SOLUTION\ny = 42\n### END SOLUTION\nz = 2", ["x = 1\n\nz = 2"]),
        ("<details><summary>Is the answer graded?</summary>\n\nYes.\n\n</details>", ["Yes."]),
    ],
)
def test_solutions_in_a_cell_of_a_notebook_are_no_text(source, shown):
    document = read_notebook(notebook(cell("markdown", source)), path="a.ipynb")
    assert "\n\n".join(texts(document)) == "\n\n".join(shown)


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (
            "<table><caption>When</caption><tr><th>Course</th><th>Date</th><th>Room</th></tr>"
            "<tr><td rowspan=2>Databases</td><td>12 May</td><td>H1|H2</td></tr>"
            "<tr><td colspan=2>oral</td></tr></table>",
            ["When",
             "| Course | Date | Room |\n|---|---|---|\n"
             "| Databases | 12 May | H1\\|H2 |\n| Databases | oral | oral |"],
        ),
        (
            "<table><tfoot><tr><td>sum</td><td>2</td></tr></tfoot><thead><tr><th>a</th><th>b</th></tr></thead>"
            "<tr><td><ul><li>x</li><li>y</li></ul></td>"
            "<td>x<sup>2</sup></td></tr>"
            "<tr hidden><td>h</td></tr></table>",
            ["| a | b |\n|---|---|\n| x; y | x² |\n| sum | 2 |"],
        ),
        ("<table><tr><td><h2>Left</h2><p>One.</p></td><td><h2>Right</h2><p>Two.</p></td></tr></table>",
         ["One.", "Two."]),
        ("<p>H<sub>2</sub>O, x<sup>k+m</sup>, a<sub>xy</sub>, the 1<sup>st</sup>",
         ["H₂O, x^(k+m), a_xy, the 1st"]),
        ("<p>Proved.<sup><a href='#fn1'>[1]</a></sup>", ["Proved."]),
    ],
)  # fmt: skip
def test_tables_and_raised_characters_of_a_page_are_readable(page, expected):
    """A table has a header and filled spans; one that arranges a page is the text in it."""
    assert texts(read_html(page, path="a.html")) == expected


def test_a_box_that_opens_at_a_click_is_a_part_under_its_question():
    page = (
        "<h2>Exam</h2><p>On Monday.</p><details><summary>May I <b>postpone</b>?</summary><p>Yes.</p>"
        "<h3>How</h3><p>Write.</p>"
        "<details><summary>To whom?</summary>To Ann.</details></details><p>In room 1.</p>"
    )
    found = [(block.locator.heading_path, block.text) for block in read_html(page, path="a.html").blocks]
    assert found == [
        (("Exam",), "On Monday."),
        (("Exam", "May I postpone?"), "Yes."),
        (("Exam", "May I postpone?", "How"), "Write."),
        (("Exam", "May I postpone?", "How", "To whom?"), "To Ann."),
        (("Exam",), "In room 1."),
    ]


def test_code_that_holds_a_fence_stays_whole():
    code = 'text = """\n```\ninside\n```\n"""'
    (found,) = texts(read_notebook(notebook(cell("code", code)), path="a.ipynb"))
    assert code in found


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '{"cells": 3}', '{"cells": [{}]}', '{"worksheets": []}', '{"cells": [1]}', "[" * 100_000],
)
def test_what_is_no_notebook_is_refused_by_name(text):
    with pytest.raises(InvalidInput, match=r"n\.ipynb, line 1: is no Jupyter notebook"):
        read_notebook(text, path="n.ipynb")


@pytest.mark.parametrize(
    ("formula", "tex"),
    [
        (
            "<math><mfrac><mi>a</mi><msqrt><mi>b</mi><mo>−</mo><mn>2</mn></msqrt></mfrac></math>",
            r"\frac{a}{\sqrt{b - 2}}",
        ),
        ("<math><msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup></math>", "x_{1}^{2}"),
        ("<math><mroot><mi>x</mi><mn>3</mn></mroot></math>", r"\sqrt[3]{x}"),
        (
            "<math><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr>"
            "<mtr><mtd><mn>3</mn></mtd><mtd><mn>4</mn></mtd></mtr></mtable></math>",
            r"\begin{matrix}1 & 2 \\ 3 & 4\end{matrix}",
        ),
        (
            "<math><semantics><mi>q</mi><annotation encoding='application/x-tex'>q_t</annotation>"
            "</semantics></math>",
            "q_t",
        ),
        (r"<math alttext='\alpha'><mi>a</mi></math>", r"\alpha"),
        ("<math alttext='no text'><mi>a</mi></math>", "a"),
    ],
)
def test_a_formula_of_a_page_stands_in_its_sentence(formula, tex):
    (block,) = read_html(f"<p>Let {formula} be.</p>", path="a.html").blocks
    assert block.text == f"Let ${tex}$ be."


@pytest.mark.parametrize(
    "mark", ["class='x related-links'", "class='breadcrumb'", "role='navigation'", "role='doc-toc'", "hidden"]
)
def test_what_leads_elsewhere_in_a_page_is_no_text(mark):
    page = f"<div><p>A stack grows.</p><div {mark}><p>Next topic: queues</p></div><p>It shrinks.</p></div>"
    assert texts(read_html(page, path="a.html")) == ["A stack grows.", "It shrinks."]


def test_a_page_that_canvas_did_not_publish_is_refused():
    page = "<html><head><meta name='workflow_state' content='{}'/></head><body><p>Text.</p></body></html>"
    assert texts(read_html(page.format("active"), path="p.html")) == ["Text."]
    with pytest.raises(InvalidInput, match="is not open to all students"):
        read_html(page.format("unpublished"), path="p.html")


@pytest.mark.parametrize("name", ["book.epub", "term.imscc"])
def test_a_work_of_pages_is_read_as_its_files_under_its_name(tmp_path, name):
    """So that two books with the same chapters do not get in each other's way."""
    page = '<?xml version="1.0"?><html><head><title/></head><body><h1>One</h1><p>It begins.</p></body></html>'
    with zipfile.ZipFile(tmp_path / name, "w") as packed:
        for inside in ("mimetype", "OEBPS/ch1.xhtml", "OEBPS/fig.png", "META-INF/container.xml"):
            packed.writestr(inside, page)
    readers = build_readers()
    assert is_packed(name)
    with (tmp_path / name).open("rb") as file:
        (found,) = unpack_zip(
            file, tmp_path / "out", path=name, wanted=lambda path: any(r.handles(path) for r in readers)
        )
    stem = name.split(".")[0]
    assert found == tmp_path / "out" / stem / "OEBPS" / "ch1.xhtml"
    reader = next(each for each in readers if each.handles(found.name))
    with found.open("rb") as file:
        document = reader.read(file, path=found.name, course=make_course("ds"))
    assert [pair.answer for pair in document.pairs] == ["It begins."]
