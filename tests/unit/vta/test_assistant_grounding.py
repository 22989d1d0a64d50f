"""What the assistant does with a model's claims, with false citations, and where FAQ and notes disagree."""

from __future__ import annotations

from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from scripted_llm import ScriptedLlm
from small_platform import SmallPlatform

from prompts import phrases
from vta.dialogue.teaching.builder import ChainOfTeach
from vta.types import (
    Answer,
    CourseId,
    Delta,
    Language,
    Mode,
    Question,
    Route,
    Source,
    SourcesFound,
    Unsupported,
)

WHY = "Why do editors undo with a stack?"
TRUE = "Editors keep the last command on the top of the stack [1]."
FALSE = "Knuth published that algorithm in Stanford during winter."
MARK = phrases.unsupported(Language.EN)


def ask(text: str, course: str = "stacks-en", **more: Any) -> Question:
    return Question(course_id=CourseId(course), text=text, **more)


def decision(answer: Answer, stage: str) -> str:
    return next(step.decision for step in answer.trace if step.stage == stage)


@pytest.mark.parametrize(
    ("policy", "text"),
    [
        (Unsupported.KEEP, f"{TRUE} {FALSE}"),
        (Unsupported.MARK, f"{TRUE} {FALSE} {MARK}"),
        (Unsupported.REMOVE, TRUE),
    ],
)
async def test_the_stored_answer_is_the_checked_one_as_the_setting_says(
    small: SmallPlatform, scripted_llm: ScriptedLlm, policy: Unsupported, text: str
) -> None:
    scripted_llm.play(scripted_llm.ok(f"{TRUE} {FALSE}"))
    assistant = small.assistant(small.model(scripted_llm.base_url), unsupported=policy)
    async with aclosing(assistant.stream(ask(WHY))) as events:
        told = [event async for event in events]
    answer = told[-1]
    assert isinstance(answer, Answer)
    assert answer.text == text
    assert decision(answer, "grounding") == "1 citations, 1 of 2 claims without support"
    (turn,) = small.sessions.turns(answer.course_id, answer.session_id)
    assert turn.answer == answer
    streamed = "".join(event.text for event in told if isinstance(event, Delta))
    assert streamed == (text if policy is Unsupported.REMOVE else f"{TRUE} {FALSE}")


@pytest.mark.parametrize("policy", [Unsupported.MARK, Unsupported.REMOVE])
async def test_an_answer_without_any_support_is_unanswered_and_leads_to_a_real_ta(
    small: SmallPlatform, scripted_llm: ScriptedLlm, policy: Unsupported
) -> None:
    scripted_llm.play(scripted_llm.ok(f"{FALSE} {FALSE}"))
    answer = await small.assistant(small.model(scripted_llm.base_url), unsupported=policy).answer(ask(WHY))
    assert answer.route is Route.UNANSWERED
    assert answer.text.startswith(phrases.unanswered(Language.EN))
    assert FALSE not in answer.text
    assert "ask_ta" in answer.actions
    assert "2 of 2 claims" in decision(answer, "grounding")
    assert answer.degraded is not None
    assert answer.degraded.stage == "grounding"


async def test_a_hint_is_marked_but_never_left_unanswered_for_what_it_says(
    small: SmallPlatform, scripted_llm: ScriptedLlm
) -> None:
    scripted_llm.play(scripted_llm.ok(FALSE))
    answer = await small.assistant(small.model(scripted_llm.base_url)).answer(ask(WHY, mode=Mode.HINT))
    assert (answer.route, answer.text) == (Route.CHAIN_OF_TEACH, f"{FALSE} {MARK}")


@pytest.mark.parametrize(("mode", "shown"), [(Mode.ANSWER, True), (Mode.HINT, False)])
async def test_a_hint_neither_shows_nor_cites_the_faq_that_may_hold_the_solution(
    small: SmallPlatform, scripted_llm: ScriptedLlm, mode: Mode, shown: bool
) -> None:
    said = "A deque is a list that grows and shrinks at both ends."
    scripted_llm.play(scripted_llm.ok(said))
    question = ask("Why can a deque grow and shrink at both ends?", mode=mode)
    async with aclosing(small.assistant(small.model(scripted_llm.base_url)).stream(question)) as events:
        told = [event async for event in events]
    answer, (found,) = told[-1], [event.sources for event in told if isinstance(event, SourcesFound)]
    assert isinstance(answer, Answer)
    assert (Source.FAQ in {each.source for each in found}) is shown
    assert (Source.FAQ in {each.source for each in answer.citations}) is shown


async def test_the_offline_teacher_is_not_checked(small: SmallPlatform) -> None:
    answer = await small.assistant(unsupported=Unsupported.REMOVE).answer(ask(WHY))
    assert "without support" not in decision(answer, "grounding")
    assert answer.citations


LONG = "# Spooling\n\nInk dries. Printers spool, because a spool keeps their jobs in order. Paper is dry."


async def test_an_excerpt_is_told_with_its_sentence_that_answers_and_a_model_quotes_nothing(
    small: SmallPlatform, scripted_llm: ScriptedLlm, tmp_path: Path
) -> None:
    """As it is stored; neither words of a model nor what stands below them are marked."""
    question = ask("Why do printers spool?")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "spool.md").write_text(LONG, encoding="utf-8")
    small.put(small.courses.course(question.course_id), tmp_path / "more")
    answer = await small.assistant().answer(question)
    marked = {each.marked for each in answer.citations if each.quoted}
    assert "Printers spool, because a spool keeps their jobs in order." in marked
    assert all(each in answer.text for each in marked)
    (turn,) = small.sessions.turns(answer.course_id, answer.session_id)
    assert turn.answer.citations == answer.citations
    scripted_llm.play(scripted_llm.ok("Printers spool to keep their jobs in order [1]."))
    model = small.model(scripted_llm.base_url)
    explained = await small.assistant(model, quotes=True).answer(question)
    assert phrases.own_words(Language.EN) in explained.text
    assert {(each.quoted, each.marked) for each in explained.citations} == {(False, "")}


@pytest.mark.parametrize("text", [WHY, "hello"])
async def test_an_answer_that_cites_what_was_not_retrieved_says_so(
    small: SmallPlatform, scripted_llm: ScriptedLlm, text: str
) -> None:
    """T14: the citation goes, and `degraded` tells that it was not from course material."""
    scripted_llm.play(scripted_llm.ok("Editors keep the last command on top of the stack [77] [1] [77]."))
    answer = await small.assistant(small.model(scripted_llm.base_url)).answer(ask(text))
    assert "77" not in answer.text
    assert answer.degraded is not None
    assert answer.degraded.stage == "grounding"
    assert "[77]" in answer.degraded.reason
    assert "not from course material" in answer.degraded.reason


async def test_a_question_too_long_for_the_budget_is_taught_offline(
    small: SmallPlatform, scripted_llm: ScriptedLlm, monkeypatch: pytest.MonkeyPatch
) -> None:
    assistant = small.assistant(small.model(scripted_llm.base_url))
    monkeypatch.setattr(assistant._model_writer, "_prompts", ChainOfTeach((), budget=100))
    answer = await assistant.answer(ask(WHY))
    assert answer.degraded is not None
    assert "exceeds 100 tokens" in answer.degraded.reason
    assert answer.citations
    assert scripted_llm.requests == []


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
    small: SmallPlatform,
    scripted_llm: ScriptedLlm,
    tmp_path: Path,
    course: str,
    question: str,
    passage: str,
    parts: tuple[str],
) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "homework.md").write_text(passage, encoding="utf-8")
    small.put(small.courses.course(CourseId(course)), tmp_path / "more")
    answer = await small.assistant(small.model(scripted_llm.base_url)).answer(ask(question, course))
    assert answer.route is Route.DIRECT
    assert [line for line in answer.text.splitlines() if line.startswith("> ")] == list(parts)
    assert [(c.source, c.quoted) for c in answer.citations] == [(Source.FAQ, True), (Source.MATERIAL, True)]
    assert decision(answer, "conflict") == "FAQ and material disagree, weekday: 7 against 6"
    assert scripted_llm.requests == []
    hint = await small.assistant().answer(ask(question, course, mode=Mode.HINT))
    assert decision(hint, "conflict") == "none"
    assert parts[0][2:-4] not in hint.text


@pytest.mark.parametrize(
    ("text", "course", "help_named"),
    [
        ("I want to die", "stacks-en", "emergency number"),
        ("What is a stack? I wish I were dead", "stacks-en", "emergency number"),
        ("栈好难，我不想活了", "stacks-zh", "12356"),
    ],
)
async def test_distress_gets_the_pointer_to_human_help_from_us_and_from_no_model(
    small: SmallPlatform, scripted_llm: ScriptedLlm, text: str, course: str, help_named: str
) -> None:
    scripted_llm.play(scripted_llm.ok("Cheer up and read chapter two."))
    answer = await small.assistant(small.model(scripted_llm.base_url)).answer(ask(text, course))
    assert help_named in answer.text
    assert (answer.route, answer.citations, answer.degraded) == (Route.CHIT_CHAT, (), None)
    assert scripted_llm.requests == []


@pytest.mark.parametrize(
    ("text", "course"), [("how is the weather today", "stacks-en"), ("今天天气怎么样", "stacks-zh")]
)
async def test_a_task_that_is_not_the_courses_is_declined_by_us_and_reaches_no_model(
    small: SmallPlatform, scripted_llm: ScriptedLlm, text: str, course: str
) -> None:
    """A small model makes up the weather."""
    scripted_llm.play(scripted_llm.ok("It is sunny."))
    answer = await small.assistant(small.model(scripted_llm.base_url)).answer(ask(text, course))
    assert (answer.route, answer.citations, answer.degraded) == (Route.CHIT_CHAT, (), None)
    assert "sunny" not in answer.text
    assert scripted_llm.requests == []


@pytest.mark.parametrize(
    ("course", "question", "thanks"),
    [("stacks-en", "What is a deque?", "thank you"), ("stacks-zh", "怎样获得课程证书？", "谢谢")],
)
async def test_thanks_after_an_answer_are_met_with_a_word_and_no_passage(
    small: SmallPlatform, course: str, question: str, thanks: str
) -> None:
    """What was talked about is not told again."""
    first = await small.assistant().answer(ask(question, course))
    answer = await small.assistant().answer(ask(thanks, course, session_id=first.session_id))
    assert (answer.route, answer.citations) == (Route.CHIT_CHAT, ())
    assert first.citations[0].passage not in answer.text
    assert len(answer.text) < 150
