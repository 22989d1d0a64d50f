"""What an operator relies on: metrics, log lines, no key anywhere, an orderly end, readiness in words."""

from __future__ import annotations

import json
import re
import signal
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from served_platform import Served
from sqlalchemy import func, select, text, update
from worker_server import worker_server

from services.settings import Settings
from services.store import tables
from services.wiring import build_platform
from vta.types.courses import CourseId, Role
from vta.types.language_model import ModelUsage

COURSE = "stacks-en"
DIALOGUE = f"/v1/courses/{COURSE}/dialogue"
WHY = "Why do editors undo with a stack?"


def samples(api: Served) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """Every sample of /metrics by name and labels."""
    reply = api.client.get("/metrics")
    assert reply.headers["content-type"].startswith("text/plain")
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(reply.text)
        for sample in family.samples
    }


def test_metrics_count_requests_answers_and_lag_and_name_nobody(api):
    """Requests by template and status, answers by route; no id, question or key in any label."""
    body = {"question": "What is a stack? CANARY-TEXT", "learner_id": "CANARY-LEARNER"}
    session = api.client.post(DIALOGUE, json=body).json()
    refused = api.client.post(DIALOGUE, json=body, headers={"Authorization": "Bearer CANARY"})
    assert refused.status_code == 401
    api.client.get(f"/v1/courses/{COURSE}/sessions/{session['session_id']}")
    api.client.get("/CANARY-PATH")
    api.client.get("/v1/courses/CANARY-COURSE/graph")
    found = samples(api)
    route = ("method", "POST"), ("route", "/v1/courses/{course}/dialogue")
    assert found["vta_http_requests_total", (*route, ("status", "200"))] == 1
    assert found["vta_http_requests_total", (*route, ("status", "401"))] == 1
    assert found["vta_http_request_duration_seconds_count", route] == 2
    assert (
        found["vta_http_requests_total", (("method", "GET"), ("route", "unmatched"), ("status", "404"))] == 1
    )
    assert found["vta_answers_total", (("route", session["route"]),)] == 1
    assert (found["vta_index_revision_lag", ()], found["vta_store_up", ()]) == (0, 1)
    assert found["vta_http_requests_in_flight", ()] == 1  # this one
    assert found["process_resident_memory_bytes", ()] > 1_000_000
    exposed = api.client.get("/metrics").text
    assert "CANARY" not in exposed
    assert session["session_id"] not in exposed
    assert COURSE not in exposed


def test_metrics_count_model_tokens_and_what_was_degraded(serve, scripted_llm):
    """Tokens as the server counts them, by model; a model that fails counts as a degraded stage."""
    api = serve(llm_base_url=scripted_llm.base_url, llm_model="m")
    for course in (COURSE, "stacks-zh"):
        used = {"calls": 1, "uncounted": 0, "prompt_tokens": 7, "completion_tokens": 3}
        api.platform.stores.usage.record(ModelUsage(course_id=CourseId(course), model="m-2", **used))
    scripted_llm.play(scripted_llm.status(401))
    degraded = api.client.post(DIALOGUE, json={"question": WHY}).json()["degraded"]
    found = samples(api)
    assert found["vta_model_tokens_total", (("kind", "prompt"), ("model", "m-2"))] == 14
    assert found["vta_model_tokens_total", (("kind", "completion"), ("model", "m-2"))] == 6
    assert found["vta_answers_degraded_total", (("stage", degraded["stage"]),)] == 1


def test_metrics_count_what_waits(api):
    """Questions for a TA and notifications to platforms, of all courses."""
    assert samples(api)["vta_waiting_questions", ()] == 0
    turn = api.client.post(DIALOGUE, json={"question": "Who won the cup in 1954?"}).json()["turn_id"]
    assert api.client.post(f"/v1/courses/{COURSE}/turns/{turn}/ask-ta").status_code == 201
    found = samples(api)
    assert (found["vta_waiting_questions", ()], found["vta_webhook_backlog", ()]) == (1, 0)


def test_metrics_count_what_models_cost_where_prices_are_set(serve):
    """Of all courses together, in the currency of the prices."""
    api = serve(llm_prompt_price=2.0, llm_completion_price=10.0)
    for course in (COURSE, "stacks-zh"):
        used = {"prompt_tokens": 1_000_000, "completion_tokens": 50_000}
        api.platform.stores.usage.record(ModelUsage(course_id=CourseId(course), model="m-2", **used))
    assert samples(api)["vta_model_cost_total", (("model", "m-2"),)] == 5.0


def test_metrics_count_uploads_and_their_files(api):
    """A file that is read and one that cannot be; nothing runs or waits once the upload is over."""
    who = api.bearer()
    files = [("files", ("a.md", b"# Heaps\n\nA heap is a tree.\n")), ("files", ("b.pdf", b"no PDF"))]
    path = f"/v1/courses/{COURSE}/materials"
    job = api.client.post(path, files=files, headers=who).json()
    over = ("done", "failed")
    while api.client.get(f"{path}/ingests/{job['id']}", headers=who).json()["state"] not in over:
        pass
    api.platform.materials.close()
    found = samples(api)
    for result, count in (("added", 1), ("rejected", 1), ("unchanged", 0)):
        assert found["vta_ingest_files_total", (("result", result),)] == count
    assert found["vta_ingests_ended_total", (("state", "done"),)] == 1
    assert [found["vta_ingests", (("state", state),)] for state in ("running", "waiting")] == [0, 0]


def test_metrics_tell_what_threads_have_to_do(api):
    """The one that writes these metrics runs."""
    found = samples(api)
    assert found["vta_thread_jobs", (("state", "running"),)] >= 1
    assert found["vta_thread_jobs", (("state", "waiting"),)] == 0


def test_metrics_count_questions_in_progress(serve, scripted_llm):
    """While a model says nothing, and no longer once the student has left."""
    api = serve(llm_base_url=scripted_llm.base_url, llm_model="m")
    scripted_llm.play(scripted_llm.hang())
    with api.client.stream("POST", DIALOGUE, json={"question": WHY, "stream": True}) as stream:
        assert stream.status_code == 200, stream.read()
        assert scripted_llm.arrived.wait(30)
        assert samples(api)["vta_turns_in_flight", ()] == 1
    while samples(api)["vta_turns_in_flight", ()]:
        pass


def test_metrics_tell_for_how_long_the_index_is_behind(api):
    """From when it was first seen behind the store, which here is changed past the index."""
    assert samples(api)["vta_index_lag_seconds", ()] == 0
    with api.platform.stores.engine.begin() as connection:
        connection.execute(text("UPDATE store_state SET revision = revision + 1"))
    first = samples(api)
    assert first["vta_index_revision_lag", ()] == 1
    assert samples(api)["vta_index_lag_seconds", ()] > first["vta_index_lag_seconds", ()]


def test_limits_hold_over_http_and_health_is_never_limited(serve):
    """429 is a problem with Retry-After; X-Forwarded-For changes nothing; /healthz still answers."""
    api = serve(limit_learner=3, limit_requests=30)
    asked = [
        api.client.post(
            DIALOGUE,
            json={"question": "What is a stack?", "learner_id": "a"},
            headers={"X-Forwarded-For": f"198.51.100.{n}"},
        )
        for n in range(6)
    ]
    assert [reply.status_code for reply in asked] == [200] * 3 + [429] * 3
    refused = asked[-1]
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.json()["code"] == "limit_exceeded"
    assert int(refused.headers["retry-after"]) >= 1
    paths = ("/v1/x", "/V1/x.json", "//v1//x", "/v1/x/")
    flood = [
        api.client.get(paths[n % 4], headers={"X-Forwarded-For": f"198.51.100.{n}"}).status_code
        for n in range(60)
    ]
    assert flood.count(429) >= 60 - 30
    hits = {labels: count for (name, labels), count in samples(api).items() if name == "vta_limited_total"}
    assert hits == {(("kind", "learner"),): 3, (("kind", "address"),): flood.count(429)}
    assert [api.client.get(path).status_code for path in ("/healthz", "/readyz", "/metrics")] == [200] * 3


def test_a_learner_may_ask_so_many_questions_a_day(serve):
    """In all their sessions of the course, until the first is a day old; others are not concerned."""
    api = serve(limit_learner_day=2)

    def ask(learner: str):
        return api.client.post(DIALOGUE, json={"question": "What is a stack?", "learner_id": learner})

    assert [ask("a").status_code for _ in range(3)] == [200, 200, 429]
    assert ask("b").status_code == 200
    refused = ask("a")
    assert 86_000 < int(refused.headers["retry-after"]) <= 86_400
    with api.platform.stores.engine.begin() as connection:
        first = connection.execute(select(func.min(tables.turns.c.created_at))).scalar_one()
        earlier = datetime.now(UTC) - timedelta(hours=25)
        connection.execute(
            update(tables.turns).where(tables.turns.c.created_at == first).values(created_at=earlier)
        )
    assert [ask("a").status_code for _ in range(2)] == [200, 429]


@pytest.mark.fault(case="T10")
@pytest.mark.fault(case="T143")
def test_every_reply_bears_the_headers_that_browsers_need(serve):
    """CSP, nosniff and referrer policy always; HSTS only where the client came by https."""
    api = serve(trusted_proxies="127.0.0.1")
    for path in ("/healthz", f"/courses/{COURSE}", "/none", "/console/log-in", "/docs"):
        plain = api.client.get(path).headers
        assert plain["x-content-type-options"] == "nosniff", path
        assert "default-src" in plain["content-security-policy"]
        assert (
            "'unsafe-inline'" not in plain["content-security-policy"].partition("script-src")[2].split(";")[0]
        )
        assert plain["referrer-policy"] == "same-origin"
        assert "strict-transport-security" not in plain
        secure = api.client.get(path, headers={"X-Forwarded-Proto": "https"}).headers
        assert "max-age=" in secure["strict-transport-security"]


@pytest.mark.fault(case="T143")
def test_the_page_of_the_api_runs_no_script_and_loads_nothing_from_elsewhere(serve):
    """It has every operation of the document."""
    api = serve()
    page, document = api.client.get("/docs").text, api.client.get("/openapi.json").json()
    assert re.findall(r"<script|src=|href=\"(?!data:,|/openapi)", page) == []
    for path, operations in document["paths"].items():
        for method in operations:
            assert f"<b>{method.upper()}</b> {path}</code>" in page
    assert api.client.get("/redoc").status_code == 404


def test_nothing_that_tells_of_a_course_or_its_people_is_stored_by_caches(serve):
    """Whatever says nothing else itself; what has an ETag is asked for again, and static files are cached."""
    api = serve()
    bearer = api.bearer()
    asked = api.client.post(DIALOGUE, json={"question": "What is a stack?", "learner_id": "ann"})
    root = f"/v1/courses/{COURSE}"
    api.client.post("/console/log-in", data={"key": api.key(), "name": "Ann"})
    paths = [f"{root}/{path}" for path in ("learners/ann", "questions", "faq", "analytics", "analytics/csv")]
    paths += [f"/console/{COURSE}/{path}" for path in ("faq/export", "analytics/csv", "none")]
    replies = [asked, *(api.client.get(path, headers=bearer) for path in paths)]
    assert {reply.request.url.path: reply.headers.get("cache-control") for reply in replies} == {
        reply.request.url.path: "no-store" for reply in replies
    }
    settings = api.client.get(f"{root}/settings", headers=bearer)
    assert settings.headers["cache-control"] == "private, no-cache"
    assert api.client.get("/embed.js").headers["cache-control"] == "public, max-age=3600"


def test_readiness_names_what_is_broken_while_the_process_lives(serve, tmp_path):
    """A store without its tables: 503 that names the store, /healthz 200, metrics say that it is down."""
    api = serve(redis_url="redis://127.0.0.1:1/0")
    ready = api.client.get("/readyz")
    assert ready.status_code == 200
    assert ready.json()["parts"]["redis"].startswith("failed")
    assert api.client.post(DIALOGUE, json={"question": "What is a stack?"}).status_code == 200
    with api.platform.stores.engine.begin() as connection:
        connection.execute(text("ALTER TABLE store_state RENAME TO gone"))
    broken = api.client.get("/readyz")
    assert (broken.status_code, broken.json()["code"]) == (503, "not_ready")
    assert "store: " in broken.json()["detail"]
    assert broken.headers["retry-after"]
    assert api.client.get("/healthz").status_code == 200
    assert samples(api)["vta_store_up", ()] == 0


@pytest.mark.fault(case="T50")
@pytest.mark.slow
def test_a_stop_under_load_ends_every_answer_in_words(home, scripted_llm):
    """SIGTERM: the stream ends with `error`, the plain request with 503, the process in its grace time."""
    scripted_llm.play(scripted_llm.hang())
    settings = {"llm_base_url": scripted_llm.base_url, "llm_model": "m", "grace_s": "4"}
    with (
        worker_server(home, workers=1, **settings) as server,
        httpx.Client(trust_env=False, timeout=60.0) as client,
    ):
        address = f"{server.address}{DIALOGUE}"
        with ThreadPoolExecutor(2) as pool:
            plain = pool.submit(client.post, address, json={"question": WHY})
            stream = pool.submit(client.post, address, json={"question": WHY, "stream": True})
            for _ in range(600):
                if len(scripted_llm.requests) == 2:
                    break
                client.get(f"{server.address}/healthz")
            assert len(scripted_llm.requests) == 2
            server.running.send_signal(signal.SIGTERM)
            answered, streamed = plain.result(), stream.result()
        written = server.ended()
    assert (answered.status_code, answered.json()["code"]) == (503, "not_ready")
    assert answered.headers["retry-after"]
    assert streamed.status_code == 200
    assert "event: error" in streamed.text.rpartition("\r\n\r\n")[0].rpartition("\r\n\r\n")[2]
    assert "closing down" in streamed.text
    assert server.running.returncode in (0, -signal.SIGTERM)
    assert "Traceback" not in written


CANARIES = {
    "llm_api_key": "CANARY-model-key",
    "admin_key": "CANARY-admin-key-of-the-platform",
    "academic_api_key": "CANARY-academic-key",
    "redis_url": "redis://user:CANARY-redis-password@127.0.0.1:1/0",
}


@pytest.mark.fault(case="T28")
@pytest.mark.slow
def test_no_key_is_written_anywhere(home, scripted_llm):
    """Failures of clients, model, Redis, search and store leave no canary in logs, store or replies."""
    platform = build_platform(Settings(home=home))
    key, _ = platform.stores.keys.make(CourseId(COURSE), Role.INSTRUCTOR)
    platform.close()
    secret = key[-20:]  # of 43 characters, any of which may be "_"
    echo = json.dumps({"error": {"message": f"wrong key {CANARIES['llm_api_key']}, Bearer {key}"}})
    scripted_llm.play(
        scripted_llm.status(401, body=echo), scripted_llm.status(500, body=echo), scripted_llm.html()
    )
    settings = {
        **CANARIES,
        "llm_base_url": scripted_llm.base_url.replace("http://", "http://user:CANARY-url-password@"),
        "llm_model": "m",
        "academic_url": "http://127.0.0.1:1",
    }
    replies: list[httpx.Response] = []
    with worker_server(home, workers=1, **settings) as server:
        with httpx.Client(base_url=server.address, trust_env=False, timeout=60.0) as client:
            course, who = f"/v1/courses/{COURSE}", {"Authorization": f"Bearer {key}"}
            admin = {"Authorization": f"Bearer {CANARIES['admin_key']}"}
            for stream in (False, True, False):
                body = {"question": WHY, "stream": stream}
                replies.append(client.post(DIALOGUE, json=body, headers=who))
            once = {"Idempotency-Key": "CANARY-idempotency-key", **who}
            replies.append(client.post(DIALOGUE, json={"question": "What is a stack?"}, headers=once))
            replies.append(client.get(f"{course}/faq", headers=admin))
            replies.append(client.post("/v1/courses", content=b"{", headers=admin))
            replies.append(client.get(f"/v1/courses/stacks-zh/faq?key={key}", headers=who))
            replies.append(client.post("/console/log-in", data={"key": key + "x"}))
            replies.append(client.get("/console/log-in", headers={"Cookie": f"vta_console={key}"}))
            platform = build_platform(Settings(home=home))
            with platform.stores.engine.begin() as connection:
                dump = "\n".join(
                    str(row)
                    for table in ("course_keys", "idempotency_keys", "turns", "console_sessions")
                    for row in connection.execute(text(f"SELECT * FROM {table}"))
                )
                connection.execute(text("ALTER TABLE turns RENAME TO gone"))
                connection.execute(text("DROP TABLE course_keys"))
            replies.append(client.post(DIALOGUE, json={"question": WHY}, headers=who))
            replies.append(client.get(f"{course}/faq", headers=who))
            replies.append(client.get("/readyz"))
            replies.append(client.get("/metrics"))
            platform.close()
        server.running.send_signal(signal.SIGTERM)
        written = server.ended()
    assert {reply.status_code for reply in replies} >= {200, 403, 422, 503}
    everything = {
        "log": written,
        "store": dump,
        **{str(n): f"{r.headers} {r.text}" for n, r in enumerate(replies)},
    }
    assert [name for name, said in everything.items() if "CANARY" in said or secret in said] == []
    lines = [json.loads(line) for line in written.splitlines() if line.startswith("{")]
    assert sum(line["logger"] == "vta.requests" for line in lines) >= len(replies)


@pytest.mark.fault(case="T29")
@pytest.mark.slow
def test_the_log_is_one_json_line_a_request_whatever_it_asked(home):
    """Line ends, escapes and JSON in questions and addresses forge no line."""
    forged = '\r\n{"level":"error","logger":"forged"}\x1b[31m'
    with worker_server(home, workers=1) as server:
        with httpx.Client(base_url=server.address, trust_env=False, timeout=60.0) as client:
            client.post(DIALOGUE, json={"question": f"What is a stack?{forged}"})
            client.get('/v1/courses/a%0d%0a{"logger":"forged"}%1b[31m/graph')
            client.get("/%0d%0aforged", headers={"User-Agent": '{"logger":"forged"}'})
        server.running.send_signal(signal.SIGTERM)
        written = server.ended()
    lines = [json.loads(line) for line in written.splitlines() if not line.startswith("Serving at")]
    assert {line["logger"] for line in lines} == {"vta.requests"}
    assert "\x1b" not in written
    told = next(line for line in lines if line["route"] == "/v1/courses/{course}/dialogue")
    assert (told["method"], told["status"], told["course"]) == ("POST", 200, COURSE)
    assert told["ms"] > 0


def test_a_course_that_has_spent_its_tokens_is_answered_without_a_model(serve, scripted_llm):
    """The answer says why; another course goes on, and so does the first one the next day."""
    api = serve(llm_base_url=scripted_llm.base_url, llm_model="m", llm_course_tokens=1_000)
    scripted_llm.play(scripted_llm.ok("A stack is a list [1]."))

    def ask(course=COURSE):
        asked = api.client.post(f"/v1/courses/{course}/dialogue", json={"question": WHY}).json()
        return (asked["degraded"] or {}).get("reason", ""), len(scripted_llm.requests)

    api.platform.stores.usage.record(ModelUsage(course_id=CourseId(COURSE), model="m", prompt_tokens=999))
    reason, asked = ask()
    assert ("used up" in reason, asked) == (False, 1)
    api.platform.stores.usage.record(ModelUsage(course_id=CourseId(COURSE), model="m-2", completion_tokens=1))
    reason, asked = ask()
    assert ("used up" in reason, asked) == (True, 1)
    assert ask("stacks-zh")[1] == 2
    with api.platform.stores.engine.begin() as connection:
        connection.execute(text("UPDATE model_usage SET day = '2001-01-01'"))
    assert ask()[1] == 3
