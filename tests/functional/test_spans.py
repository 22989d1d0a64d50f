"""Where OpenTelemetry is switched on, a turn is a tree of spans that holds no student's words."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from served_platform import Served, TemplateHomes, new_platform, served

pytest.importorskip("opentelemetry.sdk")

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import DEFAULT_ON
from opentelemetry.trace import SpanKind, StatusCode

from services.web.traced import CLOSING_S, are_spans_wanted, close_spans, open_spans

COURSE = "stacks-en"
DIALOGUE = f"/v1/courses/{COURSE}/dialogue"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = f"00-{TRACE}-00f067aa0ba902b7-01"
WHY = "Why do editors undo with a stack?"


@dataclass(frozen=True)
class Watched:
    """A served platform and the spans that ended there."""

    api: Served
    kept: InMemorySpanExporter

    def spans(self, ended: str) -> dict[str, ReadableSpan]:
        """By name, once a span has ended whose name begins so; the last one where there are several."""
        for _ in range(200):  # a reply is read before its span has ended
            found = {span.name: span for span in self.kept.get_finished_spans()}
            if any(name.startswith(ended) for name in found):
                return found
            self.api.client.get("/healthz")
        raise AssertionError(f"no span {ended}")


@pytest.fixture
def watch(tmp_path: Path, templates: TemplateHomes) -> Iterator[Callable[..., Watched]]:
    """Serves a new data folder; named arguments are settings."""
    with ExitStack() as stack:

        def start(**settings: Any) -> Watched:
            kept = InMemorySpanExporter()
            provider = TracerProvider(sampler=DEFAULT_ON, shutdown_on_exit=False)
            provider.add_span_processor(SimpleSpanProcessor(kept))
            platform = new_platform(templates, tmp_path / "home", **settings)
            return Watched(stack.enter_context(served(platform, provider)), kept)

        yield start


def parent_of(span: ReadableSpan, spans: dict[str, ReadableSpan]) -> str:
    assert span.parent is not None
    return {each.context.span_id: name for name, each in spans.items()}[span.parent.span_id]


@pytest.mark.parametrize("stream", [False, True])
def test_a_turn_is_a_tree_in_the_callers_trace(watch, scripted_llm, stream):
    """The request, its stages, the searches of the index and the call to the model, each in its place."""
    watched = watch(llm_base_url=scripted_llm.base_url, llm_model="m")
    scripted_llm.play(scripted_llm.ok())
    asked = {"question": WHY, "stream": stream}
    headers = {"traceparent": PARENT, "X-Request-Id": "r-1"}
    watched.api.client.post(DIALOGUE, json=asked, headers=headers)
    route = "POST /v1/courses/{course}/dialogue"
    spans = watched.spans(route)
    assert {span.context.trace_id for span in spans.values()} == {int(TRACE, 16)}
    request = spans[route]
    assert request.kind is SpanKind.SERVER
    assert request.parent is not None
    assert f"{request.parent.span_id:016x}" in PARENT
    assert request.attributes["http.response.status_code"] == 200
    assert (request.attributes["vta.course"], request.attributes["vta.request_id"]) == (COURSE, "r-1")
    stages = {name for name in spans if name.startswith("stage ")}
    assert stages >= {"stage intent", "stage concepts", "stage ranking", "stage route", "stage answer"}
    assert {parent_of(spans[name], spans) for name in stages} == {route}
    searches = [span for span in watched.kept.get_finished_spans() if span.name == "index search"]
    assert "stage ranking" in {parent_of(span, spans) for span in searches}
    call = spans["chat m"]
    assert (parent_of(call, spans), call.kind) == ("stage answer", SpanKind.CLIENT)
    sent = scripted_llm.requests[-1].headers["traceparent"]
    assert sent == f"00-{TRACE}-{call.context.span_id:016x}-01"
    assert "h = " in spans["stage intent"].attributes["vta.decision"]


def test_no_span_holds_what_a_student_wrote(watch):
    """Nor whose words they are; also not in a follow-up, whose stand-alone form is made of them."""
    watched = watch()
    first = {"question": "What is a stack? CANARY", "learner_id": "CANARY-LEARNER"}
    session = watched.api.client.post(DIALOGUE, json=first).json()["session_id"]
    second = {"question": "And CANARY of it?", "session_id": session, "learner_id": "CANARY-LEARNER"}
    watched.api.client.post(DIALOGUE, json=second)
    watched.spans("POST")
    everything = " ".join(span.to_json() for span in watched.kept.get_finished_spans())
    assert "stage follow_up" in everything
    assert "CANARY" not in everything
    assert session not in everything


def test_failures_are_marked_and_probes_leave_no_span(watch, scripted_llm):
    """A model that fails: its call is an error, the request that still was answered is none."""
    watched = watch(llm_base_url=scripted_llm.base_url, llm_model="m")
    scripted_llm.play(scripted_llm.status(401))
    assert watched.api.client.post(DIALOGUE, json={"question": WHY}).status_code == 200
    spans = watched.spans("POST")
    assert spans["chat m"].status.status_code is StatusCode.ERROR
    assert spans["chat m"].attributes["error.type"] == "UpstreamFailed"
    assert spans["POST /v1/courses/{course}/dialogue"].status.is_unset
    watched.kept.clear()
    for path in ("/healthz", "/readyz", "/metrics"):
        watched.api.client.get(path)
    watched.api.client.get("/none/CANARY")
    assert set(watched.spans("GET")) == {"GET"}


@pytest.mark.parametrize(
    ("variables", "wanted"),
    [
        ({}, False),
        ({"OTEL_SERVICE_NAME": "x"}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c:4318/v1/traces"}, True),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, True),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_TRACES_EXPORTER": "none"}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_SDK_DISABLED": "True"}, False),
    ],
)
def test_the_standard_variables_switch_spans_on(variables, wanted):
    assert are_spans_wanted(variables) is wanted


def test_nothing_of_the_sdk_is_imported_unless_it_is_wanted():
    """In a process of its own, whose application was made."""
    code = "import sys, services.app; print([name for name in sys.modules if 'opentelemetry.sdk' in name])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_collector_that_says_nothing_holds_up_neither_requests_nor_the_end(monkeypatch):
    """It takes the connection and never replies."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        spans = open_spans(os.environ)
        assert spans is not None
        begun = time.monotonic()
        with spans.get_tracer("vta").start_as_current_span("GET"):
            pass
        assert time.monotonic() - begun < CLOSING_S
        close_spans(spans)
        assert time.monotonic() - begun < 4 * CLOSING_S


@pytest.mark.slow
def test_a_server_sends_its_spans_to_the_collector_that_is_named(home):
    """By OTLP over HTTP, with the name of the service; what is left is sent when it stops."""
    received: list[tuple[str, bytes]] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append((self.path, self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    collector = HTTPServer(("127.0.0.1", 0), Collector)
    Thread(target=collector.serve_forever, daemon=True).start()
    code = (
        "import os, sys, httpx\n"
        "from pathlib import Path\n"
        "from served_platform import served\n"
        "from services.settings import Settings\n"
        "from services.wiring import build_platform\n"
        "with served(build_platform(Settings(home=Path(sys.argv[1])))) as api:\n"
        f"    api.client.post({DIALOGUE!r}, json={{'question': 'What is a stack?'}})\n"
    )
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("VTA_", "OTEL_"))},
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.server_port}",
        "OTEL_EXPORTER_OTLP_COMPRESSION": "none",
        "NO_PROXY": "127.0.0.1",
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), *sys.path]),
    }
    try:
        subprocess.run([sys.executable, "-c", code, str(home)], env=environment, check=True, timeout=120)
    finally:
        collector.shutdown()
        collector.server_close()
    assert {path for path, _ in received} == {"/v1/traces"}
    body = b"".join(body for _, body in received)
    assert b"stage ranking" in body
    assert b"service.name" in body
