"""Workbooks are read as Excel shows them."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import datetime, time, timedelta

import factories as make
import pytest
from openpyxl import Workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.styles import Font
from openpyxl.worksheet.worksheet import Worksheet

from knowledge.sources.readers import FaqReader
from vta.errors import InvalidInput
from vta.types.documents import CourseDocument


def sheet_of(*rows: Sequence[object]) -> Worksheet:
    sheet = Workbook().active
    assert isinstance(sheet, Worksheet)
    for row in rows:
        sheet.append(row)
    return sheet


def read(sheet: Worksheet) -> CourseDocument:
    file = io.BytesIO()
    assert sheet.parent is not None
    sheet.parent.save(file)
    return FaqReader().read(file, path="a.xlsx", course=make.course())


def texts(document: CourseDocument) -> list[tuple[str, str]]:
    return [(pair.question, pair.answer) for pair in document.pairs]


def reasons(document: CourseDocument) -> list[tuple[int | None, str]]:
    return [(each.line, each.reason.partition(": ")[2]) for each in document.rejected]


@pytest.mark.parametrize(
    ("value", "number_format", "text"),
    [
        (0.5, "0%", "50%"),
        (0.125, "0.0%", "12.5%"),
        (1062785001, "00000000000", "01062785001"),
        (13800138000, "000-0000-0000", "138-0013-8000"),
        (1234.5, "#,##0.00", "1,234.50"),
        (-1234.5, "#,##0.00_);[Red](#,##0.00)", "(1,234.50)"),
        (0.125, "0.00", "0.13"),
        (12.5, "[$¥-804]#,##0.00", "¥12.50"),
        (3, '"第"0"周"', "第3周"),
        (5, "0.##", "5"),
        (1234000, "#,##0,", "1234000"),
        (1e300, "0", "1e+300"),
        (0.1 + 0.2, "General", "0.3"),
        (True, "General", "TRUE"),
        (datetime(2027, 1, 15), "yyyy-mm-dd h:mm:ss", "2027-01-15"),
        (datetime(2027, 1, 5), "mm-dd-yy", "2027-01-05"),
        (datetime(2027, 1, 5), 'yyyy"年"m"月"d"日"', "2027年1月5日"),
        (datetime(2027, 1, 5, 14, 3), "m/d/yy h:mm", "2027-01-05 14:03"),
        (datetime(2027, 1, 15), "[$-409]dddd, d mmm yyyy;@", "Friday, 15 Jan 2027"),
        (datetime(2027, 1, 15), "m/d aaaa", "1/15 星期五"),
        (time(14, 3, 9), "h:mm AM/PM", "2:03 PM"),
        (time(14, 3, 9), "mm:ss", "03:09"),
        (timedelta(hours=30, minutes=5), "[h]:mm", "30:05"),
    ],
)
def test_a_cell_says_what_its_number_format_shows(value: object, number_format: str, text: str) -> None:
    sheet = sheet_of(["question", "answer"], ["q", value])
    sheet["B2"].number_format = number_format
    assert texts(read(sheet)) == [("q", text)]


def test_all_rows_of_a_merged_cell_have_its_value() -> None:
    """In its first column alone: a heading across the table is no answer; rows without a text are none."""
    sheet = sheet_of(
        ["问题", "答案"], ["怎么退课", "找教务。"], ["退课找谁", None], ["考试", None], ["几点考", "九点。"]
    )
    for cells in ("B2:B3", "A4:B4", "B5:B9"):
        sheet.merge_cells(cells)
    found = read(sheet)
    assert texts(found) == [("怎么退课", "找教务。"), ("退课找谁", "找教务。"), ("几点考", "九点。")]
    assert reasons(found) == [(4, "the answer is empty")]


def test_a_carriage_return_that_a_program_escaped_is_a_line_end() -> None:
    assert texts(read(sheet_of(["question", "answer"], ["q", "a_x000D_\nb"]))) == [("q", "a\nb")]


def test_a_link_of_an_answer_is_a_markdown_link() -> None:
    sheet = sheet_of(["question", "answer"], ["q", "the [new] page"])
    sheet["A2"].hyperlink = sheet["B2"].hyperlink = "https://x.example/a (b)"
    assert texts(read(sheet)) == [("q", r"[the \[new\] page](https://x.example/a%20%28b%29)")]


def test_error_values_and_hidden_rows_are_left_out_and_listed() -> None:
    """Struck-out rows, too; what is struck out inside of an answer is left out of it."""
    part = CellRichText("Week 3: ", TextBlock(InlineFont(strike=True), "greedy "), "dynamic.")
    sheet = sheet_of(["question", "answer"], ["a", "#N/A"], ["b", "old"], ["c", "old"], ["d", part])
    sheet.row_dimensions[3].hidden = True
    sheet["A4"].font = sheet["B4"].font = Font(strike=True)
    found = read(sheet)
    assert texts(found) == [("d", "Week 3: dynamic.")]
    assert reasons(found) == [
        (2, "the column answer shows the error #N/A; correct the formula"),
        (3, "the row is hidden or struck out in the workbook"),
        (4, "the row is hidden or struck out in the workbook"),
    ]


def test_a_timetable_is_read_as_a_table_of_the_material() -> None:
    sheet = sheet_of(
        ["Autumn term"], [], [None, "Week", "Topic"], [None, 1, "a|b"], [None, 2, "c"], [None, 3]
    )
    sheet.title = "Lectures"
    sheet.row_dimensions[5].hidden = True
    found = read(sheet)
    assert texts(found) == [
        ("a > Lectures", "Autumn term\n\n| Week | Topic |\n| --- | --- |\n| 1 | a\\|b |\n| 3 |  |")
    ]
    assert reasons(found) == [(None, "the row is hidden or struck out in the workbook")]


def test_a_workbook_that_names_only_its_questions_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no column 'answer'"):
        read(sheet_of(["question", "reply"], ["a", "b"]))
