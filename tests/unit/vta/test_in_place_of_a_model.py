"""What a student is told where a language model refuses, or says what the course does not support."""

from __future__ import annotations

from pathlib import Path

import pytest
from talk import Talk

from prompts import phrases
from prompts.primers import refusal_sentence
from vta.dialogue.teaching.excerpts import columns
from vta.dialogue.writing import SHORT_ANSWER
from vta.languages import Language
from vta.types.answers import Route, Unsupported
from vta.types.courses import Thresholds
from vta.types.questions import Mode

WHY = {"stacks-en": "Why do editors undo with a stack?", "stacks-zh": "为什么编辑器用栈来撤销？"}
LOOSE = {
    "stacks-en": "Knuth published this in Stanford during a long winter.",
    "stacks-zh": "高德纳在斯坦福的一个冬天发表了随机森林。",
}
CLOSEST = {"en": "I did not find exactly this", "zh": "课程里没有找到完全对应"}
COURSES = pytest.mark.parametrize("course", ["stacks-en", "stacks-zh"])


@COURSES
async def test_the_words_of_the_course_stand_for_an_answer_that_rests_on_nothing(
    talk: Talk, course: str
) -> None:
    offline = await talk.ask(WHY[course], course)
    given = await talk.ask(WHY[course], course, says=LOOSE[course], unsupported=Unsupported.REMOVE)
    assert (given.text, given.citations) == (offline.text, offline.citations)
    assert given.route is Route.CHAIN_OF_TEACH
    assert given.degraded is not None
    assert given.degraded.stage == "grounding"


@COURSES
@pytest.mark.parametrize(
    "changed",
    [
        ("", ""),
        ("我", ""),
        ("an answer", "the answer"),
        ("我在", "看过了所有给出的资料和前面的对话之后，我还是只能说：我在"),
        ("I could", "After reading all of the documents that were given I have to say that I could"),
    ],
)
@pytest.mark.parametrize("likely", [True, False])
async def test_a_refusal_is_believed_where_the_course_hardly_answers(
    talk: Talk, monkeypatch: pytest.MonkeyPatch, course: str, likely: bool, changed: tuple[str, str]
) -> None:
    """It is no answer then, and says so before it quotes what comes closest; a word may be another."""
    monkeypatch.setattr("vta.dialogue.model_writing.LIKELY", 0.0 if likely else 1.1)
    language = Language(course[-2:])
    given = await talk.ask(WHY[course], course, says=str(refusal_sentence(language)).replace(*changed))
    assert given.route is (Route.CHAIN_OF_TEACH if likely else Route.REFUSED)
    assert given.text.startswith(CLOSEST[language]) is not likely
    assert given.citations


SAID = {
    "stacks-en": "The last command lies on top of the stack, so editors undo it first.",
    "stacks-zh": "编辑器把做过的操作放进栈里。",
}


@COURSES
async def test_a_short_answer_of_a_small_model_is_completed_by_the_course(talk: Talk, course: str) -> None:
    given = await talk.ask(WHY[course], course, says=SAID[course], is_small=True)
    said, added = given.text.split("\n\n", 1)
    assert said.startswith(SAID[course].rstrip("。"))
    assert columns(given.text) <= SHORT_ANSWER + len("\n\n")
    offline = await talk.ask(WHY[course], course)
    assert added.split(" [")[0] in offline.text
    assert len(given.citations) >= 1


@COURSES
async def test_it_is_not_completed_by_what_it_says_already_nor_where_it_is_long(
    talk: Talk, course: str
) -> None:
    offline = await talk.ask(WHY[course], course)
    for said in (offline.text, " ".join([SAID[course]] * 40)):
        given = await talk.ask(WHY[course], course, says=said, is_small=True)
        alone = await talk.ask(WHY[course], course, says=said)
        assert given.text == alone.text


@COURSES
async def test_a_hint_is_left_as_the_model_gave_it(talk: Talk, course: str) -> None:
    given = await talk.ask(WHY[course], course, says=SAID[course], is_small=True, mode=Mode.HINT)
    alone = await talk.ask(WHY[course], course, says=SAID[course], mode=Mode.HINT)
    assert given.text == alone.text


async def test_a_refusal_where_the_course_says_nothing_points_to_a_real_ta(
    talk: Talk, tmp_path: Path
) -> None:
    """Of the concept the course holds nothing but its name."""
    talk.put({"wombats/concepts.json": '{"concepts": [{"name": "wombat"}]}'}, tmp_path / "more")
    said = str(refusal_sentence(Language.EN))
    answer = await talk.ask("Which recipes need a wombat?", says=said, thresholds=Thresholds(near=0.3))
    assert talk.llm.requests
    assert (answer.route, answer.citations) == (Route.REFUSED, ())
    assert answer.text == phrases.unanswered(Language.EN)
