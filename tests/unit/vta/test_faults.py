"""The table of faults: every fault that the code raises has its sentence in both languages."""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from vta.errors import InvalidInput
from vta.faults import Fault, fault_table
from vta.types import Language

ROOT = Path(__file__).parents[3]
PACKAGES = ("vta", "intent", "knowledge", "concept_graph", "prompts", "services")


def raised() -> Iterator[tuple[str, str, frozenset[str]]]:
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


RAISED = tuple(raised())


def values_of(sentence: str) -> frozenset[str]:
    return frozenset(name for _, name, _, _ in string.Formatter().parse(sentence) if name)


def test_every_fault_is_in_the_table_with_its_values():
    """A fault names a code of the table and exactly the values of its English sentence."""
    assert RAISED
    wrong = [
        where
        for where, code, values in RAISED
        if code not in fault_table() or values != values_of(fault_table()[code][Language.EN])
    ]
    assert wrong == []


def test_every_sentence_of_the_table_is_used():
    assert sorted(fault_table().keys() - {code for _, code, _ in RAISED}) == []


@pytest.mark.parametrize("code", sorted(fault_table()))
def test_a_fault_has_a_sentence_in_both_languages(code: str):
    """The Chinese sentence names no value that the English one has not, and ends as a sentence does."""
    sentences = fault_table()[code]
    assert set(sentences) == set(Language)
    assert values_of(sentences[Language.ZH]) <= values_of(sentences[Language.EN])
    assert sentences[Language.EN].strip() == sentences[Language.EN] != ""
    assert not sentences[Language.EN].endswith(".")
    assert code.startswith(("name.", "noun.")) or sentences[Language.ZH].endswith(("。", "}", "："))


def test_an_error_says_its_fault_in_the_language_asked_for():
    error = InvalidInput(Fault("question.too_long", length=5000, most=4000), field="question")
    assert str(error) == error.message == "the question has 5000 characters; at most 4000 are read"
    assert error.text(Language.ZH) == "问题有 5000 个字符，最多 4000 个。"


def test_a_value_is_never_read_as_a_template():
    """A student's braces stay a student's braces."""
    assert "{most}" in Fault("question.too_long", length="{most}", most=4000).text()
