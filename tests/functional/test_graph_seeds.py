"""Names that every build of the concept graph is given: what is kept, and the page in the console."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest
from command_lines import Vta
from console_client import open_console
from playwright.sync_api import Page, expect
from served_platform import Serve

from services.cli.output import platform
from vta.types.courses import CourseId

MATERIAL = Path(str(files("services.demo"))) / "courses" / "data-structures-zh" / "material"
COURSE = CourseId("stacks-en")
DS = CourseId("ds")


def test_kept_names_are_in_every_build(graph_command: Vta) -> None:
    """Those that the material holds, until others, or none, take their place."""
    vta = graph_command
    assert vta("ingest", "ds", str(MATERIAL / "notes")).code == 0
    with platform(None) as opened:
        opened.graphs.keep_seeds(DS, ("元素", "量子纠缠"))
        assert opened.graphs.seeds(DS) == ("元素", "量子纠缠")
    assert vta("graph", "build", "ds").code == 0
    names = {each["name"] for each in vta("graph", "export", "ds").json["concepts"]}
    assert names & {"元素", "量子纠缠"} == {"元素"}
    with platform(None) as opened:
        opened.graphs.keep_seeds(DS, ())
    assert vta("graph", "build", "ds").code == 0
    assert "元素" not in {each["name"] for each in vta("graph", "export", "ds").json["concepts"]}


@pytest.mark.browser
def test_a_teacher_writes_the_terms_down(serve: Serve, browser_page: Page) -> None:
    """A line that is no term is named and what was typed stays; else the graph is built at once."""
    api, page = serve(), browser_page
    open_console(api, page, "graph")
    page.get_by_test_id("seeds").click()
    page.get_by_test_id("names").fill("printers\n12\n")
    page.get_by_test_id("keep").click()
    expect(page.get_by_test_id("fault")).to_contain_text("2")
    expect(page.get_by_test_id("names")).to_have_value("printers\n12\n")
    page.get_by_test_id("names").fill("printers\n\nprinters\neditors\n")
    page.get_by_test_id("keep").click()
    expect(page.get_by_test_id("kept")).to_be_visible(timeout=60_000)
    expect(page.get_by_test_id("names")).to_have_value("printers\neditors")
    assert api.platform.graphs.seeds(COURSE) == ("printers", "editors")
