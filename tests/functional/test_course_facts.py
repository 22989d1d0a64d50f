"""The facts of a course by HTTP and on their page, and answers from them."""

from __future__ import annotations

from datetime import timedelta

import httpx
import pytest
from console_client import form_token, shown
from scripted_llm import ScriptedLlm
from served_platform import Serve, Served
from uploading import ended, upload

from services.courses.copies import copy_content
from vta.types.courses import CourseId

COURSE = "stacks-en"
FACTS = f"/v1/courses/{COURSE}/facts"
HOME = f"/console/{COURSE}/facts"


def put(api: Served, **body: object) -> httpx.Response:
    return api.client.put(FACTS, json=body, headers=api.bearer())


def some(**more: object) -> dict[str, object]:
    return {"kind": "deadline", "name": "Homework 3", "begins": "2036-12-04T23:59", **more}


def test_facts_are_read_and_written_as_a_whole(api: Served) -> None:
    """With an ETag, by which the slower of two writers sees what is there; and with an entry in the log."""
    first = put(api, time_zone="Europe/Berlin", facts=[some()])
    assert first.status_code == 200
    read = api.client.get(FACTS, headers=api.bearer())
    assert read.json() == first.json()
    assert read.json()["facts"][0]["begins"] == "2036-12-04T23:59"
    headers = {**api.bearer(), "If-Match": read.headers["etag"]}
    assert api.client.put(FACTS, json={"facts": []}, headers=headers).status_code == 200
    slower = api.client.put(FACTS, json={"facts": [some()]}, headers=headers)
    assert (slower.status_code, slower.json()["current"]["facts"]) == (412, [])
    entries = api.platform.stores.audit_log.entries(course_id=CourseId(COURSE))
    assert [each.detail for each in entries if each.event == "facts"] == ["deadline", "deadline"]


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"facts": [some(), some(begins="next Friday")]}, "facts.1.begins"),
        ({"facts": [some(begins="9999-12-31")]}, "1970 to 2199"),
        ({"facts": [some(ends="1969-12-31")]}, "1970 to 2199"),
        ({"facts": [some(begins="2036-12-04T23:59", ends="2036-12-03")]}, "ends"),
        ({"facts": [some(weekday=2)]}, "begins"),
        ({"facts": [some(name=" ")]}, "name"),
        ({"facts": [some(link="javascript:alert(1)")]}, "link"),
        ({"facts": [{"kind": "late", "name": "Late work"}]}, "note"),
        ({"facts": [some(id="a"), some(id="a")]}, "facts"),
        ({"time_zone": "Mars/Base"}, "time_zone"),
        ({"time_zone": "../etc/passwd"}, "time_zone"),
    ],
)
def test_what_cannot_be_used_is_named(api: Served, wrong: dict[str, object], field: str) -> None:
    """And nothing is stored."""
    refused = put(api, **wrong)
    assert refused.status_code == 422
    assert field in refused.text
    assert api.client.get(FACTS, headers=api.bearer()).json()["facts"] == []


def test_only_instructors_reach_facts(api: Served) -> None:
    """Students read them in answers alone."""
    assert api.client.get(FACTS).status_code == 401
    assert api.client.put(FACTS, json={}, headers=api.learner("ann")).status_code == 403


def test_a_fact_answers_first(api: Served) -> None:
    """Also right after the same question found nothing, and as soon as the fact changes."""
    question = "When is homework 3 due?"
    assert "4 December" not in api.ask(question)["text"]
    put(api, time_zone="Europe/Berlin", facts=[some()])
    answer = api.ask(question)
    assert answer["text"].startswith(
        "Homework 3 is due on Thursday 4 December 2036, 23:59 (Europe/Berlin), in "
    )
    assert (answer["route"], answer["degraded"]) == ("direct", None)
    assert [each["title"] for each in answer["citations"]] == ["Course facts"]
    put(api, facts=[some(begins="2036-12-05")])
    assert "Friday 5 December 2036" in api.ask(question)["text"]
    assert "Homework 3" not in api.ask("What is a stack?")["text"]


def test_a_past_date_is_said_to_be_of_its_term(api: Served) -> None:
    """By its year."""
    put(api, facts=[some(begins="2024-12-04")])
    text = api.ask("When is homework 3 due?")["text"]
    assert text.startswith("Homework 3 was due on Wednesday 4 December 2024 (UTC), ")


def test_a_copy_for_another_term_moves_dates_and_asks_for_a_review(api: Served) -> None:
    """A rule without a date does not; a file of the same course keeps all as it is."""
    rule = {"kind": "late", "name": "Late work", "note": "Not accepted."}
    weekly = some(name="Lecture", kind="lecture", begins="10:00", weekday=1)
    put(api, time_zone="Europe/Berlin", facts=[some(begins="2026-03-02T23:59"), weekly, rule])
    with api.platform.stores.transfer.reading(CourseId(COURSE)) as content:
        same = copy_content(content).facts
        api.platform.stores.transfer.add(
            copy_content(content, as_id=CourseId("next"), later=timedelta(weeks=26)), editor="Ann"
        )
    assert same == api.platform.stores.facts.facts(CourseId(COURSE))
    moved = api.platform.stores.facts.facts(CourseId("next"))
    assert moved.time_zone == "Europe/Berlin"
    assert [(each.begins, each.review) for each in moved.facts] == [
        ("2026-08-31T23:59", True), ("10:00", True), ("", False),
    ]  # fmt: skip


def send(ann: httpx.Client, action: str, **fields: str) -> httpx.Response:
    data = {"csrf": form_token(ann), "action": action, **fields}
    return ann.post(HOME, data=data, follow_redirects=True)


def test_facts_are_edited_on_their_page(api: Served, ann: httpx.Client) -> None:
    """Added, changed, looked at again and removed; a refused one stays in the form."""
    send(ann, "zone", time_zone="Europe/Berlin")
    page = send(ann, "save", kind="deadline", name="Homework 1", begins="2036-10-05")
    assert "Homework 1" in shown(page, "fact")[0]
    stores, course = api.platform.stores, CourseId(COURSE)
    (kept,) = stores.facts.facts(course).facts
    refused = send(ann, "save", id=kept.id, kind="deadline", name="Homework 1", begins="tomorrow")
    assert refused.status_code == 422
    assert 'value="tomorrow"' in refused.text
    send(ann, "save", id=kept.id, kind="deadline", name="Homework 1", begins="2036-10-06")
    assert stores.facts.facts(course).facts[0].begins == "2036-10-06"
    put(api, facts=[some(id="old", review=True)])
    assert "Homework 3 review" in shown(ann.get(HOME), "fact")[0]
    assert "review" not in shown(send(ann, "reviewed", id="old"), "fact")[0]
    assert shown(send(ann, "remove", id="old"), "fact") == []
    assert send(ann, "save", id="old", kind="deadline", name="x", begins="2036-10-06").status_code == 422
    assert "deadline, exam, lecture" in send(ann, "save", kind="party", name="x").text


def test_what_a_file_states_is_accepted_or_dismissed_by_one_press(api: Served, ann: httpx.Client) -> None:
    """Where it is looked for, with its passage; students are answered at once. Neither comes again."""
    text = (
        "# Syllabus\n\nThe course has two exams.\n\nMidterm: 12 October 2036, 10:00\n\nQuiz 1: 3 May 2036\n"
    )
    started = upload(api, CourseId(COURSE), ("syllabus.md", text.encode()))
    assert ended(api, CourseId(COURSE), started, 60.0)["state"] == "done"
    assert shown(ann.get(HOME), "proposal") == []
    page = ann.get(f"{HOME}?look")
    (proposal, _) = shown(page, "proposal")
    assert proposal == "Exam: Midterm , 2036-10-12 10:00"
    assert "syllabus.md: Midterm: 12 October 2036, 10:00" in page.text
    ids = [each.split('"')[0] for each in page.text.split('name="id" value="')[1:3]]
    (other,) = shown(send(ann, "accept", id=ids[0]), "proposal")
    assert "Quiz 1" in other
    assert send(ann, "dismiss", id="x").status_code == 422
    assert shown(send(ann, "dismiss", id=ids[1]), "proposal") == []
    assert api.platform.stores.facts.facts(CourseId(COURSE)).dismissed == (ids[1],)
    put(api, facts=[some(kind="exam", name="Midterm", begins="2036-10-12T10:00")])
    assert shown(ann.get(f"{HOME}?look"), "proposal") == []
    assert "Sunday 12 October 2036, 10:00 (UTC)" in api.ask("When is the midterm?")["text"]


def test_a_fact_answers_before_a_language_model(serve: Serve, scripted_llm: ScriptedLlm) -> None:
    """In the same words as without one. A model is asked for what no fact tells, with all facts to read."""
    scripted_llm.play(scripted_llm.ok("A stack is a pile."))
    api = serve(llm_base_url=scripted_llm.base_url, llm_model="m")
    put(api, facts=[some()])
    first = api.ask("When is homework 3 due?")
    text = api.ask("and when is homework 3 due?", session_id=first["session_id"])["text"]
    assert text == first["text"]
    assert text.startswith("Homework 3 is due on Thursday 4 December 2036")
    assert scripted_llm.requests == []
    api.ask("What is a stack?")
    assert "Homework 3 is due on Thursday 4 December 2036" in str(scripted_llm.requests[-1].body)
