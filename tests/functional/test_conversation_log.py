"""The conversation log over a real socket: who reads it, what it hides, what can be done from it."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import httpx
from console_client import token
from served_platform import Served

from services.people.sessions import COOKIE
from vta.types.courses import CourseId

COURSE = CourseId("stacks-en")
HOME = f"/console/{COURSE}"
LOG = f"{HOME}/conversations"
POSITION = {"unit": "u1", "video": "01.srt", "second": 95.5}


def ask(api: Served, learner: str, question: str = "What is a stack?", **more: Any) -> dict[str, Any]:
    return api.ask(question, learner_id=learner, position=POSITION, **more)


def count(page: httpx.Response, testid: str) -> int:
    return page.text.count(f'data-testid="{testid}"')


def test_a_log_of_four_is_hidden_and_of_five_is_shown_without_names(api: Served, ann: httpx.Client) -> None:
    """Neither learner nor session stands in the pages; a choice of four of five is hidden again."""
    asked = [ask(api, f"learner-{n}") for n in range(4)]
    hidden = ann.get(LOG)
    assert (count(hidden, "too-few"), "What is a stack" in hidden.text) == (1, False)
    assert ann.get(f"{LOG}/{asked[0]['turn_id']}").status_code == 404
    asked.append(ask(api, "learner-4", "How do editors undo?"))
    shown = ann.get(LOG)
    assert count(shown, "conversation") == 5
    assert shown.text.index("How do editors undo?") < shown.text.index("What is a stack?")
    opened = ann.get(f"{LOG}/{asked[0]['turn_id']}")
    assert (opened.status_code, count(opened, "turn")) == (200, 1)
    assert "01:35" in opened.text
    for page in (shown, opened):
        assert "learner-" not in page.text
        for each in asked:
            assert each["session_id"] not in page.text
    assert count(ann.get(LOG, params={"words": "stack"}), "too-few") == 1
    assert count(ann.get(LOG, params={"words": "napoleon"}), "nothing") == 1


def test_the_log_is_chosen_by_day_and_outcome(api: Served, ann: httpx.Client) -> None:
    """Handed on, voted down, a day without any, and nonsense, which chooses nothing."""
    for n in range(5):
        answer = ask(api, f"learner-{n}")
        api.client.post(f"/v1/courses/{COURSE}/turns/{answer['turn_id']}/feedback", json={"rating": "down"})
    for n in range(6):
        api.ask_ta("Who was Napoleon's cook?", learner_id=f"other-{n}", position=POSITION)
    for chosen, expected in (("down", 5), ("handed_on", 6), ("not_answered", 6), ("rubbish", 11), ("", 11)):
        assert count(ann.get(LOG, params={"outcome": chosen}), "conversation") == expected
    past = (datetime.now(UTC) - timedelta(days=3)).date().isoformat()
    assert count(ann.get(LOG, params={"from": past, "to": past}), "nothing") == 1
    assert ann.get(LOG, params={"from": "x"}).status_code == 422


def test_what_the_course_does_not_answer_counts_as_not_answered(api: Served, ann: httpx.Client) -> None:
    """In the API by `degraded`, in analytics, the log's filter and the conversation."""
    asked = [ask(api, f"learner-{n}", "Why does a stack overflow?") for n in range(5)]
    assert {each["degraded"]["stage"] for each in asked} == {"closest"}
    figures = api.client.get(f"/v1/courses/{COURSE}/analytics", headers=api.bearer())
    assert figures.json()["unanswerable"] == 1.0
    assert count(ann.get(LOG, params={"outcome": "not_answered"}), "conversation") == 5
    assert count(ann.get(LOG, params={"outcome": "chain_of_teach"}), "nothing") == 1
    opened = ann.get(f"{LOG}/{asked[0]['turn_id']}").text
    assert "not answered" in opened
    assert "explained" not in opened


def test_every_figure_leads_to_its_questions(api: Served, ann: httpx.Client) -> None:
    """Each link of the analytics page opens a log that has something; the slower half may be too few."""
    for n in range(5):
        ask(api, f"learner-{n}")
    page = ann.get(f"{HOME}/analytics")
    links = {unescape(link) for link in re.findall(rf'href="({LOG}\?[^"]+)"', page.text)}
    assert len(links) >= 6
    slower = {link for link in links if "slower_ms" in link}
    assert {count(ann.get(link), "nothing") for link in slower} == {0}
    for link in links - slower:
        log = ann.get(link)
        assert (log.status_code, count(log, "too-few"), count(log, "nothing")) == (200, 0, 0), link
        assert count(log, "conversation") >= 1


def test_what_is_done_from_a_conversation(api: Served, ann: httpx.Client) -> None:
    """An entry begins with its question and answer, it is tried, and put into the inbox, once."""
    asked = [ask(api, f"learner-{n}") for n in range(5)]
    turn = asked[0]["turn_id"]
    opened = ann.get(f"{LOG}/{turn}")
    entry = ann.get(f"{HOME}/faq/new", params={"turn": turn})
    assert "What is a stack?</textarea>" in entry.text
    first = re.sub(r"[*#]|\[\d+\]", "", asked[0]["text"]).split(".")[0].strip().split("\n")[-1]
    assert first[:20] in unescape(entry.text)
    assert ann.get(f"{HOME}/faq/new", params={"turn": "nobody's"}).status_code == 404
    tried = ann.post(f"{HOME}/preview", data={"csrf": token(opened), "question": "What is a stack?"})
    assert count(tried, "answer-title") == 1
    for _ in range(2):
        done = ann.post(f"{LOG}/{turn}/hand-on", data={"csrf": token(opened)}, follow_redirects=True)
        assert (done.status_code, count(done, "handed-on"), count(done, "in-inbox")) == (200, 1, 1)
    assert len(api.platform.stores.asked.all_questions(COURSE)) == 1
    assert ann.post(f"{LOG}/{turn}/hand-on", data={"csrf": "x"}).status_code == 403
    assert ann.post(f"{LOG}/nobody/hand-on", data={"csrf": token(opened)}).status_code == 404


def test_erased_learners_are_in_no_log(api: Served, ann: httpx.Client) -> None:
    """What they asked is gone with them; a course of another instructor shows nothing of it."""
    for n in range(6):
        ask(api, f"learner-{n}", "What is a stack?" if n else "Is my pen allowed?")
    assert "my pen" in ann.get(LOG).text
    api.platform.stores.privacy.erase(COURSE, "learner-0", vouched=True)
    log = ann.get(LOG)
    assert ("my pen" in log.text, count(log, "conversation")) == (False, 5)
    ann.cookies.delete(COOKIE)
    assert ann.post("/console/log-in", data={"key": api.key(course="stacks-zh")}).status_code == 303
    assert ann.get(LOG).status_code == 303
    assert count(ann.get("/console/stacks-zh/conversations"), "conversation") == 0
