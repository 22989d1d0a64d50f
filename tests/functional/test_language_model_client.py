"""The client against a server that answers well, badly, late or not at all. Deadlines are short."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
import time
import traceback
from collections.abc import AsyncIterator, Callable
from typing import Any

import anyio
import pytest
from model_clients import Connect, connecting, read_pieces
from scripted_llm import ScriptedLlm

from services.language_model.client import OpenAiLanguageModel
from vta.errors import InvalidInput, UpstreamFailed
from vta.types.language_model import ChatMessage, Completion

KEY = "sk-canary-4711"
MESSAGES = (
    ChatMessage(role="system", content="You teach 数据结构."),
    ChatMessage(role="user", content="What is a stack?"),
    ChatMessage(role="assistant", content="A pile."),
    ChatMessage(role="user", content='And a "queue"?\n</s>{{ x }}'),
)
SENT = [
    {"role": "system", "content": "You teach 数据结构."},
    {"role": "user", "content": "What is a stack?"},
    {"role": "assistant", "content": "A pile."},
    {"role": "user", "content": 'And a "queue"?\n</s>{{ x }}'},
]


@pytest.fixture
async def connect(scripted_llm: ScriptedLlm) -> AsyncIterator[Connect]:
    async with connecting(scripted_llm, api_key=KEY, timeout_s=10.0) as make:
        yield make


async def read(model: OpenAiLanguageModel) -> tuple[list[str], str | None]:
    return await read_pieces(model.stream(MESSAGES))


async def refusal(model: OpenAiLanguageModel) -> str:
    with pytest.raises(UpstreamFailed) as caught:
        await model.complete(MESSAGES)
    return caught.value.message


# Good answers


async def test_complete_sends_exactly_the_messages_and_returns_the_answer(
    scripted_llm: ScriptedLlm, connect: Connect
) -> None:
    completion = await connect(max_tokens=99).complete(MESSAGES)
    assert completion == Completion(
        text="A stack is last in, first out.",
        model=scripted_llm.model,
        prompt_tokens=7,
        completion_tokens=3,
    )
    (request,) = scripted_llm.requests
    assert (request.method, request.path) == ("POST", "/v1/chat/completions")
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body.pop("stream", False) is False
    assert request.body == {"model": "m", "messages": SENT, "max_tokens": 99, "temperature": 0.0}


async def test_stream_sends_exactly_the_messages_and_yields_the_pieces(
    scripted_llm: ScriptedLlm, connect: Connect
) -> None:
    assert await read(connect()) == (["A ", "stack ", "is ", "last ", "in, ", "first ", "out."], None)
    (request,) = scripted_llm.requests
    assert request.body == {
        "model": "m",
        "messages": SENT,
        "max_tokens": 1024,
        "temperature": 0.0,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


async def test_one_connection_serves_many_answers(scripted_llm: ScriptedLlm, connect: Connect) -> None:
    model = connect()
    for _ in range(2):
        await model.complete(MESSAGES)
        await read(model)
    assert (len(scripted_llm.requests), scripted_llm.connections) == (4, 1)


async def test_no_key_sends_no_authorization_and_nothing_from_the_environment(
    scripted_llm: ScriptedLlm, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("API_KEY", "ADMIN_KEY", "ORG_ID", "PROJECT_ID"):
        monkeypatch.setenv(f"OPENAI_{name}", "canary-env")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    scripted_llm.play(scripted_llm.ok(), scripted_llm.ok(), scripted_llm.models(), scripted_llm.ok())
    model = connect(api_key="")
    await model.complete(MESSAGES)
    await read(model)
    await model.check()
    assert len(scripted_llm.requests) == 4
    assert all("authorization" not in request.headers for request in scripted_llm.requests)
    assert "canary-env" not in str(scripted_llm.requests)


async def test_only_our_key_is_sent(
    scripted_llm: ScriptedLlm, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "canary-env")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer canary-env")
    scripted_llm.play(scripted_llm.ok(), scripted_llm.models(), scripted_llm.ok())
    model = connect()
    await model.complete(MESSAGES)
    await model.check()
    assert [request.headers["authorization"] for request in scripted_llm.requests] == [f"Bearer {KEY}"] * 3


async def test_pieces_come_as_they_are_sent(scripted_llm: ScriptedLlm, connect: Connect) -> None:
    scripted_llm.play(scripted_llm.events(scripted_llm.chunk("first"), then_hang=True))
    async with contextlib.aclosing(connect().stream(MESSAGES)) as pieces:
        assert await asyncio.wait_for(anext(pieces), 5.0) == "first"


async def test_a_finish_reason_makes_a_stream_whole_without_done(
    scripted_llm: ScriptedLlm, connect: Connect
) -> None:
    scripted_llm.play(scripted_llm.pieces(["a", "b"], done=False))
    assert await read(connect()) == (["a", "b"], None)


async def test_a_server_that_does_not_hang_up_after_its_finish_reason_is_not_waited_for(
    scripted_llm: ScriptedLlm, connect: Connect
) -> None:
    whole = scripted_llm.chunk("a") + scripted_llm.chunk(finish="stop")
    scripted_llm.play(scripted_llm.events(whole, then_hang=True))
    began = time.monotonic()
    assert await read(connect(timeout_s=60.0)) == (["a"], None)
    assert time.monotonic() - began < 30.0


async def test_comments_and_chunks_that_only_count_tokens_are_passed_over(
    scripted_llm: ScriptedLlm, connect: Connect
) -> None:
    scripted_llm.play(
        scripted_llm.events(
            b": ping\n\n",
            scripted_llm.chunk("a", choices=[]),
            scripted_llm.chunk("b"),
            scripted_llm.chunk(finish="stop"),
            scripted_llm.chunk(choices=[], usage={"total_tokens": 9}),
            scripted_llm.done,
        )
    )
    assert await read(connect()) == (["b"], None)


async def test_characters_split_between_network_packets_stay_whole(
    scripted_llm: ScriptedLlm, connect: Connect
) -> None:
    event = scripted_llm.chunk("x").replace(b"x", "栈".encode())
    cut = event.index("栈".encode()) + 1
    scripted_llm.play(
        scripted_llm.events(event[:cut], event[cut:], scripted_llm.chunk(finish="stop"), scripted_llm.done)
    )
    assert await read(connect()) == (["栈"], None)


# Failures


async def test_nobody_listens(scripted_llm: ScriptedLlm, connect: Connect) -> None:
    model = connect(base_url=scripted_llm.refused_url(), max_retries=0)
    assert await refusal(model) == "the language model cannot be reached"
    assert await read(model) == ([], "the language model cannot be reached")


async def test_a_server_that_hangs_fails_at_the_deadline(scripted_llm: ScriptedLlm, connect: Connect) -> None:
    scripted_llm.play(scripted_llm.hang())
    model = connect(timeout_s=0.8)
    for fail in (refusal(model), read(model)):
        began = time.monotonic()
        assert "the language model did not answer in time" in str(await fail)
        assert 0.7 < time.monotonic() - began < 30.0
    assert len(scripted_llm.requests) == 2
    assert scripted_llm.left.wait(30.0)


async def test_a_slow_steady_answer_is_whole_though_it_takes_longer_than_a_silence_may(
    scripted_llm: ScriptedLlm, connect: Connect
) -> None:
    scripted_llm.play(scripted_llm.pieces(["word "] * 8, every_s=0.5))
    assert await read(connect(timeout_s=3.0)) == (["word "] * 8, None)


async def test_an_answer_without_end_fails_at_ten_times_the_silence(
    scripted_llm: ScriptedLlm, connect: Connect
) -> None:
    scripted_llm.play(scripted_llm.pieces(["word "] * 1000, every_s=0.05))
    pieces, reason = await read(connect(timeout_s=0.5))
    assert reason == "the language model did not answer in time"
    assert 1 <= len(pieces) <= 100
    assert scripted_llm.left.wait(30.0)


async def test_the_deadline_strikes_in_the_client_and_never_in_the_readers_own_code(
    scripted_llm: ScriptedLlm, connect: Connect
) -> None:
    scripted_llm.play(scripted_llm.events(scripted_llm.chunk("word "), then_hang=True))
    async with contextlib.aclosing(connect(timeout_s=2.0).stream(MESSAGES)) as pieces:
        await anext(pieces)
        await asyncio.sleep(2.5)  # longer than a silence may be: must not be cancelled
        with pytest.raises(UpstreamFailed, match="in time"):
            async for _ in pieces:
                pass


async def test_429_is_asked_again_after_the_time_the_server_wants(
    scripted_llm: ScriptedLlm, connect: Connect
) -> None:
    scripted_llm.play(scripted_llm.status(429, ("Retry-After", "0.3")), scripted_llm.ok("yes"))
    began = time.monotonic()
    assert (await connect().complete(MESSAGES)).text == "yes"
    assert time.monotonic() - began >= 0.3
    assert scripted_llm.messages == [SENT, SENT]


async def test_429_with_a_wait_beyond_the_deadline_fails_at_once(
    scripted_llm: ScriptedLlm, connect: Connect
) -> None:
    scripted_llm.play(scripted_llm.status(429, ("Retry-After", "60")))
    began = time.monotonic()
    assert await refusal(connect()) == "the language model is busy"
    assert time.monotonic() - began < 30.0
    assert len(scripted_llm.requests) == 1


@pytest.mark.parametrize("max_retries", [0, 1, 2])
async def test_500_is_asked_again_max_retries_times_in_all(
    scripted_llm: ScriptedLlm, connect: Connect, max_retries: int
) -> None:
    scripted_llm.play(scripted_llm.status(500, ("x-should-retry", "true")))
    model = connect(max_retries=max_retries)
    assert await refusal(model) == "the language model had an internal error"
    assert len(scripted_llm.requests) == 1 + max_retries


async def test_a_stream_is_asked_again_before_its_first_piece(
    scripted_llm: ScriptedLlm, connect: Connect
) -> None:
    scripted_llm.play(scripted_llm.status(503), scripted_llm.ok("yes"))
    assert await read(connect()) == (["yes"], None)
    assert scripted_llm.messages == [SENT, SENT]


async def test_a_failed_connection_is_asked_again(scripted_llm: ScriptedLlm, connect: Connect) -> None:
    scripted_llm.play(scripted_llm.drop(), scripted_llm.ok("yes"))
    assert (await connect().complete(MESSAGES)).text == "yes"


@pytest.mark.parametrize("status", [401, 403])
async def test_a_refused_key_is_not_asked_again_whatever_the_server_says(
    scripted_llm: ScriptedLlm, connect: Connect, status: int
) -> None:
    scripted_llm.play(scripted_llm.status(status, ("x-should-retry", "true"), ("Retry-After", "0")))
    assert await refusal(connect()) == "the language model refused our key"
    assert await read(connect()) == ([], "the language model refused our key")
    assert len(scripted_llm.requests) == 2


async def test_a_redirect_is_not_followed(scripted_llm: ScriptedLlm, connect: Connect) -> None:
    scripted_llm.play(scripted_llm.status(307, ("Location", scripted_llm.base_url + "/elsewhere")))
    assert await refusal(connect()) == "the language model did not accept the request"
    assert len(scripted_llm.requests) == 1


GARBAGE = "the language model sent something that is not an answer"
EMPTY = "the language model sent an empty answer"
BROKEN_OFF = "the language model broke off its answer"


@pytest.mark.parametrize(
    ("scene", "reason"),
    [
        (lambda s: s.html(), GARBAGE),
        (lambda s: s.body(b"{not json"), GARBAGE),
        (lambda s: s.body(b""), GARBAGE),
        (lambda s: s.body(b'"words"'), GARBAGE),
        (lambda s: s.body(b"[1,2]"), GARBAGE),
        (lambda s: s.body(b"[" * 100_000), GARBAGE),
        (lambda s: s.body(b'{"choices":[{"message":{"content":"\xff"}}]}'), GARBAGE),
        (lambda s: s.whole("x", choices=[]), GARBAGE),
        (lambda s: s.whole("x", choices="x"), GARBAGE),
        (lambda s: s.whole("x", choices=None), GARBAGE),
        (lambda s: s.whole("x", choices=[None]), GARBAGE),
        (lambda s: s.whole({"a": "b"}), GARBAGE),
        (lambda s: s.whole("x", choices=[{"message": "x"}]), EMPTY),
        (lambda s: s.whole(""), EMPTY),
        (lambda s: s.whole(None), EMPTY),
        (lambda s: s.whole(" \n\t\u3000"), EMPTY),
        (lambda s: s.whole("half", "content_filter"), "the language model withheld its answer"),
    ],
)
async def test_an_answer_that_is_none_is_a_failure_and_not_asked_again(
    scripted_llm: ScriptedLlm, connect: Connect, scene: Callable[[Any], Any], reason: str
) -> None:
    scripted_llm.play(scene(scripted_llm))
    assert await refusal(connect()) == reason
    assert len(scripted_llm.requests) == 1


@pytest.mark.parametrize(
    ("scene", "pieces", "reason"),
    [
        (lambda s: s.html(), [], GARBAGE),
        (lambda s: s.whole("whole, though a stream was wanted"), [], GARBAGE),
        (lambda s: s.events(), [], GARBAGE),
        (lambda s: s.events(b"data: {not json\n\n"), [], GARBAGE),
        (lambda s: s.events(b'data: "words"\n\n'), [], GARBAGE),
        (lambda s: s.events(b"data: null\n\n"), [], GARBAGE),
        (lambda s: s.events(s.chunk("a"), b"data: {\n\n"), ["a"], GARBAGE),
        (lambda s: s.events(s.chunk("a"), b"data: \xff\xfe\n\n"), ["a"], GARBAGE),
        (lambda s: s.events(s.chunk("a"), s.chunk(choices="x")), ["a"], GARBAGE),
        (lambda s: s.events(s.chunk("a"), b'data: {"error":"out of memory"}\n\n'), ["a"], BROKEN_OFF),
        (lambda s: s.cut_after(["a", "b"]), ["a", "b"], BROKEN_OFF),
        (lambda s: s.pieces(["a", "b"], finish=None, done=False), ["a", "b"], BROKEN_OFF),
        (lambda s: s.pieces([]), [], EMPTY),
        (lambda s: s.pieces(["", " ", "\n"]), [], EMPTY),
        (lambda s: s.pieces(["a"], finish="content_filter"), ["a"], "the language model withheld its answer"),
    ],
)
async def test_a_stream_that_is_no_answer_fails_after_the_pieces_it_gave(
    scripted_llm: ScriptedLlm, connect: Connect, scene: Callable[[Any], Any], pieces: list[str], reason: str
) -> None:
    scripted_llm.play(scene(scripted_llm))
    assert await read(connect()) == (pieces, reason)
    assert len(scripted_llm.requests) == 1


# The student leaves


async def test_closing_the_stream_early_closes_the_connection_to_the_server(
    scripted_llm: ScriptedLlm, connect: Connect
) -> None:
    scripted_llm.play(scripted_llm.pieces(["word "] * 1000, every_s=0.05))
    pieces = connect().stream(MESSAGES)
    await anext(pieces)
    assert not scripted_llm.left.is_set()
    await pieces.aclose()
    assert await asyncio.to_thread(scripted_llm.left.wait, 5.0)


@pytest.mark.parametrize("at_once", [False, True])
async def test_closing_the_stream_early_leaves_nothing_for_the_garbage_collection(
    scripted_llm: ScriptedLlm, connect: Connect, at_once: bool
) -> None:
    """What reads the stream for us ends with it, whether more of it has come already or not."""
    words = [scripted_llm.chunk("word ")] * 50
    sent = [b"".join(words)] if at_once else words[:1]
    scripted_llm.play(scripted_llm.events(*sent, then_hang=True))
    begun: list[Any] = []
    first, last = sys.get_asyncgen_hooks()

    def begin(generator: Any) -> None:
        begun.append(generator)
        if first is not None:
            first(generator)

    sys.set_asyncgen_hooks(begin, last)
    try:
        pieces = connect().stream(MESSAGES)
        await anext(pieces)
        await pieces.aclose()
    finally:
        sys.set_asyncgen_hooks(first, last)
    assert len(begun) > 3
    assert [each for each in begun if each.ag_frame is not None] == []


@pytest.mark.parametrize("pieces", [[], ["word "]])
async def test_cancelling_the_reader_closes_the_connection_to_the_server(
    scripted_llm: ScriptedLlm, connect: Connect, pieces: list[str]
) -> None:
    scripted_llm.play(scripted_llm.events(*map(scripted_llm.chunk, pieces), then_hang=True))
    came: asyncio.Queue[str] = asyncio.Queue()

    async def reader() -> None:
        async for piece in connect(timeout_s=60.0).stream(MESSAGES):
            came.put_nowait(piece)

    async with anyio.create_task_group() as tasks:  # the way Starlette stops a response
        tasks.start_soon(reader)
        assert await asyncio.to_thread(scripted_llm.arrived.wait, 5.0)
        assert [await came.get() for _ in pieces] == pieces
        tasks.cancel_scope.cancel()
    assert await asyncio.to_thread(scripted_llm.left.wait, 5.0)


# The doctor


@pytest.mark.parametrize(
    ("scene", "reason"),
    [
        (lambda s: s.status(401), "the language model refused our key"),
        (lambda s: s.status(500), "the language model had an internal error"),
        (lambda s: s.html(), GARBAGE),
        (lambda s: s.body(b"{}"), GARBAGE),
        (lambda s: s.drop(), "the language model cannot be reached"),
    ],
)
async def test_check_says_why_a_server_cannot_be_used(
    scripted_llm: ScriptedLlm, connect: Connect, scene: Callable[[Any], Any], reason: str
) -> None:
    scripted_llm.play(scene(scripted_llm))
    with pytest.raises(UpstreamFailed) as caught:
        await connect().check()
    assert caught.value.message == reason
    assert {(request.method, request.path) for request in scripted_llm.requests} == {("GET", "/v1/models")}


async def test_a_server_that_hangs_is_not_reachable(scripted_llm: ScriptedLlm, connect: Connect) -> None:
    scripted_llm.play(scripted_llm.hang())
    with pytest.raises(UpstreamFailed):
        await connect(timeout_s=0.3).check()


# The key


@pytest.mark.parametrize(
    "scene",
    [
        lambda s: s.ok(),
        lambda s: s.status(401, body=f'{{"error":{{"message":"bad key {KEY}"}}}}'),
        lambda s: s.status(500, body=KEY),
        lambda s: s.body(f"<p>{KEY}</p>".encode(), content_type="text/html"),
        lambda s: s.events(f'data: {{"error":{{"message":"{KEY}"}}}}\n\n'.encode()),
        lambda s: s.events(f"data: {KEY}\n\n".encode()),
        lambda s: s.drop(),
    ],
)
async def test_the_key_shows_nowhere_even_when_the_server_repeats_it(
    scripted_llm: ScriptedLlm, connect: Connect, caplog: pytest.LogCaptureFixture, scene: Callable[[Any], Any]
) -> None:
    caplog.set_level(logging.DEBUG)
    scripted_llm.play(scene(scripted_llm))
    model = connect(max_retries=0)
    shown = [repr(model), str(model)]
    failures: list[UpstreamFailed] = []
    for ask in (model.complete(MESSAGES), anext(model.stream(MESSAGES)), model.check()):
        try:
            await ask
        except UpstreamFailed as failure:
            failures.append(failure)
    for failure in failures:
        assert (failure.__cause__, failure.__context__) == (None, None)
        shown += [repr(failure), *traceback.format_exception(failure)]
    assert len(scripted_llm.requests) >= 3
    assert KEY not in caplog.text + "".join(shown)


@pytest.mark.parametrize("key", ["sk-ca\nnary", "sk-canary-钥匙", "sk\x00canary"])
def test_a_key_that_no_header_can_carry_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        OpenAiLanguageModel(base_url="http://127.0.0.1/v1", api_key=key, model="m")
    assert caught.value.field == "api_key"
    assert "canary" not in "".join(traceback.format_exception(caught.value))


async def test_blanks_around_a_key_are_dropped(scripted_llm: ScriptedLlm, connect: Connect) -> None:
    await connect(api_key=f" {KEY}\n").complete(MESSAGES)
    assert scripted_llm.requests[0].headers["authorization"] == f"Bearer {KEY}"


async def test_no_reason_holds_an_address_or_the_servers_words(
    scripted_llm: ScriptedLlm, connect: Connect
) -> None:
    scripted_llm.play(scripted_llm.status(418))
    reason = await refusal(connect())
    assert "127.0.0.1" not in reason
    assert "upstream words" not in reason
