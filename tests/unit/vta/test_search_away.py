"""With search away nothing that was written is lost, and what the store alone can answer is answered."""

from __future__ import annotations

from contextlib import aclosing
from typing import Any

import pytest
from plain_faults import plain
from scripted_llm import ScriptedLlm
from search_outage import SearchOutage
from small_platform import SmallPlatform

from vta.errors import LimitExceeded, NotReady, UpstreamFailed, VtaError
from vta.types import Answer, CourseId, Delta, Exchange, Mode, Question, Route, Source

WHY = "Why do editors undo with a stack?"
ADDRESS = "http://elastic:9200"
FAILURES = [kind(plain(f"{ADDRESS} is away")) for kind in (UpstreamFailed, NotReady, LimitExceeded)]


def ask(text: str, course: str = "stacks-en", **more: Any) -> Question:
    return Question(course_id=CourseId(course), text=text, **more)


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: type(failure).__name__)
async def test_an_answer_is_kept_when_search_fails_while_its_cards_are_made(
    small: SmallPlatform, scripted_llm: ScriptedLlm, failure: VtaError
) -> None:
    """The cards come without the places that only search knows, and that is declared."""
    scripted_llm.play(scripted_llm.ok("Editors keep the last command on the top of the stack [1]."))
    model = small.model(scripted_llm.base_url)
    small.knowledge = SearchOutage(small.knowledge, down={"where_taught"}, failure=failure)
    async with aclosing(small.assistant(model).stream(ask(WHY))) as events:
        seen = [event async for event in events]
    answer = seen[-1]
    assert isinstance(answer, Answer)
    assert "".join(event.text for event in seen if isinstance(event, Delta)).startswith("Editors keep")
    assert answer.text.startswith("Editors keep")
    (card,) = answer.concepts
    assert [(known.name, known.where) for known in card.prerequisites] == [("linear list", None)]
    assert answer.degraded is not None
    assert answer.degraded.stage == "search"
    assert ADDRESS not in str(answer)
    (turn,) = small.sessions.turns(answer.course_id, answer.session_id)
    assert turn.answer == answer


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: type(failure).__name__)
@pytest.mark.parametrize(
    ("text", "course", "route", "part"),
    [
        ("hello", "stacks-en", Route.CHIT_CHAT, ""),
        ("谢谢老师", "stacks-zh", Route.CHIT_CHAT, ""),
        ("I want to die", "stacks-en", Route.CHIT_CHAT, "emergency"),
        ("我不想活了", "stacks-zh", Route.CHIT_CHAT, "12356"),
        ("when is the homework due", "stacks-en", Route.DIRECT, "every Sunday at 23:59. [1]"),
        ("作业什么时候截止", "stacks-zh", Route.DIRECT, "作业每周日 23:59 截止。 [1]"),
    ],
)
async def test_small_talk_distress_and_exact_faq_questions_are_answered_without_search(
    small: SmallPlatform, text: str, course: str, route: Route, part: str, failure: VtaError
) -> None:
    small.knowledge = SearchOutage(small.knowledge, failure=failure)
    answer = await small.assistant().answer(ask(text, course))
    assert answer.route is route
    assert part in answer.text
    assert answer.text.strip()
    assert answer.degraded is not None
    assert answer.degraded.stage == "search"
    assert ADDRESS not in str(answer)
    if route is Route.DIRECT:
        (citation,) = answer.citations
        assert (citation.source, citation.document) == (Source.FAQ, "faq.csv")


@pytest.mark.parametrize(
    "question",
    [ask(WHY), ask("When is the homework not due?"), ask("When is the homework due?", mode=Mode.HINT)],
    ids=["taught", "not word for word", "hint"],
)
async def test_anything_else_is_the_declared_failure(small: SmallPlatform, question: Question) -> None:
    """A hint never gives an FAQ answer away, with search or without."""
    small.knowledge = SearchOutage(small.knowledge)
    with pytest.raises(UpstreamFailed, match="Elasticsearch cannot be reached"):
        await small.assistant().answer(question)


async def test_where_search_cannot_say_whether_a_question_goes_on_it_stands_alone(
    small: SmallPlatform,
) -> None:
    first = await small.assistant().answer(ask("What is a stack?"))
    later = ask("why is that useful", session_id=first.session_id)
    assert (await small.assistant().answer(later)).standalone_question != later.text
    small.knowledge = SearchOutage(small.knowledge, down={"coverage"})
    answer = await small.assistant().answer(later)
    assert answer.standalone_question == later.text


async def test_a_dialogue_that_the_caller_keeps_needs_no_search_to_be_understood(
    small: SmallPlatform,
) -> None:
    small.knowledge = SearchOutage(small.knowledge, down={"where_taught"})
    earlier = (Exchange(question="What is a stack?", answer="Last in, first out."),)
    answer = await small.assistant().answer(ask("why does it need a top?", earlier=earlier))
    assert "stack" in answer.standalone_question
