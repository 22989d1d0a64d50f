"""The whole way of an instructor in a real browser: from an invitation to several courses, and out again."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect
from served_platform import Serve, Served

from services.storage.people import CourseRole, PersonId, PlatformRole
from vta.types import CourseId, Role

COURSE, OTHER = CourseId("stacks-en"), CourseId("stacks-zh")
PASSWORD = "correct horse battery"

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def another(browser: Browser | None, address: str) -> Page:
    """A page of somebody else's browser."""
    assert browser is not None
    page = browser.new_context(locale="en").new_page()
    page.goto(address)
    return page


def test_from_an_invitation_to_an_archived_course(serve: Serve, browser_page: Page) -> None:
    """Invited by a link, with a password of their own, in two courses: switches, renames and archives one.

    Its students are told. Removed from the other, they are out of it with the next click.
    """
    api, ann = serve(), browser_page
    stores = api.platform.stores
    key, _ = stores.keys.make(COURSE, Role.INSTRUCTOR)
    kim = another(ann.context.browser, f"{api.address}/console/{COURSE}/people")
    kim.get_by_test_id("key").fill(key)
    kim.get_by_test_id("log-in").click()
    kim.get_by_test_id("invite-instructor").check()
    kim.get_by_test_id("invite").click()
    link = kim.get_by_test_id("new-link").inner_text()

    ann.goto(link)
    ann.get_by_test_id("name").fill("Ann Lee")
    ann.get_by_test_id("email").fill("ann@uni.example")
    ann.get_by_test_id("password").fill(PASSWORD)
    ann.get_by_test_id("accept").click()
    expect(ann).to_have_url(f"{api.address}/console/{COURSE}/inbox")

    admin = stores.people.add(name="Root", email="root@uni.example", role=PlatformRole.ADMIN)
    root = another(ann.context.browser, f"{api.address}/console/-/passwords/{password_link(api, admin.id)}")
    root.get_by_test_id("password").fill(PASSWORD)
    root.get_by_test_id("set-password").click()
    expect(root.get_by_test_id("course")).to_have_count(2)
    root.goto(f"{api.address}/console/{OTHER}/people")
    root.get_by_test_id("invite-ta").check()
    root.get_by_test_id("invite").click()
    ann.goto(root.get_by_test_id("new-link").inner_text())
    ann.get_by_test_id("join").click()
    expect(ann).to_have_url(f"{api.address}/console/{OTHER}/inbox")
    expect(ann.get_by_test_id("nav-people")).to_have_count(0)

    ann.get_by_test_id("switcher").click()
    ann.get_by_test_id("all-courses").click()
    expect(ann.get_by_test_id("course")).to_have_count(2)
    ann.goto(f"{api.address}/console/{OTHER}/inbox")
    ann.get_by_test_id("switcher").press("Enter")
    ann.get_by_role("link", name="Stacks", exact=False).first.click()
    expect(ann).to_have_url(f"{api.address}/console/{COURSE}/inbox")
    ann.get_by_test_id("nav-settings").click()
    ann.get_by_test_id("course-as-such").click()
    ann.get_by_test_id("name").fill("Stacks II")
    ann.get_by_test_id("save").click()
    expect(ann.get_by_test_id("switcher")).to_contain_text("Stacks II")
    ann.get_by_test_id("archive").click()
    expect(ann.get_by_test_id("archived")).to_be_visible()

    student = another(ann.context.browser, f"{api.address}/courses/{COURSE}")
    student.get_by_test_id("question-input").fill("What is a stack?")
    student.get_by_test_id("question-input").press("Enter")
    expect(student.get_by_test_id("problem")).to_contain_text("This course is archived")

    (bound,) = [each for each in stores.memberships.members(OTHER) if each.role is CourseRole.TA]
    ann.goto(f"{api.address}/console/{OTHER}/inbox")
    root.goto(f"{api.address}/console/{OTHER}/people")
    root.on("dialog", lambda dialog: dialog.accept())
    root.get_by_test_id("member").filter(has_text=bound.person.email).get_by_test_id("remove-member").click()
    expect(root.get_by_test_id("done")).to_be_visible()
    ann.get_by_test_id("nav-faq").click()
    expect(ann.get_by_test_id("detail")).to_contain_text("not one of this course's people")
    ann.get_by_test_id("home").click()
    expect(ann.get_by_test_id("course")).to_have_count(1)


def password_link(api: Served, person: PersonId) -> str:
    return api.platform.stores.invitations.make_password_link(person)
