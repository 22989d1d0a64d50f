"""How many prompts a language model is asked, and what they hold."""

from __future__ import annotations

import factories as make

from concept_graph.proposals import IncompleteConcept
from services.graph.proposals import ANSWER_TOKENS, AT_ONCE, Plan, batches
from vta.languages import Language
from vta.tokens import message_tokens
from vta.types.concepts import Concept
from vta.types.courses import ConceptId
from vta.types.pairs import Source


def asked(n: int, text: str) -> IncompleteConcept:
    pair = make.pair("标题", text, id=str(n), source=Source.MATERIAL)
    return IncompleteConcept(concept=Concept(id=ConceptId(str(n)), name=f"概念{n}"), passages=(pair,))


def test_a_prompt_holds_few_concepts_and_each_passage_once() -> None:
    """The estimate is that of the messages as they are sent."""
    same = [
        IncompleteConcept(concept=asked(n, "").concept, passages=asked(0, "栈。").passages) for n in range(7)
    ]
    made = tuple(batches(same, Language.ZH, room=7_000))
    assert [len(each.asked) for each in made] == [AT_ONCE, AT_ONCE, 1]
    assert all(each.messages[1].content.count("<document") == 1 for each in made)
    plan = Plan(batches=made)
    assert (plan.concepts, plan.completion_tokens) == (7, 7 * ANSWER_TOKENS)
    assert plan.prompt_tokens == sum(message_tokens(each.messages) for each in made)


def test_a_model_with_little_room_gets_smaller_prompts() -> None:
    """Fewer concepts first, then shorter passages; all are asked about."""
    long = [asked(n, "栈是后进先出的线性表。" * 200) for n in range(4)]
    for room in (7_000, 3_000, 1_500):
        made = list(batches(long, Language.ZH, room=room))
        assert [each.concept.name for batch in made for each in batch.asked] == [f"概念{n}" for n in range(4)]
        assert all(message_tokens(each.messages) <= room for each in made)


def test_nothing_to_ask_is_no_prompt() -> None:
    assert list(batches([], Language.EN, room=7_000)) == []
