"""Word files and slides: what a reader of them sees is read, in that order, and nothing else."""

from __future__ import annotations

import io

import pytest
from docx import Document
from docx.oxml import parse_xml
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE

from knowledge.sources.slides import read_pptx
from knowledge.sources.word import read_docx

SPACES = " ".join(
    f'xmlns:{prefix}="http://schemas.openxmlformats.org/{rest}"'
    for prefix, rest in {
        "w": "wordprocessingml/2006/main",
        "m": "officeDocument/2006/math",
        "mc": "markup-compatibility/2006",
    }.items()
)


def word(body: str) -> list[str]:
    """The texts of a file with these paragraphs and tables."""
    document = Document()
    for element in parse_xml(f"<w:body {SPACES}>{body}</w:body>"):
        document.element.body.insert_element_before(element, "w:sectPr")
    return [block.text for block in read_docx(saved(document), path="a.docx").blocks]


def saved(document) -> io.BytesIO:
    written = io.BytesIO()
    document.save(written)
    written.seek(0)
    return written


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(*runs: str) -> str:
    return f"<w:p>{''.join(runs)}</w:p>"


def cell(text: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraph(run(text))}</w:tc>"


BOX = f"<w:txbxContent>{paragraph(run('Boxed.'))}</w:txbxContent>"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            paragraph(
                run("Due on "),
                f"<w:del>{run('Monday').replace('w:t', 'w:delText')}</w:del><w:ins>{run('Friday')}</w:ins>",
            ),
            ["Due on Friday"],
        ),
        (
            f"<w:p>{run('From ')}<w:moveTo>{run('here')}</w:moveTo><w:moveFrom>{run('x')}</w:moveFrom></w:p>",
            ["From here"],
        ),
        (
            f"<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>{run('One ')}</w:p>{paragraph(run('line.'))}",
            ["One line."],
        ),
        (paragraph(run("Shown."), run("17", "<w:vanish/>"), run("old", "<w:strike/>")), ["Shown."]),
        (paragraph(run("Shown.", '<w:vanish w:val="0"/>')), ["Shown."]),
        (paragraph(run("x"), run("2", '<w:vertAlign w:val="superscript"/>')), ["x²"]),
        (paragraph(run("H"), run("2", '<w:vertAlign w:val="subscript"/>'), run("O")), ["H₂O"]),
        (
            f"<w:sdt><w:sdtPr><w:alias/></w:sdtPr><w:sdtContent>{paragraph(run('Controlled.'))}</w:sdtContent></w:sdt>",
            ["Controlled."],
        ),
        (
            f"<w:p>{run('Text.')}<w:r><mc:AlternateContent><mc:Choice Requires='wps'>{BOX}</mc:Choice>"
            f"<mc:Fallback>{BOX}</mc:Fallback></mc:AlternateContent></w:r></w:p>",
            ["Text.", "Boxed."],
        ),
        (
            "<w:p><w:pPr><w:numPr><w:numId w:val='1'/></w:numPr></w:pPr><w:r><w:t>one</w:t></w:r></w:p>",
            ["- one"],
        ),
    ],
)
def test_a_word_file_says_what_its_reader_sees(body, expected):
    """Insertions, controls and boxes once; deletions, hidden and struck-out text not."""
    assert word(body) == expected


def test_text_of_a_hidden_style_and_the_contents_are_out():
    document = Document()
    style = document.styles.add_style("Tutor", 1)
    style.font.hidden = True
    based = document.styles.add_style("Tutor's note", 1)
    based.base_style = style
    document.add_paragraph("For students.")
    document.add_paragraph("The answer is 17.", style=based)
    document.add_paragraph("1 Stacks 17", style=document.styles.add_style("toc 1", 1))
    blocks = read_docx(saved(document), path="a.docx").blocks
    assert [block.text for block in blocks] == ["For students."]


def test_cells_that_span_rows_or_columns_are_filled():
    restart, span = '<w:vMerge w:val="restart"/>', '<w:gridSpan w:val="2"/>'
    table = (
        f"<w:tbl><w:tr>{cell('Course')}{cell('Date')}{cell('Room | hall')}</w:tr>"
        f"<w:tr>{cell('Databases', restart)}{cell('12 May')}{cell('H1')}</w:tr>"
        f"<w:tr>{cell('', '<w:vMerge/>')}{cell('by appointment', span)}</w:tr></w:tbl>"
    )
    assert word(table) == [
        "| Course | Date | Room \\| hall |\n|---|---|---|\n| Databases | 12 May | H1 |\n"
        "| Databases | by appointment | by appointment |"
    ]


def test_a_table_that_only_frames_text_is_that_text():
    framed = f"<w:tbl><w:tr><w:tc>{paragraph(run('One.'))}{paragraph(run('Two.'))}</w:tc></w:tr></w:tbl>"
    assert word(framed) == ["One.", "Two."]


def math(tag: str, **parts: str) -> str:
    inner = "".join(f"<m:{name}>{text}</m:{name}>" for name, text in parts.items())
    return f"<m:{tag}>{inner}</m:{tag}>"


def sign(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


@pytest.mark.parametrize(
    ("formula", "tex"),
    [
        (math("f", num=sign("a"), den=math("sSub", e=sign("b"), sub=sign("1"))), r"\frac{a}{b_{1}}"),
        (math("rad", deg=sign("3"), e=sign("x")), r"\sqrt[3]{x}"),
        (math("rad", e=sign("x")), r"\sqrt{x}"),
        (
            math("nary", naryPr='<m:chr m:val="∑"/>', sub=sign("i=1"), sup=sign("n"), e=sign("x")),
            r"\sum_{i=1}^{n} x",
        ),
        (math("d", dPr='<m:begChr m:val="{"/><m:endChr m:val=""/>', e=sign("x")), r"\left\{ x \right."),
        (math("func", fName=sign("sin"), e=sign("x")), r"\sin x"),
        (math("acc", accPr='<m:chr m:val="̅"/>', e=sign("x")), r"\overline{x}"),
        (math("m", mr=f"<m:e>{sign('1')}</m:e><m:e>{sign('2')}</m:e>"), r"\begin{matrix}1 & 2\end{matrix}"),
        (math("f", fPr='<m:type m:val="noBar"/>', num=sign("n"), den=sign("k")), r"{n \atop k}"),
        (sign("50%"), r"50\%"),
    ],
)
def test_an_equation_of_word_is_tex(formula, tex):
    assert word(paragraph(run("Let "), f"<m:oMath>{formula}</m:oMath>")) == [f"Let ${tex}$"]


def test_footnotes_follow_their_paragraph():
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.opc.packuri import PackURI
    from docx.opc.part import Part

    document = Document()
    reference = parse_xml(f'<w:r {SPACES}><w:footnoteReference w:id="2"/></w:r>')
    document.add_paragraph("Claimed.")._p.append(reference)
    document.add_paragraph("Next.")
    note = (
        f'<w:footnotes {SPACES}><w:footnote w:id="2">{paragraph(run("Proved."))}</w:footnote></w:footnotes>'
    )
    part = Part(PackURI("/word/footnotes.xml"), "application/xml", note.encode(), document.part.package)
    document.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)
    blocks = read_docx(saved(document), path="a.docx").blocks
    assert [block.text for block in blocks] == ["Claimed.", "Proved.", "Next."]


def slide():
    deck = Presentation()
    return deck, deck.slides.add_slide(deck.slide_layouts[6]).shapes


def slides(deck) -> list[str]:
    return [block.text for block in read_pptx(saved(deck), path="a.pptx").blocks]


def test_the_left_column_of_a_slide_is_read_first():
    """A line above both columns comes before them, a line below after; boxes may overlap a little."""
    deck, shapes = slide()
    for text, left, top, width in (
        ("foot", 0, 300, 1000),
        ("right", 490, 100, 500),
        ("right too", 490, 200, 500),
        ("left too", 0, 200, 500),
        ("left", 0, 100, 500),
        ("head", 0, 0, 1000),
    ):
        shapes.add_textbox(left, top, width, 90).text_frame.text = text
    assert slides(deck) == ["head", "left", "left too", "right", "right too", "foot"]


def test_pictures_and_charts_are_read_in_words():
    """By alt text; a chart by its title and numbers."""
    deck, shapes = slide()
    data = CategoryChartData()
    data.categories = ["8 KB", "16 KB"]
    data.add_series("Misses", [4.6, 3.2])
    chart = shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, 9, 9, data)
    chart.chart.has_title = True
    chart.chart.chart_title.text_frame.text = "Miss rates"
    chart._element.nvGraphicFramePr.cNvPr.set("descr", "Misses fall.")
    box = shapes.add_textbox(0, 20, 9, 9)
    box.text_frame.text = "x"
    box.text_frame.paragraphs[0].add_run().text = "2"
    box.text_frame.paragraphs[0].runs[1]._r.get_or_add_rPr().set("baseline", "30000")
    assert slides(deck) == [
        "Miss rates",
        "|  | Misses |\n|---|---|\n| 8 KB | 4.6 |\n| 16 KB | 3.2 |",
        "Misses fall.",
        "x²",
    ]


def test_an_equation_of_a_slide_is_tex():
    """PowerPoint puts its whole shape among alternatives, the one for older programs being a picture."""
    deck, shapes = slide()
    box = shapes.add_textbox(0, 0, 9, 9)
    box.text_frame.text = "Let "
    space = 'xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main"'
    formula = f"<m:oMath>{math('sSup', e=sign('x'), sup=sign('2'))}</m:oMath>"
    box.text_frame.paragraphs[0]._p.append(parse_xml(f"<a14:m {space} {SPACES}>{formula}</a14:m>"))
    tree = box._element.getparent()
    wrapped = parse_xml(f"<mc:AlternateContent {SPACES}><mc:Choice Requires='a14'/></mc:AlternateContent>")
    tree.replace(box._element, wrapped)
    wrapped[0].append(box._element)
    assert slides(deck) == ["Let $x^{2}$"]


def test_merged_cells_of_a_slide_are_filled():
    deck, shapes = slide()
    table = shapes.add_table(3, 2, 0, 0, 9, 9).table
    for place, text in {(0, 0): "Term", (0, 1): "Room", (1, 0): "May", (1, 1): "H1", (2, 1): "H2"}.items():
        table.cell(*place).text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    assert slides(deck) == ["| Term | Room |\n|---|---|\n| May | H1 |\n| May | H2 |"]
