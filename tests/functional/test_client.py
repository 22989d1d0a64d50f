"""The client on a real server: what it calls is in the API's document, and so are the replies."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import httpx2
import jsonschema_rs
import pytest
from served_platform import Serve

from services.client import ApiError, Client, CourseClient
from services.client.faq import FaqClient
from services.client.materials import MaterialsClient
from services.client.questions import QuestionsClient
from vta.types import CourseId, Role

COURSE = "stacks-en"
ADMIN = "an-admin-key-for-tests"
UNDO = "Why do editors undo with a stack?"
COOK = "Who cooked for Napoleon?"


class Recorder:
    """Keeps which operations of a document were called, and checks each reply against it."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.called: set[str] = set()
        self._components = document["components"]
        self._paths = {
            path: (re.compile(re.sub(r"\{\w+\}", "[^/]+", path)), operations)
            for path, operations in document["paths"].items()
        }

    def __call__(self, reply: httpx2.Response) -> None:
        method, path = reply.request.method, reply.request.url.path
        fitting = [
            (template, operations[method.lower()])
            for template, (pattern, operations) in self._paths.items()
            if pattern.fullmatch(path) and method.lower() in operations
        ]
        template, operation = min(fitting, key=lambda each: each[0].count("{"))
        self.called.add(f"{method} {template}")
        described = operation["responses"][str(reply.status_code)].get("content", {})
        kind = reply.headers.get("content-type", "").partition(";")[0]
        if kind == "application/json" and reply.status_code != 204:
            schema = {**described[kind]["schema"], "components": self._components}
            jsonschema_rs.validator_for(schema).validate(reply.read() and reply.json())
        else:
            assert reply.status_code == 204 or kind in described or reply.status_code >= 400, template


class Clients:
    """Clients of one server, which one recorder watches."""

    def __init__(self, address: str, instructor: str, opened: ExitStack) -> None:
        self._opened = opened
        self.recorder = Recorder(httpx2.get(f"{address}/openapi.json", trust_env=False).json())
        self._address = address
        self._instructor = instructor

    def open(self, key: str | None = None) -> Client:
        http = httpx2.Client(trust_env=False, timeout=30.0, event_hooks={"response": [self.recorder]})
        return self._opened.enter_context(Client(self._address, key=key, http=http))

    def student(self) -> CourseClient:
        return self.open().course(COURSE)

    def teacher(self) -> CourseClient:
        return self.open(self._instructor).course(COURSE)


@pytest.fixture
def clients(serve: Serve) -> Iterator[Clients]:
    api = serve(admin_key=ADMIN)
    key, _ = api.platform.stores.keys.make(CourseId(COURSE), Role.INSTRUCTOR)
    with ExitStack() as opened:
        yield Clients(api.address, key, opened)


def test_a_question_goes_to_a_ta_and_its_answer_comes_back(clients: Clients) -> None:
    """The whole loop by the client alone; what is settled cannot be settled again."""
    student, teacher = clients.student(), clients.teacher()
    asked = student.ask(COOK, learner_id="ann", position={"page": 3})
    student.rate(asked.turn_id, "down", comment="No.")
    handed = student.ask_ta(asked.turn_id)
    assert handed.state == "waiting"
    groups = teacher.questions.groups(order="oldest", size=5)
    assert [each.questions[0].question for each in groups.groups] == [COOK]
    ids = [handed.question_id]
    teacher.questions.assign(ids, "Bo")
    teacher.questions.note(ids, "Off topic?")
    teacher.questions.reply(ids, "Which Napoleon?", asks_back=True)
    (back,) = student.ta_answers(asked.session_id)
    assert (back.text, back.asks_back) == ("Which Napoleon?", True)
    student.reply_to_ta(asked.turn_id, "The first.")
    report = teacher.questions.get(ids[0])
    assert [each.kind for each in report.messages][-1] == "student"
    assert report.conversation[-1].question == COOK
    entry = teacher.questions.answer(ids, question=COOK, answer="Dunand.")
    assert {each.text for each in student.ta_answers(asked.session_id)} == {"Dunand."}
    assert student.session(asked.session_id)[0].ta_question == "answered"
    teacher.questions.reopen(ids)
    teacher.questions.merge(ids, entry.id)
    teacher.questions.reopen(ids)
    teacher.questions.reject(ids, "Not here.")
    with pytest.raises(ApiError) as refused:
        teacher.questions.reject(ids, "Again.")
    assert (refused.value.status, refused.value.fault) == (409, "waiting_question.settled")
    student.delete_session(asked.session_id)
    with pytest.raises(ApiError, match="404"):
        student.session(asked.session_id)
    assert len(clients.recorder.called) == 16


def test_questions_and_entries_are_read_page_by_page(clients: Clients) -> None:
    """Each once, whatever the size of a page."""
    student, teacher = clients.student(), clients.teacher()
    texts = [f"{COOK} {number}" for number in range(5)]
    for text in texts:
        student.ask_ta(student.ask(text, learner_id=text[-1]).turn_id)
    found = list(teacher.questions.all(state="waiting", page_size=2))
    assert [each.question for each in found] == texts
    assert list(teacher.questions.all(since=found[3].created_at, page_size=1)) == found[3:]
    for number in range(3):
        teacher.faq.add(f"What is {number}?", "A number.", category="numbers")
    entries = list(teacher.faq.all(search="a number", page_size=2))
    assert sorted(each.question for each in entries) == [f"What is {number}?" for number in range(3)]


def test_an_answer_comes_as_it_is_written(clients: Clients) -> None:
    """The last event has the whole answer; a course that is not there is a problem before the first."""
    with clients.student().stream("What is a stack?") as events:
        told = list(events)
    assert [told[0].name, told[-1].name] == ["start", "done"]
    answer = told[-1].answer
    assert answer is not None
    assert "".join(each.data["text"] for each in told if each.name == "delta").strip()
    assert answer.citations
    nowhere = clients.open().course("nowhere")
    with pytest.raises(ApiError) as refused, nowhere.stream("What is a stack?"):
        pass
    assert (refused.value.status, refused.value.code) == (404, "not_found")


def test_an_entry_is_not_overwritten_unseen(clients: Clients) -> None:
    """The slower of two editors gets 412, and the next version has what was not changed."""
    faq = clients.teacher().faq
    first = faq.add("What is a heap?", "A tree.", similar_questions=["Define heap."])
    second = faq.edit(first, answer="A complete tree.")
    assert (second.version, second.similar_questions) == (2, ("Define heap.",))
    with pytest.raises(ApiError) as refused:
        faq.edit(first, answer="A pile.")
    assert refused.value.status == 412
    assert faq.remove(second).removed
    assert [each.version for each in faq.history(first.id)] == [1, 2, 3]
    assert faq.get(first.id).removed


def test_files_are_uploaded_and_removed(clients: Clients) -> None:
    """What is wrong with a file is said of it, and the others are read."""
    materials = clients.teacher().materials
    begun = materials.upload({"heaps.md": b"# Heaps\n\nA heap is a tree.\n", "b.pdf": b"no PDF"})
    assert materials.ingest(begun.id).total == 2
    report = materials.wait(begun, seconds=60).report
    assert report is not None
    assert (report.added, [each.path for each in report.rejected]) == (("heaps.md",), ["b.pdf"])
    assert [each.path for each in materials.all(search="heaps", page_size=1)] == ["heaps.md"]
    materials.remove("heaps.md")
    assert list(materials.all(search="heaps")) == []


def test_courses_are_made_and_removed_with_the_admin_key(clients: Clients) -> None:
    with clients.open(ADMIN) as admin:
        made = admin.add_course("ds", name="DS", domains=["cs"], language="en")
        assert made.id == "ds"
        assert admin.edit_course("ds", name="Data structures", archived=True).archived
        key = admin.make_key("ds", "instructor")
        assert key.key not in repr(key)
        assert "ds" in {each.id for each in admin.courses()}
        admin.remove_course("ds")
        assert "ds" not in {each.id for each in admin.courses()}


def test_every_method_of_the_client_is_tried_here() -> None:
    """By name, so that a new one comes with its test."""
    written = inspect.getsource(sys.modules[__name__])
    for kind in (Client, CourseClient, QuestionsClient, FaqClient, MaterialsClient):
        for name, _ in inspect.getmembers(kind, inspect.isfunction):
            assert name.startswith("_") or name == "close" or f".{name}(" in written, (kind, name)


class Busy(httpx2.BaseTransport):
    """A server that is busy so many times, and then says yes."""

    def __init__(self, busy: int, after: str = "0") -> None:
        self.keys: list[str | None] = []
        self._busy = busy
        self._after = after

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        self.keys.append(request.headers.get("Idempotency-Key"))
        if len(self.keys) <= self._busy:
            problem = {"code": "not_ready", "detail": "x"}
            return httpx2.Response(503, json=problem, headers={"Retry-After": self._after})
        return httpx2.Response(201, json={"question_id": "q", "state": "waiting"})


@pytest.mark.parametrize(("busy", "after", "tries"), [(0, "0", 1), (2, "0", 3), (3, "0", 3), (1, "3600", 1)])
def test_a_post_is_made_again_under_the_same_key(busy: int, after: str, tries: int) -> None:
    """At most twice, and not where the server says to come back in an hour."""
    server = Busy(busy, after)
    course = Client("http://vta.example", http=httpx2.Client(transport=server)).course("ds")
    if busy < tries:
        assert course.ask_ta("t").question_id == "q"
    else:
        with pytest.raises(ApiError, match="503"):
            course.ask_ta("t")
    assert len(server.keys) == tries
    assert len(set(server.keys)) == 1
    assert None not in server.keys


def test_the_client_imports_nothing_of_the_platform() -> None:
    code = "import sys, services.client; print({name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"'vta'", "'fastapi'", "'sqlalchemy'"} & set(done.stdout.strip("{}\n").split(", "))
