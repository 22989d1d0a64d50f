"""A course's budget of tokens holds however many answers are under way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import pytest

from services.language_model.budget import BudgetedModel
from vta.errors import UpstreamFailed
from vta.types.courses import CourseId
from vta.types.language_model import ChatMessage, Completion

MESSAGES = (ChatMessage(role="user", content="Why?"),)
CALL = 1000


class CountingModel:
    """Uses 1,000 tokens a call, once `gate` is open."""

    def __init__(self) -> None:
        self.used = 0
        self.gate = asyncio.Event()

    async def complete(self, messages: Sequence[ChatMessage], **given: Any) -> Completion:
        await self.gate.wait()
        self.used += CALL
        return Completion(text="a", model="m", prompt_tokens=CALL, completion_tokens=0)

    async def stream(self, messages: Sequence[ChatMessage], **given: Any) -> AsyncGenerator[str, None]:
        yield (await self.complete(messages)).text


def budgeted(model: CountingModel, most: int) -> BudgetedModel:
    return BudgetedModel(
        {"m": model}, terms=lambda course: (None, most), answer_tokens=CALL, used=lambda course: model.used
    )


@pytest.mark.fault(case="M7")
async def test_sixty_answers_at_once_stay_within_the_budget() -> None:
    """Also those that are streamed; what a call did not use is free again once it ended."""
    model = CountingModel()
    client = budgeted(model, 5 * CALL)

    async def ask(n: int) -> str:
        if n % 2:
            return (await client.complete(MESSAGES, course_id=CourseId("c"))).text
        return "".join([piece async for piece in client.stream(MESSAGES, course_id=CourseId("c"))])

    asked = [asyncio.create_task(ask(n)) for n in range(60)]
    pending = set(asked)
    async with asyncio.timeout(20):
        while len(pending) > 5:
            _, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
    model.gate.set()
    outcomes = await asyncio.gather(*asked, return_exceptions=True)
    assert sum(isinstance(each, UpstreamFailed) for each in outcomes) == 55
    assert model.used == 5 * CALL


async def test_a_call_that_ends_frees_what_it_reserved_and_the_budget_then_holds() -> None:
    model = CountingModel()
    model.gate.set()
    client = budgeted(model, 2 * CALL)
    for _ in range(2):
        await client.complete(MESSAGES, course_id=CourseId("c"))
    with pytest.raises(UpstreamFailed, match="used up"):
        await client.complete(MESSAGES, course_id=CourseId("c"))
    assert (await client.complete(MESSAGES)).text == "a"  # for no course


async def test_a_course_is_answered_by_its_own_model_within_its_own_budget() -> None:
    """One that names a model which is not offered any more, or none, is answered by the first."""
    usual, other = CountingModel(), CountingModel()
    usual.gate.set()
    other.gate.set()
    terms: dict[str, tuple[str | None, int | None]] = {
        "own": ("b", CALL),
        "gone": ("c", None),
        "none": (None, None),
        "without": (None, 0),
    }
    client = BudgetedModel(
        {"a": usual, "b": other},
        terms=lambda course: terms[course],
        answer_tokens=CALL,
        used=lambda course: other.used if course == "own" else 0,
    )
    for course, by_usual, by_other in (("own", 0, 1), ("gone", 1, 1), ("none", 2, 1), (None, 3, 1)):
        await client.complete(MESSAGES, course_id=CourseId(course) if course else None)
        assert (usual.used, other.used) == (by_usual * CALL, by_other * CALL)
    for spent in ("own", "without"):
        with pytest.raises(UpstreamFailed, match="used up"):
            await client.complete(MESSAGES, course_id=CourseId(spent))
