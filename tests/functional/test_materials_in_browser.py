"""Materials in a real browser: a folder that is uploaded, and files that are dropped."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from console_client import open_console
from playwright.sync_api import Page, expect
from served_platform import Served

from services.reading.given_files import MOST_FILES
from vta.types.courses import CourseId

COURSE = CourseId("stacks-en")
HOME = f"/console/{COURSE}/materials"
GIRAFFE = "How tall is a giraffe in our zoo example?"
DROP = """([files, most]) => {
  const data = new DataTransfer();
  for (const [name, text] of files) data.items.add(new File([text], name));
  for (let n = 0; n < most; n++) data.items.add(new File(["x"], `${n}.md`));
  const form = document.querySelector("[data-upload]");
  form.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
}"""

pytestmark = pytest.mark.browser


def test_a_folder_is_uploaded_and_a_file_of_it_removed(
    api: Served, browser_page: Page, tmp_path: Path
) -> None:
    """Two files of one name keep their paths; the report comes when all is read, and a removal asks first."""
    folder, page = tmp_path / "zoo", browser_page
    for name in ("giraffes", "lions"):
        (folder / name).mkdir(parents=True)
        (folder / name / "README.md").write_text(f"# {name}\n\nThe {name} of our zoo are tall.\n")
    (folder / "map.png").write_bytes(b"x")
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.accept()))
    open_console(api, page, "materials")
    page.get_by_test_id("folder").set_input_files(folder)
    page.get_by_test_id("upload").click()
    expect(page.get_by_test_id("ingested")).to_be_focused()
    expect(page.get_by_test_id("result")).to_have_text(
        ["zoo/giraffes/README.md read 1", "zoo/lions/README.md read 1"]
    )
    page.get_by_test_id("nav-materials").click()
    page.get_by_label("Remove zoo/giraffes/README.md").click()
    expect(page.get_by_test_id("done")).to_contain_text("zoo/giraffes/README.md")
    page.get_by_test_id("undo").click()
    expect(page.get_by_test_id("done")).to_contain_text("Restored")


def test_dropped_files_are_sent_and_too_many_are_not(api: Served, browser_page: Page) -> None:
    """The limit is told before anything is sent, a refusal of the server in its own words."""
    page = browser_page
    open_console(api, page, "materials")
    status = page.get_by_test_id("upload-status")
    page.evaluate(DROP, [[], MOST_FILES + 1])
    expect(status).to_have_text(
        f"{MOST_FILES + 1} files are too many; at most {MOST_FILES} can be uploaded at a time."
    )
    page.evaluate(DROP, [[["virus.exe", "MZ"]], 0])
    expect(status).to_contain_text("virus.exe")
    page.evaluate(DROP, [[["zoo.md", "# Zoo\n\nThe giraffe in our zoo example is five metres tall.\n"]], 0])
    expect(page.get_by_test_id("result")).to_contain_text("zoo.md")
    assert "five metres" in api.ask(GIRAFFE)["text"]


@pytest.mark.parametrize(
    ("language", "waiting"),
    [("en", r"1 file opens on Sep 21, 2099, 8:00"), ("zh", r"1 个文件将于 2099年9月21日 0?8:00（\w+）")],
)
def test_a_file_is_released_at_a_time_of_the_readers_own_zone(
    api: Served, browser_page: Page, language: str, waiting: str
) -> None:
    """By keyboard, on a phone; the list tells the time, and a release without one is at once."""
    page = browser_page
    page.set_viewport_size({"width": 390, "height": 844})
    open_console(api, page, "materials")
    page.goto(f"{api.address}/console/language/{language}?next={HOME}")
    page.get_by_test_id("choose").first.focus()
    page.keyboard.press("Space")
    page.get_by_test_id("release-at").fill("2099-09-21T08:00")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("done")).to_have_text(re.compile(waiting))
    (mark,) = page.get_by_test_id("waits").all()
    expect(mark).to_contain_text("2099")
    expect(mark).to_contain_text("8:00")
    first = next(each for each in api.platform.stores.documents.summaries(COURSE) if each.waits)
    told = page.evaluate("new Date('2099-09-21T08:00').toISOString()")
    assert first.release_at is not None
    assert first.release_at.isoformat() == told.replace(".000Z", "+00:00")
    page.get_by_test_id("choose").first.check()
    page.get_by_test_id("release-chosen").click()
    expect(page.get_by_test_id("waits")).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
