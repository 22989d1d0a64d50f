"""Under an answer stands what a student can go on with, where the course has something for it."""

from __future__ import annotations

import pytest
from talk import Talk

from prompts.phrases import OPERATIONS, offer
from services.rendering.answer_json import answer_from_json, answer_to_json
from vta.dialogue.follow_up import find_operation
from vta.languages import Language
from vta.types.questions import Mode


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("language", Language)
def test_every_offer_is_understood_as_the_operation_that_it_names(name: str, language: Language) -> None:
    assert find_operation(offer(name, language).question, language) == name


@pytest.mark.parametrize(("course", "question", "label"), [
    ("stacks-en", "What is a stack?", "Why?"),
    ("stacks-zh", "什么是栈？", "为什么？"),
])  # fmt: skip
async def test_what_the_course_holds_besides_is_offered_in_the_students_language(
    talk: Talk, course: str, question: str, label: str
) -> None:
    """The notes say why editors undo with a stack."""
    answer = await talk.ask(question, course)
    labels = [offer.label for offer in answer.offers]
    assert label in labels
    assert len(labels) <= 4
    assert not {"Code", "看代码", "Formula", "看公式"} & set(labels)


@pytest.mark.parametrize("question", ["hello", "zebra recipes", "How do I get a certificate?"])
async def test_nothing_is_offered_where_no_concept_was_explained(talk: Talk, question: str) -> None:
    assert (await talk.ask(question)).offers == ()


async def test_a_hint_offers_nothing(talk: Talk) -> None:
    assert (await talk.ask("What is a stack?", mode=Mode.HINT)).offers == ()


async def test_offers_are_stored_with_the_turn(talk: Talk) -> None:
    answer = await talk.ask("What is a stack?")
    assert answer_from_json(answer_to_json(answer)).offers == answer.offers
    (turn,) = talk.turns(answer)
    assert turn.answer.offers == answer.offers


async def test_an_answer_stored_before_there_were_offers_has_none(talk: Talk) -> None:
    stored = answer_to_json(await talk.ask("What is a stack?"))
    del stored["offers"]
    assert answer_from_json(stored).offers == ()


LONG = "A stack has one end, its top, where values are put and taken [1]. " * 12


@pytest.mark.parametrize(("said", "labels"), [
    (LONG, ["Step by step", "Shorter", "Example"]),
    (f"{LONG} For example, plates on a table [1].", ["Step by step", "Shorter"]),
    ("A stack has one end [1].", ["Step by step", "Example"]),
])  # fmt: skip
async def test_a_models_answer_can_be_had_shorter_by_example_or_once_more(
    talk: Talk, said: str, labels: list[str]
) -> None:
    """As long as the answer is long, has no example, and is the model's own."""
    asked = "Why does a stack have a top and a queue not?"
    answer = await talk.ask(asked, says=talk.llm.pieces([said]))
    offered = [offer.label for offer in answer.offers]
    assert offered[: len(labels)] == labels
    assert not ({"Shorter", "Example"} - set(labels)) & set(offered)
    assert (answer.offers[-1].label, answer.offers[-1].question) == ("Ask again", asked)
    assert len(offered) <= 4


async def test_what_no_model_wrote_is_not_offered_shorter_or_again(talk: Talk) -> None:
    labels = {offer.label for offer in (await talk.ask("Why does a stack have a top?")).offers}
    assert not {"Shorter", "Ask again"} & labels


async def test_shorter_is_asked_of_the_model_after_its_answer(talk: Talk) -> None:
    """The model sees what it is to shorten."""
    first = await talk.ask("Why does a stack have a top and a queue not?", says=talk.llm.pieces([LONG]))
    (shorter,) = [offer for offer in first.offers if offer.label == "Shorter"]
    second = await talk.ask(shorter.question, after=first, says=talk.llm.pieces(["One end [1]."]))
    assert second.text.startswith("One end")
    assert any(LONG[:60] in message["content"] for message in talk.llm.messages[-1])
