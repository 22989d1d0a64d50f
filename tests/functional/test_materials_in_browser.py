"""Materials in a real browser: a folder from its upload to its restoration, and files that are dropped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from served_platform import Served

from services.use_cases.kept_files import MOST_FILES
from vta.types import CourseId, Role

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


def open_materials(api: Served, page: Page) -> None:
    key, _ = api.platform.stores.keys.make(COURSE, Role.INSTRUCTOR)
    page.goto(f"{api.address}{HOME}")
    page.get_by_test_id("key").fill(key)
    with page.expect_navigation():
        page.get_by_test_id("log-in").click()
    page.goto(f"{api.address}{HOME}")


def ask(api: Served, question: str) -> dict[str, Any]:
    return dict(api.client.post(f"/v1/courses/{COURSE}/dialogue", json={"question": question}).json())


def test_a_folder_goes_its_whole_way(api: Served, browser_page: Page, tmp_path: Path) -> None:
    """Two files of one name, a passage off and on, the folder replaced, a file removed and restored."""
    folder = tmp_path / "zoo"
    texts = {
        "giraffes": "The giraffe in our zoo example is five metres tall.",
        "lions": "Lions sleep all day.",
    }
    for name, text in texts.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "README.md").write_text(f"# {name}\n\n{text}\n")
    (folder / "map.png").write_bytes(b"x")
    page = browser_page
    page.on("dialog", lambda dialog: dialog.accept())
    open_materials(api, page)
    page.get_by_test_id("folder").set_input_files(folder)
    page.get_by_test_id("upload").click()
    expect(page.get_by_test_id("ingested")).to_be_focused()
    results = page.get_by_test_id("result")
    expect(results).to_have_text([r"zoo/giraffes/README.md read 1", r"zoo/lions/README.md read 1"])
    assert "five metres" in ask(api, GIRAFFE)["text"]

    page.get_by_test_id("open-file").first.click()
    page.get_by_test_id("switch-off").click()
    expect(page.get_by_test_id("passage")).to_contain_text("off, answers nobody")
    assert "five metres" not in ask(api, GIRAFFE)["text"]
    page.get_by_test_id("switch-on").click()
    expect(page.get_by_test_id("passage")).not_to_contain_text("off, answers nobody")
    assert "five metres" in ask(api, GIRAFFE)["text"]

    (folder / "lions" / "README.md").unlink()
    changed = texts["giraffes"].replace("five", "six")
    (folder / "giraffes" / "README.md").write_text(f"# giraffes\n\n{changed}\n")
    page.get_by_test_id("nav-materials").click()
    page.get_by_test_id("folder").set_input_files(folder)
    page.get_by_test_id("upload").click()
    expect(page.get_by_test_id("replaces")).to_contain_text("zoo/giraffes/README.md")
    expect(page.get_by_test_id("missing")).to_have_text("zoo/lions/README.md")
    page.get_by_test_id("remove-missing").check()
    page.get_by_test_id("confirm").click()
    expect(results).to_have_text(["zoo/giraffes/README.md replaced 1", "zoo/lions/README.md removed"])
    assert "six metres" in ask(api, GIRAFFE)["text"]

    page.get_by_test_id("nav-materials").click()
    page.get_by_label("Remove zoo/giraffes/README.md").click()
    expect(page.get_by_test_id("done")).to_contain_text("zoo/giraffes/README.md")
    assert "six metres" not in ask(api, GIRAFFE)["text"]
    page.get_by_test_id("undo").click()
    expect(page.get_by_test_id("done")).to_contain_text("Restored")
    assert "six metres" in ask(api, GIRAFFE)["text"]
    page.get_by_test_id("removed-files").click()
    expect(page.get_by_test_id("removed-file")).to_have_count(1)
    page.get_by_label("Restore zoo/lions/README.md").click()
    expect(page.get_by_test_id("open-file").filter(has_text="lions/README.md")).to_be_visible()


def test_dropped_files_are_sent_and_too_many_are_not(api: Served, browser_page: Page) -> None:
    """The limit is told before anything is sent, a refusal of the server in its own words."""
    page = browser_page
    open_materials(api, page)
    status = page.get_by_test_id("upload-status")
    page.evaluate(DROP, [[], MOST_FILES + 1])
    expect(status).to_have_text(
        f"{MOST_FILES + 1} files are too many; at most {MOST_FILES} can be uploaded at a time."
    )
    page.evaluate(DROP, [[["virus.exe", "MZ"]], 0])
    expect(status).to_contain_text("virus.exe")
    page.evaluate(DROP, [[["zoo.md", "# Zoo\n\nThe giraffe in our zoo example is five metres tall.\n"]], 0])
    expect(page.get_by_test_id("result")).to_contain_text("zoo.md")
    assert "five metres" in ask(api, GIRAFFE)["text"]
