"""The library of worked examples loads, is balanced, and every example can be reached."""

from __future__ import annotations

import pytest

from prompts.chain_of_teach import load_examples, parse_example, sample_similar
from vta.languages import Language
from vta.text import Analyser, detect_language
from vta.types.language_model import WorkedExample

ANALYSER = Analyser()
EXAMPLES = load_examples()
KINDS = ("comparison", "method", "reason", "example", "recommendation")
ASKED = {
    "en-comparison-mean-median": "Is there a difference between a mean and a median?",
    "en-example-externality": "Give me an example of an externality",
    "en-method-limiting-reagent": "How is the limiting reagent of a reaction found?",
    "en-reason-seasons": "Why does the Earth have seasons?",
    "en-recommendation-calculus": "What should I study before calculus?",
    "zh-comparison-speed-acceleration": "加速度和速度的区别在哪里？",
    "zh-example-opportunity-cost": "用例子说明什么叫机会成本",
    "zh-method-induction": "怎么用归纳法证明等式？",
    "zh-reason-ice-floats": "冰为什么会浮起来？",
    "zh-recommendation-programming": "想学编程，先学哪些知识？",
}
GOOD = "---\nid: a\nlanguage: en\nkind: method\nsubject: physics\nquestion: How: so?\n---\nStep 1.\n"


def test_each_language_has_an_example_of_each_kind() -> None:
    assert sorted((e.language, e.kind) for e in EXAMPLES) == sorted(
        (language, kind) for language in Language for kind in KINDS
    )
    assert all(e.id.startswith(f"{e.language}-{e.kind}-") for e in EXAMPLES)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.id)
def test_an_example_is_short_in_its_language_and_reached_by_its_question_and_other_words(
    example: WorkedExample,
) -> None:
    assert len(example.answer.split()) <= 120
    assert example.language is Language.EN or len(example.answer) <= 240
    for text in (example.question, example.answer):
        assert detect_language(text, Language.EN) is example.language
    own, other = (
        sample_similar(EXAMPLES, question, language=example.language, analyser=ANALYSER, count=2)
        for question in (example.question, ASKED[example.id])
    )
    assert own[0] == example
    assert example in other
    assert [e.language for e in own] == [example.language] * 2


@pytest.mark.parametrize(
    ("question", "language", "kind"),
    [
        ("栈和队列有什么区别？", Language.ZH, "comparison"),
        ("为什么快速排序会退化？", Language.ZH, "reason"),
        ("What is the difference between precision and recall?", Language.EN, "comparison"),
        ("Why does regularisation lead to smaller weights?", Language.EN, "reason"),
        ("Which topics should I study before neural networks?", Language.EN, "recommendation"),
    ],
)
def test_the_nearest_example_is_of_the_kind_of_the_question(
    question: str, language: Language, kind: str
) -> None:
    assert sample_similar(EXAMPLES, question, language=language, analyser=ANALYSER, count=2)[0].kind == kind


def test_questions_without_words_get_the_first_examples_by_id() -> None:
    found = sample_similar(EXAMPLES, "？！", language=Language.EN, analyser=ANALYSER, count=2)
    assert [e.id for e in found] == sorted(e.id for e in EXAMPLES if e.language is Language.EN)[:2]


def test_a_file_is_read_with_colons_in_its_question() -> None:
    assert parse_example(GOOD) == WorkedExample(
        id="a", language=Language.EN, kind="method", subject="physics", question="How: so?", answer="Step 1."
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [("language: en", "language: fr"), ("subject: physics\n", ""), ("subject:", "topic:"), ("---\nid", "id")],
)
def test_a_faulty_file_is_refused(old: str, new: str) -> None:
    with pytest.raises((ValueError, TypeError)):
        parse_example(GOOD.replace(old, new, 1))
