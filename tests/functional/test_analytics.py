"""Analytics over a real socket: who may read them, exports, the pages of the console, the review sheet."""

from __future__ import annotations

import csv
import os
import re
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from axe_core import AXE, RUN
from console_client import logged_in, open_console
from playwright.sync_api import Page, expect
from served_platform import Served
from sqlalchemy import update

from services.analytics.store import Review
from services.store import tables
from vta.analytics.facts import Mark
from vta.errors import Conflict
from vta.types.courses import CourseId, TurnId
from vta.types.faq import FaqDraft

COURSE = "stacks-en"
ADDRESS = f"/v1/courses/{COURSE}/analytics"
QUESTION = "What is a stack?"
POSITION = {"unit": "u1", "video": "01.srt", "second": 95.5}


def ask(api: Served, learner: str, question: str = QUESTION) -> dict[str, Any]:
    return api.ask(question, learner_id=learner, position=POSITION)


def test_a_range_that_is_none_is_refused(api):
    for part in ("", "/csv"):
        for wrong in ("from=2025-03-02&to=2025-03-01", "from=2020-01-01&to=2025-03-01", "from=x"):
            assert api.client.get(f"{ADDRESS}{part}?{wrong}", headers=api.bearer()).status_code == 422


def test_five_learners_are_shown_and_four_are_not(api):
    """With the fifth learner come the figures, among them the place in the video where they asked."""
    who = api.bearer()
    for n in range(4):
        ask(api, f"learner-{n}")
    hidden = api.client.get(ADDRESS, headers=who).json()
    assert (hidden["questions"], hidden["top_questions"], hidden["hidden"]) == (None, [], ["everything"])
    assert QUESTION not in api.client.get(f"{ADDRESS}/csv", headers=who).text

    ask(api, "learner-4")
    shown = api.client.get(ADDRESS, headers=who).json()
    assert (shown["questions"], shown["sessions"], shown["people"], shown["rounds"]) == (5, 5, 5, 1.0)
    assert shown["top_questions"] == [{"question": QUESTION, "count": 5, "people": 5}]
    assert shown["places"] == [{"video": "01.srt", "start_s": 90, "count": 5}]
    assert shown["latency"]["p95"] > 0
    table = list(csv.reader(StringIO(api.client.get(f"{ADDRESS}/csv", headers=who).text)))
    assert ["figures", "questions", "", "5"] in table
    assert ["top_questions", QUESTION, "5", ""] in table
    yesterday = (datetime.now(UTC) - timedelta(days=2)).date()
    past = api.client.get(f"{ADDRESS}?to={yesterday}", headers=who).json()
    assert past["questions"] is None


LOST = "When is the deadline of the third essay?"


def lose(api: Served, learner: str, days_ago: int = 0, question: str = LOST) -> None:
    """A question that went badly, some days ago."""
    turn = api.ask(question, learner_id=learner, position={"unit": "u1"})
    thumb = {"rating": "down"}
    assert api.client.post(f"/v1/courses/{COURSE}/turns/{turn['turn_id']}/feedback", json=thumb).is_success
    facts = tables.turn_facts
    then = datetime.now(UTC) - timedelta(days=days_ago)
    with api.platform.stores.engine.begin() as connection:
        connection.execute(update(facts).filter_by(turn_id=turn["turn_id"]).values(asked_at=then))


def test_what_went_badly_is_listed_by_unit_and_leads_to_an_entry(api: Served, browser_page: Page) -> None:
    """Once five people were answered badly, with what it was in the days before; by keyboard, on a phone."""
    for n in range(4):
        lose(api, f"learner-{n}")
        lose(api, f"learner-{n}", days_ago=8)
    today = datetime.now(UTC).date()
    week = f"from={today - timedelta(days=6)}&to={today}"
    assert api.client.get(f"{ADDRESS}?{week}", headers=api.bearer()).json()["weak_spots"] == []
    lose(api, "learner-4", question="When is the third essay's deadline?")
    lose(api, "learner-4", days_ago=8)
    report = api.client.get(f"{ADDRESS}?{week}", headers=api.bearer()).json()
    (spot,) = report["weak_spots"]
    assert (spot["question"], spot["unit"], spot["count"], spot["before"]) == (LOST, "u1", 5, 5)
    assert report["earlier"]["questions"] == 5
    page = browser_page
    page.set_viewport_size({"width": 390, "height": 740})
    open_console(api, page)
    for language, heading in (("zh", "回答不佳的问题"), ("en", "What went badly")):
        page.context.add_cookies([{"name": "vta_language", "value": language, "url": api.address}])
        page.goto(f"{api.address}/console/{COURSE}/analytics?{week}")
        expect(page.get_by_test_id("weak-spots").locator("h2")).to_have_text(heading)
        assert page.evaluate("document.documentElement.scrollWidth") == 390
    expect(page.get_by_test_id("weak-spot")).to_contain_text("Times asked: 5 (before: 5)")
    expect(page.get_by_test_id("figure-questions")).to_contain_text("(before: 5)")
    page.get_by_test_id("write-entry").press("Enter")
    expect(page.locator("[name=question]")).to_have_value(re.compile("essay"))


def weak_spots(api: Served) -> str:
    with logged_in(api, COURSE) as client:
        page = client.get(f"/console/{COURSE}/analytics").text
    return page.partition('data-testid="weak-spots"')[2].partition("</section>")[0]


@pytest.mark.parametrize("way", ["reject", "answer", "entry"])
def test_what_went_badly_leads_to_the_inbox_and_leaves_once_settled(api: Served, way: str) -> None:
    """The page is looked at anew each time; what goes badly after that comes back."""
    for n in range(5):
        lose(api, f"learner-{n}")
    course, stores, draft = (
        CourseId(COURSE),
        api.platform.stores,
        FaqDraft(question=LOST, answer="On Friday."),
    )
    assert "faq/new" in weak_spots(api)
    if way == "entry":
        api.platform.faq.add(course, draft, editor="Ann")
    else:
        question, _ = api.ask_ta(LOST)
        assert f"/inbox/answer?q={question}" in weak_spots(api)
        if way == "reject":
            stores.ta_queue.reject(course, [question], reason="")
        else:
            api.platform.questions.answer(course, [question], draft, editor="Ann")
    assert LOST not in weak_spots(api)
    lose(api, "learner-5")
    assert LOST in weak_spots(api)


def test_every_plot_has_a_title_a_description_and_a_table(api):
    """The SVG parses, is named by its own title, and each page is there in both languages."""
    for n in range(5):
        ask(api, f"learner-{n}", "What is a <b>stack</b>?")
    with logged_in(api) as client:
        for language, word in (("en", "Analytics"), ("zh", "统计")):
            client.cookies.set("vta_language", language)
            text = client.get(f"/console/{COURSE}/analytics").text
            assert word in text
            assert "<b>stack" not in text
            assert "style=" not in text
            plots = re.findall(r"<svg.*?</svg>", text, re.S)
            assert len(plots) == len(re.findall("<table>", text)) >= 5
            for plot in plots:
                tree = ElementTree.fromstring(plot)
                title, description = tree.get("aria-labelledby", "").split()
                assert tree.find(f"title[@id='{title}']") is not None
                assert tree.find(f"desc[@id='{description}']") is not None
        saved = client.get(f"/console/{COURSE}/analytics/csv")
        assert saved.headers["content-disposition"].startswith("attachment")
        for wrong in (
            "analytics?from=x",
            "analytics/review?day=x",
            "analytics?from=2025-01-02&to=2025-01-01",
        ):
            assert client.get(f"/console/{COURSE}/{wrong}").status_code == 422
    assert api.client.get(f"/console/{COURSE}/analytics").status_code == 303


def test_marks_of_the_review_sheet_count(api: Served, browser_page: Page) -> None:
    """The sheet of a day shows its answers without their askers; a mark is kept and changes the analytics."""
    for n in range(5):
        ask(api, f"learner-{n}")
    today = datetime.now(UTC).date()
    page = browser_page
    page.goto(f"{api.address}/console/log-in")
    page.fill("[name=key]", api.key())
    page.fill("[name=name]", "Ann")
    page.keyboard.press("Enter")
    page.get_by_test_id("nav-analytics").click()
    expect(page.get_by_test_id("figure-questions")).to_have_text("5")
    page.goto(f"{api.address}/console/{COURSE}/analytics/review?day={today}")
    sheet = page.get_by_test_id("sampled")
    expect(sheet).to_have_count(5)
    assert "learner-" not in page.content()
    for n in range(5):
        sheet.nth(n).get_by_label("Partly right" if n else "Good").check()
    sheet.first.get_by_test_id("keep-test").check()
    page.get_by_test_id("save").click()
    expect(page.get_by_test_id("saved")).to_have_text("Saved 5 marks.")
    (test,) = api.platform.stores.test_questions.read(CourseId(COURSE)).tests
    assert (test.made_by, test.place.split("#")[0]) == ("Ann", "notes/stack.md")
    page.goto(f"{api.address}/console/{COURSE}/analytics/review?day=2025-01-01")
    page.get_by_test_id("day-after").click()
    expect(sheet.first.get_by_label("Good")).to_be_checked()
    report = api.client.get(ADDRESS, headers=api.bearer()).json()
    assert [cell["count"] for cell in report["marks"]] == [None, None, 0]  # one good mark is too few to show
    sampled = api.platform.stores.analytics.sample(CourseId(COURSE), today, 3)
    assert len(sampled) == 3
    assert {each.reviewer for answer in sampled for each in answer.reviews} == {"Ann"}
    assert sampled == api.platform.stores.analytics.sample(CourseId(COURSE), today, 5)[:3]


def test_a_mark_needs_the_token_and_a_turn_of_the_course(api):
    """403 without the session's token, 404 for a turn of nobody, 422 for a mark that is none, or no mark."""
    turn = ask(api, "learner-1")["turn_id"]
    address = f"/console/{COURSE}/analytics/review"
    with logged_in(api) as client:
        today = datetime.now(UTC).date()
        found = re.search(r'name="csrf" value="([^"]+)"', client.get(f"{address}?day={today}").text)
        assert found
        token = found[1]
        form = {"csrf": token, "turn": turn, f"mark-{turn}": "good"}
        assert client.post(address, data={**form, "csrf": ""}).status_code == 403
        of_two = {**form, "turn": [turn, "x"], "mark-x": "good"}
        assert client.post(address, data=of_two).status_code == 404
        assert client.post(address, data={**form, f"mark-{turn}": "x"}).status_code == 422
        assert client.post(address, data={**form, f"mark-{turn}": ""}).status_code == 422
        sampled = api.platform.stores.analytics.sample
        assert sampled(CourseId(COURSE), today, 1)[0].reviews == ()
        assert client.post(address, data=form).status_code == 303


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_second_person_marks_without_a_look_at_the_first(
    api: Served, browser_page: Page, language: str
) -> None:
    """By keyboard on a phone; afterwards both see both, and how far they agree; a third one has no field."""
    turns = [ask(api, f"learner-{n}")["turn_id"] for n in range(3)]
    today, page = datetime.now(UTC).date(), browser_page
    store, course = api.platform.stores.analytics, CourseId(COURSE)
    marks = dict(zip(turns, (Mark.GOOD, Mark.GOOD, Mark.BAD), strict=True))
    bob = {TurnId(id): Review(mark=mark, note="Bob's note", reviewer="Bob") for id, mark in marks.items()}
    store.review(course, bob)
    page.set_viewport_size({"width": 390, "height": 800})
    open_console(api, page, f"analytics/review?day={today}")
    page.context.add_cookies([{"name": "vta_language", "value": language, "url": api.address}])
    page.reload()
    sheet = page.get_by_test_id("sampled")
    assert (page.locator("input:checked").count(), page.content().count("Bob")) == (0, 0)
    expect(page.get_by_test_id("agreement")).to_have_count(0)
    for turn in turns:
        page.locator(f"#turn-{turn}").get_by_test_id("mark-good").focus()
        page.keyboard.press("Space")
    page.get_by_test_id("save").press("Enter")
    expect(page.get_by_test_id("saved")).to_be_visible()
    page.goto(f"{api.address}/console/{COURSE}/analytics/review?day={today}")
    expect(page.get_by_test_id("agreement")).to_contain_text("67%")
    expect(sheet.filter(has_text="Bob")).to_have_count(3)
    expect(page.get_by_test_id("mark-good").and_(page.locator(":checked"))).to_have_count(3)
    assert "note" not in page.locator("input[name^=note-]").first.input_value()
    check(page)
    assert store.marked_twice(course) == [("good", "good"), ("good", "good"), ("bad", "good")]
    (first,) = store.sample(course, today, 1)
    eve = {first.turn.id: Review(mark=Mark.BAD, note="", reviewer="Eve")}
    with pytest.raises(Conflict):
        store.review(course, eve)
    with logged_in(api, name="Eve") as client:
        assert 'name="mark-' not in client.get(f"/console/{COURSE}/analytics/review?day={today}").text
    counted = store.facts(course, today, today)
    assert {fact.turn_id: fact.mark for fact in counted} == marks


def check(page: Page) -> None:
    """Nothing overflows, and axe finds no fault."""
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    axe = Path(os.environ.get("VTA_TEST_AXE", AXE))
    if axe.exists():
        page.evaluate(axe.read_text(encoding="utf-8"))
        assert page.evaluate(RUN) == []
