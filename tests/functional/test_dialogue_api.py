"""The dialogue API over a real socket: answers, events, problems, and what it keeps to itself."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import httpx
import pytest
from kept_thumbs import kept_thumbs
from scripted_llm import ScriptedLlm
from served_platform import Serve, Served

from services.dialogue import answering
from services.rendering.markdown import render_markdown
from services.web.uploads import LARGEST_BODY
from vta.languages import Language
from vta.types.courses import Course, CourseId

DIALOGUE = "/v1/courses/stacks-en/dialogue"
WHY = "Why do editors undo with a stack?"
ANSWER_FIELDS = {
    "turn_id": str,
    "session_id": str,
    "course_id": str,
    "route": str,
    "text": str,
    "html": str,
    "citations": list,
    "concepts": list,
    "intent": dict,
    "ranking": (dict, type(None)),
    "standalone_question": str,
    "degraded": (dict, type(None)),
    "actions": list,
    "trace": list,
    "offers": list,
    "exercise": (str, type(None)),
}


def problem(reply: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """The problem that a reply is, checked for its shape."""
    assert reply.status_code == status, reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    body: dict[str, Any] = reply.json()
    assert set(body) - {"errors"} == {"type", "title", "status", "detail", "code", "fault"}
    assert (body["status"], body["code"], body["type"]) == (status, code, f"urn:vta:problem:{code}")
    assert body["detail"]
    return body


def events_of(api: Served, body: dict[str, Any], course: str = "stacks-en") -> list[tuple[str, Any]]:
    """The events of a streamed answer in order: name and data."""
    request = {**body, "stream": True}
    with api.client.stream("POST", f"/v1/courses/{course}/dialogue", json=request) as reply:
        assert reply.status_code == 200
        assert reply.headers["content-type"].startswith("text/event-stream")
        return list(parse_events(reply.iter_lines()))


def parse_events(lines: Iterator[str]) -> Iterator[tuple[str, Any]]:
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))
        elif line.startswith(":"):
            yield "heartbeat", line


# Answers


@pytest.mark.parametrize(
    ("question", "course", "route"),
    [
        ("What is a stack?", "stacks-en", "direct"),
        ("作业什么时候截止？", "stacks-zh", "direct"),
        ("栈和队列有什么区别？", "stacks-zh", "chain_of_teach"),
        ("hello", "stacks-en", "chit_chat"),
        ("zebra recipes", "stacks-en", "unanswered"),
    ],
)
def test_an_answer_has_the_fields_that_are_promised(
    api: Served, question: str, course: str, route: str
) -> None:
    answer = api.ask(question, course)
    assert {name: type(value) for name, value in answer.items()}.keys() == ANSWER_FIELDS.keys()
    assert all(isinstance(answer[name], kinds) for name, kinds in ANSWER_FIELDS.items())
    assert (answer["course_id"], answer["route"]) == (course, route)
    assert answer["actions"] == ["ask_ta", "feedback"]
    assert answer["intent"].keys() == {"label", "chit_chat", "probabilities", "other_task"}
    assert all(step.keys() == {"stage", "decision", "ms"} for step in answer["trace"])


def test_citations_concepts_and_ranking_have_the_fields_that_are_promised(api: Served) -> None:
    answer = api.ask(WHY)
    promised = {"n", "source", "title", "document", "passage", "passage_html", "url", "locator"}
    more = {"pair_id", "quoted", "marked"}
    assert all(citation.keys() == promised | more for citation in answer["citations"])
    (undo,) = [citation for citation in answer["citations"] if citation["title"].endswith("Undo")]
    assert (undo["source"], undo["document"]) == ("material", "notes/stack.md")
    assert (undo["quoted"], undo["marked"]) == (True, ""), "it is one sentence"
    assert undo["locator"] == {"heading_path": ["Stacks", "Undo"]}
    (stack,) = answer["concepts"]
    assert stack.keys() == {"name", "definition", "domains", "prerequisites"}
    (prerequisite,) = stack["prerequisites"]
    assert prerequisite.keys() == {"name", "definition", "where", "document", "locator"}
    assert (stack["name"], prerequisite["name"]) == ("stack", "linear list")
    assert answer["ranking"].keys() == {"score", "beta", "terms"}
    assert answer["degraded"].keys() == {"stage", "reason"}


def test_the_html_of_an_answer_is_its_text_made_safe(serve: Serve, scripted_llm: ScriptedLlm) -> None:
    scripted_llm.play(scripted_llm.ok("**Top** <script>alert(1)</script> [x](javascript:alert(1)) [1]"))
    api = serve(llm_base_url=scripted_llm.base_url, llm_model="m")
    answer = api.ask(WHY)
    assert "<strong>Top</strong>" in answer["html"]
    assert "<script" not in answer["html"]
    assert 'href="javascript' not in answer["html"]


def test_a_session_goes_on_and_is_read_back_as_it_was_answered(api: Served) -> None:
    first = api.ask("What is a stack?")
    second = api.ask("why does it need a top?", session_id=first["session_id"])
    assert second["session_id"] == first["session_id"]
    assert "stack" in second["standalone_question"]
    session = api.client.get(f"/v1/courses/stacks-en/sessions/{first['session_id']}").json()
    assert session["session_id"] == first["session_id"]
    assert [turn["number"] for turn in session["turns"]] == [1, 2]
    assert [turn["question"] for turn in session["turns"]] == ["What is a stack?", "why does it need a top?"]
    assert [turn["answer"] for turn in session["turns"]] == [first, second]


def test_the_passage_of_a_citation_is_rendered_and_safe(serve: Serve) -> None:
    """Markdown becomes HTML; markup in the course's text stays text."""
    course = Course(id=CourseId("md"), name="Md", domains=("d",), language=Language.EN)
    notes = "# Widgets\n\nA widget is a **round** thing <img src=x onerror=alert(1)> with `code`.\n"
    api = serve({"md": (course, {"notes.md": notes})})
    (citation, *_) = api.ask("Why is a widget round?", "md")["citations"]
    assert "<strong>round</strong>" in citation["passage_html"]
    assert "<code>code</code>" in citation["passage_html"]
    assert "<img" not in citation["passage_html"]


# Events


@pytest.mark.parametrize("question", ["What is a stack?", WHY, "hello", "zebra recipes"])
def test_events_are_typed_in_order_and_done_is_the_turn_that_is_stored(api: Served, question: str) -> None:
    events = events_of(api, {"question": question})
    names = [name for name, _ in events]
    order = ["start", "trace", "delta", "html", "trace", "citations", "concepts", "done"]
    runs = [name for n, name in enumerate(names) if n == 0 or name != names[n - 1]]
    done, start = events[-1][1], events[0][1]
    absent = {kind for kind in ("citations", "concepts") if not done[kind]}
    assert runs == [name for name in order if name not in absent]
    assert start == {"turn_id": done["turn_id"], "session_id": done["session_id"]}
    given = dict(events)
    assert all(given[kind] == done[kind] for kind in {"citations", "concepts"} - absent)
    (turn,) = api.client.get(f"/v1/courses/stacks-en/sessions/{start['session_id']}").json()["turns"]
    assert turn["answer"] == done
    assert turn["question"] == question


def test_a_stream_and_a_whole_answer_say_the_same(api: Served) -> None:
    own = {"turn_id", "session_id", "trace"}
    whole = api.ask(WHY)
    done = events_of(api, {"question": WHY})[-1][1]
    assert {k: v for k, v in done.items() if k not in own} == {k: v for k, v in whole.items() if k not in own}


def test_a_model_is_preceded_by_its_sources_and_its_text_is_set_as_it_comes(
    serve: Serve, scripted_llm: ScriptedLlm
) -> None:
    """All `html` adds up to the page of what was streamed; the answer cites none but the sources told."""
    pieces = ["A stack has", " a **top**", " where it", " changes [1].", "\n\nDone [1]."]
    scripted_llm.play(scripted_llm.pieces(pieces))
    api = serve(llm_base_url=scripted_llm.base_url, llm_model="m")
    events = events_of(api, {"question": WHY})
    names = [name for name, _ in events]
    assert names.index("sources") < names.index("delta")
    sources = dict(events)["sources"]
    assert [source["n"] for source in sources] == list(range(1, len(sources) + 1))
    cited = {citation["pair_id"] for citation in events[-1][1]["citations"]}
    assert cited
    assert cited <= {source["pair_id"] for source in sources}
    html = ""
    for change in (data for name, data in events if name == "html"):
        html = html[: change["keep"]] + change["html"]
    assert html == render_markdown("".join(pieces))


def test_pieces_come_while_the_model_writes_and_heartbeats_while_it_thinks(
    serve: Serve, scripted_llm: ScriptedLlm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answering, "HEARTBEAT_S", 0.2)
    scripted_llm.play(scripted_llm.events(scripted_llm.chunk("On top"), then_hang=True))
    api = serve(llm_base_url=scripted_llm.base_url, llm_model="m", llm_timeout_s=60.0)
    body = {"question": WHY, "stream": True}
    with api.client.stream("POST", DIALOGUE, json=body) as reply:
        events = parse_events(reply.iter_lines())
        names = [next(events)[0]]
        while names[-1] != "delta":
            names.append(next(events)[0])
        names += [next(events)[0], next(events)[0]]
    assert names[0] == "start"
    assert names[-2:] == ["html", "heartbeat"]
    assert scripted_llm.left.wait(30.0)


def test_a_student_who_leaves_the_stream_leaves_no_turn(serve: Serve, scripted_llm: ScriptedLlm) -> None:
    scripted_llm.play(scripted_llm.pieces(["word "] * 1000, every_s=0.05))
    api = serve(llm_base_url=scripted_llm.base_url, llm_model="m", llm_timeout_s=60.0)
    with api.client.stream("POST", DIALOGUE, json={"question": WHY, "stream": True}) as reply:
        events = parse_events(reply.iter_lines())
        _, start = next(events)
        while next(events)[0] != "delta":
            pass
    assert scripted_llm.left.wait(30.0)
    problem(api.client.get(f"/v1/courses/stacks-en/sessions/{start['session_id']}"), 404, "not_found")


# What students do with an answer


def test_thumbs_are_kept_and_the_last_ones_count(api: Served) -> None:
    turn = api.ask("What is a stack?")["turn_id"]
    url = f"/v1/courses/stacks-en/turns/{turn}/feedback"
    assert api.client.post(url, json={"rating": "down", "reason": "wrong"}).status_code == 204
    assert api.client.post(url, json={"rating": "up", "comment": "谢谢"}).status_code == 204
    (given,) = kept_thumbs(api.platform.stores, CourseId("stacks-en"))
    assert (given.turn_id, given.rating, given.reason, given.comment) == (turn, "up", None, "谢谢")


@pytest.mark.parametrize(
    "body", [{}, {"rating": "great"}, {"rating": "up", "stars": 5}, {"rating": "up", "comment": "x" * 2001}]
)
def test_thumbs_that_are_none_are_refused(api: Served, body: dict[str, Any]) -> None:
    turn = api.ask("What is a stack?")["turn_id"]
    problem(api.client.post(f"/v1/courses/stacks-en/turns/{turn}/feedback", json=body), 422, "invalid_input")
    assert kept_thumbs(api.platform.stores, CourseId("stacks-en")) == ()


# Problems


@pytest.mark.parametrize("stream", [False, True])
def test_an_unknown_course_is_not_found(api: Served, stream: bool) -> None:
    reply = api.client.post("/v1/courses/none/dialogue", json={"question": "hello", "stream": stream})
    problem(reply, 404, "not_found")


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    "body",
    [
        {"question": ""},
        {"question": " \n\t　\x1c"},
        {"question": "x" * 100_000},
        {"question": "a\x00b"},
        {"question": None},
        {"question": 7},
        {"question": ["hello"]},
        {},
        {"question": "hello", "extra": 1},
        {"question": "hello", "mode": "shout"},
        {"question": "hello", "session_id": "../../etc"},
        {"question": "hello", "session_id": ""},
        {"question": "hello", "learner_id": "x" * 129},
        {"question": "hello", "position": {"second": -1}},
        {"question": "hello", "position": {"unit": "a\x00b"}},
        {"question": "hello", "position": {"page": 0}},
        {"question": "hello", "position": {"chapter": 1}},
    ],
)
def test_a_body_that_is_no_question_is_refused_with_its_field(
    api: Served, body: dict[str, Any], stream: bool
) -> None:
    found = problem(api.client.post(DIALOGUE, json={**body, "stream": stream}), 422, "invalid_input")
    faulty = {"question"} | set(body) if "question" not in body else set(body) - {"question"} or {"question"}
    assert found["errors"][0]["field"].split(".")[0] in faulty


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"", 422, "invalid_input"),
        (b"{not json", 422, "invalid_input"),
        (b'"hello"', 422, "invalid_input"),
        (b"[1]", 422, "invalid_input"),
        (b"null", 422, "invalid_input"),
        (b'{"question": "half \\ud83d"}', 422, "invalid_input"),
        (b'{"question": "\xff\xfe"}', 400, "bad_request"),
        (b"[" * 200_000, 400, "bad_request"),
        (b'{"question": "hello", "position": {"second": NaN}}', 422, "invalid_input"),
        (b'{"question": "hello", "position": {"second": Infinity}}', 422, "invalid_input"),
    ],
)
def test_a_body_that_is_no_json_is_refused(api: Served, body: bytes, status: int, code: str) -> None:
    reply = api.client.post(DIALOGUE, content=body, headers={"Content-Type": "application/json"})
    problem(reply, status, code)


def test_an_unknown_session_and_one_of_another_course_look_the_same(api: Served) -> None:
    mine = api.ask("你好", "stacks-zh")["session_id"]
    unknown = "0" * len(mine)

    def bodies(session: str) -> list[str]:
        url = f"/v1/courses/stacks-en/sessions/{session}"
        replies = [
            api.client.get(url),
            api.client.delete(url),
            api.client.post(DIALOGUE, json={"question": "hello", "session_id": session}),
            api.client.post(DIALOGUE, json={"question": "hello", "session_id": session, "stream": True}),
        ]
        for reply in replies:
            problem(reply, 404, "not_found")
        return [reply.text.replace(session, "SESSION") for reply in replies]

    assert bodies(mine) == bodies(unknown)
    assert len(api.client.get(f"/v1/courses/stacks-zh/sessions/{mine}").json()["turns"]) == 1


def test_a_turn_of_another_course_can_be_neither_rated_nor_handed_on(api: Served) -> None:
    turn = api.ask("什么是栈？", "stacks-zh")["turn_id"]
    url = f"/v1/courses/stacks-en/turns/{turn}"
    problem(api.client.post(f"{url}/feedback", json={"rating": "up"}), 404, "not_found")
    problem(api.client.post(f"{url}/ask-ta"), 404, "not_found")


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nowhere", 404, "not_found"),
        ("GET", "/sidebar/../app.py", 404, "not_found"),
        ("GET", "/sidebar/..%2f..%2fsettings.py", 404, "not_found"),
        ("GET", "/courses/none", 404, "not_found"),
        ("GET", DIALOGUE, 405, "method_not_allowed"),
        ("GET", "/v1/courses/stacks-en/sessions/a%20b", 422, "invalid_input"),
        ("GET", "/v1/courses/%00/sessions/a", 422, "invalid_input"),
        ("DELETE", "/v1/courses/none/learners/ann", 404, "not_found"),
    ],
)
def test_every_refusal_is_a_problem(api: Served, method: str, path: str, status: int, code: str) -> None:
    problem(api.client.request(method, path), status, code)


# Limits


def post_raw(api: Served, head: str, *bodies: bytes) -> str:
    """What the server answers to raw bytes, up to its goodbye.

    It may answer and hang up before it has read them all, which fails the sending or ends the reading.
    """
    host, port = api.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20.0) as connection:
        connection.sendall(f"POST {DIALOGUE} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{head}\r\n".encode())
        with suppress(BrokenPipeError, ConnectionResetError):
            for body in bodies:
                connection.sendall(body)
        parts = []
        with suppress(ConnectionResetError):
            while part := connection.recv(65_536):
                parts.append(part)
    return b"".join(parts).decode()


def test_a_declared_body_over_the_limit_is_refused_before_it_is_sent(api: Served) -> None:
    reply = post_raw(api, f"Content-Type: application/json\r\nContent-Length: {LARGEST_BODY + 1}\r\n")
    assert reply.startswith("HTTP/1.1 413 ")
    assert '"code":"body_too_large"' in reply
    assert "application/problem+json" in reply


def test_a_body_of_the_largest_size_is_read(api: Served) -> None:
    body = json.dumps({"question": "hello"}).encode()
    padded = body + b" " * (LARGEST_BODY - len(body))
    reply = api.client.post(DIALOGUE, content=padded, headers={"Content-Type": "application/json"})
    assert reply.status_code == 200


# Courses stay apart


def test_two_courses_with_nearly_the_same_faq_never_see_each_others_answers(serve: Serve) -> None:
    courses = {
        name: (
            Course(id=CourseId(name), name=name, domains=("Maths",), language=Language.EN),
            {
                "faq.csv": f"question,answer\nWhen is the final exam?,The final exam is on {day}.\n",
                "notes.md": f"# Exams\n\nBring a pencil to the exam on {day} and be early, please.\n",
            },
        )
        for name, day in (("one", "the first of May"), ("two", "the second of June"))
    }
    api = serve(courses)
    for name, own, other in (
        ("one", "first of May", "second of June"),
        ("two", "second of June", "first of May"),
    ):
        for question in ("When is the final exam?", "exam on the first of May or second of June", "pencil"):
            answer = api.ask(question, name)
            said = json.dumps({**answer, "standalone_question": "", "ranking": None, "trace": []})
            assert other not in said.replace(question, "")
            assert answer["citations"] == [] or own in said


# Operations


def test_healthy_and_ready(api: Served) -> None:
    assert api.client.get("/healthz").json() == {"status": "ok"}
    ready = api.client.get("/readyz")
    assert ready.status_code == 200
    assert ready.json()["status"] == "ok"
    parts = ready.json()["parts"]
    assert (parts["store"], parts["index"]) == ("ok", "ok")
    assert parts["language_model"].startswith("not configured")


def test_a_platform_without_any_course_is_ready(serve: Serve) -> None:
    api = serve({})
    assert api.client.get("/readyz").status_code == 200
    problem(api.client.post(DIALOGUE, json={"question": "hello"}), 404, "not_found")


def test_a_strangers_stream_of_a_session_shows_nothing_of_it(api: Served) -> None:
    """404 before the first event, so that nobody gets an answer made from another learner's dialogue."""
    session = api.ask("What is a stack?", learner_id="owner")["session_id"]
    body = {"question": "Why is it so?", "session_id": session, "learner_id": "stranger"}
    for stream in (False, True):
        problem(api.client.post(DIALOGUE, json={**body, "stream": stream}), 404, "not_found")
