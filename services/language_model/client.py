"""The language model behind any OpenAI-compatible server: vLLM, llama.cpp, Ollama or a cloud."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeVar, cast

from openai import AsyncOpenAI, AsyncStream, DefaultAsyncHttpxClient, Omit

from services.language_model.failures import GARBAGE, Failure, break_of, failure_of
from services.language_model.replies import StreamedAnswer, read_completion
from vta.errors import InvalidInput, UpstreamFailed
from vta.types import ChatMessage, Completion

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletion, ChatCompletionChunk, ChatCompletionMessageParam

logger = logging.getLogger(__name__)

T = TypeVar("T")

NO_KEY: Final = "none"
"""Stands in for an empty key, so that the SDK looks for none in the environment; it is never sent."""
GOODBYE_S: Final = 0.25
"""How long a stream may take to end after its last piece, so that its connection can be used again."""


class OpenAiLanguageModel:
    """`vta.ports.LanguageModel` over an OpenAI-compatible server.

    One retry layer: ours. The SDK's own is switched off, because it waits through a `Retry-After` that
    outlasts the deadline and lets the server demand retries of a refused key. Asked again, at most
    `max_retries` times and only if the wait fits in the deadline, are: no connection, 408, 429, 5xx.
    Never a stream that has begun, a refused key (401, 403) or garbage.

    One deadline, `timeout_s` seconds, over everything: connecting, retries and their waits, the last piece
    of a stream, and the time that the reader of a stream takes between pieces.

    Every failure is an `UpstreamFailed` whose message a student may read. It has no cause: the SDK's
    exceptions hold the server's words and may hold the key, and a traceback would print them. What an
    operator needs, the HTTP status and the kinds of the exceptions, goes to the log.

    An answer that the server cut at `max_tokens` counts as an answer. Redirects are not followed.
    """

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str,
        model: str,
        timeout_s: float = 30.0,
        max_tokens: int = 1024,
        temperature: float = 0.0,
        max_retries: int = 1,
    ) -> None:
        """`api_key` may be empty for a server that asks for none; no `Authorization` is sent then."""
        self._model = model
        self._timeout_s = timeout_s
        self._max_retries = max_retries
        self._max_tokens = max_tokens
        self._temperature = temperature
        key = api_key.strip()
        self._headers = key_headers(key, server="language model")
        self._client = AsyncOpenAI(
            base_url=base_url,
            api_key=key or NO_KEY,
            timeout=timeout_s,
            max_retries=0,
            http_client=DefaultAsyncHttpxClient(timeout=timeout_s, follow_redirects=False),
        )

    def __repr__(self) -> str:
        return f"OpenAiLanguageModel(model={self._model!r})"

    async def complete(self, messages: Sequence[ChatMessage]) -> Completion:
        """The whole answer. `UpstreamFailed` when there is none, or none within the deadline."""

        async def request() -> ChatCompletion:
            return await self._client.chat.completions.create(
                model=self._model,
                messages=_as_params(messages),
                max_tokens=self._max_tokens,
                temperature=self._temperature,
                stream=False,
                extra_headers=self._headers,
            )

        reply = await self._ask(request, self._deadline())
        return _value(read_completion(reply, model=self._model))

    async def stream(self, messages: Sequence[ChatMessage]) -> AsyncGenerator[str, None]:
        """Pieces of the answer as they come; closing the generator closes the connection to the server.

        `UpstreamFailed` follows the pieces already yielded when the stream ends without a finish reason.
        Where the reader may leave early, hold the generator in `contextlib.aclosing`.
        """

        async def request() -> AsyncStream[ChatCompletionChunk]:
            return await self._client.chat.completions.create(
                model=self._model,
                messages=_as_params(messages),
                max_tokens=self._max_tokens,
                temperature=self._temperature,
                stream=True,
                extra_headers=self._headers,
            )

        deadline = self._deadline()
        chunks = await self._ask(request, deadline)
        answer = StreamedAnswer()
        try:
            while (chunk := await _next(chunks, deadline)) is not None:
                if text := _value(answer.add(chunk)):
                    yield text
                if answer.finished:
                    deadline = min(deadline, _now() + GOODBYE_S)
            _value(answer.end())
        finally:
            await chunks.close()

    async def check(self) -> None:
        """Ask the server for its models, once; `UpstreamFailed` says why it cannot be used."""

        async def request() -> object:
            return await self._client.models.list(extra_headers=self._headers)

        listing = _value(await _attempt(request, self._deadline()))
        if not isinstance(getattr(listing, "data", None), list):
            raise _failed(GARBAGE)

    async def reachable(self) -> bool:
        """Whether the server answers and takes our key; `check` says why not."""
        try:
            await self.check()
        except UpstreamFailed:
            return False
        return True

    async def aclose(self) -> None:
        """Close all connections; the client cannot be used afterwards."""
        await self._client.close()

    def _deadline(self) -> float:
        return _now() + self._timeout_s

    async def _ask(self, request: Callable[[], Awaitable[T]], deadline: float) -> T:
        """The first outcome that is no failure. The only place that asks again."""
        attempt = 0
        while True:
            outcome = await _attempt(request, deadline)
            if not isinstance(outcome, Failure):
                return outcome
            wait_s = outcome.wait_s(attempt)
            if not outcome.retryable or attempt >= self._max_retries or _now() + wait_s >= deadline:
                raise _failed(outcome)
            await asyncio.sleep(wait_s)
            attempt += 1


async def _attempt(request: Callable[[], Awaitable[T]], deadline: float) -> T | Failure:
    """The request's outcome; a failure is a value so that it can be raised without the SDK's exception."""
    try:
        async with asyncio.timeout_at(deadline):
            return await request()
    except Exception as error:  # whatever a server can make the SDK raise, not only its own errors
        _log_kinds(error)
        return failure_of(error)


async def _next(
    chunks: AsyncStream[ChatCompletionChunk], deadline: float
) -> ChatCompletionChunk | Failure | None:
    """The next chunk, None at the end."""
    try:
        # One timeout a step: held across the `yield` in `stream`, it would cancel the reader's own code.
        async with asyncio.timeout_at(deadline):
            return await anext(chunks, None)
    except Exception as error:
        _log_kinds(error)
        return break_of(error)


def _value(outcome: T | Failure) -> T:
    if isinstance(outcome, Failure):
        raise _failed(outcome)
    return outcome


def _failed(failure: Failure) -> UpstreamFailed:
    logger.warning("%s (HTTP status %s)", failure.reason, failure.status)
    return UpstreamFailed(failure.reason)


def _log_kinds(error: BaseException) -> None:
    kinds: list[str] = []
    cause: BaseException | None = error
    while cause is not None and len(kinds) < 8:
        kinds.append(type(cause).__name__)
        cause = cause.__cause__ or cause.__context__
    logger.info("language model: %s", " from ".join(kinds))


def _as_params(messages: Sequence[ChatMessage]) -> list[ChatCompletionMessageParam]:
    return [
        cast("ChatCompletionMessageParam", {"role": message.role, "content": message.content})
        for message in messages
    ]


def key_headers(key: str, *, server: str) -> Mapping[str, str | Omit]:
    """The headers that the SDK would else fill from the environment, for whatever server this is."""
    if not (key.isascii() and key.isprintable()):
        raise InvalidInput(f"the key of the {server} cannot be sent in a header", field="api_key")
    return {
        "Authorization": f"Bearer {key}" if key else Omit(),
        "OpenAI-Organization": Omit(),
        "OpenAI-Project": Omit(),
    }


def _now() -> float:
    return asyncio.get_running_loop().time()
