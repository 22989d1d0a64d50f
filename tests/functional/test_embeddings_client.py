"""The embeddings client against a real HTTP server that behaves, misbehaves and is not there."""

from __future__ import annotations

import json
import time

import numpy as np
import pytest

from services.language_model.embeddings import BATCH, OpenAiEmbedder
from vta.errors import InvalidInput, UpstreamFailed

KEY = "sk-canary"


def reply(rows, **more) -> bytes:
    data = [{"object": "embedding", "index": n, "embedding": row} for n, row in enumerate(rows)]
    return json.dumps({"object": "list", "model": "m", "data": data} | more).encode()


async def lengths(call) -> None:
    """Embeds a text as its length and one."""
    texts = call.request.body["input"]
    await call.respond(200, reply([[float(len(text)), 1.0] for text in texts]), "application/json")


@pytest.fixture
def embedder(scripted_llm):
    made = OpenAiEmbedder(base_url=scripted_llm.base_url, api_key=KEY, model="m", timeout_s=3.0)
    yield made
    made.close()


def test_texts_go_in_batches_and_come_back_in_order(scripted_llm, embedder):
    """One request a batch, to /embeddings, with the key, the model and floats asked for."""
    scripted_llm.play(lengths)
    texts = ["x" * (n + 1) for n in range(BATCH + 6)]
    rows = embedder.embed(texts)
    assert rows[:, 0] / rows[:, 1] == pytest.approx(np.arange(1, BATCH + 7), rel=1e-4)
    assert [len(request.body["input"]) for request in scripted_llm.requests] == [BATCH, 6]
    first = scripted_llm.requests[0]
    assert (first.path, first.headers["authorization"]) == ("/v1/embeddings", f"Bearer {KEY}")
    assert (first.body["model"], first.body["encoding_format"]) == ("m", "float")


def test_without_a_key_none_is_sent(scripted_llm, monkeypatch):
    """Not even the one that the environment has for another server."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    scripted_llm.play(lengths)
    made = OpenAiEmbedder(base_url=scripted_llm.base_url, api_key="", model="m")
    made.embed(["a"])
    made.close()
    assert "authorization" not in scripted_llm.requests[0].headers


def test_a_busy_server_is_asked_again(scripted_llm, embedder):
    """429 and 500 pass; the answer after them counts."""
    status = scripted_llm.status
    scripted_llm.play(status(429, ("Retry-After", "0")), status(500), lengths)
    assert embedder.embed(["a"]).shape == (1, 2)
    assert len(scripted_llm.requests) == 3


@pytest.mark.parametrize(
    ("scene", "told"),
    [
        (lambda s: s.status(401), "refused our key"),
        (lambda s: s.status(400), "did not accept the request"),
        (lambda s: s.html(), "not an answer"),
        (lambda s: s.body(b"{}"), "not an answer"),
        (lambda s: s.body(reply([[1.0]])), "not an answer"),
        (lambda s: s.body(reply([[1.0], [1.0], [1.0]])), "not an answer"),
        (lambda s: s.body(reply([[1.0], [1.0, 2.0]])), "not an answer"),
        (lambda s: s.body(reply([[0.0], [1.0]])), "not an answer"),
        (lambda s: s.body(reply([[], []])), "not an answer"),
        (lambda s: s.body(reply([["a"], ["b"]])), "not an answer"),
        (lambda s: s.body(reply([[1e999], [1.0]])), "not an answer"),
        (lambda s: s.drop(), "cannot be reached"),
    ],
)
def test_every_failure_is_told_without_the_servers_words(scripted_llm, embedder, scene, told, caplog):
    """Garbage is as bad as no answer; neither the key nor the server's words show anywhere."""
    scripted_llm.play(scene(scripted_llm))
    with pytest.raises(UpstreamFailed, match=f"the embeddings server .*{told}") as raised:
        embedder.embed(["a", "b"])
    shown = f"{raised.value.message} {raised.value.__cause__} {caplog.text} {embedder!r}"
    assert KEY not in shown
    assert "upstream words" not in shown


def test_a_server_that_hangs_is_given_up(scripted_llm):
    """After the seconds of the setting."""
    scripted_llm.play(scripted_llm.hang())
    made = OpenAiEmbedder(base_url=scripted_llm.base_url, api_key="", model="m", timeout_s=0.3)
    start = time.monotonic()
    with pytest.raises(UpstreamFailed, match="did not answer in time"):
        made.embed(["a"])
    made.close()
    assert time.monotonic() - start < 30


def test_a_key_that_is_no_header_is_refused():
    """Before anything is sent."""
    with pytest.raises(InvalidInput, match="header"):
        OpenAiEmbedder(base_url="http://localhost:9/v1", api_key="a\nb", model="m")
