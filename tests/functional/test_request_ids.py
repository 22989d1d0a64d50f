"""A request can be followed: through its reply, the log, and the calls made for it."""

from __future__ import annotations

import io
import json
import logging
import re

import pytest

from services.web.request_log import LOGGER, JsonLines, Redaction

COURSE = "stacks-en"
DIALOGUE = f"/v1/courses/{COURSE}/dialogue"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = f"00-{TRACE}-00f067aa0ba902b7-01"
WHY = "Why do editors undo with a stack?"


def test_a_callers_id_comes_back_with_answers_and_problems(api):
    for path in ("/healthz", "/v1/courses/none/faq"):
        known = api.client.get(path, headers={"X-Request-Id": "lms-42.a"})
        assert known.headers["x-request-id"] == "lms-42.a"


@pytest.mark.parametrize("given", ["", "a b", "x" * 65, "<script>", "né"])
def test_an_id_that_is_none_is_replaced(api, given):
    replied = api.client.get("/healthz", headers={"X-Request-Id": given.encode()})
    assert re.fullmatch(r"[0-9a-f]{16}", replied.headers["x-request-id"])


def test_a_call_to_the_model_belongs_to_the_callers_trace(serve, scripted_llm):
    """The same trace, a span of its own."""
    api = serve(llm_base_url=scripted_llm.base_url, llm_model="m")
    scripted_llm.play(scripted_llm.ok())
    api.client.post(DIALOGUE, json={"question": WHY}, headers={"traceparent": PARENT})
    sent = scripted_llm.requests[-1].headers["traceparent"]
    assert sent.startswith(f"00-{TRACE}-")
    assert sent.endswith("-01")
    assert sent != PARENT


@pytest.mark.parametrize("given", ["", "00-zz-1-01", f"00-{'0' * 32}-00f067aa0ba902b7-01", "ff" + PARENT[2:]])
def test_a_traceparent_that_is_none_begins_a_trace_of_ours(serve, scripted_llm, given):
    api = serve(llm_base_url=scripted_llm.base_url, llm_model="m")
    scripted_llm.play(scripted_llm.ok())
    api.client.post(DIALOGUE, json={"question": WHY}, headers={"traceparent": given})
    sent = scripted_llm.requests[-1].headers["traceparent"]
    assert re.fullmatch(r"00-[0-9a-f]{32}-[0-9a-f]{16}-00", sent)
    assert TRACE not in sent


def test_the_log_lines_of_a_request_bear_the_same_ids(serve, scripted_llm):
    """What a failing model made the server write is joined to the request that it was asked for."""
    api = serve(llm_base_url=scripted_llm.base_url, llm_model="m")
    scripted_llm.play(scripted_llm.status(401))
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(JsonLines(Redaction()))
    root, requests = logging.getLogger(), logging.getLogger(LOGGER)
    level = requests.level
    root.addHandler(handler)
    requests.setLevel(logging.INFO)
    try:
        headers = {"X-Request-Id": "join-me", "traceparent": PARENT}
        api.client.post(DIALOGUE, json={"question": WHY}, headers=headers)
        api.client.get("/healthz")  # by then the line of the question is written
    finally:
        root.removeHandler(handler)
        requests.setLevel(level)
    lines = [json.loads(line) for line in written.getvalue().splitlines()]
    ours = [line for line in lines if line.get("request_id") == "join-me"]
    assert len({line["logger"] for line in ours}) > 1
    assert {line["trace_id"] for line in ours} == {TRACE}
    assert ours[-1]["message"] == "request"


def test_replies_say_what_is_left_of_the_nearest_limit(serve):
    api = serve(limit_learner=3, limit_requests=100)
    body = {"question": "What is a stack?", "learner_id": "a"}
    said = [api.client.post(DIALOGUE, json=body).headers for _ in range(4)]
    assert {headers["ratelimit-policy"] for headers in said} == {'"learner";q=3;w=60'}
    left = [int(re.fullmatch(r'"learner";r=(\d+);t=\d+', headers["ratelimit"])[1]) for headers in said]
    assert left == [2, 1, 0, 0]
    other = api.client.get("/v1/courses/none/faq").headers
    assert other["ratelimit-policy"] == '"address";q=100;w=60'
    assert "ratelimit" not in api.client.get("/healthz").headers
