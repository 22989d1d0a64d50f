"""The test questions of a course by HTTP and on their page, and their runs by themselves."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from console_client import form_token, shown
from scripted_llm import Call, ScriptedLlm
from served_platform import Build, Serve, Served
from uploading import ended, upload

from services.courses.copies import copy_content
from services.test_questions.runs import QuestionRuns
from services.test_questions.store import CourseTest
from vta.errors import NotReady
from vta.faults import Fault
from vta.types.answers import Answer
from vta.types.courses import Course, CourseId
from vta.types.faq import FaqDraft
from vta.types.questions import Question

COURSE = CourseId("stacks-en")
TESTS = f"/v1/courses/{COURSE}/test-questions"
HOME = f"/console/{COURSE}"
PAGE = f"{HOME}/preview/tests"
STACK = {"question": "What is a stack?", "place": "concepts.json"}


def keep(api: Served, **body: object) -> httpx.Response:
    return api.client.post(TESTS, json=body, headers=api.bearer())


def after_run(api: Served, within_s: float = 30.0) -> dict[str, Any]:
    """What is there when no run waits any more."""
    who, end = api.bearer(), time.monotonic() + within_s
    while time.monotonic() < end:
        found: dict[str, Any] = api.client.get(TESTS, headers=who).json()
        if not found["waits"]:
            return found
        threading.Event().wait(0.05)
    raise AssertionError("no run has ended")


def rights(found: dict[str, Any]) -> list[list[bool]]:
    """Whether the answers of each run were right, the last run first."""
    return [[each["right"] for each in run["outcomes"]] for run in found["runs"]]


def test_test_questions_are_kept_and_removed_by_http(api: Served) -> None:
    """The same wording takes the place of the one before; they run by themselves."""
    first = keep(api, question="What is a deque?", words=["both ends"])
    assert first.status_code == 201, first.text
    assert keep(api, question="what is a deque", words=["one end"]).json()["id"] == first.json()["id"]
    assert keep(api, question="How do editors undo?", place="notes/stack.md#Undo").status_code == 201
    found = after_run(api)
    assert [each["words"] for each in found["tests"]] == [["one end"], []]
    assert found["tests"][0]["made_by"].startswith("key ")
    deque, undo = found["runs"][0]["outcomes"]
    assert (deque["right"], deque["route"], deque["place"]) == (False, "direct", "faq.csv#What is a deque?")
    assert deque["sentence"] == "A deque is a list that grows and shrinks at both ends."
    assert (undo["right"], undo["place"]) == (True, "notes/stack.md#Undo")
    address = f"{TESTS}/{first.json()['id']}"
    for _ in range(2):
        assert api.client.delete(address, headers=api.bearer()).status_code == 204
    assert [each["question"] for each in after_run(api)["tests"]] == ["How do editors undo?"]


def test_what_cannot_be_used_is_refused_and_only_instructors_come_in(api: Served) -> None:
    """Nothing is stored."""
    for body in ({"question": "?"}, {"question": "", "place": "a"}, {"question": "?", "words": [" "]}):
        assert keep(api, **body).status_code == 422
    assert api.client.get(TESTS).status_code == 401
    assert api.client.post(TESTS, json=STACK, headers=api.learner("ann")).status_code == 403
    assert api.client.get(TESTS, headers=api.bearer()).json() == {"tests": [], "runs": [], "waits": False}


def test_a_run_that_ends_while_it_is_asked_for_is_told(
    api: Served, ann: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever is told that no run waits is told its outcomes."""
    waits = QuestionRuns.waits

    def until_over(runs: QuestionRuns, course_id: CourseId) -> bool:
        end = time.monotonic() + 30.0
        while waits(runs, course_id) and time.monotonic() < end:
            threading.Event().wait(0.05)
        return waits(runs, course_id)

    monkeypatch.setattr(QuestionRuns, "waits", until_over)
    keep(api, question="What is a deque?", words=["both ends"])
    found = api.client.get(TESTS, headers=api.bearer()).json()
    assert (rights(found), found["waits"]) == ([[True]], False)
    keep(api, question="How do editors undo?", place="notes/stack.md")
    assert "2 of 2 right" in shown(ann.get(PAGE), "summary")[0]


def test_an_upload_and_a_new_entry_are_followed_by_a_run(api: Served, ann: httpx.Client) -> None:
    """What got worse stands first on the page, with what it was before."""
    keep(api, question="What is a deque?", words=["both ends"])
    keep(api, question="How do editors undo?", place="notes/stack.md")
    assert rights(after_run(api)) == [[True, True]]
    started = upload(api, COURSE, ("notes/stack.md", b"# Stacks\n\nA stack has a top.\n"))
    assert ended(api, COURSE, started, 60.0)["state"] == "done"
    assert rights(after_run(api)) == [[True, False], [True, True]]
    assert shown(
        ann.get(f"{HOME}/materials/uploads/{started.headers['location'].rsplit('/', 1)[1]}"), "tests"
    )[0].startswith("Right before and wrong now: 1")
    page = ann.get(PAGE)
    assert "1 of 2 right" in shown(page, "summary")[0]
    assert shown(page, "worse") == ["Right before and wrong now: 1"]
    assert page.text.index("How do editors undo?") < page.text.index("What is a deque?")
    draft = FaqDraft(question="How do editors undo?", answer="By a stack.")
    api.platform.faq.add(COURSE, draft, editor="Ann")
    assert rights(after_run(api)) == [[True, False], [True, False]]


def test_facts_and_a_wish_are_followed_by_a_run(api: Served) -> None:
    """A run without a difference leaves the one before where it is."""
    keep(api, question="When is homework 3 due?", place="/fact-h3")
    before = after_run(api)
    assert rights(before) == [[False]]
    fact = {"id": "h3", "kind": "deadline", "name": "Homework 3", "begins": "2036-12-04T23:59"}
    facts = f"/v1/courses/{COURSE}/facts"
    assert api.client.put(facts, json={"facts": [fact]}, headers=api.bearer()).status_code == 200
    assert rights(after_run(api)) == [[True], [False]]
    wished = api.client.post(f"{TESTS}/run", headers=api.bearer())
    assert (wished.status_code, wished.json()["waits"]) == (202, True)
    again = after_run(api)
    assert rights(again) == [[True], [False]]
    assert again["runs"][1] == before["runs"][0]
    assert again["runs"][0]["at"] > wished.json()["runs"][0]["at"]


def test_a_language_model_is_not_asked_by_a_run(serve: Serve, scripted_llm: ScriptedLlm) -> None:
    """And the page says so; the model is there for students."""
    scripted_llm.play(scripted_llm.ok("A stack is a pile."))
    api = serve(llm_base_url=scripted_llm.base_url, llm_model="m")
    keep(api, question="Why does an editor use a stack?", place="notes/stack.md")
    assert rights(after_run(api)) == [[True]]
    assert scripted_llm.requests == []
    api.ask("Why does an editor use a stack?")
    assert scripted_llm.requests != []


def test_a_run_waits_until_no_student_waits(serve: Serve, scripted_llm: ScriptedLlm) -> None:
    """It begins once the model has answered."""
    going_on, reply = threading.Event(), scripted_llm.ok("A stack is a pile.")

    async def reply_late(call: Call) -> None:
        await asyncio.to_thread(going_on.wait)
        await reply(call)

    scripted_llm.play(reply_late)
    api = serve(llm_base_url=scripted_llm.base_url, llm_model="m")
    student = threading.Thread(target=api.ask, args=("Why does an editor use a stack?",))
    student.start()
    try:
        while not scripted_llm.requests:
            threading.Event().wait(0.05)
        keep(api, **STACK)
        threading.Event().wait(4.0)
        assert api.platform.stores.test_questions.read(COURSE).runs == ()
    finally:
        going_on.set()
        student.join()
    assert len(after_run(api)["runs"]) == 1


def test_a_run_ends_with_the_server(build: Build) -> None:
    """Nothing is asked while `quiet` waits; once it says no, nothing is stored."""
    platform = build()
    platform.stores.test_questions.keep(COURSE, CourseTest(question="What is a stack?", words=("top",)))

    async def check() -> None:
        for goes_on in (False, True):
            begun, gate = asyncio.Event(), asyncio.Event()

            async def quiet(begun: asyncio.Event, gate: asyncio.Event, goes_on: bool) -> bool:
                begun.set()
                await gate.wait()
                return goes_on

            waiting = partial(quiet, begun, gate, goes_on)
            running = asyncio.create_task(platform.test_runs.run_due(waiting))
            await begun.wait()
            assert not running.done()
            assert platform.test_runs.waits(COURSE)
            gate.set()
            await running
            assert bool(platform.stores.test_questions.read(COURSE).runs) is goes_on
            assert platform.test_runs.waits(COURSE) is not goes_on

    asyncio.run(check())


def test_a_copy_of_the_course_takes_them_along(api: Served) -> None:
    """With the entries of its own as places, and without who made them."""
    entry = api.platform.faq.add(COURSE, FaqDraft(question="Who?", answer="We."), editor="Ann")
    keep(api, question="Who?", place=f"/faq-{entry.id}")
    keep(api, **STACK)
    stores, target = api.platform.stores, CourseId("next")
    with stores.transfer.reading(COURSE) as content:
        stores.transfer.add(copy_content(content, as_id=target), editor="Bo")
    (copied,) = stores.faq.entries(target)
    tests = stores.test_questions.read(target).tests
    assert [(each.place, each.made_by) for each in tests] == [
        (f"/faq-{copied.id}", ""),
        ("concepts.json", ""),
    ]


def send(ann: httpx.Client, action: str, **fields: str) -> httpx.Response:
    data = {"csrf": form_token(ann), "action": action, **fields}
    return ann.post(PAGE, data=data, follow_redirects=True)


def test_test_questions_are_edited_on_their_page(api: Served, ann: httpx.Client) -> None:
    """Written, accepted as it is answered now, changed, run and removed; a refused one stays in the form."""
    assert "No test questions yet" in ann.get(PAGE).text
    refused = send(ann, "keep", question="How do editors undo?", place="", words=" ")
    assert refused.status_code == 422
    assert "How do editors undo?</textarea>" in refused.text
    send(ann, "keep", question="How do editors undo?", place="notes/queue.md", words="last command\nundone")
    after_run(api)
    page = ann.get(PAGE)
    row = " ".join(re.sub("<[^>]*>", " ", page.text.split('data-testid="test"')[1]).split())
    assert "Expected: notes/queue.md · “last command”, “undone”" in row
    assert "Now: wrong · explained · notes/stack.md#Undo" in row
    assert 'data-testid="accept"' in page.text
    send(ann, "keep", question="How do editors undo?", place="notes/stack.md#Undo")
    assert rights(after_run(api)) == [[True], [False]]
    (test,) = api.platform.stores.test_questions.read(COURSE).tests
    assert (test.place, test.words, test.made_by) == (
        "notes/stack.md#Undo",
        ("last command", "undone"),
        "Ann",
    )
    assert "last command\nundone</textarea>" in ann.get(f"{PAGE}?edit={test.id}").text
    send(ann, "keep", id=test.id, question="How is a command undone?", place="notes/stack.md", words="")
    (changed,) = api.platform.stores.test_questions.read(COURSE).tests
    assert (changed.question, changed.words) == ("How is a command undone?", ())
    assert 'data-testid="waits"' in send(ann, "run").text
    assert 'data-testid="test"' not in send(ann, "remove", id=changed.id).text


def test_an_answer_of_the_review_sheet_leaves_the_words_of_a_test_question(
    api: Served, ann: httpx.Client
) -> None:
    """The question has a test question already, whose words an instructor wrote."""
    asked = "What is a stack?"
    turn = api.ask(asked)["turn_id"]
    keep(api, question=asked, place="notes/stack.md", words=("last in",))
    address, today = f"/console/{COURSE}/analytics/review", datetime.now(UTC).date().isoformat()
    form = {"csrf": form_token(ann), "day": today, "turn": turn, "keep": turn}
    assert ann.post(address, data=form, follow_redirects=True).status_code == 200
    (test,) = api.platform.stores.test_questions.read(COURSE).tests
    assert (test.words, test.made_by) == (("last in",), "Ann")


def kept_by_button(ann: httpx.Client, page: httpx.Response) -> httpx.Response:
    """Press the first button that keeps a test question."""
    form = page.text.split(f'action="{PAGE}"')[1].split("</form>")[0]
    names = ("csrf", "question", "place")
    fields = {name: form.split(f'name="{name}" value="')[1].split('"')[0] for name in names}
    return ann.post(PAGE, data={**fields, "action": "keep"}, follow_redirects=True)


def test_questions_of_students_are_kept_by_one_press(api: Served, ann: httpx.Client) -> None:
    """From a conversation with the place that was cited, from the inbox with the entry that answered."""
    asked = [api.ask("How do editors undo?", learner_id=f"learner-{n}") for n in range(5)]
    kept_by_button(ann, ann.get(f"{HOME}/conversations/{asked[0]['turn_id']}"))
    waiting, turn = api.ask_ta("May we use a book in the exam?", learner_id="learner-9")
    draft = FaqDraft(question="Books in the exam?", answer="One book.")
    api.platform.questions.answer(COURSE, [waiting], draft, editor="Ann")
    (entry,) = api.platform.stores.faq.entries(COURSE)
    kept_by_button(ann, ann.get(f"{HOME}/inbox/answered"))
    in_log = kept_by_button(ann, ann.get(f"{HOME}/conversations/{turn['turn_id']}"))
    assert in_log.status_code == 200
    data = {"csrf": form_token(ann), "question": "What is a deque?"}
    kept_by_button(ann, ann.post(f"{HOME}/preview", data=data))
    tests = api.platform.stores.test_questions.read(COURSE).tests
    assert [(each.question, each.place) for each in tests] == [
        ("How do editors undo?", "notes/stack.md#Undo"),
        ("May we use a book in the exam?", f"/faq-{entry.id}"),
        ("What is a deque?", "faq.csv#What is a deque?"),
    ]
    assert rights(after_run(api)) == [[True, True, True]]


def test_an_archived_course_is_not_run(api: Served) -> None:
    """It is once it is open again."""
    keep(api, **STACK)
    after_run(api)
    api.platform.stores.courses.set_archived(COURSE, True)
    assert not api.platform.test_runs.waits(COURSE)
    api.platform.stores.courses.set_archived(COURSE, False)
    assert api.platform.test_runs.waits(COURSE)


def test_a_threshold_of_the_course_is_followed_by_a_run(api: Served) -> None:
    """It changes what is answered, though no revision."""
    keep(api, **STACK)
    after_run(api)
    api.platform.stores.settings.change(COURSE, lambda settings: replace(settings, relevance=0.9))
    assert api.platform.test_runs.waits(COURSE)


@pytest.mark.parametrize("failure", [NotReady(Fault("model.spent")), RuntimeError("spilt")])
def test_a_course_that_fails_rests_and_holds_up_no_other(
    build: Build, monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    """It is tried again later."""
    platform, asked = build(), []
    for course in ("stacks-en", "stacks-zh"):
        platform.stores.test_questions.keep(CourseId(course), CourseTest(question="A?", words=("a",)))
    answer = platform.test_runs._assistant.answer

    async def failing(question: Question, course: Course) -> Answer:
        asked.append(course.id)
        if course.id == asked[0]:
            raise failure
        return await answer(question, course)

    async def quiet() -> bool:
        return True

    monkeypatch.setattr(platform.test_runs, "_assistant", SimpleNamespace(answer=failing))
    for rest_s, count in ((60.0, 2), (60.0, 2), (-60.0, 3)):
        if rest_s < 0:
            platform.test_runs._rests.clear()
        asyncio.run(platform.test_runs.run_due(quiet))
        assert len(asked) == count
    assert [platform.test_runs.waits(each) for each in asked[:2]] == [True, False]
