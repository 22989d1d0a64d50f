"""The fallback model, the circuit breaker and the meter of the client, against a scripted server."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

import pytest
from model_clients import Connect, connecting, read_pieces
from scripted_llm import ScriptedLlm

from services.language_model.client import OpenAiLanguageModel
from vta.breaker import CircuitBreaker
from vta.errors import AnswerCutShort, UpstreamFailed
from vta.types.courses import CourseId
from vta.types.language_model import ChatMessage, ModelUsage

MESSAGES = (ChatMessage(role="user", content="What is a stack?"),)
COURSE = CourseId("stacks")


class Notes(list[ModelUsage]):
    """A meter that keeps what it is told in order."""

    record = list.append


@pytest.fixture
async def connect(scripted_llm: ScriptedLlm) -> AsyncIterator[Connect]:
    async with connecting(scripted_llm, model="first", timeout_s=5.0, max_retries=0) as make:
        yield make


async def read(model: OpenAiLanguageModel) -> tuple[list[str], str | None]:
    return await read_pieces(model.stream(MESSAGES, course_id=COURSE))


def asked(scripted_llm: ScriptedLlm) -> list[str]:
    return [request.body["model"] for request in scripted_llm.requests]


@pytest.mark.parametrize(
    "scene",
    [
        lambda s: s.status(500),
        lambda s: s.status(404),
        lambda s: s.html(),
        lambda s: s.whole(""),
        lambda s: s.drop(),
        lambda s: s.hang(),
    ],
)
async def test_where_the_first_model_fails_the_fallback_answers(
    scripted_llm: ScriptedLlm, connect: Connect, scene: Callable[[Any], Any]
) -> None:
    """Both whole and streamed, within one deadline."""
    bad = scene(scripted_llm)
    scripted_llm.play(bad, scripted_llm.ok("yes"), bad, scripted_llm.ok("yes"))
    model = connect(fallback="second", timeout_s=4.0)
    began = time.monotonic()
    assert (await model.complete(MESSAGES)).text == "yes"
    assert await read(model) == (["yes"], None)
    assert time.monotonic() - began < 8.0
    assert asked(scripted_llm) == ["first", "second"] * 2


@pytest.mark.parametrize("scene", [lambda s: s.status(401), lambda s: s.whole("no", "content_filter")])
async def test_a_refused_key_or_a_withheld_answer_is_not_tried_with_another_model(
    scripted_llm: ScriptedLlm, connect: Connect, scene: Callable[[Any], Any]
) -> None:
    scripted_llm.play(scene(scripted_llm))
    with pytest.raises(UpstreamFailed):
        await connect(fallback="second").complete(MESSAGES)
    assert asked(scripted_llm) == ["first"]


async def test_a_stream_that_has_begun_is_never_begun_anew(
    scripted_llm: ScriptedLlm, connect: Connect
) -> None:
    scripted_llm.play(scripted_llm.cut_after(["half "]), scripted_llm.ok("yes"))
    pieces, reason = await read(connect(fallback="second"))
    assert pieces == ["half "]
    assert reason == "the language model broke off its answer"
    assert asked(scripted_llm) == ["first"]


async def test_both_models_failing_is_one_failure_within_the_deadline(
    scripted_llm: ScriptedLlm, connect: Connect
) -> None:
    scripted_llm.play(scripted_llm.hang())
    began = time.monotonic()
    assert await read(connect(fallback="second", timeout_s=3.0)) == (
        [],
        "the language model did not answer in time",
    )
    assert time.monotonic() - began < 6.0
    assert asked(scripted_llm) == ["first", "second"]


@pytest.mark.fault(case="T43")
async def test_the_breaker_opens_probes_and_closes(scripted_llm: ScriptedLlm, connect: Connect) -> None:
    """While it is open nobody is asked, and the fallback of an open breaker answers at once."""
    seconds = [0.0]
    breaker = partial(CircuitBreaker, failures=2, cool_down_s=30.0, now=lambda: seconds[0])
    model = connect(new_breaker=breaker)
    scripted_llm.play(scripted_llm.status(500))
    for _ in range(2):
        await read(model)
    paused = "the language model failed too often and is left alone for a while"
    assert await read(model) == ([], paused)
    assert len(scripted_llm.requests) == 2
    seconds[0] = 30.0
    assert await read(model) == ([], "the language model had an internal error")
    assert await read(model) == ([], paused)
    assert len(scripted_llm.requests) == 3
    seconds[0] = 60.0
    scripted_llm.play(scripted_llm.ok("yes"))
    assert await read(model) == (["yes"], None)
    assert (await model.complete(MESSAGES)).text == "yes"


async def test_the_fallback_has_a_breaker_of_its_own(scripted_llm: ScriptedLlm, connect: Connect) -> None:
    bad, good = scripted_llm.status(500), scripted_llm.ok("yes")
    scripted_llm.play(bad, good, bad, good, good)
    model = connect(fallback="second", new_breaker=partial(CircuitBreaker, failures=2))
    assert [await read(model) for _ in range(3)] == [(["yes"], None)] * 3
    assert asked(scripted_llm) == ["first", "second", "first", "second", "second"]


async def test_streams_that_break_off_open_the_breaker_and_strange_questions_do_not(
    scripted_llm: ScriptedLlm, connect: Connect
) -> None:
    model = connect(new_breaker=partial(CircuitBreaker, failures=2))
    scripted_llm.play(scripted_llm.status(400))
    for _ in range(3):
        await read(model)
    scripted_llm.play(scripted_llm.cut_after(["a"]))
    for _ in range(3):
        await read(model)
    assert len(scripted_llm.requests) == 5


async def test_a_cut_answer_is_told_apart_after_its_last_piece(
    scripted_llm: ScriptedLlm, connect: Connect
) -> None:
    scripted_llm.play(scripted_llm.ok("a beginning", finish="length"))
    model = connect(fallback="second")
    assert await read(model) == (
        ["a ", "beginning"],
        "the language model's answer was cut at its greatest length",
    )
    with pytest.raises(AnswerCutShort):
        await model.complete(MESSAGES)


async def test_an_endless_answer_is_given_up_long_before_the_deadline(
    scripted_llm: ScriptedLlm, connect: Connect
) -> None:
    scripted_llm.play(scripted_llm.pieces(["again " * 100] * 10_000))
    began = time.monotonic()
    pieces, reason = await read(connect(max_tokens=16, timeout_s=60.0))
    assert reason == "the language model did not come to an end"
    assert len("".join(pieces)) <= 16 * 32
    assert time.monotonic() - began < 30.0


async def test_every_answer_is_metered_under_its_course_and_model(
    scripted_llm: ScriptedLlm, connect: Connect
) -> None:
    """With the tokens that the server counts; without them, and where a reader leaves, as uncounted."""
    notes = Notes()
    model = connect(meter=notes)
    whole = {"course_id": COURSE, "model": "first"}
    await model.complete(MESSAGES, course_id=COURSE)
    counted = scripted_llm.chunk(choices=[], usage={"prompt_tokens": 9, "completion_tokens": 4})
    end = scripted_llm.chunk("b", finish="stop")
    scripted_llm.play(scripted_llm.events(scripted_llm.chunk("a"), end, counted, scripted_llm.done))
    await read(model)
    assert notes == [
        ModelUsage(**whole, prompt_tokens=7, completion_tokens=3),
        ModelUsage(**whole, prompt_tokens=9, completion_tokens=4),
    ]
    scripted_llm.play(scripted_llm.ok("no count here"))
    await read(model)
    scripted_llm.play(scripted_llm.pieces(["word "] * 1000, every_s=0.05))
    pieces = model.stream(MESSAGES)
    await anext(pieces)
    await pieces.aclose()
    assert notes[2:] == [
        ModelUsage(**whole, uncounted=1),
        ModelUsage(course_id=None, model="first", uncounted=1),
    ]
