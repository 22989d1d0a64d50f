"""A search engine that nobody reaches: what the store alone can answer is answered, the rest is declared."""

from __future__ import annotations

import pytest
from scripted_llm import ScriptedLlm
from served_platform import Build

from services.wiring import Platform
from vta.errors import UpstreamFailed
from vta.types.answers import Route
from vta.types.courses import CourseId
from vta.types.faq import FaqDraft
from vta.types.questions import Question

EN = CourseId("stacks-en")


@pytest.fixture
def platform(build: Build) -> Platform:
    """The small courses, and an Elasticsearch that refuses."""
    pytest.importorskip("elasticsearch", reason="search away not proven: elasticsearch is not installed")
    return build(elasticsearch_url=ScriptedLlm.refused_url().removesuffix("/v1"))


async def test_exact_questions_small_talk_and_distress_are_answered(platform: Platform) -> None:
    """From a file as from what an instructor writes during the outage; declared, and no inner address."""
    written = FaqDraft(question="Which pen may I bring?", answer="A blue one.", similar_questions=("pen?",))
    platform.stores.faq.add(EN, [written], editor="Ann")
    expected = {
        "hello": (Route.CHIT_CHAT, ""),
        "I want to die": (Route.CHIT_CHAT, "emergency"),
        "when is the homework due": (Route.DIRECT, "every Sunday at 23:59. [1]"),
        "Pen": (Route.DIRECT, "A blue one. [1]"),
    }
    for text, (route, part) in expected.items():
        answer = await platform.assistant.answer(Question(course_id=EN, text=text))
        assert answer.route is route
        assert part in answer.text
        assert answer.degraded is None or answer.degraded.stage == "search"
        assert (answer.degraded is None) is (text == "I want to die"), "no search is asked in danger"
        assert "127.0.0.1" not in str(answer)
        assert platform.stores.sessions.turns(EN, answer.session_id)[0].answer == answer


async def test_another_question_is_a_declared_failure_and_leaves_no_turn(platform: Platform) -> None:
    question = Question(course_id=EN, text="Why do editors undo with a stack?")
    with pytest.raises(UpstreamFailed):
        await platform.assistant.answer(question)
    assert platform.stores.sessions.latest_questions(EN, 10) == ()
