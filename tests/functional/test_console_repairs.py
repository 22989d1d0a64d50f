"""Faults that the console had: each form does what its button says, to everyone whom it concerns."""

from __future__ import annotations

import re
import threading
from dataclasses import replace
from typing import Any

import httpx
import pytest
from console_client import form_token
from served_platform import Served

from services.questions import triage
from services.questions.inbox import InboxQuery
from vta.types.answers import Answer
from vta.types.courses import CourseId, SessionId, TurnId
from vta.types.faq import FaqDraft
from vta.types.questions import Question

COURSE = CourseId("stacks-en")
HOME = f"/console/{COURSE}"
BROWSER = {"Accept": "text/html"}
EXAM = FaqDraft(question="When is the exam?", answer="On Monday.")


def add(api: Served, draft: FaqDraft = EXAM) -> str:
    (entry,) = api.platform.stores.faq.add(COURSE, [draft], editor="Bo")
    return str(entry.id)


def text_of(shown: httpx.Response, testid: str) -> str:
    found = re.search(rf'data-testid="{testid}"[^>]*>([^<]*)<', shown.text)
    assert found, shown.text
    return found[1]


@pytest.mark.parametrize("to", ["99", "0", "-3", "abc", "", "123456789012"])
def test_no_version_is_restored_that_there_is_not(api: Served, ann: httpx.Client, to: str) -> None:
    """As in the API, 422 and nothing written (A13)."""
    entry = add(api)
    api.platform.stores.faq.edit(COURSE, entry, FaqDraft(question="q", answer="a"), editor="Bo", expected=1)
    form = {"csrf": form_token(ann), "action": "roll_back", "version": "2", "to": to}
    refused = ann.post(f"{HOME}/faq/{entry}", data=form)
    assert refused.status_code == 422
    assert len(api.platform.stores.faq.history(COURSE, entry)) == 2


@pytest.mark.parametrize("action", ["delete", None])
def test_a_form_without_a_known_action_does_nothing(
    api: Served, ann: httpx.Client, action: str | None
) -> None:
    """400 on a page for a new entry, an entry and a waiting question; nothing is published (A14)."""
    entry = add(api)
    waiting, turn = api.ask_ta("Will the final exam cover undo stacks?")
    form = {
        "csrf": form_token(ann),
        "question": "Who?",
        "answer": "Ann.",
        "version": "1",
        "q": waiting,
    }
    form |= {"action": action} if action else {}
    for path in ("faq/new", f"faq/{entry}", "inbox/answer"):
        refused = ann.post(f"{HOME}/{path}", data=form)
        assert refused.status_code == 400, path
        assert "<h1>Invalid input</h1>" in refused.text
    assert [each.draft for each in api.platform.stores.faq.entries(COURSE)] == [EXAM]
    assert api.ta_answers(turn) == []


def test_an_entry_for_a_taken_question_links_to_the_other(api: Served, ann: httpx.Client) -> None:
    """409 with the entry that is there, by its question."""
    entry = add(api)
    form = {
        "csrf": form_token(ann),
        "action": "save",
        "question": "when is the exam",
        "answer": "?",
    }
    refused = ann.post(f"{HOME}/faq/new", data=form)
    assert refused.status_code == 409
    assert re.search(rf'href="{HOME}/faq/{entry}"[^>]*>When is the exam\?<', refused.text)


def test_a_removed_entry_is_found_and_restored(api: Served, ann: httpx.Client) -> None:
    """What was removed is said with a button that brings it back; the list of removed ones has one too."""
    entry = add(api)
    form = {"csrf": form_token(ann), "action": "remove", "version": "1"}
    said = ann.post(f"{HOME}/faq/{entry}", data=form, follow_redirects=True).text
    assert re.search(r'data-testid="removed"(?s:.)*When is the exam\?(?s:.)*value="restore"', said)
    assert "When is the exam?" not in ann.get(f"{HOME}/faq").text
    removed = ann.get(f"{HOME}/faq?show=removed&search=exam").text
    assert "When is the exam?" in removed
    form = dict(re.findall(r'name="(csrf|version)" value="([^"]*)"', removed))
    restored = ann.post(f"{HOME}/faq/{entry}", data={**form, "action": "restore"})
    assert restored.status_code == 303
    assert "When is the exam?" in ann.get(f"{HOME}/faq").text
    assert "When is the exam?" not in ann.get(f"{HOME}/faq?show=removed").text


def test_an_import_with_two_wordings_of_one_question_is_confirmed(api: Served, ann: httpx.Client) -> None:
    """The plan and the store compare questions alike, so what was planned is written at once."""
    table = b"question,answer\nWhen does the exam start?,At ten.\nwhen does the exam start,At noon.\n"
    dry = ann.post(
        f"{HOME}/faq/import",
        data={"csrf": form_token(ann)},
        files=[("table", ("faq.csv", table))],
    )
    form = dict(re.findall(r'name="(csrf|token|mark)" value="([^"]*)"', dry.text))
    done = ann.post(f"{HOME}/faq/import/confirm", data=form)
    assert done.status_code == 200
    assert 'data-testid="imported"' in done.text
    (entry,) = api.platform.stores.faq.entries(COURSE)
    assert entry.draft.answer == "At ten."


def test_the_note_of_a_verified_draft_goes_with_its_text(api: Served, ann: httpx.Client) -> None:
    """It stands over the unchanged draft and never over what the instructor typed."""
    waiting, _ = api.ask_ta("When is the homework due?")
    address = f"{HOME}/inbox/answer"
    offered = ann.get(address, params={"q": waiting}).text
    assert 'data-testid="draft-note"' in offered
    form = {"csrf": form_token(ann), "q": waiting, "question": "q", "action": "replay"}
    typed = ann.post(address, data={**form, "answer": "Whenever you like."}).text
    assert 'data-testid="draft-note"' not in typed
    kept = ann.post(address, data={**form, "answer": "Homework is due every Sunday at 23:59."}).text
    assert 'data-testid="draft-note"' in kept


def test_everyone_who_waits_is_listed_and_answered(api: Served, ann: httpx.Client) -> None:
    """Beyond the 300th question too, the most asked first; all who asked in the published words are told."""
    sessions = api.platform.stores.sessions
    _, asked = api.ask_ta("Will the final exam cover undo stacks?")
    answer = sessions.turns(COURSE, asked["session_id"])[0].answer
    samples = [_copy(answer, number) for number in range(310)]
    for question, answer in samples:
        sessions.record(question, answer)
        api.platform.stores.asked.ask_ta(COURSE, answer.turn_id)
    first = api.ask_ta("Why do editors keep a stack?")
    last = api.ask_ta("why do editors keep a stack")
    inbox = ann.get(f"{HOME}/inbox").text
    assert "asked 2×" in inbox
    assert inbox.index("Why do editors") < inbox.index("Will topic")
    course = api.platform.stores.courses.course(COURSE)
    while api.platform.questions.inbox(course).unassessed:
        threading.Event().wait(0.05)
    pages = [api.platform.questions.inbox(course, InboxQuery(number=number)) for number in range(1, 33)]
    assert {page.last for page in pages} == {32}
    assert len({each.id for page in pages for group in page.groups for each in group.waiting}) == 313
    form = {
        "csrf": form_token(ann),
        "q": first[0],
        "question": "Why keep a stack?",
        "answer": "To undo.",
    }
    assert ann.post(f"{HOME}/inbox/answer", data={**form, "action": "publish"}).status_code == 303
    assert [each["text"] for each in api.ta_answers(last[1])] == ["To undo."]


def _copy(answer: Answer, number: int) -> tuple[Question, Answer]:
    """Another student's question, unlike all others, and an answer to it."""
    session = SessionId(f"copy-{number}")
    word = "".join(chr(ord("a") + int(digit)) for digit in f"{number:03}")
    text = f"Will topic {number}x of {word * 3} {word}q{word} be asked?"
    question = Question(course_id=COURSE, text=text, session_id=session)
    return question, replace(answer, turn_id=TurnId(f"turn-{number}"), session_id=session)


def test_a_rejected_asker_is_told_why(api: Served, ann: httpx.Client) -> None:
    """By `ta-answers`, with the reason; the question stands among the rejected ones and can be reopened."""
    waiting, turn = api.ask_ta("Who was Napoleon's cook?")
    form = {
        "csrf": form_token(ann),
        "q": waiting,
        "action": "reject",
        "reason": "Not about <this> course.",
    }
    assert ann.post(f"{HOME}/inbox/answer", data=form).status_code == 303
    (told,) = api.ta_answers(turn)
    assert (told["state"], told["reason"]) == ("rejected", "Not about <this> course.")
    assert told["html"] == "<p>Not about &lt;this&gt; course.</p>"
    rejected = ann.get(f"{HOME}/inbox/rejected").text
    assert "Napoleon" in rejected
    assert "Not about &lt;this&gt; course." in rejected
    reopened = ann.post(f"{HOME}/inbox/reopen", data={"csrf": form_token(ann), "q": waiting})
    assert reopened.headers["location"] == f"{HOME}/inbox?settled=reopen"
    assert "Napoleon" in ann.get(f"{HOME}/inbox").text
    assert api.ta_answers(turn) == []


def test_answered_questions_are_listed(api: Served, ann: httpx.Client) -> None:
    """With the way to the entry that answers them; an empty list says that it is empty."""
    waiting, _ = api.ask_ta("Who was Napoleon's cook?")
    assert 'class="empty"' in ann.get(f"{HOME}/inbox/answered").text
    form = {
        "csrf": form_token(ann),
        "q": waiting,
        "action": "publish",
        "question": "Who?",
        "answer": "Nobody.",
    }
    ann.post(f"{HOME}/inbox/answer", data=form)
    (entry,) = api.platform.stores.faq.entries(COURSE)
    assert f'href="{HOME}/faq/{entry.id}"' in ann.get(f"{HOME}/inbox/answered").text


def test_settled_questions_are_reopened_by_http(api: Served) -> None:
    """They wait again; one that waits is a conflict."""
    waiting, _ = api.ask_ta("Who was Napoleon's cook?")
    address, headers = f"/v1/courses/{COURSE}/questions", api.bearer()
    body = {"questions": [waiting]}
    rejected = api.client.post(f"{address}/reject", json={**body, "reason": "no"}, headers=headers)
    assert rejected.status_code == 204
    assert api.client.post(f"{address}/reopen", json=body, headers=headers).status_code == 204
    (listed,) = api.client.get(address, params={"state": "waiting"}, headers=headers).json()["questions"]
    assert (listed["id"], listed["reason"], listed["resolved_at"]) == (waiting, None, None)
    assert api.client.post(f"{address}/reopen", json=body, headers=headers).status_code == 409


def test_a_page_after_an_edit_assesses_only_what_it_shows(
    api: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bands of all other groups are looked up again behind the page, after it."""
    _, asked = api.ask_ta("Will the final exam cover undo stacks?")
    answer = api.platform.stores.sessions.turns(COURSE, asked["session_id"])[0].answer
    for number in range(20):
        question, other = _copy(answer, number)
        api.platform.stores.sessions.record(question, other)
        api.platform.stores.asked.ask_ta(COURSE, other.turn_id)
    course, here = api.platform.stores.courses.course(COURSE), threading.current_thread()
    while api.platform.questions.inbox(course).unassessed:
        threading.Event().wait(0.05)
    assessed, assess = [], triage.assess

    def counted(*given: Any) -> triage.Assessment:
        assessed.append(threading.current_thread() is here)
        return assess(*given)

    monkeypatch.setattr(triage, "assess", counted)
    api.platform.faq.add(COURSE, EXAM, editor="Bo")
    shown = api.platform.questions.inbox(course)
    assert len(shown.groups) == 10 == sum(assessed)
