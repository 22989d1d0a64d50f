"""The platform part of the console: its admins see all courses, people, LTI platforms and the audit log."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from console_people import account, link_in, log_in
from served_platform import Build
from small_platform import COURSES

from services.people.store import CourseRole, PlatformRole
from services.store.audit_log import Event
from services.wiring import Platform
from vta.types.language_model import ModelUsage
from vta.types.questions import Question

COURSE, OTHER = COURSES["stacks-en"][0], COURSES["stacks-zh"][0]
PLATFORM = "/console/-/platform"
PARTS = ("courses", "people", "lti", "log")


@pytest.fixture
def platform(build: Build) -> Platform:
    return build(llm_prompt_price=2.0, llm_completion_price=10.0)


@pytest.fixture
async def root(platform: Platform, browser: Any) -> Any:
    """An admin who is logged in."""
    account(platform, "root", role=PlatformRole.ADMIN)
    return await log_in(browser, "root")


def rows(html: str, name: str) -> list[str]:
    """The rows of a table as text."""
    found = re.findall(rf'<tr data-testid="{name}">(.*?)</tr>', html, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in found]


async def test_only_admins_of_the_platform_come_in(platform, browser):
    """Neither creators nor instructors; whoever is not logged in is led to the log-in."""
    account(platform, "cy", (COURSE.id, CourseRole.INSTRUCTOR), role=PlatformRole.CREATOR)
    bo = platform.stores.people.person(account(platform, "bo").id)
    cy, nobody = await log_in(browser, "cy"), await browser()
    for part in PARTS:
        assert (await cy.get(f"{PLATFORM}-{part}")).status_code == 403
        assert (await nobody.get(f"{PLATFORM}-{part}")).headers["location"].startswith("/console/log-in")
    for form, fields in {
        "role": {"role": "admin"},
        "disable": {"disabled": "yes"},
        "password": {},
    }.items():
        page = "/console/-/account"
        reply = await cy.post(f"{PLATFORM}-people/{form}", page, person=bo.id, **fields)
        assert reply.status_code == 403, form
    assert platform.stores.people.person(bo.id) == bo
    assert 'data-testid="platform"' not in (await cy.get("/console/-/courses")).text


async def test_courses_with_their_figures(platform, root):
    """People, waiting questions, the last question, tokens and cost of this month; found by name or id."""
    stores = platform.stores
    account(platform, "ann", (COURSE.id, CourseRole.INSTRUCTOR))
    tokens = {"prompt_tokens": 1_000_000, "completion_tokens": 100_000}
    usage = ModelUsage(course_id=COURSE.id, model="m", calls=1, uncounted=0, **tokens)
    stores.usage.record(usage)
    stores.usage.record(usage)
    answer = await platform.assistant.answer(Question(course_id=COURSE.id, text="Is there a parking lot?"))
    stores.asked.ask_ta(COURSE.id, answer.turn_id)
    stores.courses.set_archived(OTHER.id, True)
    assert 'href="/console/-/platform-courses"' in (await root.get("/console/-/courses")).text
    english, chinese = rows((await root.get(f"{PLATFORM}-courses")).text, "course")
    today = datetime.now(UTC)
    asked = re.search(r"1 1 (\d{4}-\d\d-\d\d) \d\d:\d\d UTC 2,200,000 6\.00", english)
    assert asked, english
    assert today.date() - datetime.fromisoformat(asked[1]).date() <= timedelta(days=1)
    assert chinese == f"{OTHER.name} {OTHER.id} · archived 0 0 never 0 0.00"
    found = (
        await root.get(
            f"{PLATFORM}-courses",
        )
    ).text
    assert 'data-testid="total">2<' in found
    for sought in ("STACKS-ZH", "栈"):
        assert len(rows((await root.get(f"{PLATFORM}-courses?search={sought}")).text, "course")) == 1
    assert rows((await root.get(f"{PLATFORM}-courses?search=100%25")).text, "course") == []


async def test_people_get_roles_and_links_and_are_disabled(platform, browser, root):
    """At once: whoever is disabled is out. The search stays, and a link is shown once."""
    bo, _ = account(platform, "bo"), account(platform, "cy")
    his, page = await log_in(browser, "bo"), f"{PLATFORM}-people"
    (row,) = rows((await root.get(f"{page}?search=BO%40uni")).text, "person")
    assert row.startswith("bo bo@uni.example")
    sent = await root.post(f"{page}/role", page, person=bo.id, role="creator", search="bo")
    back = sent.headers["location"]
    assert "search=bo" in back
    assert 'data-testid="done"' in (await root.get(back)).text
    assert platform.stores.people.person(bo.id).role is PlatformRole.CREATOR
    link = link_in(await root.post(f"{page}/password", page, person=bo.id))
    assert (await (await browser()).get(link)).status_code == 200
    await root.post(f"{page}/disable", page, person=bo.id, disabled="yes")
    assert (await his.get("/console/-/courses")).status_code == 303
    await root.post(f"{page}/disable", page, person=bo.id, disabled="no")
    assert not platform.stores.people.person(bo.id).disabled
    assert (await root.post(f"{page}/role", page, person=bo.id, role="king")).status_code == 400
    assert (await root.post(f"{page}/role", page, person="nobody", role="admin")).status_code == 404


async def test_nobody_locks_themselves_out(platform, root):
    """An admin keeps their own role and account, and reads why."""
    me = platform.stores.people.find("root@uni.example")
    page, own = f"{PLATFORM}-people", "/console/-/account"
    for form, fields in {"role": {"role": "member"}, "disable": {"disabled": "yes"}}.items():
        refused = await root.post(f"{page}/{form}", own, person=me.id, **fields)
        assert (refused.status_code, 'data-testid="fault"' in refused.text) == (409, True)
    assert platform.stores.people.person(me.id).role is PlatformRole.ADMIN


async def test_the_log_is_filtered_and_turned_by_pages(platform, root):
    """By course and person; older entries follow."""
    platform.stores.memberships.put(COURSE.id, account(platform, "ann").id, CourseRole.TA)
    (row,) = rows((await root.get(f"{PLATFORM}-log?course={COURSE.id}&person=ann")).text, "logged")
    assert row.endswith(f"Role in the course given {COURSE.id} ann: TA")
    for _ in range(60):
        platform.stores.audit_log.note(Event.BACKUP_MADE)
    first = (await root.get(f"{PLATFORM}-log")).text
    older = re.search(r'href="(\?[^"]+)" data-testid="older"', first)
    assert older
    second = (await root.get(f"{PLATFORM}-log{older[1].replace('&amp;', '&')}")).text
    assert len(rows(first, "logged")) == 50
    assert sum("Backup made" in row for row in rows(second, "logged")) == 10
    assert rows((await root.get(f"{PLATFORM}-log?person=nobody-of-this-name")).text, "logged") == []
    assert (await root.get(f"{PLATFORM}-log?before=x")).status_code == 200
