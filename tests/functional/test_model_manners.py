"""The manners of OpenAI-compatible servers: what they send beside an answer, and what they refuse."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import pytest
from model_clients import Connect, connecting
from scripted_llm import Call, ScriptedLlm

from services.language_model.client import OpenAiLanguageModel
from vta.errors import UpstreamFailed
from vta.types.language_model import ChatMessage

SAID = "The function falls fastest [1]. It measures `a < b` and x[1] [1]."
MESSAGES = (
    ChatMessage(role="system", content="Teach."),
    ChatMessage(role="user", content="Why?"),
)
EMPTY = "the language model sent an empty answer"


@pytest.fixture
def server() -> Iterator[ScriptedLlm]:
    """A server whose model nobody knows yet."""
    with ScriptedLlm() as server:
        yield server


@pytest.fixture
async def connect(server: ScriptedLlm) -> AsyncIterator[Connect]:
    async with connecting(server, timeout_s=10.0) as make:
        yield make


async def whole(model: OpenAiLanguageModel) -> str:
    return (await model.complete(MESSAGES)).text


async def streamed(model: OpenAiLanguageModel) -> str:
    return "".join([piece async for piece in model.stream(MESSAGES)])


def says(server: ScriptedLlm, text: str, finish: str = "stop") -> Callable[[Call], Awaitable[None]]:
    """The text whole, or in pieces of three characters, which cut every mark."""

    async def scene(call: Call) -> None:
        pieces = [text[n : n + 3] for n in range(0, len(text), 3)]
        play = server.pieces(pieces, finish=finish) if call.streaming else server.whole(text, finish)
        await play(call)

    return scene


@pytest.mark.fault(case="T148")
@pytest.mark.parametrize("ask", [whole, streamed])
@pytest.mark.parametrize(
    "reply",
    [
        SAID,
        f"<think>\nThe exam answer is 4.\n</think>\n\n{SAID}",
        f"<think>\n\n</think>\n\n{SAID}",
        f"The exam answer is 4.\n</think>\n\n{SAID}",
        f"<thinking>Secret</thinking>{SAID}",
        f"<Thought type='x'>Secret</Thought>{SAID}",
        f"[THINK]Secret[/THINK]{SAID}",
        f"◁think▷Secret◁/think▷{SAID}",
        f"<|START_THINKING|>Secret<|END_THINKING|>{SAID}",
        f"<|channel|>analysis<|message|>Secret<|end|><|start|>assistant<|channel|>final<|message|>{SAID}",
        f"<|begin_of_thought|>Secret<|end_of_thought|>{SAID}",
        f"<thought_process>Secret</thought_process>{SAID}",
        f"```markdown\n{SAID}\n```",
        f"<think>x</think>\n```\n{SAID}\n```\n",
    ],
)
async def test_only_the_answer_is_shown(server: ScriptedLlm, connect: Connect, reply: str, ask: Any) -> None:
    server.play(says(server, reply))
    assert (await ask(connect())).strip() == SAID


@pytest.mark.parametrize("ask", [whole, streamed])
@pytest.mark.parametrize(
    "reply",
    [
        "Write `<think>` and `</think>`.",
        "Struck: <s>old</s> new.",
        "```html\n<think>old</think>\n```",
        "```python\nx = 1\n```",
        "```\na\n```\nand\n```\nb\n```",
        "a <b and c> d",
    ],
)
async def test_marks_in_code_and_code_of_a_language_stay(
    server: ScriptedLlm, connect: Connect, reply: str, ask: Any
) -> None:
    server.play(says(server, reply))
    assert await ask(connect()) == reply


@pytest.mark.parametrize("ask", [whole, streamed])
@pytest.mark.parametrize(
    "scene",
    [
        lambda s: says(s, "<think>\nLet me think", "length"),
        lambda s: says(s, "<think>\n</think>\n"),
    ],
)
async def test_thoughts_alone_are_an_empty_answer(
    server: ScriptedLlm, connect: Connect, scene: Any, ask: Any
) -> None:
    server.play(scene(server))
    with pytest.raises(UpstreamFailed, match=EMPTY):
        await ask(connect())


async def test_after_unmarked_thoughts_nothing_of_that_model_is_shown_before_they_end(
    server: ScriptedLlm, connect: Connect
) -> None:
    """The thoughts that the server cuts have no closing mark, so they are an empty answer too."""
    server.play(says(server, f"Hm.</think>{SAID}"), says(server, "I should think", "length"))
    model = connect()
    assert await streamed(model) == SAID
    with pytest.raises(UpstreamFailed, match=EMPTY):
        await streamed(model)


async def test_a_closing_mark_after_shown_words_is_no_answer(server: ScriptedLlm, connect: Connect) -> None:
    server.play(says(server, SAID), says(server, f"Hm, well.</think>{SAID}"))
    model = connect()
    assert await streamed(model) == SAID
    with pytest.raises(UpstreamFailed, match="not an answer"):
        await streamed(model)
    assert await streamed(model) == SAID


@pytest.mark.fault(case="T148")
@pytest.mark.parametrize("field", ["reasoning", "reasoning_content"])
async def test_thoughts_in_a_field_are_not_shown_and_are_signs_of_life(
    server: ScriptedLlm, connect: Connect, field: str
) -> None:
    async def scene(call: Call) -> None:
        await call.begin_stream()
        for _ in range(6):
            await call.send(server.chunk(choices=[{"delta": {field: "secret", "content": None}}]))
            await call.pause(0.2)
        await call.send(server.chunk(SAID) + server.chunk(finish="stop") + server.done)
        await call.end_stream()

    server.play(scene)
    assert await streamed(connect(timeout_s=0.9)) == SAID


def refusing(
    server: ScriptedLlm, refuses: Callable[[dict[str, Any]], str | None], status: int = 400, param: str = ""
) -> Callable[[Call], Awaitable[None]]:
    """Refuses the requests for which there is a message, and answers the others."""

    async def scene(call: Call) -> None:
        message = refuses(call.request.body)
        if message is None:
            await server.ok(SAID)(call)
            return
        error = f'{{"error":{{"message":"{message}","param":"{param}","code":"unsupported_parameter"}}}}'
        await server.status(status, body=error)(call)

    return scene


def _has(name: str, message: str) -> Callable[[dict[str, Any]], str | None]:
    return lambda body: message if name in body else None


def _system(body: dict[str, Any]) -> str | None:
    return "System role not supported" if body["messages"][0]["role"] == "system" else None


@pytest.mark.parametrize(
    ("refuses", "status", "left_out"),
    [
        (_has("max_tokens", "Use 'max_completion_tokens' instead of max_tokens."), 400, "max_tokens"),
        (_has("temperature", "'temperature' does not support 0.0 with this model."), 400, "temperature"),
        (_has("stream_options", "Unrecognized request argument: stream_options"), 422, "stream_options"),
    ],
)
async def test_a_refused_parameter_is_left_out_once_and_for_all(
    server: ScriptedLlm,
    connect: Connect,
    caplog: pytest.LogCaptureFixture,
    refuses: Any,
    status: int,
    left_out: str,
) -> None:
    server.play(refusing(server, refuses, status, left_out))
    model = connect(max_tokens=77)
    assert [await streamed(model), await streamed(model)] == [SAID, SAID]
    sent = [left_out in request.body for request in server.requests]
    assert sent == [True, False, False]
    renamed = server.requests[-1].body.get("max_completion_tokens")
    assert renamed == (77 if left_out == "max_tokens" else None)
    assert f"param {left_out}, code unsupported_parameter" in caplog.text


@pytest.mark.parametrize("ask", [whole, streamed])
async def test_a_refused_system_role_is_text_before_the_users(
    server: ScriptedLlm, connect: Connect, ask: Any
) -> None:
    server.play(refusing(server, _system))
    assert await ask(connect()) == SAID
    assert server.messages[-1] == [{"role": "user", "content": "Teach.\n\nWhy?"}]


async def test_two_refused_parameters_are_both_left_out_and_a_third_refusal_ends_it(
    server: ScriptedLlm, connect: Connect
) -> None:
    both = [_has("max_tokens", "no max_tokens"), _has("temperature", "no temperature")]
    server.play(refusing(server, lambda body: both[0](body) or both[1](body)))
    assert await whole(connect()) == SAID
    server.requests.clear()
    server.play(refusing(server, lambda body: "max_tokens, whatever you send"))
    with pytest.raises(UpstreamFailed, match="did not accept"):
        await whole(connect())
    assert len(server.requests) == 2


@pytest.mark.parametrize("ask", [whole, streamed])
async def test_the_text_blocks_of_a_list_are_joined(server: ScriptedLlm, connect: Connect, ask: Any) -> None:
    blocks: Any = [{"type": "thinking", "thinking": [{"type": "text", "text": "secret"}]}]
    blocks += [{"type": "text", "text": SAID[:9]}, {"type": "text", "text": SAID[9:]}]

    async def scene(call: Call) -> None:
        play = server.pieces([blocks]) if call.streaming else server.whole(blocks)
        await play(call)

    server.play(scene)
    assert await ask(connect()) == SAID


async def test_done_without_a_finish_reason_is_an_end_and_a_closed_connection_is_a_break(
    server: ScriptedLlm, connect: Connect
) -> None:
    server.play(server.pieces([SAID], finish=None))
    assert await streamed(connect()) == SAID
    server.play(server.pieces([SAID], finish=None, done=False))
    with pytest.raises(UpstreamFailed, match="broke off"):
        await streamed(connect())


@pytest.mark.parametrize("odd", [b'data: {"usage":{"prompt_tokens":3}}\n\n', b'data: {"choices":null}\n\n'])
async def test_chunks_without_choices_are_passed_over(
    server: ScriptedLlm, connect: Connect, odd: bytes
) -> None:
    server.play(server.events(server.chunk(SAID), odd, server.chunk(finish="stop")))
    assert await streamed(connect()) == SAID


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('{"detail":"Not Found"}', "VTA_LLM_BASE_URL must be the address before /chat/completions"),
        ('{"error":{"message":"no such model","code":"model_not_found"}}', "no model m.*scripted-model"),
    ],
)
async def test_the_check_names_the_mend(server: ScriptedLlm, connect: Connect, body: str, words: str) -> None:
    server.play(server.models() if "model" in body else server.status(404), server.status(404, body=body))
    with pytest.raises(UpstreamFailed, match=words):
        await connect().check()


@pytest.mark.parametrize(
    ("answer", "is_grounded"), [("In room 204 [1].", True), ("In room 204.", False), ("[1] Room 14.", False)]
)
async def test_the_check_knows_a_model_that_cannot_cite_one_passage(
    server: ScriptedLlm, connect: Connect, answer: str, is_grounded: bool
) -> None:
    server.play(server.models(), server.ok(answer))
    checked = await connect().check()
    assert (checked.is_grounded, checked.lists("scripted-model"), checked.lists("m")) == (
        is_grounded,
        True,
        False,
    )


async def test_a_refusal_for_another_reason_names_no_mend(server: ScriptedLlm, connect: Connect) -> None:
    too_long = '{"error":{"message":"This model\'s context is 4096 tokens","code":"context_length_exceeded"}}'
    server.play(server.models(), server.status(400, body=too_long))
    with pytest.raises(UpstreamFailed) as caught:
        await connect().check()
    assert caught.value.message == "the language model did not accept the request"
