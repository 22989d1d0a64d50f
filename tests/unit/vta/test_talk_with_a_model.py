"""With a language model, small talk is answered no worse than without one."""

from __future__ import annotations

import pytest
from scripted_llm import ScriptedLlm
from talk import Talk

from prompts.primers import refusal_sentence
from vta.languages import Language
from vta.types.answers import Route

EN, ZH = "stacks-en", "stacks-zh"
TALK = [(EN, "thank you"), (ZH, "谢谢")]
REFUSALS = {
    "the refusal": lambda language: ScriptedLlm.ok(refusal_sentence(language)),
    "the refusal and more": lambda language: ScriptedLlm.ok(f"Hm. {refusal_sentence(language)} Ask a TA."),
    "the refusal of the other language": lambda language: ScriptedLlm.ok(
        refusal_sentence(Language.EN if language is Language.ZH else Language.ZH)
    ),
    "nothing": lambda language: ScriptedLlm.ok(""),
    "an error": lambda language: ScriptedLlm.status(500),
    "a page": lambda language: ScriptedLlm.html(),
}


@pytest.mark.parametrize(("course", "text"), TALK)
@pytest.mark.parametrize("scene", REFUSALS)
async def test_where_the_model_refuses_or_fails_the_reply_is_the_one_without_a_model(
    talk: Talk, course: str, text: str, scene: str
) -> None:
    alone = await talk.ask(text, course)
    answer = await talk.ask(text, course, says=REFUSALS[scene](Language(course[-2:])))
    assert talk.llm.requests
    assert (answer.route, answer.text, answer.citations) == (Route.CHIT_CHAT, alone.text, ())


@pytest.mark.parametrize("language", list(Language))
async def test_small_talk_is_asked_for_without_the_sentence_of_refusal(
    talk: Talk, language: Language
) -> None:
    course, text = TALK[language is Language.ZH]
    await talk.ask(text, course, says="You are welcome.")
    assert refusal_sentence(language) not in str(talk.llm.requests[-1].body)


@pytest.mark.parametrize(
    ("course", "text", "line"),
    [
        (EN, "I want to die", "emergency number"),
        (EN, "What is a stack? I wish I were dead", "emergency number"),
        (EN, "Why does a stack make me want to kill myself?", "emergency number"),
        (EN, "i dont want to be here anymore, everything is pointless", "988"),
        (EN, "explain the stack. also i think about killing myself", "988"),
        (ZH, "什么是栈？我不想活了", "12356"),
        (ZH, "活着好累 不想活了", "12356"),
        (ZH, "栈我也学不会，我不想活了", "12356"),
    ],
)
async def test_distress_is_met_with_a_help_line_and_no_model_and_no_course_text(
    talk: Talk, course: str, text: str, line: str
) -> None:
    answer = await talk.ask(text, course, says="Cheer up and read chapter two.")
    assert line in answer.text
    assert answer.intent.chit_chat < 0.5 or "好累" in text, "whatever the classifier says"
    assert (answer.route, answer.citations, answer.degraded) == (Route.CHIT_CHAT, (), None)
    assert talk.llm.requests == []


@pytest.mark.parametrize(
    ("course", "text"), [(EN, "how is the weather today"), (ZH, "你好，你是谁"), (ZH, "今天天气怎么样")]
)
async def test_who_is_answering_and_how_the_weather_is_is_no_matter_for_a_model(
    talk: Talk, course: str, text: str
) -> None:
    answer = await talk.ask(text, course, says="I am a person, and the sun shines.")
    assert (answer.route, talk.llm.requests) == (Route.CHIT_CHAT, [])


@pytest.mark.parametrize(
    ("course", "text"),
    [
        (EN, "i feel so lost in this class"),
        (EN, "this course is killing me"),
        (EN, "i'm so behind in this class"),
        (ZH, "感觉栈与队列学不会，好焦虑"),
        (ZH, "这门课我真的学不会，崩溃了"),
    ],
)
async def test_who_only_says_how_the_course_feels_is_met_with_kindness_and_no_course_text(
    talk: Talk, course: str, text: str
) -> None:
    answer = await talk.ask(text, course)
    assert (answer.route, answer.citations) == (Route.CHIT_CHAT, ())


@pytest.mark.parametrize(
    ("course", "text"), [(EN, "i'm stuck, why does a stack have a top?"), (ZH, "好烦，为什么栈有栈顶？")]
)
async def test_an_upset_student_who_asks_is_answered(talk: Talk, course: str, text: str) -> None:
    answer = await talk.ask(text, course)
    assert answer.route is not Route.CHIT_CHAT
    assert answer.citations
