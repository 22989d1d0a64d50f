"""The path of a question never waits for a store, the index or the guard on the event loop."""

from __future__ import annotations

from typing import Any

import pytest
from event_loop_watch import OffTheLoop
from talk import Talk

from intent.guard.detector import NgramGuard
from vta.ports import Knowledge
from vta.types.courses import Course
from vta.types.questions import Exchange


class WatchedKnowledge:
    """`vta.ports.KnowledgeBase` whose ranker is watched as well."""

    def __init__(self, inner: Any, caught: list[str]) -> None:
        self._inner, self._caught = inner, caught

    def current(self, course: Course | None = None) -> Knowledge:
        known = self._inner.current(course)
        ranker: Any = OffTheLoop(known.ranker, "ranker", self._caught)
        return Knowledge(graph=known.graph, linker=known.linker, ranker=ranker)


@pytest.mark.parametrize("has_model", [False, True])
@pytest.mark.parametrize(
    "text",
    ["hello", "What is a deque?", "Why do editors undo with a stack?", "zebra recipes", "I want to die"],
)
async def test_no_store_index_or_guard_is_called_on_the_event_loop(
    talk: Talk, text: str, has_model: bool
) -> None:
    caught: list[str] = []
    small = talk.small
    small.courses = OffTheLoop(small.courses, "courses", caught)
    small.sessions = OffTheLoop(small.sessions, "sessions", caught)
    small.intents = OffTheLoop(small.intents, "intents", caught)
    small.knowledge = OffTheLoop(WatchedKnowledge(small.knowledge, caught), "knowledge", caught)
    says = "Because the last lies on top [1]." if has_model else None
    settings: Any = {"says": says, "guard": OffTheLoop(NgramGuard.load(), "guard", caught)}
    first = await talk.ask(text, **settings)
    await talk.ask("why?", after=first, **settings)
    told = (Exchange(question="What is a stack?", answer="A list."),)
    await talk.ask("why?", earlier=told, **settings)
    assert caught == []
