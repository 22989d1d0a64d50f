"""What a direct turn costs: what it asks of the store, the index and the encoder."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest
from served_platform import Build, client_of
from sqlalchemy import event

from intent.albert import AlbertIntentClassifier
from knowledge.index import embedded_search
from services.dialogue import answers


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Counts the calls of what is slow."""
    counted: Counter[str] = Counter()

    def count(name: str, owner: Any, method: str) -> None:
        called = getattr(owner, method)

        def counting(*args: Any, **kwargs: Any) -> Any:
            counted[name] += 1
            return called(*args, **kwargs)

        monkeypatch.setattr(owner, method, counting)

    count("encoder", AlbertIntentClassifier, "_run")
    count("search", embedded_search, "_hits")
    count("html", answers, "render_markdown")
    return counted


async def test_a_direct_turn_works_nothing_out_twice(new_home: Build, work: Counter[str]) -> None:
    """The first turn of a session, then a later one."""
    platform = new_home(intents=AlbertIntentClassifier.load())
    platform.knowledge.current()
    engine = platform.stores.engine

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if not statement.startswith("BEGIN"):
            work["read" if statement.startswith("SELECT") else "write"] += 1

    event.listen(engine, "before_cursor_execute", note)
    event.listen(engine, "commit", lambda _: work.update(["commit"]))
    async with client_of(platform) as client:

        async def ask(question: str, **session: str) -> tuple[str, Counter[str]]:
            work.clear()
            body = {"question": question, **session}
            reply = await client.post("/v1/courses/stacks-en/dialogue", json=body)
            assert reply.json()["route"] == "direct", reply.text
            assert work.pop("html") == 1 + len(reply.json()["citations"])
            return reply.json()["session_id"], work.copy()

        await ask("What is a stack?")  # reads what is kept: secrets, the graph, the parts of the index
        session, first = await ask("What is a deque?")
        _, later = await ask("What is a stack?", session_id=session)
    await asyncio.to_thread(platform.close)
    assert first == {"encoder": 1, "search": 3, "read": 3, "write": 3, "commit": 1}
    assert later == {"encoder": 1, "search": 3, "read": 7, "write": 2, "commit": 1}
