"""The short form holds the sentences around a match, keeps its bound, and begins alike in every turn."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prompts.budget import SHORT_TOKENS
from prompts.chain_of_teach import ChainOfTeach, load_examples
from prompts.chain_of_teach.excerpts import columns
from prompts.chain_of_teach.short import WIDTHS, excerpt
from prompts.forms import PromptForm
from vta.text import Analyser
from vta.tokens import estimate_tokens
from vta.types import (
    Candidate,
    ChatMessage,
    Concept,
    ConceptId,
    CourseId,
    Language,
    PairId,
    QAPair,
    Source,
    TeachPrompt,
    TeachStep,
)

ANALYSER = Analyser()
SHORT = ChainOfTeach(load_examples(), analyser=ANALYSER, form=PromptForm.SHORT)
PASSAGE = (
    "A heap is a complete tree. It is kept in an array. The children of place i are at 2i and 2i + 1. "
    "Sifting down takes logarithmic time. Building a heap from the bottom takes linear time. "
    "Most nodes are near the leaves. They move only a little."
)
STEP = TeachStep(
    concept=Concept(
        id=ConceptId("heap"), name="heap", definition="A heap is a complete tree.", domains=("CS",)
    ),
    prerequisites=(Concept(id=ConceptId("tree"), name="tree", definition="A tree has no cycle."),),
)


def weigh(text: str) -> dict[str, float]:
    return dict.fromkeys(ANALYSER.words(text), 1.0)


def candidates(*texts: str, source: Source = Source.MATERIAL) -> list[Candidate]:
    return [
        Candidate(
            pair=QAPair(
                id=PairId(str(n)), course_id=CourseId("c"), source=source, question=f"Part {n}", answer=text
            ),
            bm25=1.0,
            weight=1.0,
            score=1.0,
        )
        for n, text in enumerate(texts, start=1)
    ]


def build(
    question: str,
    *texts: str,
    history: Sequence[ChatMessage] = (),
    steps: Sequence[TeachStep] = (STEP,),
    standalone: str | None = None,
) -> TeachPrompt:
    return SHORT.build(
        question,
        steps=steps,
        candidates=candidates(*texts),
        language=Language.EN,
        history=history,
        standalone=standalone,
    )


def test_an_excerpt_holds_the_match_and_what_explains_it() -> None:
    weights = weigh("building linear")
    assert excerpt(PASSAGE, weights, 120, ANALYSER) == (
        "Building a heap from the bottom takes linear time. "
        "Most nodes are near the leaves. They move only a little."
    )


def test_an_excerpt_of_a_passage_without_a_match_is_its_beginning() -> None:
    assert (
        excerpt(PASSAGE, weigh("graph"), 60, ANALYSER) == "A heap is a complete tree. It is kept in an array."
    )


def test_an_excerpt_fills_its_width_from_before_the_match_where_nothing_follows() -> None:
    assert (
        excerpt(PASSAGE, weigh("little"), 60, ANALYSER)
        == "Most nodes are near the leaves. They move only a little."
    )


@given(passage=st.text(max_size=600), width=st.integers(20, 400))
def test_an_excerpt_is_hardly_wider_than_it_may_be(passage: str, width: int) -> None:
    """Beside blanks and line ends between its pieces."""
    shown = excerpt(passage, {"a": 1.0}, width, ANALYSER)
    assert columns(shown) <= 2 * width


def test_four_passages_are_shown_and_no_worked_example_or_definition_of_a_prerequisite() -> None:
    built = build("Why is building a heap linear?", *[PASSAGE] * 6)
    assert built.prompt.count("<document n=") == len(WIDTHS) == 4
    assert built.examples == ()
    assert "A tree has no cycle." not in built.prompt
    assert "The prerequisite concepts of heap are: tree." in built.prompt


def test_a_concept_explained_in_r_is_no_document_too() -> None:
    found = [
        *candidates("A heap is a complete tree.", source=Source.CONCEPT),
        *candidates("x", "A second one."),
    ]
    built = SHORT.build("What is a heap?", steps=[STEP], candidates=found, language=Language.EN)
    assert built.prompt.count("A heap is a complete tree.") == 1
    assert '<document n="1">' not in built.prompt
    assert '<document n="3">' in built.prompt


def test_a_follow_up_is_shown_in_full_too() -> None:
    assert (
        "why?\n(in full: Why is building a heap linear?)"
        in build("why?", PASSAGE, standalone="Why is building a heap linear?").prompt
    )
    assert "(in full" not in build("Why is it linear?", PASSAGE, standalone="Why is it linear?").prompt


def test_prompts_of_one_dialogue_begin_alike_up_to_what_was_said_since() -> None:
    said = [
        ChatMessage(role="user", content="What is a heap?"),
        ChatMessage(role="assistant", content="A heap is a complete tree. [1]"),
        ChatMessage(role="user", content="Where is it kept?"),
        ChatMessage(role="assistant", content="In an array. [2]"),
    ]
    first, second = (build("Why?", PASSAGE, history=history).messages for history in (said[:2], said))
    assert second[:3] == first[:3]
    assert [message.content for message in first[1:3]] == ["What is a heap?", "A heap is a complete tree."]


@pytest.mark.parametrize("language", list(Language))
@given(
    question=st.text("栈队 abc?？", min_size=1, max_size=80),
    passage=st.text("栈队列。 abc.\n`", max_size=900),
)
def test_the_short_form_keeps_to_its_bound_beside_the_question(
    language: Language, question: str, passage: str
) -> None:
    built = SHORT.build(
        question,
        steps=[STEP, STEP],
        candidates=candidates(*[passage] * 5),
        language=language,
        history=[ChatMessage(role=role, content=passage) for role in ("user", "assistant") * 3],
    )
    assert built.tokens <= SHORT_TOKENS[language] + estimate_tokens(question)
