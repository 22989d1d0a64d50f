"""A model's numbers of its documents, which are not the numbers of a student's sources."""

from __future__ import annotations

import pytest
from processor_time import cheapest

from vta.dialogue.document_names import without_document_names


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("A stack grows, as stated in document 2.", "A stack grows."),
        ("A stack grows, as mentioned in the first document, and shrinks.", "A stack grows, and shrinks."),
        ('A stack grows, according to the information provided in document n="2".', "A stack grows."),
        ("It is short. According to documents 1 and 3, a stack grows.", "It is short. A stack grows."),
        ("根据文档[1]，栈后进先出。", "栈后进先出。"),
        ("根据文档，栈后进先出。", "栈后进先出。"),
        ("The code is given in documents 1, 3, and 5.", "The code is given in the course material."),
        ('The document <document n="2"> names a stack.', "The course material names a stack."),
        ('<document n="2">讲了栈。', "课程资料讲了栈。"),
    ],
)
def test_a_document_of_the_prompt_loses_its_number(written: str, shown: str) -> None:
    assert without_document_names(written) == shown


@pytest.mark.parametrize(
    "text",
    [
        "Hand in document 2 by Friday.",
        "Open the second document and save it.",
        "It is short.\n\nAccording to document 2 a stack grows.",
        '```\nprint("as stated in document 2")\n```',
        "Write `as stated in document 2` there.",
        "文档 2 周五前提交。",
    ],
)
def test_documents_that_a_course_speaks_of_and_code_stay_as_they_are(text: str) -> None:
    assert without_document_names(text) == text


@pytest.mark.parametrize("text", [" " * 20_000, "\n" * 20_000, "as stated in" + " " * 20_000])
def test_long_runs_of_a_model_that_is_stuck_cost_little(text: str) -> None:
    assert cheapest(lambda: without_document_names(text), enough=0.25) < 0.25
