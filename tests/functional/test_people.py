"""People in the console: invited, in several courses, with roles, and out at once when they are removed."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import factories
import httpx
import pytest
from console_client import token
from console_people import PASSWORD, Browser, account, link_in, log_in
from served_platform import Build, client_of
from small_platform import COURSES
from smtp_server import SmtpServer

from services.documents.rows import BUILT_GRAPH
from services.people.sessions import COOKIE
from services.people.store import CourseRole, PlatformRole
from services.web.rate_limits import FAILED_LOG_INS
from services.wiring import Platform
from vta.types.courses import CourseId, Role
from vta.types.documents import CourseDocument
from vta.types.faq import FaqDraft

COURSE, OTHER = COURSES["stacks-en"][0], COURSES["stacks-zh"][0]
ROOT = f"/console/{COURSE.id}"
PLATFORM = "/console/-/platform-people"


@pytest.fixture
def platform(build: Build, mail: SmtpServer) -> Platform:
    url = f"smtp://127.0.0.1:{mail.port}"
    return build(smtp_url=url, mail_from="vta@uni.example", admin_key="an-admin-key-of-16")


async def invite(by: Browser, role: str = "ta", email: str = "", name: str = "") -> httpx.Response:
    return await by.post(f"{ROOT}/people/invite", f"{ROOT}/people", role=role, email=email, name=name)


async def test_from_a_key_to_people(platform, browser, mail):
    """The bearer of a key invites an instructor by e-mail, who sets a password and edits under their name."""
    text, _ = platform.stores.keys.make(COURSE.id, Role.INSTRUCTOR)
    keyed = await browser()
    await keyed.post("/console/log-in", key=text, name="Kim")
    page = await invite(keyed, "instructor", "ann@uni.example", "Ann")
    sent = mail.next()
    assert sent.recipients == ("ann@uni.example",)
    assert link_in(page) in sent.message.get_content()
    ann, link = await browser(), link_in(page)
    assert 'value="ann@uni.example" readonly' in (await ann.get(link)).text
    short = await ann.post(link, name="Ann", email="", password="short")
    assert (short.status_code, "at least" in short.text.lower()) == (422, True)
    joined = await ann.post(link, name="Ann Lee", email="", password=PASSWORD)
    assert joined.headers["location"] == f"{ROOT}/inbox"
    draft = {"question": "When is the exam?", "answer": "In week sixteen.", "action": "save"}
    await ann.post(f"{ROOT}/faq/new", f"{ROOT}/faq/new", **draft)
    assert [entry.editor for entry in platform.stores.faq.entries(COURSE.id)] == ["Ann Lee"]
    used = await (await browser()).get(link)
    assert (used.status_code, 'data-testid="link-gone"' in used.text) == (404, True)


async def test_someone_with_an_account_just_joins_and_has_both_courses(platform, browser):
    """They see a list with what waits in each, and a switcher on each page."""
    account(platform, "ann", (COURSE.id, CourseRole.INSTRUCTOR))
    account(platform, "bo", (OTHER.id, CourseRole.TA))
    ann, bo = await log_in(browser, "ann"), await log_in(browser, "bo")
    assert (await bo.get(f"{ROOT}/inbox")).status_code == 403
    link = link_in(await invite(ann))
    joined = await bo.post(f"{link}/join", link)
    assert joined.headers["location"] == f"{ROOT}/inbox"
    listed = (await bo.get("/console/-/courses")).text
    assert listed.count('data-testid="course"') == 2
    inbox = (await bo.get(f"{ROOT}/inbox")).text
    assert f'href="/console/{OTHER.id}/inbox"' in inbox
    stranger = await (await browser()).post(f"{link}/join", email="x")
    assert stranger.headers["location"].startswith("/console/-/invitations/")


async def test_whoever_is_removed_is_out_at_once_of_that_course_alone(platform, browser):
    account(platform, "ann", (COURSE.id, CourseRole.INSTRUCTOR))
    bo = account(platform, "bo", (COURSE.id, CourseRole.TA), (OTHER.id, CourseRole.TA))
    ann, his = await log_in(browser, "ann"), await log_in(browser, "bo")
    assert (await his.get(f"{ROOT}/inbox")).status_code == 200
    await ann.post(f"{ROOT}/people/remove", f"{ROOT}/people", person=bo.id)
    refused = await his.get(f"{ROOT}/inbox")
    assert (refused.status_code, COURSE.name in refused.text) == (403, False)
    assert 'href="/console/-/courses"' in refused.text
    unknown = await his.get("/console/no-such-course/inbox")
    assert (unknown.status_code, unknown.text) == (403, refused.text.replace(COURSE.id, "no-such-course"))
    assert (await his.get(f"/console/{OTHER.id}/inbox")).status_code == 200


async def test_a_teaching_assistant_answers_and_nothing_else(platform, browser):
    """No people, settings or material; an instructor's word changes that from the next request on."""
    account(platform, "ann", (COURSE.id, CourseRole.INSTRUCTOR))
    bo = account(platform, "bo", (COURSE.id, CourseRole.TA))
    ann, his = await log_in(browser, "ann"), await log_in(browser, "bo")
    csrf = token(await his.get(f"{ROOT}/faq/new"))
    closed = {"people": "get", "settings": "get", "settings/course": "get", "settings/archive": "post"}
    for path, method in closed.items():
        reply = await (
            his.get(f"{ROOT}/{path}") if method == "get" else his.post(f"{ROOT}/{path}", csrf=csrf)
        )
        assert reply.status_code == 403, path
    assert (await his.get(f"{ROOT}/inbox")).status_code == 200
    await ann.post(f"{ROOT}/people/role", f"{ROOT}/people", person=bo.id, role="instructor")
    assert (await his.get(f"{ROOT}/people")).status_code == 200


async def test_nobody_changes_or_removes_themselves(platform, browser):
    """So a course that has an instructor keeps one; without a role nothing is done."""
    person = account(platform, "ann", (COURSE.id, CourseRole.INSTRUCTOR))
    ann = await log_in(browser, "ann")
    for path, role in (("role", "ta"), ("remove", "")):
        reply = await ann.post(f"{ROOT}/people/{path}", f"{ROOT}/people", person=person.id, role=role)
        assert reply.status_code == 409
    assert (await invite(ann, role="admin")).status_code == 400
    assert [each.role for each in platform.stores.memberships.members(COURSE.id)] == [CourseRole.INSTRUCTOR]


async def test_a_password_link_opens_no_more_than_its_maker_may(platform, browser):
    """Not an admin's account, nor one with a course that the maker does not teach; else it logs in anew."""
    account(platform, "ann", (COURSE.id, CourseRole.INSTRUCTOR))
    bo = account(platform, "bo", (COURSE.id, CourseRole.TA))
    both = account(platform, "both", (COURSE.id, CourseRole.TA), (OTHER.id, CourseRole.TA))
    root = account(platform, "root", (COURSE.id, CourseRole.TA), role=PlatformRole.ADMIN)
    ann, his = await log_in(browser, "ann"), await log_in(browser, "bo")
    for person in (both, root):
        refused = await ann.post(f"{ROOT}/people/password", f"{ROOT}/people", person=person.id)
        assert (refused.status_code, "new-link" in refused.text) == (409, False)
    link = link_in(await ann.post(f"{ROOT}/people/password", f"{ROOT}/people", person=bo.id))
    new = await browser()
    assert "bo@uni.example" in (await new.get(link)).text
    assert (await new.post(link, password="another long one")).status_code == 303
    assert (await his.get(f"{ROOT}/inbox")).status_code == 303
    assert (await new.get(f"{ROOT}/inbox")).status_code == 200
    await log_in(browser, "bo", "another long one")


async def test_a_changed_password_ends_other_sessions_but_not_this_one(platform, browser):
    account(platform, "ann", (COURSE.id, CourseRole.INSTRUCTOR))
    here, there = await log_in(browser, "ann"), await log_in(browser, "ann")
    page, path = "/console/-/account", "/console/-/account/password"
    assert (await here.post(path, page, old="wrong wrong", password="the new one!")).status_code == 422
    assert (await here.post(path, page, old=PASSWORD, password="the new one!")).status_code == 303
    assert (await here.get(page)).status_code == 200
    assert (await there.get(page)).status_code == 303
    await here.post("/console/-/account/name", page, name="Ann Wu")
    assert "Ann Wu" in (await here.get(page)).text


async def test_failed_log_ins_are_limited_and_successful_ones_are_not(platform, browser):
    """The same words for a wrong password and no account; after too many even the right one has to wait.

    Others at the same address do not.
    """
    account(platform, "ann", (COURSE.id, CourseRole.INSTRUCTOR))
    account(platform, "bo", (COURSE.id, CourseRole.TA))
    for _ in range(FAILED_LOG_INS + 2):
        await log_in(browser, "ann")
    stranger, page = await browser(), ""
    for number in range(2 * FAILED_LOG_INS):
        name = "ann" if number % 2 else "nobody"
        reply = await stranger.post("/console/log-in", email=f"{name}@uni.example", password="wrong wrong")
        assert reply.status_code == 403
        words = reply.text.replace(f"{name}@uni.example", "")
        assert page in ("", words)
        page = words
    refused = await stranger.post("/console/log-in", email="ann@uni.example", password=PASSWORD)
    assert refused.status_code == 429
    assert COOKIE not in refused.headers.get("set-cookie", "")
    await log_in(browser, "bo")


async def test_an_archived_course_is_read_and_nothing_more(platform, browser):
    """Students are told, writes by page and by key are refused; opened again, all goes on."""
    account(platform, "ann", (COURSE.id, CourseRole.INSTRUCTOR))
    ann, student, page = await log_in(browser, "ann"), await browser(), f"{ROOT}/settings/course"
    key, _ = platform.stores.keys.make(COURSE.id, Role.INSTRUCTOR)
    asks = f"/v1/courses/{COURSE.id}/dialogue"
    first = (await student._client.post(asks, json={"question": "What is a stack?"})).json()
    await ann.post(f"{ROOT}/settings/archive", page, archived="yes")
    refused = await student._client.post(asks, json={"question": "What is a stack?"})
    assert (refused.status_code, refused.json()["code"]) == (409, "course_archived")
    turn = f"/v1/courses/{COURSE.id}/turns/{first['turn_id']}/ask-ta"
    assert (await student._client.post(turn)).json()["code"] == "course_archived"
    assert 'data-testid="archived"' in (await ann.get(f"{ROOT}/inbox")).text
    draft = {"question": "q", "answer": "a", "action": "save"}
    assert (await ann.post(f"{ROOT}/faq/new", f"{ROOT}/faq/new", **draft)).status_code == 409
    by_key = await student._client.post(
        f"/v1/courses/{COURSE.id}/faq",
        json={"question": "q", "answer": "a"},
        headers={"Authorization": f"Bearer {key}"},
    )
    assert by_key.json()["fault"] == "course.read_only"
    await ann.post(f"{ROOT}/settings/archive", page, archived="no")
    assert (await student._client.post(asks, json={"question": "What is a stack?"})).status_code == 200


async def test_who_makes_renames_and_removes_courses(platform, browser):
    """Creators and admins make them, instructors rename them, admins remove them, with the name typed."""
    account(platform, "ann", (COURSE.id, CourseRole.INSTRUCTOR))
    account(platform, "cy", role=PlatformRole.CREATOR)
    account(platform, "root", role=PlatformRole.ADMIN)
    ann, cy, root = [await log_in(browser, name) for name in ("ann", "cy", "root")]
    form = {"id": "graphs", "name": "Graphs", "domains": "Maths\n\nMaths\nCS", "language": "en"}
    new, listed = "/console/-/courses/new", "/console/-/courses"
    assert (await ann.get(new)).status_code == 403
    assert (await cy.post(new, new, **(form | {"id": "../x"}))).status_code == 422
    made = await cy.post(new, new, **form)
    assert made.headers["location"] == "/console/graphs/inbox"
    assert platform.stores.courses.course(CourseId("graphs")).domains == ("Maths", "CS")
    assert (await cy.post(new, new, **form)).status_code == 409
    page = "/console/graphs/settings/course"
    await cy.post(page, page, name="Graph theory", domains="Maths")
    assert "Graph theory" in (await cy.get(listed)).text
    removing = "/console/graphs/settings/remove"
    assert (await cy.post(removing, page, typed="Graph theory")).status_code == 403
    assert (await root.post(removing, page, typed="Graphs")).status_code == 422
    await root.post(removing, page, typed="Graph theory")
    assert "Graph theory" not in (await cy.get(listed)).text


async def test_courses_by_http_with_the_admin_key(platform, browser):
    """Listed, renamed, archived and removed; other keys are refused."""
    client, headers = (await browser())._client, {"Authorization": "Bearer an-admin-key-of-16"}
    path = f"/v1/courses/{COURSE.id}"
    assert (await client.get("/v1/courses")).status_code == 401
    listed = (await client.get("/v1/courses", headers=headers)).json()["courses"]
    assert [each["id"] for each in listed] == [COURSE.id, OTHER.id]
    edited = await client.patch(path, json={"name": "Stacks II", "archived": True}, headers=headers)
    assert edited.json() == {
        "id": COURSE.id, "name": "Stacks II", "domains": list(COURSE.domains), "language": "en",
        "archived": True,
    }  # fmt: skip
    assert (await client.patch(path, json={"domains": [" "]}, headers=headers)).status_code == 422
    assert (await client.delete(path, headers=headers)).status_code == 204
    assert (await client.delete(path, headers=headers)).status_code == 404


async def test_the_admin_key_makes_a_password_link(platform, browser):
    """For the account of an e-mail address; other keys make none."""
    account(platform, "ann", (COURSE.id, CourseRole.INSTRUCTOR))
    new, key = await browser(), platform.stores.keys.make(COURSE.id, Role.INSTRUCTOR)[0]
    sent: dict[str, Any] = {"url": "/v1/people/password-links", "json": {"email": "ANN@uni.example"}}
    refused = await new._client.post(**sent, headers={"Authorization": f"Bearer {key}"})
    assert refused.status_code == 403
    headers = {"Authorization": "Bearer an-admin-key-of-16"}
    made = await new._client.post(**sent, headers=headers)
    assert (made.status_code, made.headers["cache-control"]) == (201, "no-store")
    assert (await new.post(made.json()["link"], password="another long one")).status_code == 303
    nobody = await new._client.post(sent["url"], json={"email": "x@y.example"}, headers=headers)
    assert nobody.status_code == 404


async def test_a_link_in_an_e_mail_finds_who_is_logged_in(platform, browser):
    """Browsers send no strict cookie from another site's page, so the page asks for itself once more."""
    account(platform, "ann", (COURSE.id, CourseRole.INSTRUCTOR))
    link = link_in(await invite(await log_in(browser, "ann")))
    client = (await browser())._client
    page = await client.get(link, headers={"Sec-Fetch-Site": "cross-site"})
    assert 'http-equiv="refresh"' in page.text
    assert "accept" in (await client.get(link, headers={"Sec-Fetch-Site": "same-origin"})).text


async def test_links_after_log_in_stay_on_this_site(platform, browser):
    account(platform, "ann", (COURSE.id, CourseRole.INSTRUCTOR))
    form = {"email": "ann@uni.example", "password": PASSWORD}
    for back, to in {
        f"{ROOT}/faq": f"{ROOT}/faq",
        "https://evil.example/console/": "/console/-/courses",
        "/console/\\evil.example": "/console/-/courses",
        "//evil.example/console/": "/console/-/courses",
    }.items():
        reply = await (await browser()).post("/console/log-in", next=back, **form)
        assert reply.headers["location"] == to


async def test_a_removed_instructor_does_not_come_back_by_their_own_invitation(platform, browser):
    """Neither under their account nor under a new one."""
    account(platform, "root", role=PlatformRole.ADMIN)
    removed = account(platform, "ann", (COURSE.id, CourseRole.INSTRUCTOR))
    root, ann = await log_in(browser, "root"), await log_in(browser, "ann")
    link = link_in(await invite(ann, "instructor"))
    await root.post(f"{ROOT}/people/remove", f"{ROOT}/people", person=removed.id)
    new, csrf = await browser(), token(await ann.get("/console/-/account"))
    for reply in (
        await new.get(link),
        await new.post(link, name="Eve", email="eve@uni.example", password="a password of Eve's"),
    ):
        assert (reply.status_code, 'data-testid="link-gone"' in reply.text) == (404, True)
        assert COOKIE not in reply.headers.get("set-cookie", "")
    assert (await ann.post(f"{link}/join", csrf=csrf)).status_code == 404
    assert (await ann.get(f"{ROOT}/people")).status_code == 403


@pytest.mark.fault(case="T141")
@pytest.mark.parametrize("way", ["removed", "assistant", "disabled", "account"])
async def test_the_keys_of_someone_who_loses_the_course_are_named_and_revoked(platform, browser, way):
    """Those made with their keys too; what an admin or a colleague made works on."""
    account(platform, "root", (COURSE.id, CourseRole.INSTRUCTOR), role=PlatformRole.ADMIN)
    bo = account(platform, "bo", (COURSE.id, CourseRole.INSTRUCTOR))
    root, his = await log_in(browser, "root"), await log_in(browser, "bo")
    keys, settings = platform.stores.keys, f"{ROOT}/settings"
    text = re.search(r"vta_\w{12}_[\w-]{43}", (await his.post(f"{settings}/keys/make", settings)).text)[0]
    keyed = await browser()
    await keyed.post("/console/log-in", key=text, name="Bo")
    await keyed.post(f"{settings}/keys/make", settings)
    await root.post(f"{settings}/keys/make", settings)
    assert sorted(key.maker for key in keys.keys(COURSE.id)) == ["bo", "bo", "root"]
    path, page, form = {
        "removed": (f"{ROOT}/people/remove", f"{ROOT}/people", {}),
        "assistant": (f"{ROOT}/people/role", f"{ROOT}/people", {"role": "ta"}),
        "disabled": (f"{PLATFORM}/disable", PLATFORM, {"disabled": "yes"}),
        "account": ("", "", {}),
    }[way]
    if path:
        asked = await root.post(path, page, person=bo.id, **form)
        assert [asked.text.count('data-testid="lost-key"'), keys.check(text).maker] == [2, "bo"]
        await root.post(path, page, person=bo.id, keys="revoke", **form)
    else:
        platform.stores.people.remove(bo.id)
    assert keys.check(text) is None
    assert [key.maker for key in keys.keys(COURSE.id) if not key.revoked] == ["root"]
    assert (await keyed.get(f"{ROOT}/inbox")).status_code == 303


async def test_an_invitation_for_one_address_is_refused_to_another_account(platform, browser):
    """Its page says which account is meant, offers no button, and the right one still joins."""
    account(platform, "ann", (COURSE.id, CourseRole.INSTRUCTOR))
    for name in ("boss", "tb"):
        account(platform, name, (OTHER.id, CourseRole.TA))
    link = link_in(await invite(await log_in(browser, "ann"), "instructor", " Boss@UNI.example"))
    stranger, boss = await log_in(browser, "tb"), await log_in(browser, "boss")
    page = await stranger.get(link)
    assert ('data-testid="join"' in page.text, "boss@uni.example" in page.text) == (False, True)
    refused = await stranger.post(f"{link}/join", csrf=token(await stranger.get("/console/-/account")))
    assert (refused.status_code, 'data-testid="fault"' in refused.text) == (409, True)
    assert (await stranger.get(f"{ROOT}/people")).status_code == 403
    assert (await boss.post(f"{link}/join", link)).headers["location"] == f"{ROOT}/inbox"


async def test_no_link_names_a_foreign_host(platform, browser):
    """Nothing is made for a request that names one, and the page says what to set, which is used then."""
    account(platform, "ann", (COURSE.id, CourseRole.INSTRUCTOR))
    bo = account(platform, "bo", (COURSE.id, CourseRole.TA))
    ann = await log_in(browser, "ann")
    csrf = token(await ann.get(f"{ROOT}/people"))
    earlier = link_in(await ann.post(f"{ROOT}/people/password", csrf=csrf, person=bo.id))
    foreign = {"Accept": "text/html", "Host": "evil.example"}
    for path, form in (("invite", {"role": "ta"}), ("password", {"person": bo.id})):
        refused = await ann._client.post(
            f"{ROOT}/people/{path}", data={"csrf": csrf, **form}, headers=foreign
        )
        assert (refused.status_code, "VTA_PUBLIC_URL" in refused.text) == (409, True)
        assert "http://evil.example" not in refused.text
    by_admin = {"Authorization": "Bearer an-admin-key-of-16", "Host": "evil.example"}
    sent = {"json": {"email": bo.email}, "headers": by_admin}
    refused = await ann._client.post("/v1/people/password-links", **sent)
    assert (refused.status_code, refused.json()["fault"]) == (409, "setting.public_url_needed")
    assert (await (await browser()).get(earlier)).status_code == 200
    assert platform.stores.invitations.waiting(COURSE.id) == ()
    settings = platform.settings.model_copy(update={"public_url": "https://vta.example"})
    async with client_of(replace(platform, settings=settings)) as client:
        made = await client.post("/v1/people/password-links", **sent)
    assert made.json()["link"].startswith("https://vta.example/console/-/passwords/")


async def test_a_course_is_copied_for_the_next_term(platform, browser):
    """Without its people, what it releases so many weeks later; also once it is archived."""
    ann = account(platform, "ann", (COURSE.id, CourseRole.INSTRUCTOR), role=PlatformRole.CREATOR)
    account(platform, "bo", (COURSE.id, CourseRole.INSTRUCTOR))
    stores, page = platform.stores, f"{ROOT}/settings/course"
    first, *_ = (each.path for each in stores.documents.summaries(COURSE.id))
    begun = datetime.now(UTC).replace(microsecond=0)
    stores.releases.set(COURSE.id, [first], begun - timedelta(weeks=2))
    platform.stores.courses.set_archived(COURSE.id, True)
    opened = await log_in(browser, "ann")
    named = {"copy_id": "stacks-2027", "copy_name": "Stacks 2027", "weeks": "26"}
    refused = await opened.post(f"{ROOT}/settings/copy", page, **named | {"copy_id": COURSE.id})
    assert (refused.status_code, 'value="Stacks 2027"' in refused.text) == (409, True)
    made = await opened.post(f"{ROOT}/settings/copy", page, **named)
    assert made.headers["location"] == "/console/stacks-2027/materials"

    copied = CourseId("stacks-2027")
    assert stores.courses.course(copied) == replace(COURSE, id=copied, name="Stacks 2027")
    assert {each.path: (each.waits, each.release_at) for each in stores.documents.summaries(copied)} == {
        each.path: (each.path == first, each.release_at and each.release_at + timedelta(weeks=26))
        for each in stores.documents.summaries(COURSE.id)
    }
    assert [each.person.id for each in stores.memberships.members(copied)] == [ann.id]
    assert stores.keys.keys(copied) == ()
    bo = await log_in(browser, "bo")
    assert 'data-testid="copy"' not in (await bo.get(page)).text
    assert (await bo.post(f"{ROOT}/settings/copy", page, **named)).status_code == 403


async def test_the_admin_key_copies_a_course(platform, browser):
    opened = await browser()
    admin = {"Authorization": "Bearer an-admin-key-of-16"}
    body = {"id": "stacks-2027", "name": "Stacks 2027", "weeks": 26}
    made = await opened._client.post(f"/v1/courses/{COURSE.id}/copy", json=body, headers=admin)
    assert (made.status_code, made.json()["name"]) == (201, "Stacks 2027")
    again = await opened._client.post(f"/v1/courses/{COURSE.id}/copy", json=body, headers=admin)
    assert again.status_code == 409
    none = await opened._client.post("/v1/courses/none/copy", json={**body, "id": "other"}, headers=admin)
    assert none.status_code == 404


async def test_courses_are_listed_by_number_or_by_what_waits(platform, browser):
    """Course 2 stands before Course 10; with the order by waiting the busiest is first."""
    for number in ("10", "2"):
        platform.stores.courses.add(factories.course(f"course-{number}", name=f"Course {number}"))
    account(platform, "root", role=PlatformRole.ADMIN)
    root = await log_in(browser, "root")
    asked = (await root._client.post("/v1/courses/course-10/dialogue", json={"question": "When?"})).json()
    await root._client.post(f"/v1/courses/course-10/turns/{asked['turn_id']}/ask-ta")

    async def listed(order: str) -> list[str]:
        page = (await root.get(f"/console/-/courses{order}")).text
        return [each for each in re.findall(r'/inbox">([^<]+)</a></p>', page) if "Course" in each]

    assert await listed("") == ["Course 2", "Course 10"]
    assert (await listed("?order=waiting"))[0] == "Course 10"


async def test_a_new_course_shows_its_first_steps_until_they_are_done(platform, browser):
    """To who may take them; each is ticked by what it leaves behind."""
    account(platform, "ann", (COURSE.id, CourseRole.INSTRUCTOR), role=PlatformRole.CREATOR)
    opened, stores = await log_in(browser, "ann"), platform.stores
    fields = {"id": "heaps", "name": "Heaps", "domains": "CS", "language": "en"}
    made = await opened.post("/console/-/courses/new", "/console/-/courses/new", **fields)
    assert made.headers["location"] == "/console/heaps/inbox"
    heaps = CourseId("heaps")

    async def done() -> set[str]:
        page = (await opened.get("/console/heaps/inbox")).text
        return set(re.findall(r'data-testid="step-(\w+)"><a[^>]*>[^<]*</a> <span', page))

    assert await done() == set()
    steps = html.unescape((await opened.get("/console/heaps/inbox")).text)
    assert '<vta-assistant course="heaps"></vta-assistant>' in steps
    assert re.search(r'<iframe src="https?://[^"]+/embed/heaps"', steps)
    stores.documents.apply(heaps, put=[CourseDocument(path="a.md", sha256="0")])
    stores.documents.apply(heaps, put=[CourseDocument(path=BUILT_GRAPH, sha256="0")])
    assert await done() == {"material", "concepts"}
    platform.faq.add(heaps, FaqDraft(question="When?", answer="Monday."), editor="ann")
    await opened._client.post("/v1/courses/heaps/dialogue", json={"question": "Hello"})
    stores.settings.change(
        heaps, lambda found: replace(found, origins=("https://learn.example",), hints=True)
    )
    assert await done() == {"material", "concepts", "faq", "asked", "placed"}
    bo = account(platform, "bo", (heaps, CourseRole.TA))
    assert 'data-testid="first-steps"' not in (await opened.get("/console/heaps/inbox")).text
    stores.memberships.remove(heaps, bo.id)
    assert await done() == {"material", "concepts", "faq", "asked", "placed"}


async def test_a_password_link_ends_when_its_person_gains_rights(platform, browser):
    """Whoever made it for a teaching assistant does not become an instructor of another course by it."""
    account(platform, "ann", (COURSE.id, CourseRole.INSTRUCTOR))
    account(platform, "cy", (OTHER.id, CourseRole.INSTRUCTOR))
    bo = account(platform, "bo", (COURSE.id, CourseRole.TA))
    ann, cy, his = [await log_in(browser, name) for name in ("ann", "cy", "bo")]
    link = link_in(await ann.post(f"{ROOT}/people/password", f"{ROOT}/people", person=bo.id))
    people = f"/console/{OTHER.id}/people"
    invited = link_in(await cy.post(f"{people}/invite", people, role="instructor"))
    assert (await his.post(f"{invited}/join", invited)).status_code == 303
    assert (await (await browser()).get(link)).status_code == 404
    assert (await his.get(people)).status_code == 200


async def test_a_table_of_people_is_shown_before_it_changes_anything(platform, browser):
    """What is no longer as it was shown is shown again; a second time changes nothing."""
    account(platform, "ada", role=PlatformRole.ADMIN)
    bo = account(platform, "bo", (COURSE.id, CourseRole.TA))
    ada = await log_in(browser, "ada")
    rows = "email,name,course,role\r\nkim@uni.example,Kim 金,{0},ta\r\nbo@uni.example,Bo,{0},instructor\r\n"
    csrf = token(await ada.get(PLATFORM))
    file = {"table": ("people.csv", f"{rows.format(COURSE.id)}x,X,,\r\n".encode())}
    preview = await ada._client.post(f"{PLATFORM}/table", data={"csrf": csrf}, files=file)
    found = {name: preview.text.count(f'data-testid="{name}"') for name in ("new", "changed", "refused")}
    assert found == {"new": 1, "changed": 1, "refused": 1}
    assert "Row 4" in preview.text
    assert platform.stores.people.find("kim@uni.example") is None
    sent = {name: html.unescape(hidden(preview, name)) for name in ("csrf", "name", "table", "mark")}
    platform.stores.memberships.remove(COURSE.id, bo.id)
    again = await ada.post(f"{PLATFORM}/import", **sent)
    assert (again.text.count('data-testid="new"'), again.text.count('data-testid="accept"')) == (2, 1)
    assert platform.stores.people.find("kim@uni.example") is None
    sent["mark"] = hidden(again, "mark")
    done = await ada.post(f"{PLATFORM}/import", **sent)
    assert done.text.count('data-testid="link"') == 1
    roles = {each.person.name: each.role for each in platform.stores.memberships.members(COURSE.id)}
    assert roles == {"Kim 金": CourseRole.TA, "bo": CourseRole.INSTRUCTOR}
    twice = await ada.post(f"{PLATFORM}/import", **sent)
    assert ('data-testid="accept"' in twice.text, 'data-testid="link"' in twice.text) == (False, False)
    member = await log_in(browser, "bo")
    assert (await member.post(f"{PLATFORM}/import", **sent)).status_code == 403


def hidden(page: httpx.Response, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page.text)
    assert found, name
    return found[1]
