"""Under an answer stands what a student can go on with, where the course has something for it."""

from __future__ import annotations

import pytest
from small_platform import SmallPlatform

from prompts.follow_up.operations import find_operation
from prompts.phrases.offers import OPERATIONS, OfferPhrases
from services.rendering.answer_json import answer_from_json, answer_to_json
from vta.types import Answer, CourseId, Language, Mode, Question


async def ask(small: SmallPlatform, text: str, course: str = "stacks-en", mode: Mode = Mode.ANSWER) -> Answer:
    return await small.assistant().answer(Question(course_id=CourseId(course), text=text, mode=mode))


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("language", Language)
def test_every_offer_is_understood_as_the_operation_that_it_names(name: str, language: Language) -> None:
    assert find_operation(OfferPhrases().offer(name, language).question, language) == name


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
