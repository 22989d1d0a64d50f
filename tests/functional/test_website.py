"""A course's website: read in the console and by command, and brought up to date by reading it again."""

from __future__ import annotations

import httpx
import pytest
from console_client import ended, open_console, shown, token
from playwright.sync_api import Page, expect
from served_platform import Served
from site_server import page, run_site

from vta.types.courses import CourseId

COURSE = CourseId("stacks-en")
HOME = f"/console/{COURSE}/materials"
GIRAFFE = "How tall is a giraffe in our zoo example?"

pytestmark = pytest.mark.settings(website_private_addresses=True)


def pages(height: str) -> dict[str, str | bytes | int]:
    return {
        "/zoo/": page("Our zoo", "Welcome to our zoo.", "giraffe.html", "lion.html"),
        "/zoo/giraffe.html": page("Giraffe", f"The giraffe in our zoo example is {height} metres tall."),
        "/zoo/lion.html": page("Lion", "The lion in our zoo example sleeps all day long."),
    }


def read(ann: httpx.Client, address: str) -> httpx.Response:
    return ann.post(f"{HOME}/site", data={"csrf": token(ann.get(HOME)), "address": address})


def test_a_website_is_read_and_brought_up_to_date(api: Served, ann: httpx.Client) -> None:
    """The second time the changes are told first; a page that is gone goes where that is wished."""
    with run_site(pages("five")) as site:
        report = ended(ann, read(ann, f"{site.address}/zoo/"))
        assert [each.split(" read ")[0] for each in shown(report, "result")] == [
            "127.0.0.1/zoo/giraffe.html",
            "127.0.0.1/zoo/index.html",
            "127.0.0.1/zoo/lion.html",
        ]
        assert "five metres" in api.ask(GIRAFFE)["text"]
        site.pages = pages("nine") | {"/zoo/lion.html": 404}
        planned = read(ann, f"{site.address}/zoo/").headers["location"]
    plan = ann.get(planned)
    assert [each.split()[0] for each in shown(plan, "replaces")] == ["127.0.0.1/zoo/giraffe.html"]
    assert shown(plan, "missing") == ["127.0.0.1/zoo/lion.html"]
    form = {"csrf": token(plan), "action": "confirm", "remove_missing": "yes"}
    ended(ann, ann.post(planned, data=form))
    assert "nine metres" in api.ask(GIRAFFE)["text"]
    assert "127.0.0.1/zoo/lion.html" not in {each.path for each in api.platform.materials.documents(COURSE)}


def test_an_address_that_cannot_be_read_stays_in_the_form(ann: httpx.Client) -> None:
    with run_site({}) as site:
        refused = read(ann, f"{site.address}/zoo/")
    assert refused.status_code == 422
    assert f'value="{site.address}/zoo/"' in refused.text
    assert "must be public" in refused.text


@pytest.mark.settings(website_private_addresses=False)
def test_instructors_reach_no_private_address(ann: httpx.Client) -> None:
    with run_site(pages("five")) as site:
        assert read(ann, f"{site.address}/zoo/").status_code == 422
        assert site.asked == []


@pytest.mark.browser
@pytest.mark.parametrize(("language", "told"), [("en", "are being fetched"), ("zh", "正在获取页面")])
def test_a_website_is_read_in_the_browser(api: Served, browser_page: Page, language: str, told: str) -> None:
    """By keyboard, on a phone; that it takes a while is said."""
    view = browser_page
    view.set_viewport_size({"width": 390, "height": 844})
    open_console(api, view, "materials")
    view.goto(f"{api.address}/console/language/{language}?next={HOME}")
    with run_site(pages("five")) as site:
        view.get_by_test_id("site-address").fill(f"{site.address}/zoo/")
        view.keyboard.press("Enter")
        expect(view.get_by_test_id("ingested").or_(view.get_by_text(told))).to_be_visible()
        expect(view.get_by_test_id("result")).to_have_count(3)
    assert view.evaluate("document.documentElement.scrollWidth <= innerWidth")
