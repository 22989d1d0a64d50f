"""The teacher without a model explains from what was given, cites truly, and holds back in hint mode."""

from __future__ import annotations

import re

import pytest
from markdown_it import MarkdownIt

from prompts.chain_of_teach import ComposingTeacher
from prompts.primers import refusal_sentence
from vta.types import Candidate, Concept, ConceptId, CourseId, Language, PairId, QAPair, Source, TeachStep

LIST = Concept(id=ConceptId("l"), name="list", definition="A list is a sequence.", domains=("CS",))
STACK = Concept(
    id=ConceptId("s"),
    name="stack",
    aliases=("LIFO",),
    definition="A stack is a list with one end.",
    domains=("CS",),
)
QUEUE = Concept(
    id=ConceptId("q"), name="queue", definition="A queue is a list with two ends.", domains=("CS",)
)
STEPS = (TeachStep(concept=QUEUE, prerequisites=(STACK,)), TeachStep(concept=STACK, prerequisites=(LIST,)))
TEACHER = ComposingTeacher()


def found(*pairs: tuple[Source, str, str]) -> tuple[Candidate, ...]:
    return tuple(
        Candidate(
            pair=QAPair(
                id=PairId(str(i)), course_id=CourseId("c"), source=source, question=title, answer=text
            ),
            bm25=1.0,
            weight=1.0,
            score=1.0,
        )
        for i, (source, title, text) in enumerate(pairs)
    )


def teach(
    question: str, steps: tuple[TeachStep, ...], candidates: tuple[Candidate, ...], hint: bool = False
) -> str:
    return TEACHER.teach(question, steps=steps, candidates=candidates, language=Language.EN, hint=hint)


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("How do a queue and a stack differ?", Language.EN),
        ("queue vs stack", Language.EN),
        ("队列和栈有什么不同", Language.ZH),
        ("對比隊列和棧", Language.ZH),
    ],
)
def test_a_comparison_gets_a_table_that_renders(question: str, language: Language) -> None:
    text = TEACHER.teach(question, steps=STEPS, candidates=(), language=language)
    html = MarkdownIt("commonmark").enable("table").render(text)
    assert html.count("<tr>") == 4
    assert html.count("<th>") == 3


@pytest.mark.parametrize(
    ("question", "steps"), [("How does a queue work?", STEPS), ("queue vs what?", STEPS[:1])]
)
def test_other_questions_get_no_table(question: str, steps: tuple[TeachStep, ...]) -> None:
    assert "|" not in teach(question, steps, ())


def test_a_definition_is_given_once_and_prerequisites_are_studied_first() -> None:
    text = teach("Why a queue?", STEPS, ())
    assert text.count("A stack is a list with one end.") == 1
    assert "list → stack → queue" in text


def test_a_retrieved_definition_is_the_one_shown_with_its_number() -> None:
    candidates = found(
        (Source.FAQ, "stack", "A pile."), (Source.CONCEPT, "lifo", "A stack is last in, first out.")
    )
    text = teach("What is a stack?", STEPS[1:], candidates)
    assert "A stack is last in, first out. [2]" in text
    assert "one end" not in text
    assert text.count("[2]") == 1


def test_three_passages_at_most_are_quoted_with_the_numbers_of_their_candidates() -> None:
    candidates = found(
        (Source.MATERIAL, "code", "```\nx\n```"),
        *((Source.MATERIAL, f"t{i}", f"Stack fact number {'abcd'[i]}.") for i in range(4)),
    )
    text = teach("What is a stack?", (), candidates)
    assert re.findall(r"> (.*) \[(\d)\]", text) == [
        ("Stack fact number a.", "2"),
        ("Stack fact number b.", "3"),
        ("Stack fact number c.", "4"),
    ]


def test_the_sentences_that_share_most_with_the_question_are_quoted_in_the_order_of_the_source() -> None:
    candidates = found(
        (
            Source.MATERIAL,
            "t",
            "Heaps are trees. The weather is fine. A heap is sorted in part. A heap puts the largest on top.",
        ),
    )
    text = teach("Why does a heap put the largest element on top?", (), candidates)
    assert "> Heaps are trees. … A heap is sorted in part. A heap puts the largest on top. [1]" in text


def test_a_passage_that_shares_nothing_with_the_question_is_not_quoted_beside_one_that_does() -> None:
    candidates = found(
        (Source.MATERIAL, "a", "The sky is blue."), (Source.MATERIAL, "b", "A heap is a tree.")
    )
    text = teach("Why a heap?", (), candidates)
    assert "> A heap is a tree. [2]" in text
    assert "sky" not in text


def test_concepts_without_prerequisites_get_no_order_of_study() -> None:
    steps = (TeachStep(concept=QUEUE, prerequisites=()), TeachStep(concept=STACK, prerequisites=()))
    assert "→" not in teach("Why a queue?", steps, ())


@pytest.mark.parametrize("language", list(Language))
def test_it_says_that_no_language_model_was_used(language: Language) -> None:
    text = TEACHER.teach("stack", steps=STEPS, candidates=(), language=language)
    assert {"zh": "没有使用语言模型", "en": "no language model was used"}[language] in text.splitlines()[-1]


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("hint", [False, True])
def test_with_nothing_given_it_refuses_and_points_to_a_real_ta(language: Language, hint: bool) -> None:
    text = TEACHER.teach("x", steps=(), candidates=(), language=language, hint=hint)
    assert text.startswith(refusal_sentence(language))
    assert "助教" in text or "TA" in text


@pytest.mark.parametrize("question", ["What is a queue?", "How do a queue and a stack differ?"])
@pytest.mark.parametrize("steps", [STEPS, ()])
def test_a_hint_holds_no_passage_and_no_answer_of_the_faq(
    question: str, steps: tuple[TeachStep, ...]
) -> None:
    candidates = found(
        (Source.FAQ, "Solve exercise 1", "SOLUTION of the FAQ."),
        (Source.MATERIAL, "Chapter 2", "SOLUTION here."),
    )
    text = teach(question, steps, candidates, hint=True)
    assert "SOLUTION" not in text
    assert "Solve exercise" not in text
    assert "Chapter 2" in text
    assert "?" in text
    assert all((step.concept.definition in text) for step in steps)


def test_markup_in_names_definitions_and_passages_stays_inert() -> None:
    evil = "<b>x</b> [y](javascript:z) | `q"
    concept = Concept(id=ConceptId("e"), name=evil, definition=evil, domains=(evil,))
    text = teach(
        "difference?",
        (
            TeachStep(concept=concept, prerequisites=(STACK,)),
            TeachStep(concept=STACK, prerequisites=(concept,)),
        ),
        found((Source.FAQ, evil, evil)),
    )
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    assert "<b>" not in html
    assert "<a" not in html
    assert "<code" not in html
    assert html.count("<th>") == 3
