"""What the assistant does with a model's claims, with false citations, and where FAQ and notes disagree."""

from __future__ import annotations

from pathlib import Path

import pytest
from talk import Talk, decisions, question

from prompts import phrases
from vta.dialogue.teaching.builder import ChainOfTeach
from vta.languages import Language
from vta.types.answers import Answer, Route, SourcesFound, Unsupported
from vta.types.pairs import Source
from vta.types.questions import Mode

WHY = "Why do editors undo with a stack?"
TRUE = "Editors keep the last command on the top of the stack [1]."
FALSE = "Knuth published that algorithm in Stanford during winter."
MARK = phrases.unsupported(Language.EN)


@pytest.mark.parametrize(
    ("policy", "text"),
    [
        (Unsupported.KEEP, f"{TRUE} {FALSE}"),
        (Unsupported.MARK, f"{TRUE} {FALSE} {MARK}"),
        (Unsupported.REMOVE, TRUE),
    ],
)
async def test_the_stored_answer_is_the_checked_one_as_the_setting_says(
    talk: Talk, policy: Unsupported, text: str
) -> None:
    streamed, answer = await talk.streamed(WHY, says=f"{TRUE} {FALSE}", unsupported=policy)
    assert answer.text == text
    assert decisions(answer)["grounding"] == "1 citations, 1 of 2 claims without support"
    (turn,) = talk.turns(answer)
    assert turn.answer == answer
    assert streamed == (text if policy is Unsupported.REMOVE else f"{TRUE} {FALSE}")


@pytest.mark.parametrize("policy", [Unsupported.MARK, Unsupported.REMOVE])
async def test_an_answer_without_any_support_gives_way_and_leads_to_a_real_ta(
    talk: Talk, policy: Unsupported
) -> None:
    answer = await talk.ask(WHY, says=f"{FALSE} {FALSE}", unsupported=policy)
    assert answer.text == (await talk.ask(WHY)).text
    assert FALSE not in answer.text
    assert "ask_ta" in answer.actions
    assert "2 of 2 claims" in decisions(answer)["grounding"]
    assert answer.degraded is not None
    assert answer.degraded.stage == "grounding"


async def test_a_hint_is_marked_but_never_left_unanswered_for_what_it_says(talk: Talk) -> None:
    answer = await talk.ask(WHY, mode=Mode.HINT, says=FALSE)
    assert (answer.route, answer.text) == (Route.CHAIN_OF_TEACH, f"{FALSE} {MARK}")


@pytest.mark.parametrize(("mode", "shown"), [(Mode.ANSWER, True), (Mode.HINT, False)])
async def test_a_hint_neither_shows_nor_cites_the_faq_that_may_hold_the_solution(
    talk: Talk, mode: Mode, shown: bool
) -> None:
    said = "A deque is a list that grows and shrinks at both ends."
    told = await talk.events("Why can a deque grow and shrink at both ends?", mode=mode, says=said)
    answer, (found,) = told[-1], [event.sources for event in told if isinstance(event, SourcesFound)]
    assert isinstance(answer, Answer)
    assert (Source.FAQ in {each.source for each in found}) is shown
    assert (Source.FAQ in {each.source for each in answer.citations}) is shown


async def test_the_offline_teacher_is_not_checked(talk: Talk) -> None:
    answer = await talk.ask(WHY, unsupported=Unsupported.REMOVE)
    assert "without support" not in decisions(answer)["grounding"]
    assert answer.citations


LONG = "# Spooling\n\nInk dries. Printers spool, because a spool keeps their jobs in order. Paper is dry."


async def test_an_excerpt_is_told_with_its_sentence_that_answers_and_a_model_quotes_nothing(
    talk: Talk, tmp_path: Path
) -> None:
    """As it is stored; the words of a model are not marked."""
    talk.put({"spool.md": LONG}, tmp_path / "more")
    answer = await talk.ask("Why do printers spool?")
    marked = {each.marked for each in answer.citations if each.quoted}
    assert "Printers spool, because a spool keeps their jobs in order." in marked
    assert all(each in answer.text for each in marked)
    (turn,) = talk.turns(answer)
    assert turn.answer.citations == answer.citations
    explained = await talk.ask(
        "Why do printers spool?", says="Printers spool to keep their jobs in order [1]."
    )
    assert {(each.quoted, each.marked) for each in explained.citations} == {(False, "")}


@pytest.mark.parametrize("text", [WHY, "hello"])
async def test_an_answer_that_cites_what_was_not_retrieved_says_so(talk: Talk, text: str) -> None:
    """T14: the citation goes, and `degraded` tells that it was not from course material."""
    answer = await talk.ask(text, says="Editors keep the last command on top of the stack [77] [1] [77].")
    assert "77" not in answer.text
    assert answer.degraded is not None
    assert answer.degraded.stage == "grounding"
    assert "[77]" in answer.degraded.reason
    assert "not from course material" in answer.degraded.reason


async def test_a_question_too_long_for_the_budget_is_taught_offline(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    assistant = talk.assistant("No.")
    monkeypatch.setattr(assistant._model_writer, "_prompts", ChainOfTeach((), budget=100))
    answer = await assistant.answer(question(WHY))
    assert answer.degraded is not None
    assert "exceeds 100 tokens" in answer.degraded.reason
    assert answer.citations
    assert talk.llm.requests == []


@pytest.mark.parametrize(
    ("course", "question", "passage", "parts"),
    [
        (
            "stacks-en",
            "When is the homework due?",
            "# Homework\n\nUse paper. Homework is due every Saturday at 23:59. Add your name.\n",
            (
                "> Homework is due every Sunday at 23:59. [1]",
                "> Homework is due every Saturday at 23:59. [2]",
            ),
        ),
        (
            "stacks-zh",
            "作业什么时候截止？",
            "# 作业\n\n请交纸质版。作业每周六 23:59 截止。请写上姓名。\n",
            ("> 作业每周日 23:59 截止。 [1]", "> 作业每周六 23:59 截止。 [2]"),
        ),
    ],
)
async def test_faq_and_material_that_disagree_are_shown_side_by_side_and_no_model_blends_them(
    talk: Talk, tmp_path: Path, course: str, question: str, passage: str, parts: tuple[str]
) -> None:
    talk.put({"homework.md": passage}, tmp_path / "more", course)
    answer = await talk.ask(question, course, says="No.")
    assert answer.route is Route.DIRECT
    assert [line for line in answer.text.splitlines() if line.startswith("> ")] == list(parts)
    assert [(c.source, c.quoted) for c in answer.citations] == [(Source.FAQ, True), (Source.MATERIAL, True)]
    assert decisions(answer)["conflict"] == "FAQ and material disagree, weekday: 7 against 6"
    assert talk.llm.requests == []
    hint = await talk.ask(question, course, mode=Mode.HINT)
    assert decisions(hint)["conflict"] == "none"
    assert parts[0][2:-4] not in hint.text


@pytest.mark.parametrize(
    ("text", "course"), [("how is the weather today", "stacks-en"), ("今天天气怎么样", "stacks-zh")]
)
async def test_a_task_that_is_not_the_courses_is_declined_by_us_and_reaches_no_model(
    talk: Talk, text: str, course: str
) -> None:
    """A small model makes up the weather."""
    answer = await talk.ask(text, course, says="It is sunny.")
    assert (answer.route, answer.citations, answer.degraded) == (Route.CHIT_CHAT, (), None)
    assert "sunny" not in answer.text
    assert talk.llm.requests == []


@pytest.mark.parametrize(
    ("course", "question", "thanks"),
    [("stacks-en", "What is a deque?", "thank you"), ("stacks-zh", "怎样获得课程证书？", "谢谢")],
)
async def test_thanks_after_an_answer_are_met_with_a_word_and_no_passage(
    talk: Talk, course: str, question: str, thanks: str
) -> None:
    """What was talked about is not told again."""
    first, answer = await talk.say(question, thanks, course=course)
    assert (answer.route, answer.citations) == (Route.CHIT_CHAT, ())
    assert first.citations[0].passage not in answer.text
    assert len(answer.text) < 150
