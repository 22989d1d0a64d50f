"""A course's website: read in the console and by command, and brought up to date by reading it again."""

from __future__ import annotations

import asyncio
import io
import zipfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from console_client import ended, open_console, shown, token
from playwright.sync_api import Page, expect
from served_platform import Served
from site_server import page, run_site
from sqlalchemy import update

from services.app import read_site
from services.store import tables
from services.store.process_locks import FileLocks
from vta.types.courses import CourseId

COURSE = CourseId("stacks-en")
HOME = f"/console/{COURSE}/materials"
SITES = f"/v1/courses/{COURSE}/materials/sites"
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


def test_one_website_of_a_host_says_nothing_of_another(api: Served, ann: httpx.Client) -> None:
    """The pages of the zoo are not gone because the farm on the same server is read."""
    farm = {"/farm/": page("Our farm", "Welcome to our farm.")}
    with run_site(pages("five") | farm) as site:
        ended(ann, read(ann, f"{site.address}/zoo/"))
        ended(ann, read(ann, f"{site.address}/farm/"))
        courses = api.platform.stores.courses
        course = courses.course(COURSE)
        report = api.platform.materials.ingest_site(course, f"{site.address}/farm/", lambda done, total: None)
    assert report.removed == ()
    assert len([each for each in api.platform.materials.documents(COURSE) if "zoo/" in each.path]) == 3


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


def sites(api: Served) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = api.client.get(SITES, headers=api.bearer()).json()
    return found


def read_due(api: Served, days: int = 8) -> int:
    """Let all readings lie some days back, and read what is due then."""
    with api.platform.stores.engine.begin() as connection:
        earlier = datetime.now(UTC) - timedelta(days=days)
        connection.execute(update(tables.course_sites).values(read_at=earlier))
    with ThreadPoolExecutor(1) as pool:  # the browser has a loop of its own in this thread
        return pool.submit(lambda: asyncio.run(api.platform.sites.read_due())).result()


def test_a_website_is_read_again_by_itself_and_nothing_is_replaced_unseen(
    api: Served, ann: httpx.Client
) -> None:
    """The inbox and the materials tell what differs; what was declined is told again only once it changes."""
    with run_site(pages("five")) as site:
        address = f"{site.address}/zoo/"
        form = {"csrf": token(ann.get(HOME)), "address": address, "every": "week"}
        ended(ann, ann.post(f"{HOME}/site", data=form))
        assert [each["every"] for each in sites(api)] == ["week"]
        assert (read_due(api, days=6), read_due(api)) == (0, 1)
        assert shown(ann.get(HOME), "site-plan") == []
        site.pages = pages("nine") | {"/zoo/lion.html": 404}
        assert read_due(api) == 1
        (told,) = shown(ann.get(f"/console/{COURSE}/inbox"), "site-plan")
        assert "/zoo: 0 new, 1 changed, 1 gone" in told
        assert shown(ann.get(HOME), "site-plan") == [told]
        assert "five metres" in api.ask(GIRAFFE)["text"]
        (waiting,) = api.platform.stores.sites.sites(COURSE)
        assert read_due(api) == 1
        planned = f"{HOME}/plans/{waiting.plan}"
        assert sites(api)[0]["changes"] == {"new": 0, "changed": 1, "gone": 1, "refused": 0}
        ann.post(planned, data={"csrf": form["csrf"], "action": "decline"})
        assert read_due(api) == 1
        assert shown(ann.get(HOME), "site-plan") == []
        site.pages |= {"/zoo/lion.html": 500, "/zoo/": page("Our zoo", "New.", "giraffe.html", "lion.html")}
        assert read_due(api) == 1
        assert sites(api)[0]["changes"] == {"new": 0, "changed": 2, "gone": 0, "refused": 1}
        (waiting,) = api.platform.stores.sites.sites(COURSE)
        planned = f"{HOME}/plans/{waiting.plan}"
        ended(ann, ann.post(planned, data={"csrf": form["csrf"], "action": "confirm"}))
    assert "nine metres" in api.ask(GIRAFFE)["text"]
    assert shown(ann.get(HOME), "site-plan") == []


def test_a_page_that_failed_and_is_gone_by_the_next_reading_is_told(api: Served, ann: httpx.Client) -> None:
    """The other pages are the same both times, and nobody has declined anything."""
    with run_site(pages("five")) as site:
        form = {"csrf": token(ann.get(HOME)), "address": f"{site.address}/zoo/", "every": "week"}
        ended(ann, ann.post(f"{HOME}/site", data=form))
        site.pages["/zoo/lion.html"] = 500
        assert read_due(api) == 1
        assert sites(api)[0]["changes"] == {"new": 0, "changed": 0, "gone": 0, "refused": 1}
        site.pages["/zoo/lion.html"] = 404
        assert read_due(api) == 1
    assert sites(api)[0]["changes"] == {"new": 0, "changed": 0, "gone": 1, "refused": 0}
    assert len(shown(ann.get(HOME), "site-plan")) == 1


def test_a_page_that_is_gone_joins_a_plan_that_waits(api: Served, ann: httpx.Client) -> None:
    """It failed when the plan was made."""
    with run_site(pages("five")) as site:
        form = {"csrf": token(ann.get(HOME)), "address": f"{site.address}/zoo/", "every": "week"}
        ended(ann, ann.post(f"{HOME}/site", data=form))
        site.pages = pages("nine") | {"/zoo/lion.html": 500}
        assert read_due(api) == 1
        site.pages["/zoo/lion.html"] = 404
        assert read_due(api) == 1
    plan = ann.get(f"{HOME}/plans/{api.platform.stores.sites.sites(COURSE)[0].plan}")
    assert shown(plan, "missing") == ["127.0.0.1/zoo/lion.html"]


def exported(**folders: str) -> bytes:
    """A course export of Canvas with one page in each folder, which has this setting."""
    told = "".join(f'<folder path="{name}">{each}</folder>' for name, each in folders.items())
    canvas = "http://canvas.instructure.com/xsd/cccv1p0"
    resources = "".join(
        f'<resource identifier="{name}" type="webcontent" href="web_resources/{name}/page.html">'
        f'<file href="web_resources/{name}/page.html"/></resource>'
        for name in folders
    )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        imscc = "http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1"
        archive.writestr(
            "imsmanifest.xml", f'<manifest xmlns="{imscc}"><resources>{resources}</resources></manifest>'
        )
        archive.writestr(
            "course_settings/files_meta.xml",
            f'<fileMeta xmlns="{canvas}"><folders>{told}</folders></fileMeta>',
        )
        for name in folders:
            text = f"The {name} in our zoo example is five metres tall."
            archive.writestr(f"web_resources/{name}/page.html", page(name, text))
    return packed.getvalue()


def test_a_part_of_a_zip_that_opens_later_waits_until_then(api: Served, ann: httpx.Client) -> None:
    """Read by hand, and by itself once somebody has confirmed what differs."""
    later = "<unlock_at>2999-01-01T00:00:00</unlock_at>"
    with run_site({"/zoo.zip": exported(lion="", giraffe=later)}) as site:
        form = {"csrf": token(ann.get(HOME)), "address": f"{site.address}/zoo.zip", "every": "week"}
        ended(ann, ann.post(f"{HOME}/site", data=form))
        assert waiting(api) == {"lion": False, "giraffe": True}
        site.pages["/zoo.zip"] = exported(lion="", giraffe=later, zebra=later)
        assert read_due(api) == 1
        planned = f"{HOME}/plans/{api.platform.stores.sites.sites(COURSE)[0].plan}"
        ended(ann, ann.post(planned, data={"csrf": form["csrf"], "action": "confirm"}))
    assert waiting(api) == {"lion": False, "giraffe": True, "zebra": True}


def waiting(api: Served) -> dict[str, bool]:
    """Whether each page of the ZIP waits for its release, by its folder."""
    found = api.platform.materials.documents(COURSE)
    return {each.path.split("/")[-2]: each.release_at is not None for each in found if "/zoo/" in each.path}


def test_what_keeps_a_website_from_being_read_is_told_once_with_its_reason(
    api: Served, ann: httpx.Client
) -> None:
    """By HTTP too; a robots.txt that fails, and a page that is gone, are different reasons."""
    with run_site(pages("five")) as site:
        body = {"address": f"{site.address}/zoo/#top", "every": "day"}
        assert api.client.put(SITES, json=body, headers=api.bearer()).status_code == 204
        address = sites(api)[0]["address"]
        assert (address, sites(api)[0]["read_at"]) == (f"{site.address}/zoo/", None)
        site.pages |= {"/robots.txt": 503}
        assert read_due(api) == 1
        assert "status: 503" in ann.get(f"/console/{COURSE}/inbox").text
        form = {"csrf": token(ann.get(HOME)), "address": address, "action": "dismiss"}
        ann.post(f"{HOME}/sites", data=form)
        assert read_due(api) == 1
        assert 'data-testid="site-fault"' not in ann.get(HOME).text
        assert "status: 503" in " ".join(shown(ann.get(HOME), "site-state"))
        site.pages = {}
        assert read_due(api) == 1
        assert "status: 404" in ann.get(f"/console/{COURSE}/inbox").text
        assert "status: 404" in sites(api)[0]["fault"]
        ann.post(f"{HOME}/sites", data=form | {"action": "keep", "every": "never"})
        assert (read_due(api), sites(api)[0]["every"]) == (0, "never")
    headers = api.bearer()
    assert api.client.delete(SITES, params={"address": address}, headers=headers).status_code == 204
    assert sites(api) == []
    for wrong in ("file:///etc/passwd", "https://zoo.example/" + "数" * 900):
        refused = api.client.put(SITES, json=body | {"address": wrong}, headers=headers)
        assert refused.status_code == 422


@pytest.mark.settings(website_private_addresses=False)
def test_a_private_address_is_not_read_by_itself_either(api: Served) -> None:
    with run_site(pages("five")) as site:
        body = {"address": f"{site.address}/zoo/", "every": "day"}
        api.client.put(SITES, json=body, headers=api.bearer())
        assert read_due(api) == 1
        assert site.asked == []
    assert "private_address" in sites(api)[0]["fault"]


async def test_one_process_reads_and_its_end_breaks_a_reading_off(api: Served, tmp_path: Path) -> None:
    """Where another process has the lock nothing is read; what is broken off is due again."""

    class Endless:
        broken_off = False

        async def read_due(self) -> int:
            try:
                return await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.broken_off = True
                raise

    class HeldElsewhere(FileLocks):
        async def try_lock(self, name: str) -> bool:
            return False

    reader, stopping = Endless(), asyncio.Event()
    platform: Any = SimpleNamespace(sites=reader)
    parts: Any = SimpleNamespace(platform=platform, locks=HeldElsewhere(tmp_path / "locks"))
    assert await read_site(parts, stopping) == 0
    parts.locks = FileLocks(tmp_path / "locks")
    asyncio.get_running_loop().call_later(0.05, stopping.set)
    assert await read_site(parts, stopping) == 0
    assert reader.broken_off


@pytest.mark.browser
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_plan_of_a_website_is_opened_from_the_inbox(api: Served, browser_page: Page, language: str) -> None:
    """By keyboard, on a phone, to the page that asks before anything is replaced."""
    view = browser_page
    view.set_viewport_size({"width": 390, "height": 844})
    open_console(api, view, "materials")
    view.goto(f"{api.address}/console/language/{language}?next={HOME}")
    with run_site(pages("five")) as site:
        view.get_by_test_id("site-address").fill(f"{site.address}/zoo/")
        view.get_by_test_id("site-every").select_option("day")
        view.get_by_test_id("site-address").press("Enter")
        expect(view.get_by_test_id("result")).to_have_count(3)
        site.pages = pages("nine")
        assert read_due(api) == 1
        site.pages["/zoo/"] = 404
        assert read_due(api) == 1
    view.goto(f"{api.address}{HOME}")
    assert view.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(view.get_by_test_id("site")).to_have_count(1)
    view.goto(f"{api.address}/console/{COURSE}/inbox")
    assert view.evaluate("document.documentElement.scrollWidth <= innerWidth")
    view.get_by_test_id("dismiss-site").focus()
    view.keyboard.press("Enter")
    expect(view.get_by_test_id("done")).to_be_visible()
    expect(view.get_by_test_id("site-fault")).to_have_count(0)
    view.get_by_test_id("open-site-plan").focus()
    view.keyboard.press("Enter")
    expect(view.get_by_test_id("replaces")).to_have_count(1)


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
        running = view.locator("[data-job]")
        expect(view.get_by_test_id("ingested").or_(view.get_by_text(told)).or_(running)).to_be_visible()
        expect(view.get_by_test_id("result")).to_have_count(3)
    assert view.evaluate("document.documentElement.scrollWidth <= innerWidth")
