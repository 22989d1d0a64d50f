"""FAQ tables as instructors have them: what is read of them, and what is said of the rest."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from knowledge.sources.readers import FaqReader
from vta.errors import InvalidInput
from vta.ingest.pipeline import ingest
from vta.memory import Memory, MemoryCourses, MemoryDocuments
from vta.types import Course, CourseDocument, CourseId, Language

COURSE = Course(id=CourseId("c"), name="C", domains=("d",), language=Language.EN)

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
    memory = Memory()
    MemoryCourses(memory).add(COURSE)
    documents = MemoryDocuments(memory)
    report = ingest([tmp_path / "faq.csv"], course=COURSE, readers=[FaqReader()], documents=documents)
    assert (report.added, report.pairs) == (("faq.csv",), 2)
    assert [rejection.line for rejection in report.rejected] == [4, 5]


def test_a_table_without_one_good_row_is_refused() -> None:
    """With its first fault, so that what was stored of it before stays."""
    with pytest.raises(InvalidInput, match="row 2: the answer is empty"):
        read("question,answer\nWhy?,\n,b\n")


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


def test_a_header_without_the_columns_says_what_they_may_be_called() -> None:
    """In the message that refuses the table."""
    with pytest.raises(InvalidInput, match=r"row 1: .*no column 'answer'; it may be called answer, .*回答"):
        read("question,remark\na,b\n")


def test_a_comma_in_a_text_does_not_make_it_a_separator() -> None:
    """The header decides, not the row with most commas."""
    assert texts(read("question;answer\na,b,c;d,e\n")) == [("a,b,c", "d,e")]
