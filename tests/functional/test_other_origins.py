"""Pages of other origins and the API: they may neither read nor, with anyone's rights, write (T25)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from playwright.sync_api import Page
from served_platform import Serve, Served

from vta.types.courses import CourseId

COURSE = CourseId("stacks-en")
ROOT = f"/v1/courses/{COURSE}"
GOOD = "https://good.example"
ORIGINS = [
    GOOD,
    "https://evil.example",
    "null",
    "https://good.example.evil.com",
    "https://evilgood.example",
    "http://good.example",
    "https://good.example:444",
    "",
]


@pytest.fixture
def api(serve: Serve) -> Served:
    """A course that one site may embed."""
    served = serve()
    served.platform.stores.settings.change(COURSE, lambda found: replace(found, origins=(GOOD,)))
    return served


@pytest.mark.fault(case="T25")
@pytest.mark.parametrize("origin", ORIGINS)
def test_no_origin_is_let_in_by_cors(api: Served, origin: str) -> None:
    """No Access-Control header on any reply, pre-flight or error; the embedding site uses the frame."""
    key = api.key()
    ask = {"json": {"question": "What is a stack?"}}
    preflight = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization, content-type",
    }
    for method, path, more in [
        ("GET", f"{ROOT}/sidebar", {}),
        ("GET", f"{ROOT}/sessions/x", {}),
        ("GET", f"/embed/{COURSE}", {}),
        ("GET", "/embed.js", {}),
        ("GET", "/sidebar/client.js", {}),
        ("GET", "/console/log-in", {}),
        ("GET", "/openapi.json", {}),
        ("GET", "/nowhere", {}),
        ("POST", f"{ROOT}/dialogue", ask),
        ("POST", f"{ROOT}/dialogue", {"json": {**ask["json"], "stream": True}}),
        ("GET", f"{ROOT}/faq", {"headers": {"Authorization": f"Bearer {key}"}}),
        ("OPTIONS", f"{ROOT}/dialogue", {"headers": preflight}),
        ("OPTIONS", f"{ROOT}/faq", {"headers": preflight}),
        ("OPTIONS", "/console/log-in", {"headers": preflight}),
    ]:
        headers = {**more.get("headers", {}), "Origin": origin}
        reply = api.client.request(method, path, **{**more, "headers": headers})
        assert not [name for name in reply.headers if name.startswith("access-control")], (method, path)
        if method == "OPTIONS":
            assert reply.status_code == 405


@pytest.mark.fault(case="T25")
@pytest.mark.browser
def test_a_page_of_another_origin_reads_nothing(api: Served, browser_page: Page) -> None:
    """Chromium, on a page of the origin `null`: neither a GET nor a POST nor one with cookies can be read."""
    browser_page.goto(f"{api.address}/console/log-in")
    read = "([url, init]) => fetch(url, init).then((reply) => reply.text()).catch(() => null)"
    sidebar = [f"{api.address}{ROOT}/sidebar", {}]
    assert "suggestions" in browser_page.evaluate(read, sidebar), "its own pages can"
    browser_page.goto("about:blank")
    assert browser_page.evaluate("self.origin") == "null"
    asked = {
        "method": "POST",
        "headers": {"Content-Type": "application/json"},
        "body": '{"question": "What is a stack?"}',
    }
    for path, init in [
        (f"{ROOT}/sidebar", {}),
        (f"{ROOT}/sidebar", {"credentials": "include"}),
        (f"{ROOT}/dialogue", asked),
        (f"{ROOT}/dialogue", {**asked, "credentials": "include"}),
        (f"/console/{COURSE}/inbox", {"credentials": "include"}),
    ]:
        assert browser_page.evaluate(read, [f"{api.address}{path}", init]) is None
    assert api.platform.stores.sessions.latest_questions(COURSE, 10) == (), "the pre-flight was refused"
