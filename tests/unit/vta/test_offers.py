"""Under an answer stands what a student can go on with, where the course has something for it."""

from __future__ import annotations

import pytest
from scripted_llm import ScriptedLlm
from small_platform import SmallPlatform

from prompts.phrases import OPERATIONS, offer
from services.rendering.answer_json import answer_from_json, answer_to_json
from vta.dialogue.follow_up import find_operation
from vta.types import Answer, CourseId, Language, Mode, Question


async def ask(small: SmallPlatform, text: str, course: str = "stacks-en", mode: Mode = Mode.ANSWER) -> Answer:
    return await small.assistant().answer(Question(course_id=CourseId(course), text=text, mode=mode))


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("language", Language)
def test_every_offer_is_understood_as_the_operation_that_it_names(name: str, language: Language) -> None:
    assert find_operation(offer(name, language).question, language) == name


@pytest.mark.parametrize(("course", "question", "label"), [
    ("stacks-en", "What is a stack?", "Why?"),
    ("stacks-zh", "什么是栈？", "为什么？"),
])  # fmt: skip
async def test_what_the_course_holds_besides_is_offered_in_the_students_language(
    small: SmallPlatform, course: str, question: str, label: str
) -> None:
    """The notes say why editors undo with a stack."""
    answer = await ask(small, question, course)
    labels = [offer.label for offer in answer.offers]
    assert label in labels
    assert len(labels) <= 4
    assert not {"Code", "看代码", "Formula", "看公式"} & set(labels)


@pytest.mark.parametrize("question", ["hello", "zebra recipes", "How do I get a certificate?"])
async def test_nothing_is_offered_where_no_concept_was_explained(small: SmallPlatform, question: str) -> None:
    assert (await ask(small, question)).offers == ()


async def test_a_hint_offers_nothing(small: SmallPlatform) -> None:
    assert (await ask(small, "What is a stack?", mode=Mode.HINT)).offers == ()


async def test_offers_are_stored_with_the_turn(small: SmallPlatform) -> None:
    answer = await ask(small, "What is a stack?")
    assert answer_from_json(answer_to_json(answer)).offers == answer.offers
    (turn,) = small.sessions.turns(answer.course_id, answer.session_id)
    assert turn.answer.offers == answer.offers


async def test_an_answer_stored_before_there_were_offers_has_none(small: SmallPlatform) -> None:
    stored = answer_to_json(await ask(small, "What is a stack?"))
    del stored["offers"]
    assert answer_from_json(stored).offers == ()


LONG = "A stack has one end, its top, where values are put and taken [1]. " * 12


@pytest.mark.parametrize(("said", "labels"), [
    (LONG, ["Shorter", "Example"]),
    (f"{LONG} For example, plates on a table [1].", ["Shorter"]),
    ("A stack has one end [1].", ["Example"]),
])  # fmt: skip
async def test_a_models_answer_can_be_had_shorter_by_example_or_once_more(
    small: SmallPlatform, scripted_llm: ScriptedLlm, said: str, labels: list[str]
) -> None:
    """As long as the answer is long, has no example, and is the model's own."""
    model = small.model(scripted_llm.base_url)
    scripted_llm.play(scripted_llm.pieces([said]))
    asked = "Why does a stack have a top and a queue not?"
    question = Question(course_id=CourseId("stacks-en"), text=asked)
    answer = await small.assistant(model).answer(question)
    offered = [offer.label for offer in answer.offers]
    assert offered[: len(labels)] == labels
    assert not ({"Shorter", "Example"} - set(labels)) & set(offered)
    assert (answer.offers[-1].label, answer.offers[-1].question) == ("Ask again", asked)
    assert len(offered) <= 4


async def test_what_no_model_wrote_is_not_offered_shorter_or_again(small: SmallPlatform) -> None:
    labels = {offer.label for offer in (await ask(small, "Why does a stack have a top?")).offers}
    assert not {"Shorter", "Ask again"} & labels


async def test_shorter_is_asked_of_the_model_after_its_answer(
    small: SmallPlatform, scripted_llm: ScriptedLlm
) -> None:
    """The model sees what it is to shorten."""
    model = small.model(scripted_llm.base_url)
    scripted_llm.play(scripted_llm.pieces([LONG]))
    course = CourseId("stacks-en")
    assistant = small.assistant(model)
    first = await assistant.answer(
        Question(course_id=course, text="Why does a stack have a top and a queue not?")
    )
    (shorter,) = [offer for offer in first.offers if offer.label == "Shorter"]
    scripted_llm.play(scripted_llm.pieces(["One end [1]."]))
    next_question = Question(course_id=course, text=shorter.question, session_id=first.session_id)
    second = await assistant.answer(next_question)
    assert second.text.startswith("One end")
    assert any(LONG[:60] in message["content"] for message in scripted_llm.messages[-1])
