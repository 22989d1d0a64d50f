"""For any graph the prompt keeps to its budget: whole pieces go, in the stated order, no more than must."""

from __future__ import annotations

from itertools import pairwise

import factories as make
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from prompts.budget import BEST, Pieces, drop_in_turn
from prompts.chain_of_teach import load_examples
from prompts.render import Rendered
from vta.dialogue.small_talk import CaringChitChat
from vta.dialogue.teaching.builder import ChainOfTeach
from vta.errors import LimitExceeded
from vta.languages import Language
from vta.text import Analyser
from vta.tokens import MESSAGE_TOKENS, estimate_tokens, message_tokens
from vta.types.language_model import ChatMessage, TeachPrompt, TeachStep
from vta.types.pairs import Candidate, Source
from vta.types.questions import IntentLabel

EXAMPLES, ANALYSER = load_examples(), Analyser()
QUESTION = "what is the question itself"
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), max_size=200)
KINDS = ["prerequisite", "example", "document", "turn", "best document", "concept"]
COURSE = make.course()


@st.composite
def drawn_steps(draw: st.DrawFn) -> tuple[TeachStep, ...]:
    """Steps over a random graph, circles included, with definitions of any text."""
    concepts = [
        make.concept(f"name{i}x", definition=f"d{draw(TEXTS)}", curated=True)
        for i in range(draw(st.integers(2, 6)))
    ]
    some = st.lists(st.sampled_from(concepts), max_size=4, unique=True)
    chosen = draw(st.lists(st.sampled_from(concepts), max_size=4, unique=True))
    return tuple(
        TeachStep(concept=k, prerequisites=tuple(p for p in draw(some) if p.id != k.id)) for k in chosen
    )


FOUND = st.lists(st.tuples(st.sampled_from(Source), TEXTS), max_size=BEST + 3)
HISTORY = st.lists(st.tuples(TEXTS, TEXTS), max_size=3)


def as_candidates(found: list[tuple[Source, str]]) -> list[Candidate]:
    return [
        make.candidate(make.pair(f"title{n}x", text, source=source))
        for n, (source, text) in enumerate(found, start=1)
    ]


def as_history(turns: list[tuple[str, str]]) -> list[ChatMessage]:
    return [
        ChatMessage(role=role, content=f"turn{n}x {text}")
        for n, turn in enumerate(turns, start=1)
        for role, text in zip(("user", "assistant"), turn, strict=True)
    ]


def parts_in_order(built: TeachPrompt) -> list[str]:
    """Examples, reasoning, documents and the question."""
    numbers = [n for n in range(1, BEST + 4) if f'<document n="{n}">\ntitle{n}x\n' in built.prompt]
    return [
        *(e.question for e in built.examples),
        *([built.reasoning] if built.reasoning else []),
        *(f'<document n="{n}">' for n in numbers),
        QUESTION,
    ]


@settings(max_examples=examples(60))
@given(
    steps=drawn_steps(),
    found=FOUND,
    turns=HISTORY,
    language=st.sampled_from(Language),
    hint=st.booleans(),
    room=st.integers(0, 3000),
)
def test_any_prompt_keeps_to_its_budget_in_the_order_of_algorithm_1_and_drops_no_more_than_it_must(
    steps: tuple[TeachStep, ...],
    found: list[tuple[Source, str]],
    turns: list[tuple[str, str]],
    language: Language,
    hint: bool,
    room: int,
) -> None:
    def build(budget: int) -> TeachPrompt:
        return ChainOfTeach(EXAMPLES, analyser=ANALYSER, budget=budget).build(
            QUESTION,
            steps=steps,
            candidates=as_candidates(found),
            language=language,
            history=as_history(turns),
            hint=hint,
        )

    whole = build(1_000_000)
    least = min_tokens(whole.steps, language, hint)
    budget = least + room
    built = build(budget)
    assert whole.dropped == ()
    assert built.tokens == message_tokens(built.messages) <= budget
    places = [built.prompt.index(part) for part in parts_in_order(built)]
    assert places == sorted(places)
    assert built.prompt.splitlines().count(QUESTION) == 1
    assert built.messages[0] == whole.messages[0]
    shown = [step.concept.id for step in whole.steps]
    assert [step.concept.id for step in built.steps] == shown[: len(built.steps)]
    assert bool(built.steps) == bool(shown)
    kinds = list(map(kind_of, built.dropped))
    assert kinds == sorted(kinds, key=KINDS.index)
    assert bool(built.dropped) == (whole.tokens > budget)
    with pytest.raises(LimitExceeded):
        build(least - 1)


def kind_of(dropped: str) -> str:
    kind, *rest = dropped.split()
    return "best document" if kind == "document" and int(rest[0]) <= BEST else kind


def min_tokens(steps: tuple[TeachStep, ...], language: Language, hint: bool) -> int:
    """Primers, question, and the first concept with its definition: what is never dropped."""
    alone = tuple(TeachStep(concept=s.concept, prerequisites=()) for s in steps[:1])
    return (
        ChainOfTeach((), analyser=ANALYSER, budget=1_000_000)
        .build(QUESTION, steps=alone, candidates=(), language=language, hint=hint)
        .tokens
    )


@settings(max_examples=examples(60))
@given(
    steps=drawn_steps(),
    found=FOUND,
    turns=HISTORY,
    budgets=st.lists(st.integers(700, 6000), min_size=2, max_size=4),
)
def test_a_smaller_budget_drops_what_a_larger_one_did_and_more_only_where_it_must(
    steps: tuple[TeachStep, ...],
    found: list[tuple[Source, str]],
    turns: list[tuple[str, str]],
    budgets: list[int],
) -> None:
    builder = ChainOfTeach((), analyser=ANALYSER, budget=1_000_000)
    whole = builder.build(QUESTION, steps=steps, candidates=(), language=Language.EN)
    least = min_tokens(whole.steps, Language.EN, False)
    allowed = [max(budget, least) for budget in sorted(budgets, reverse=True)]
    prompts = [
        ChainOfTeach(EXAMPLES, analyser=ANALYSER, budget=budget).build(
            QUESTION,
            steps=steps,
            candidates=as_candidates(found),
            language=Language.EN,
            history=as_history(turns),
        )
        for budget in allowed
    ]
    for (wide, narrow), budget in zip(pairwise(prompts), allowed[1:], strict=True):
        assert narrow.dropped[: len(wide.dropped)] == wide.dropped
        assert narrow == wide or wide.tokens > budget


@given(steps=drawn_steps(), turns=HISTORY)
def test_pieces_go_one_at_a_time_and_whole_until_the_first_concept_is_alone(
    steps: tuple[TeachStep, ...], turns: list[tuple[str, str]]
) -> None:
    history = tuple(as_history(turns))
    states = list(drop_in_turn(Pieces(steps=steps, examples=EXAMPLES[:2], history=history)))
    assert [len(state.dropped) for state in states] == list(range(len(states)))
    last = states[-1]
    assert (last.examples, last.history, len(last.steps)) == ((), (), min(1, len(steps)))
    assert all(not step.prerequisites for step in last.steps)
    needed = {(s.concept.id, p) for s in steps for p in s.prerequisites}
    for state in states:
        assert {(s.concept.id, p) for s in state.steps for p in s.prerequisites} <= needed
        assert all(message in history for message in state.history)
        assert [message.role for message in state.history[:1]] in ([], ["user"])


def test_the_farthest_prerequisites_go_first_those_of_the_later_concept_before_equal_ones() -> None:
    a, b, *needed = map(make.concept, "abpqrs")
    p, q, r, s = needed
    steps = (TeachStep(concept=a, prerequisites=(p, q)), TeachStep(concept=b, prerequisites=(r, s)))
    names = list(drop_in_turn(Pieces(steps=steps)))[-1].dropped
    assert names == (
        "prerequisite s of b",
        "prerequisite q of a",
        "prerequisite r of b",
        "prerequisite p of a",
        "concept b",
    )


def test_a_turn_of_the_dialogue_goes_before_the_best_documents_and_after_the_others() -> None:
    history = tuple(as_history([("是什么", "栈"), ("它呢", "也是")]))
    documents = {n: Rendered(f"document {n}") for n in range(1, BEST + 3)}
    names = list(drop_in_turn(Pieces(history=history, documents=documents)))[-1].dropped
    best = [f"document {n}" for n in range(BEST, 0, -1)]
    assert names == (f"document {BEST + 2}", f"document {BEST + 1}", "turn", "turn", *best)


@given(found=FOUND, turns=HISTORY, language=st.sampled_from(Language), room=st.integers(0, 800))
def test_small_talk_keeps_to_its_budget_too(
    found: list[tuple[Source, str]], turns: list[tuple[str, str]], language: Language, room: int
) -> None:
    intent = make.intent(IntentLabel.GENERAL_CHAT, 0.9)

    def prompt(budget: int, candidates: list[Candidate], history: list[ChatMessage]) -> int:
        chat = CaringChitChat(budget=budget)
        return message_tokens(
            chat.prompt(
                QUESTION,
                course=COURSE,
                intent=intent,
                knowledge=candidates,
                history=history,
                language=language,
            )
        )

    budget = prompt(1_000_000, [], []) + room
    assert prompt(budget, as_candidates(found), as_history(turns)) <= budget


@given(lines=st.lists(TEXTS, min_size=1, max_size=6), gone=st.integers(0, 5))
def test_a_text_without_one_of_its_lines_has_no_more_tokens(lines: list[str], gone: int) -> None:
    fewer = [line for i, line in enumerate(lines) if i != gone]
    assert estimate_tokens("\n".join(fewer)) <= estimate_tokens("\n".join(lines))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("tree", 1), ("trees", 2), ("a b", 2), ("a    b", 3), ("2026", 4), ("栈", 2), ("栈和", 3),
     ("a\n\nb", 4), ("x += 1;", 5), ("\U0001f600", 4)],
)  # fmt: skip
def test_the_estimate_by_hand(text: str, tokens: int) -> None:
    """Letters in fours, single blanks with their word, Chinese characters at one and a half."""
    assert estimate_tokens(text) == tokens
    assert message_tokens([ChatMessage(role="user", content=text)]) == tokens + MESSAGE_TOKENS
