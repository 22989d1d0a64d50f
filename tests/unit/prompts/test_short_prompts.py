"""The short form holds the sentences around a match, keeps its bound, and begins alike in every turn."""

from __future__ import annotations

import re
from collections.abc import Sequence

import factories as make
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prompts.budget import SHORT_TOKENS, PromptForm
from prompts.chain_of_teach import load_examples
from vta.dialogue.teaching.builder import MOST_PASSAGES, ChainOfTeach, excerpt
from vta.dialogue.teaching.excerpts import columns, read_pieces
from vta.languages import Language
from vta.text import Analyser
from vta.tokens import estimate_tokens
from vta.types.concepts import Concept
from vta.types.courses import ConceptId
from vta.types.language_model import ChatMessage, TeachPrompt, TeachStep
from vta.types.pairs import Candidate, Source

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


def candidates(*texts: str, source: Source = Source.MATERIAL) -> list[Candidate]:
    return [
        make.candidate(make.pair(f"Part {n}", text, id=str(n), source=source))
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


def show(scores: Sequence[float], width: int, passage: str = PASSAGE) -> str:
    pieces = read_pieces(passage)
    return excerpt(pieces, [*scores, *[0.0] * (len(pieces) - len(scores))], width)


def test_an_excerpt_holds_the_best_sentence_and_what_follows_it() -> None:
    assert show([0, 0, 0, 0, 2, 1], 90) == (
        "Building a heap from the bottom takes linear time. Most nodes are near the leaves."
    )


def test_an_excerpt_holds_what_its_best_sentence_leans_on() -> None:
    passage = "A heap is a complete tree. It is kept in an array. Its root is the smallest."
    assert show([0, 2, 0], 55, passage) == "A heap is a complete tree. It is kept in an array."


def test_an_excerpt_is_filled_from_before_where_nothing_follows() -> None:
    best_is_last = [0, 0, 0, 0, 0, 0, 2]
    assert show(best_is_last, 60) == "Most nodes are near the leaves. They move only a little."


def test_a_sentence_that_is_wider_alone_is_cut() -> None:
    assert show([1], 20, "A heap is a complete tree that is kept in an array.") == "A heap is a complete…"


@given(passage=st.text(max_size=600), width=st.integers(20, 400), best=st.integers(0, 20))
def test_an_excerpt_is_no_wider_than_it_may_be(passage: str, width: int, best: int) -> None:
    """Beside a blank or line end between two pieces."""
    if pieces := read_pieces(passage):
        scores = [float(place == best % len(pieces)) for place in range(len(pieces))]
        assert columns(excerpt(pieces, scores, width)) <= width + len(pieces)


def test_eight_passages_are_shown_and_no_worked_example_or_definition_of_a_prerequisite() -> None:
    built = build("Why is building a heap linear?", *[PASSAGE] * 10)
    assert built.prompt.count("<document n=") == MOST_PASSAGES == 8
    assert built.examples == ()
    assert "A tree has no cycle." not in built.prompt
    assert "heap (CS): A heap is a complete tree.\nNeeds first: tree" in built.prompt


def test_the_best_passage_comes_first_and_the_second_best_last() -> None:
    full = ChainOfTeach((), analyser=ANALYSER)
    found = candidates(PASSAGE, "A heap.", "Linear time.", "Building.")
    shown = full.build("Why is it linear?", steps=[STEP], candidates=found, language=Language.EN).prompt
    assert re.findall(r'<document n="(\d)"', shown) == ["1", "3", "4", "2"]


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
        candidates=candidates(*[passage] * 9),
        language=language,
        history=[ChatMessage(role=role, content=passage) for role in ("user", "assistant") * 3],
    )
    assert built.tokens <= SHORT_TOKENS[language] + estimate_tokens(question)
