"""Materials in a real browser: a folder that is uploaded, and files that are dropped."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
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
    ("language", "saved", "waiting"),
    [("en", "The week is saved.", "Opens 2099-09-21 00:00"), ("zh", "已保存。", "2099-09-21 00:00 开放")],
)
def test_a_week_is_made_changed_and_removed_by_keyboard_on_a_phone(
    api: Served, browser_page: Page, language: str, saved: str, waiting: str
) -> None:
    """The day is one of the course's time zone, not of the reader's."""
    page, platform = browser_page, api.platform
    platform.stores.facts.change(COURSE, lambda found: replace(found, time_zone="Asia/Shanghai"))
    path = platform.stores.documents.summaries(COURSE)[0].path
    page.set_viewport_size({"width": 390, "height": 844})
    open_console(api, page, "materials")
    page.goto(f"{api.address}/console/language/{language}?next={HOME}")
    page.get_by_test_id("week-path").focus()
    page.keyboard.type(path)
    for text in ("Trees", "2099-09-21"):
        page.keyboard.press("Tab")
        page.keyboard.type(text)
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("done")).to_have_text(saved)
    expect(page.get_by_test_id("done")).to_be_focused()
    expect(page.get_by_test_id("waits")).to_have_text(waiting)
    first = next(each for each in platform.stores.documents.summaries(COURSE) if each.waits)
    assert first.release_at == datetime(2099, 9, 20, 16, tzinfo=UTC)
    page.get_by_test_id("week-opens").first.fill("2020-01-01")
    with page.expect_navigation():
        page.get_by_test_id("save-week").first.press("Enter")
    expect(page.get_by_test_id("done")).to_be_focused()
    expect(page.get_by_test_id("waits")).to_have_count(0)
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_test_id("remove-week").press("Enter")
    expect(page.get_by_test_id("week")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
