"""The language model behind any OpenAI-compatible server: vLLM, llama.cpp, Ollama or a cloud."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, Final, TypeVar

from openai import APIStatusError, AsyncOpenAI, DefaultAsyncHttpxClient, Omit
from opentelemetry.trace import Span

from knowledge.search.http_client import LARGEST_REPLY, UNPACKED, ReplyBound
from services.language_model.checkup import QUESTION, Checked
from services.language_model.failures import (
    CUT_SHORT,
    LANGUAGE_MODEL,
    NO_SUCH_PATH,
    PAUSED,
    REFUSED_KEY,
    Failure,
    failure_of,
)
from services.language_model.manners import Body, adapted, named_in, refused_parameter
from services.language_model.replies import (
    Chunks,
    Habit,
    RunningAnswer,
    Tokens,
    log_kinds,
    now,
    read_completion,
    read_tokens,
)
from services.language_model.visible import VisibleText
from services.tracing import span, trace_headers
from vta.breaker import CircuitBreaker
from vta.errors import AnswerCutShort, InvalidInput, UpstreamFailed
from vta.faults import Fault
from vta.ports import UsageMeter
from vta.types.courses import CourseId
from vta.types.language_model import ChatMessage, Completion, JsonSchema, ModelUsage

logger = logging.getLogger(__name__)

T = TypeVar("T")

CHAT: Final = "/chat/completions"
NO_KEY: Final = "none"
"""Stands in for an empty key, so that the SDK looks for none in the environment; it is never sent."""
LONGEST: Final = 10
"""How many times the longest silence a streamed answer may take."""
FIRST_HABIT = Habit.UNKNOWN
"""How replies of a model begin that has given none yet."""
FIRST_SHARE: Final = 0.6
"""The share of the deadline after which a fallback is asked instead."""
CHARACTERS_A_TOKEN: Final = 32
"""More than any tokenizer's average: an answer with more a token has no end in sight."""
BYTES_A_TOKEN: Final = 1_000
"""More than a server writes around a token in a chunk."""


class OpenAiLanguageModel:
    """`vta.ports.LanguageModel` over an OpenAI-compatible server.

    One retry layer: ours. The SDK's own is switched off, because it waits through a `Retry-After` that
    outlasts the deadline and lets the server demand retries of a refused key. Asked again, at most
    `max_retries` times and only if the wait fits in the deadline, are: no connection, 408, 429, 5xx.
    Never a stream that has begun, a refused key (401, 403) or garbage.

    `timeout_s` is the longest silence: over connecting, retries, their waits and the fallback until the first
    word or thought of a stream, or the whole reply where it is not streamed; then from each piece to the
    next, without the time that the reader takes. A stream may last `LONGEST` times as long.

    A `fallback` model of the same server is asked where the first one failed before its first word; the
    first one may then take `FIRST_SHARE` of the time until that word. Each model has a circuit breaker.

    Every failure is an `UpstreamFailed` whose message a student may read. It has no cause: the SDK's
    exceptions hold the server's words and may hold the key, and a traceback would print them. What an
    operator needs, the HTTP status and the kinds of the exceptions, goes to the log.

    Thoughts are no part of an answer (`VisibleText`). The first reply of a model is held back to its end,
    since it may begin with thoughts without a mark; whether it does holds for those that follow. What a
    server refuses of a request (`refused_parameter`) is left out from then on, once that was taken.

    Replies are read as JSON: to make the SDK's classes of each chunk takes longer than to send it on.

    An answer that the server cut at `max_tokens` is `AnswerCutShort`. Redirects are not followed.
    """

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str,
        model: str,
        fallback: str | None = None,
        timeout_s: float = 30.0,
        max_tokens: int = 1024,
        max_retries: int = 1,
        new_breaker: Callable[[], CircuitBreaker] = CircuitBreaker,
        meter: UsageMeter | None = None,
    ) -> None:
        """`api_key` may be empty for a server that asks for none; no `Authorization` is sent then.

        `meter` records every answer and must return at once.
        """
        self._models = tuple((name, new_breaker()) for name in dict.fromkeys((model, fallback)) if name)
        self._timeout_s = timeout_s
        self._max_retries = max_retries
        self._max_tokens = max_tokens
        self._longest = max_tokens * CHARACTERS_A_TOKEN
        self._meter = meter
        self._refused: dict[str, frozenset[str]] = {}
        self._habits: dict[str, Habit] = {}
        key = api_key.strip()
        self._headers = key_headers(key, server=LANGUAGE_MODEL)
        bound = ReplyBound(most=LARGEST_REPLY + max_tokens * BYTES_A_TOKEN)
        self._client = AsyncOpenAI(
            base_url=base_url,
            api_key=key or NO_KEY,
            timeout=timeout_s,
            max_retries=0,
            http_client=DefaultAsyncHttpxClient(
                timeout=timeout_s,
                follow_redirects=False,
                headers=UNPACKED,
                event_hooks={"response": [bound.bound_async]},
            ),
        )

    def __repr__(self) -> str:
        return f"OpenAiLanguageModel(model={self._models[0][0]!r})"

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        course_id: CourseId | None = None,
        schema: JsonSchema | None = None,
    ) -> Completion:
        """The whole answer. `UpstreamFailed` when there is none, or none within the deadline."""

        async def request(model: str, until: float) -> Completion | Failure:
            async with asyncio.timeout_at(until):
                reply = await self._create(model, messages, schema)
            self._note(call, course_id, model, read_tokens(reply))
            visible = VisibleText(held=True)
            read = read_completion(reply, model=model, longest=self._longest, visible=visible)
            self._learn(model, visible, is_whole=not isinstance(read, Failure))
            return read

        with self._call() as call:
            completion, _, breaker = await self._ask(request, self._deadline())
            breaker.succeeded()
            return completion

    async def stream(
        self, messages: Sequence[ChatMessage], *, course_id: CourseId | None = None
    ) -> AsyncGenerator[str, None]:
        """Pieces of the answer as they come; closing the generator closes the connection to the server.

        `UpstreamFailed` follows the pieces already yielded when the stream ends without a finish reason.
        Where the reader may leave early, hold the generator in `contextlib.aclosing`.
        """

        async def request(model: str, until: float) -> RunningAnswer | Failure:
            body = self._body(model, messages, stream=True, stream_options={"include_usage": True})
            async with asyncio.timeout_at(until):
                chunks = await self._post(model, body, stream=True, stream_cls=Chunks)
            answer = RunningAnswer(
                chunks,
                longest=self._longest,
                habit=self._habits.get(model, FIRST_HABIT),
                silence_s=self._timeout_s,
                deadline=now() + LONGEST * self._timeout_s,
            )
            try:
                first = await answer.begin(until)
            except BaseException:
                await answer.close()
                raise
            if isinstance(first, Failure):
                await answer.close()
                self._note(call, course_id, model, answer.read.tokens)
                self._learn(model, answer.read.visible, is_whole=False)
                return first
            return answer

        with self._call() as call:
            answer, model, breaker = await self._ask(request, self._deadline())
            is_whole = False
            try:
                async with aclosing(answer.pieces()) as pieces:
                    async for piece in pieces:
                        if isinstance(piece, Failure):
                            if piece.ill:
                                breaker.failed()
                            raise _failed(piece)
                        yield piece
                breaker.succeeded()
                is_whole = True
            finally:
                self._learn(model, answer.read.visible, is_whole=is_whole)
                self._note(call, course_id, model, answer.read.tokens)
                await answer.close()

    async def _create(self, model: str, messages: Sequence[ChatMessage], schema: JsonSchema | None) -> object:
        """The server's reply, in the form of the schema where the server takes forms."""
        wanted = {"name": "answer", "strict": True, "schema": schema}
        form = {"response_format": {"type": "json_schema", "json_schema": wanted}} if schema else {}
        return await self._post(model, self._body(model, messages, stream=False, **form))

    async def _post(self, model: str, body: Body, **more: Any) -> Any:
        """The server's reply to the request, or to what is left of it without what the server refuses."""
        refused = self._refused.get(model, frozenset())
        while True:
            try:
                headers = {**self._headers, **trace_headers()}
                reply = await self._client.post(
                    CHAT, body=adapted(body, refused), options={"headers": headers}, cast_to=object, **more
                )
            except APIStatusError as error:
                name = refused_parameter(error, adapted(body, refused))
                if name is None:
                    raise
                logger.warning("%s takes no %s and is asked without%s", model, name, named_in(error))
                refused |= {name}
                continue
            self._refused[model] = refused
            return reply

    def _learn(self, model: str, visible: VisibleText, *, is_whole: bool) -> None:
        """How the model's replies begin, where this one shows it."""
        if visible.closes_alone:
            self._habits[model] = Habit.THINKS
        elif is_whole:
            self._habits.setdefault(model, Habit.SPEAKS)

    def _body(self, model: str, messages: Sequence[ChatMessage], **more: object) -> Body:
        return {
            "model": model,
            "messages": [{"role": each.role, "content": each.content} for each in messages],
            "max_tokens": self._max_tokens,
            "temperature": 0.0,
            **more,
        }

    async def check(self) -> Checked:
        """Ask the server for its models and the first of ours a tiny question, once each.

        `UpstreamFailed` says why the server cannot be used and, if known, what to do. A server
        without a list of models is asked the question all the same.
        """

        async def list_models() -> tuple[str, ...]:
            async with asyncio.timeout_at(self._deadline()):
                listing = await self._client.models.list(extra_headers=self._headers)
            return tuple(str(each.id)[:80] for each in listing.data)

        async def ask() -> Completion | Failure:
            async with asyncio.timeout_at(self._deadline()):
                return read_completion(await self._create(model, QUESTION, None), model=model)

        model = self._models[0][0]
        models = await _attempt(list_models())
        if isinstance(models, Failure):
            if models.status not in NO_SUCH_PATH:
                raise _failed(models, mended=True)
            models = ()
        reply = await _attempt(ask())
        if isinstance(reply, Failure):
            if reply.mend and models and model not in models:
                mend = Fault("model.mend_name_of", model=model, models=", ".join(models[:5]))
                reply = replace(reply, mend=mend)
            raise _failed(reply, mended=True)
        return Checked(text=reply.text, models=models)

    @property
    def failing(self) -> bool:
        """Are the circuit breakers of all models open?"""
        return all(breaker.is_open for _, breaker in self._models)

    async def aclose(self) -> None:
        """Close all connections; the client cannot be used afterwards."""
        await self._client.close()

    @contextmanager
    def _call(self) -> Iterator[Span]:
        """Around a call with its repetitions, described by the conventions for generative AI."""
        model = self._models[0][0]
        with span(f"chat {model}", outgoing=True) as call:
            call.set_attributes({"gen_ai.operation.name": "chat", "gen_ai.request.model": model})
            yield call

    def _deadline(self) -> float:
        return now() + self._timeout_s

    async def _ask(
        self, request: Callable[[str, float], Awaitable[T | Failure]], deadline: float
    ) -> tuple[T, str, CircuitBreaker]:
        """The first outcome that is no failure, with the model that gave it and its breaker."""
        failure = PAUSED
        for n, (model, breaker) in enumerate(self._models, start=1):
            last = n == len(self._models)
            until = deadline if last else now() + (deadline - now()) * FIRST_SHARE
            outcome = await self._ask_model(partial(request, model, until), breaker, until)
            if not isinstance(outcome, Failure):
                return outcome, model, breaker
            failure = outcome
            if not outcome.elsewhere:
                break
        raise _failed(failure)

    async def _ask_model(
        self, request: Callable[[], Awaitable[T | Failure]], breaker: CircuitBreaker, until: float
    ) -> T | Failure:
        """The only place that asks again."""
        attempt = 0
        while breaker.admits():
            outcome = await _attempt(request())
            if not isinstance(outcome, Failure):
                return outcome
            if outcome.ill:
                breaker.failed()
            wait_s = outcome.wait_s(attempt)
            if not outcome.retryable or attempt >= self._max_retries or now() + wait_s >= until:
                return outcome
            await asyncio.sleep(wait_s)
            attempt += 1
        return PAUSED

    def _note(self, call: Span, course_id: CourseId | None, model: str, tokens: Tokens | None) -> None:
        if tokens is not None:
            call.set_attributes(
                {
                    "gen_ai.response.model": model,
                    "gen_ai.usage.input_tokens": tokens.prompt,
                    "gen_ai.usage.output_tokens": tokens.completion,
                }
            )
        if self._meter is None:
            return
        usage = ModelUsage(course_id=course_id, model=model, uncounted=1)
        if tokens is not None:
            usage = replace(
                usage, uncounted=0, prompt_tokens=tokens.prompt, completion_tokens=tokens.completion
            )
        self._meter.record(usage)


async def _attempt(request: Awaitable[T | Failure]) -> T | Failure:
    """The request's outcome; a failure is a value so that it can be raised without the SDK's exception."""
    try:
        return await request
    except Exception as error:  # whatever a server can make the SDK raise, not only its own errors
        log_kinds(error)
        return failure_of(error)


def _failed(failure: Failure, *, mended: bool = False) -> UpstreamFailed:
    """`mended`: the message says what to do, which is not for students."""
    level = logging.ERROR if failure.status in REFUSED_KEY else logging.WARNING
    mend = f": {failure.mend.text()}" if failure.mend else ""
    logger.log(level, "%s (HTTP status %s%s)%s", failure.reason.text(), failure.status, failure.named, mend)
    if mended and failure.mend:
        return UpstreamFailed(Fault("model.to_mend", reason=failure.reason, mend=failure.mend))
    return AnswerCutShort(failure.reason) if failure is CUT_SHORT else UpstreamFailed(failure.reason)


def key_headers(key: str, *, server: Fault) -> Mapping[str, str | Omit]:
    """The headers that the SDK would else fill from the environment, for any server."""
    if not (key.isascii() and key.isprintable()):
        raise InvalidInput(Fault("model.key_unsendable", server=server), field="api_key")
    return {
        "Authorization": f"Bearer {key}" if key else Omit(),
        "OpenAI-Organization": Omit(),
        "OpenAI-Project": Omit(),
    }
