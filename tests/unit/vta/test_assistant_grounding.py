"""What the assistant does with a model's claims, with false citations, and where FAQ and notes disagree."""

from __future__ import annotations

from pathlib import Path

import pytest
from talk import Talk, decisions, question

from prompts.primers import refusal_sentence
from vta.dialogue.teaching.builder import ChainOfTeach
from vta.languages import Language
from vta.types.answers import Route
from vta.types.pairs import Source
from vta.types.questions import Mode

WHY = "Why do editors undo with a stack?"
TRUE = "Editors keep the last command on the top of the stack [1]."
FALSE = "Knuth published that algorithm in Stanford during winter."


async def test_the_reply_of_a_model_is_stored_as_it_was_written(talk: Talk) -> None:
    """No sentence of it is marked, moved, completed or taken away."""
    streamed, answer = await talk.streamed(WHY, says=f"{TRUE} {FALSE}")
    assert streamed == answer.text == f"{TRUE} {FALSE}"
    (turn,) = talk.turns(answer)
    assert turn.answer == answer


async def test_an_answer_without_a_citation_says_so_beside_it(talk: Talk) -> None:
    answer = await talk.ask(WHY, says=FALSE)
    assert (answer.route, answer.text) == (Route.CHAIN_OF_TEACH, FALSE)
    assert answer.degraded is not None
    assert answer.degraded.stage == "grounding"


async def test_the_sentence_of_refusal_is_an_unanswered_question_with_the_closest_places(talk: Talk) -> None:
    streamed, answer = await talk.streamed(WHY, says=refusal_sentence(Language.EN))
    assert answer.route is Route.UNANSWERED
    assert refusal_sentence(Language.EN) not in streamed
    assert answer.citations
    assert "ask_ta" in answer.actions


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


@pytest.mark.fault(case="T14")
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
