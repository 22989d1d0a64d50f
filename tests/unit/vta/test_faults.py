"""The table of faults: every fault that the code raises has its sentence in both languages."""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from vta.errors import InvalidInput
from vta.faults import Fault, fault_table, page_table
from vta.languages import Language
from vta.types.answers import Rejection

ROOT = Path(__file__).parents[3]
PACKAGES = ("vta", "intent", "knowledge", "concept_graph", "prompts", "services", "lab")


@cache
def raised() -> tuple[tuple[str, str, frozenset[str]], ...]:
    """Every fault that the code makes, read once when a test asks for them."""
    return tuple(_raised())


def _raised() -> Iterator[tuple[str, str, frozenset[str]]]:
    """Where a `Fault(...)` is made, its code and the names of its values."""
    for file in sorted(file for package in PACKAGES for file in (ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "Fault"
                and node.args
            ):
                code = ast.literal_eval(node.args[0])
                yield f"{file}:{node.lineno}", code, frozenset(k.arg or "" for k in node.keywords)


IDS = {"course", "entry", "question", "turn"}


def values_of(sentence: str) -> frozenset[str]:
    return frozenset(name for _, name, _, _ in string.Formatter().parse(sentence) if name)


def test_every_fault_is_in_the_table_with_its_values():
    """A fault names a code of the table and exactly the values of its English sentence."""
    assert raised()
    wrong = [
        where
        for where, code, values in raised()
        if code not in fault_table() or values != values_of(fault_table()[code][Language.EN])
    ]
    assert wrong == []


def test_every_sentence_of_the_table_is_used():
    """The frames of places are used by `FaultPlace`."""
    codes = {code for code in fault_table() if not code.startswith("place.")}
    assert sorted(codes - {code for _, code, _ in raised()}) == []


@pytest.mark.parametrize("code", sorted(fault_table()))
def test_a_fault_has_a_sentence_in_both_languages(code: str):
    """The Chinese sentence names no value that the English one has not, and ends as a sentence does."""
    sentences = fault_table()[code]
    assert set(sentences) == set(Language)
    assert values_of(sentences[Language.ZH]) <= values_of(sentences[Language.EN])
    assert sentences[Language.EN].strip() == sentences[Language.EN] != ""
    assert not sentences[Language.EN].endswith(".")
    assert code.startswith("name.") or sentences[Language.ZH].endswith(("。", "}", "："))


@pytest.mark.parametrize("code", sorted(page_table()))
def test_a_page_says_it_in_both_languages_without_ids(code: str):
    """A page names no more than the sentence of the API does, and never the course or another id."""
    sentences = page_table()[code]
    assert set(sentences) == set(Language)
    for sentence in sentences.values():
        assert values_of(sentence) <= values_of(fault_table()[code][Language.EN]) - IDS


def test_a_page_shows_its_own_words_and_the_api_keeps_its_ids():
    fault = Fault("faq_entry.unknown", entry="f-1", course="ds")
    assert "f-1" in fault.text()
    assert fault.page_text(Language.EN) == "There is no such entry."
    assert fault.page_text(Language.ZH) == "没有这条问答。"


def test_a_fault_in_a_fault_is_said_in_the_same_language():
    """With the place first, as a reader of the file looks for it."""
    inner = Fault("question.too_long", length=5000, most=4000)
    fault = Fault("data.line", file="a.jsonl", line=3, reason=inner)
    assert fault.text() == "a.jsonl, line 3: the question has 5000 characters; at most 4000 are read"
    assert fault.text(Language.ZH) == "a.jsonl，第 3 行：问题有 5000 个字符，最多 4000 个。"


def test_replaced_values_make_another_fault():
    fault = Fault("model.busy", server=Fault("name.language_model"))
    other = fault.replacing(server=Fault("name.embeddings_server"))
    assert (fault.text(), other.text()) == ("the language model is busy", "the embeddings server is busy")
    assert fault != other


def test_an_error_says_its_fault_in_the_language_asked_for():
    error = InvalidInput(Fault("question.too_long", length=5000, most=4000), field="question")
    assert str(error) == error.message == "the question has 5000 characters; at most 4000 are read"
    assert error.fault.text(Language.ZH) == "问题有 5000 个字符，最多 4000 个。"


def test_a_value_is_never_read_as_a_template():
    """A student's braces stay a student's braces."""
    assert "{most}" in Fault("question.too_long", length="{most}", most=4000).text()


@pytest.mark.parametrize(
    ("fault", "english", "chinese"),
    [
        (Fault("file.no_text").at("a.md"), "a.md: holds no text", "a.md：没有文字。"),
        (Fault("file.no_text").at("a.md", 7), "a.md, line 7: holds no text", "a.md，第 7 行：没有文字。"),
        (
            Fault("file.no_text").at("a.csv", row=7),
            "a.csv, row 7: holds no text",
            "a.csv，第 7 行：没有文字。",
        ),
        (
            Fault("file.no_text").at("a.pdf", page=7),
            "a.pdf, page 7: holds no text",
            "a.pdf，第 7 页：没有文字。",
        ),
        (
            Fault("concept.empty").at("a.json", 2, field="concepts[0].name"),
            "a.json, line 2: concepts[0].name: must not be empty",
            "a.json，第 2 行：concepts[0].name：不能是空的。",
        ),
        (Fault("concept.empty").at(field="name"), "name: must not be empty", "不能是空的。"),
    ],
)
def test_a_place_stands_before_the_sentence_in_either_language(fault: Fault, english: str, chinese: str):
    """A form shows its own field in Chinese, so the sentence does not name it again."""
    assert (fault.text(), fault.text(Language.ZH)) == (english, chinese)


def test_an_error_takes_its_place_from_the_fault():
    """A row of a table counts as a line."""
    error = InvalidInput(Fault("table.no_question").at("faq.csv", row=7), field="question")
    assert (error.path, error.line, error.field) == ("faq.csv", 7, "question")
    assert error.fault.code == "table.no_question"


def test_a_rejection_says_its_fault_in_either_language():
    """What the command line prints as JSON stays the English sentence."""
    rejection = Rejection(path="a.pdf", fault=Fault("file.scanned").at("a.pdf", page=1))
    assert rejection.reason == "a.pdf, page 1: holds no text; scanned pages need OCR"
    assert (
        rejection.fault.text(Language.ZH) == "a.pdf，第 1 页：没有文字；扫描的页面需要先做文字识别（OCR）。"
    )
