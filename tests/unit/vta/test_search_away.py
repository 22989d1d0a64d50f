"""With search away nothing that was written is lost, and what the store alone can answer is answered."""

from __future__ import annotations

import pytest
from plain_faults import plain
from search_outage import SearchOutage
from talk import Talk

from vta.errors import LimitExceeded, NotReady, UpstreamFailed, VtaError
from vta.types.answers import Route
from vta.types.pairs import Source
from vta.types.questions import Exchange, Mode

WHY = "Why do editors undo with a stack?"
ADDRESS = "http://elastic:9200"
FAILURES = [kind(plain(f"{ADDRESS} is away")) for kind in (UpstreamFailed, NotReady, LimitExceeded)]


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: type(failure).__name__)
async def test_an_answer_is_kept_when_search_fails_while_its_cards_are_made(
    talk: Talk, failure: VtaError
) -> None:
    """The cards come without the places that only search knows, and that is declared."""
    talk.small.knowledge = SearchOutage(talk.small.knowledge, down={"where_taught"}, failure=failure)
    shown, answer = await talk.streamed(
        WHY, says="Editors keep the last command on the top of the stack [1]."
    )
    assert shown.startswith("Editors keep")
    assert answer.text.startswith("Editors keep")
    (card,) = answer.concepts
    assert [(known.name, known.where) for known in card.prerequisites] == [("linear list", None)]
    assert answer.degraded is not None
    assert answer.degraded.stage == "search"
    assert ADDRESS not in str(answer)
    (turn,) = talk.turns(answer)
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
    talk: Talk, text: str, course: str, route: Route, part: str, failure: VtaError
) -> None:
    talk.small.knowledge = SearchOutage(talk.small.knowledge, failure=failure)
    answer = await talk.ask(text, course)
    assert answer.route is route
    assert part in answer.text
    assert answer.text.strip()
    stage = answer.degraded.stage if answer.degraded else "nothing was looked up"
    assert stage == ("nothing was looked up" if part in ("emergency", "12356") else "search")
    assert ADDRESS not in str(answer)
    if route is Route.DIRECT:
        (citation,) = answer.citations
        assert (citation.source, citation.document) == (Source.FAQ, "faq.csv")


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        (WHY, Mode.ANSWER),
        ("When is the homework not due?", Mode.ANSWER),
        ("When is the homework due?", Mode.HINT),
    ],
)
async def test_anything_else_is_the_declared_failure(talk: Talk, text: str, mode: Mode) -> None:
    """A hint never gives an FAQ answer away, with search or without."""
    talk.small.knowledge = SearchOutage(talk.small.knowledge)
    with pytest.raises(UpstreamFailed, match="Elasticsearch cannot be reached"):
        await talk.ask(text, mode=mode)


async def test_a_dialogue_that_the_caller_keeps_needs_no_search_to_be_understood(talk: Talk) -> None:
    talk.small.knowledge = SearchOutage(talk.small.knowledge, down={"where_taught"})
    earlier = (Exchange(question="What is a stack?", answer="Last in, first out."),)
    answer = await talk.ask("why does it do that?", earlier=earlier)
    assert "stack" in answer.standalone_question
