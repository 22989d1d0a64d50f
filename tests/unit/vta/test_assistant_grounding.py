"""What the assistant does with a model's claims and with false citations."""

from __future__ import annotations

from pathlib import Path

import pytest
from talk import Talk, question

from prompts.primers import refusal_sentence
from vta.dialogue.teaching.builder import ChainOfTeach
from vta.languages import Language
from vta.types.answers import Route

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
