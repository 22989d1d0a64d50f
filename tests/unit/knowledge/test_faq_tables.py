"""FAQ tables as instructors have them: what is read of them, and what is said of the rest."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import factories as make
import pytest
from openpyxl import Workbook
from sql_stores import new_stores

from knowledge.sources.readers import FaqReader, read_faq_table
from vta.errors import InvalidInput
from vta.ingest.pipeline import ingest
from vta.types.documents import CourseDocument

COURSE = make.course()

TABLE = (
    "question,answer\n"
    'When is the exam?,"On Monday,\nat ten.\nBring a pen."\n'
    "\n"
    ",An answer to nothing.\n"
    "when is the exam,On Friday.\n"
    "Is there a book?,No.\n"
)


def read(content: str | bytes, path: str = "faq.csv") -> CourseDocument:
    data = content if isinstance(content, bytes) else content.encode()
    return FaqReader().read(io.BytesIO(data), path=path, course=COURSE)


def texts(document: CourseDocument) -> list[tuple[str, str]]:
    return [(pair.question, pair.answer) for pair in document.pairs]


def test_of_two_rows_with_one_question_the_first_is_kept() -> None:
    """The other is listed with the rows as a spreadsheet numbers them and both texts; the rest is read."""
    document = read(TABLE)
    assert [question for question, _ in texts(document)] == ["When is the exam?", "Is there a book?"]
    empty, twice = document.rejected
    assert (empty.line, empty.reason) == (4, "faq.csv, row 4: the question is empty")
    assert (twice.path, twice.line) == ("faq.csv", 5)
    for words in (
        "row 5",
        "row 2",
        "'when is the exam'",
        "'On Friday.'",
        "'On Monday, at ten. Bring a pen.'",
    ):
        assert words in twice.reason


def test_an_ingest_reads_the_good_rows_and_lists_the_others(tmp_path: Path) -> None:
    """`vta ingest` and uploads have the policy of every other import."""
    (tmp_path / "faq.csv").write_text(TABLE)
    stores = new_stores(tmp_path / "store", COURSE)
    report = ingest([tmp_path / "faq.csv"], course=COURSE, readers=[FaqReader()], documents=stores.documents)
    stores.close()
    assert (report.added, report.pairs) == (("faq.csv",), 2)
    assert [rejection.line for rejection in report.rejected] == [4, 5]


def test_blanks_beside_chinese_make_no_other_question() -> None:
    document = read(
        "q,a\n怎么退课？,a\n怎么  退课,b\nC语言是什么,c\nC 语言 是什么,d\nis it on,e\nis iton,f\n"
    )
    assert [question for question, _ in texts(document)] == [
        "怎么退课？",
        "C语言是什么",
        "is it on",
        "is iton",
    ]
    assert [each.line for each in document.rejected] == [3, 5]


def test_many_faulty_rows_are_counted_after_the_first_thousand() -> None:
    """A report stays readable whatever the table."""
    document = read("question,answer\n" + "Why?,So.\n" * 1201)
    assert len(document.pairs) == 1
    assert len(document.rejected) == 1001
    assert document.rejected[-1].reason == "faq.csv: 200 more rows were left out"


@pytest.mark.parametrize(
    "content",
    [
        "question;answer\nWhy, then?;Because, so.\n",
        "question\tanswer\nWhy, then?\tBecause, so.\n",
        "question\tanswer\r\nWhy, then?\tBecause, so.\r\n".encode("utf-16"),
        "sep=;\nquestion;answer\nWhy, then?;Because, so.\n",
        'Questions of 2024,\n\nQ,A\n"Why, then?","Because, so."\n',
        '提问,回答\n"Why, then?","Because, so."\n',
        '题目,标准答案\n"Why, then?","Because, so."\n',
    ],
    ids=["semicolons", "tabs", "utf-16", "sep", "title row", "提问", "题目"],
)
def test_a_table_is_read_as_excel_and_people_write_it(content: str | bytes) -> None:
    """Whatever stands between its cells, over its header and in it."""
    assert texts(read(content)) == [("Why, then?", "Because, so.")]


@pytest.mark.parametrize("separator", [",", ";", "\t"], ids=["commas", "semicolons", "tabs"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_the_rows_of_any_export_are_those_that_excel_numbers(separator: str, encoding: str) -> None:
    """Titles above the header, empty rows, empty first columns and line breaks in cells included."""
    rows = [
        ["《数据结构》常见问题"],
        ["2025 年春季学期，由助教整理，供学生参考"],
        [],
        ["", "", "问题", "分类", "答案"],
        ["", "", "什么时候交作业？", "作业", '"周五之前。\n请在网上提交。"'],
        ["", "", "", "", "没有问题的答案"],
        ["", "", "考试可以带书吗？", "考试", "不可以。"],
        ["", "", "什么时候交作业", "作业", "周日之前。"],
    ]
    text = "\r\n".join(separator.join(row) for row in rows)
    table = read_faq_table(io.BytesIO(text.encode(encoding)), path="faq.csv")
    assert [(row.row, row.draft.category) for row in table.rows] == [(5, "作业"), (7, "考试")]
    assert [(row.row, row.kept.row if row.kept else None) for row in table.rejected] == [(6, None), (8, 5)]


def test_a_workbook_is_read_from_the_sheet_that_has_a_header() -> None:
    """Whatever stands before it; rows are counted as Excel does though some are empty."""
    content = workbook(
        {
            "Notes": [["Read me first"], ["The table is on the next sheet"]],
            "FAQ": [["Course FAQ"], [], ["", "Q", "A"], [], ["", "Why?", "So."], ["", "why", "No."]],
        }
    )
    table = read_faq_table(io.BytesIO(content), path="faq.xlsx")
    assert (table.sheet, table.other_sheets) == ("FAQ", ())
    assert [row.row for row in table.rows] == [5]
    assert [(row.row, row.kept.row if row.kept else None) for row in table.rejected] == [(6, 5)]


def test_of_several_sheets_with_a_header_one_can_be_chosen() -> None:
    """The first unless one is named; an ingest tells of those it left; hidden ones only count by name."""
    rows = [["question", "answer"], ["Why?", "So."]]
    other = [["question", "answer"], ["How?", "Thus."]]
    content = workbook({"2024": rows, "2025": other, "old": other}, hidden="old")
    table = read_faq_table(io.BytesIO(content), path="faq.xlsx")
    assert (table.sheet, table.other_sheets) == ("2024", ("2025",))
    assert [each.reason for each in read(content, "faq.xlsx").rejected] == [
        "faq.xlsx: the sheet '2024' was read; not read: 2025"
    ]
    chosen = read_faq_table(io.BytesIO(content), path="faq.xlsx", sheet="2025")
    assert [row.draft.question for row in chosen.rows] == ["How?"]
    assert read_faq_table(io.BytesIO(content), path="faq.xlsx", sheet="old").rows == chosen.rows
    with pytest.raises(InvalidInput, match="no sheet '2026'; there are 2024, 2025"):
        read_faq_table(io.BytesIO(content), path="faq.xlsx", sheet="2026")
    with pytest.raises(InvalidInput, match="only a workbook"):
        read_faq_table(io.BytesIO(b"q,a\nx,y\n"), path="faq.csv", sheet="2025")


def test_a_draft_of_a_file_answers_nobody() -> None:
    """A row that says so is no pair; one whose state is unknown may be a draft, so it is left out too."""
    document = read("question,answer,state\nWhy?,So.,draft\nHow?,Thus.,live\nWho?,I.,perhaps\n")
    assert [question for question, _ in texts(document)] == ["How?"]
    assert [each.reason for each in document.rejected] == [
        "faq.csv, row 4: 'perhaps' is no state: write live or draft"
    ]


def workbook(sheets: Mapping[str, Sequence[Sequence[str]]], hidden: str = "") -> bytes:
    book = Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
        if name == hidden:
            sheet.sheet_state = "hidden"
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()
