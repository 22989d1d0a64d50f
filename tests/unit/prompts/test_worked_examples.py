"""The library of worked examples loads, is balanced, and every example can be reached."""

from __future__ import annotations

import pytest

from prompts.chain_of_teach.library import KINDS, load_examples, parse_example, sample_similar
from vta.errors import InvalidInput
from vta.text import Analyser
from vta.types import Language, WorkedExample

ANALYSER = Analyser()
EXAMPLES = load_examples()
GOOD = "---\nid: a\nlanguage: en\nkind: method\nsubject: physics\nquestion: How: so?\n---\nStep 1.\n"


@pytest.mark.parametrize("language", list(Language))
def test_each_language_has_eight_examples_over_all_kinds_and_several_subjects(language: Language) -> None:
    examples = [e for e in EXAMPLES if e.language is language]
    assert len(examples) >= 8
    assert {e.kind for e in examples} == set(KINDS)
    assert len({e.subject for e in examples}) >= 7


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.id)
def test_an_answer_has_the_length_of_an_explanation(example: WorkedExample) -> None:
    words = len(example.answer.split())
    assert 80 <= words <= 200 if example.language is Language.EN else 250 <= len(example.answer) <= 450


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.id)
def test_the_own_question_of_an_example_returns_it_first(example: WorkedExample) -> None:
    found = sample_similar(EXAMPLES, example.question, language=example.language, analyser=ANALYSER)
    assert found[0] == example
    assert len(found) == 2
    assert {e.language for e in found} == {example.language}


@pytest.mark.parametrize(
    ("question", "language", "kind"),
    [
        ("栈和队列有什么区别？", Language.ZH, "comparison"),
        ("为什么快速排序会退化？", Language.ZH, "reason"),
        ("能举一个递归的例子吗？", Language.ZH, "example"),
        ("What is the difference between precision and recall?", Language.EN, "comparison"),
        ("Why does regularisation lead to smaller weights?", Language.EN, "reason"),
        ("Which topics should I study before neural networks?", Language.EN, "recommendation"),
    ],
)
def test_the_nearest_example_is_of_the_kind_of_the_question(
    question: str, language: Language, kind: str
) -> None:
    assert sample_similar(EXAMPLES, question, language=language, analyser=ANALYSER)[0].kind == kind


def test_questions_without_words_get_the_first_examples_by_id() -> None:
    found = sample_similar(EXAMPLES, "？！", language=Language.EN, analyser=ANALYSER)
    assert [e.id for e in found] == sorted(e.id for e in EXAMPLES if e.language is Language.EN)[:2]


def test_a_good_file_is_read_with_colons_in_its_question() -> None:
    assert parse_example("a.md", GOOD) == WorkedExample(
        id="a",
        language=Language.EN,
        kind="method",
        subject="physics",
        question="How: so?",
        answer="Step 1.",
    )


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("id: a", "id: b", "id"),
        ("language: en", "language: fr", "language"),
        ("kind: method", "kind: poem", "kind"),
        ("subject: physics\n", "", "subject"),
        ("question: How: so?", "question:", "question"),
        ("Step 1.\n", "", "answer"),
        ("subject: physics", "topic: physics", None),
        ("---\nid", "id", None),
    ],
)
def test_a_faulty_file_is_named_with_its_field(old: str, new: str, field: str | None) -> None:
    with pytest.raises(InvalidInput, match=r"a\.md") as caught:
        parse_example("a.md", GOOD.replace(old, new, 1))
    assert (caught.value.path, caught.value.field) == ("a.md", field)
