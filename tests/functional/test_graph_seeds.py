"""A syllabus as seeds of the concept graph: what is kept, and the choice in the console."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest
from command_lines import Vta
from console_client import open_console
from playwright.sync_api import Page, expect
from served_platform import Serve

from services.cli.output import platform
from services.graph.files import read_syllabus
from services.wiring import Platform
from vta.errors import InvalidInput
from vta.types.courses import CourseId

MATERIAL = Path(str(files("services.demo"))) / "courses" / "data-structures-zh" / "material"
COURSE = CourseId("stacks-en")
DS = CourseId("ds")


def terms_of(vta: Platform, file: Path) -> tuple[str, ...]:
    with file.open("rb") as opened:
        course = vta.stores.courses.course(DS)
        return read_syllabus(opened, name=file.name, course=course, readers=vta.readers)


def test_the_terms_of_a_syllabus_are_in_every_build(graph_command: Vta, tmp_path: Path) -> None:
    """Those that the material holds are kept, until others, or none, take their place."""
    vta = graph_command
    assert vta("ingest", "ds", str(MATERIAL / "notes")).code == 0
    syllabus = tmp_path / "syllabus.md"
    syllabus.write_text("# 教学目标\n- 元素\n- 理解量子纠缠的概念\n- 掌握栈与队列\n", encoding="utf-8")
    with platform(None) as opened:
        compared = opened.graphs.compare_terms(DS, terms_of(opened, syllabus))
        assert {each.name: each.occurs for each in compared} == {
            "元素": True,
            "量子纠缠": False,
            "栈": True,
            "队列": True,
        }
        opened.graphs.keep_seeds(DS, tuple(each.name for each in compared if each.occurs))
        assert opened.graphs.seeds(DS) == ("元素", "栈", "队列")
    assert vta("graph", "build", "ds").code == 0
    assert "元素" in {each["name"] for each in vta("graph", "export", "ds").json["concepts"]}
    with platform(None) as opened:
        opened.graphs.keep_seeds(DS, ())
    assert vta("graph", "build", "ds").code == 0
    assert "元素" not in {each["name"] for each in vta("graph", "export", "ds").json["concepts"]}


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [("a.exe", b"MZ", "cannot be read"), ("a.txt", b"\xff\xfe\x00", "UTF-8"), ("a.md", b"12\n", "no term")],
)
def test_a_file_without_terms_is_refused(
    graph_command: Vta, tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    """The message names the file and says why."""
    (tmp_path / name).write_bytes(content)
    with platform(None) as opened, pytest.raises(InvalidInput, match=said) as refused:
        terms_of(opened, tmp_path / name)
    assert name in refused.value.message


@pytest.mark.browser
def test_a_teacher_chooses_among_the_terms(serve: Serve, browser_page: Page) -> None:
    """Those in the material are ticked; what is kept is a concept of the graph that is built at once."""
    api, page = serve(), browser_page
    open_console(api, page, "graph")
    page.get_by_test_id("seeds").click()
    text = b"Explain printers and editors.\nCompare quantum computers and commands.\n"
    page.get_by_test_id("syllabus").set_input_files({"name": "s.txt", "mimeType": "", "buffer": text})
    page.get_by_test_id("read").click()
    expect(page.get_by_test_id("choose")).to_be_focused()
    terms = page.get_by_test_id("term")
    assert {each.get_attribute("value"): each.is_checked() for each in terms.all()} == {
        "printers": True,
        "editors": True,
        "commands": True,
        "quantum computers": False,
    }
    page.get_by_label("commands").uncheck()
    page.get_by_test_id("keep").click()
    expect(page.get_by_test_id("kept")).to_be_visible(timeout=60_000)
    expect(page.get_by_test_id("seeds-now")).to_have_text("printers · editors")
    assert api.platform.graphs.seeds(COURSE) == ("printers", "editors")
