"""Whether the concepts of one course answer in another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.ingest.pipeline import ingest
from vta.languages import Language
from vta.types.answers import Answer, Route
from vta.types.courses import Course, CourseId
from vta.types.questions import Question

NOTES = {
    "lender": "# Trees\n\nA **treap** is a search tree that keeps random priorities in heap order.\n",
    "asked": "# Lists\n\nA **list** is a row of nodes, each of which points to the next.\n",
}


@pytest.fixture
def platform(tmp_path: Path) -> Iterator[Platform]:
    """Two courses of one domain; only "lender" knows what a treap is."""
    platform = build_platform(Settings(home=tmp_path / "home"))
    for name, notes in NOTES.items():
        course = Course(id=CourseId(name), name=f"The {name}", domains=("structures",), language=Language.EN)
        platform.stores.courses.add(course)
        folder = tmp_path / name
        folder.mkdir()
        (folder / "notes.md").write_text(notes, encoding="utf-8")
        (folder / "concepts.json").write_text(CONCEPTS[name], encoding="utf-8")
        ingest([folder], course=course, readers=platform.readers, documents=platform.stores.documents)
    yield platform
    platform.close()


def lend(platform: Platform, *, shares: bool = False, takes: bool = False, graph: bool = False) -> None:
    change = platform.course_settings.change
    change(CourseId("lender"), lambda found: replace(found, shares_concepts=shares))
    change(CourseId("asked"), lambda found: replace(found, takes_concepts=takes))
    platform.stores.courses.name_platform_graph(CourseId("lender"), is_platform_graph=graph)


async def ask(platform: Platform) -> Answer:
    return await platform.previewer.answer(Question(course_id=CourseId("asked"), text="What is a treap?"))


@pytest.mark.parametrize(
    ("flags", "is_shared"),
    [
        ((), False),
        (("shares",), False),
        (("takes",), False),
        (("shares", "takes"), True),
        (("graph",), True),
    ],
)
async def test_concepts_are_lent_where_one_course_shares_and_the_other_takes_them(
    platform: Platform, flags: tuple[str, ...], is_shared: bool
) -> None:
    """Or where the admin named the lender's graph the platform's own. Neither the text nor the cards of an
    answer name them otherwise, the citation names the lender, and nothing lent answers directly."""
    lend(platform, **dict.fromkeys(flags, True))
    answer = await ask(platform)
    assert ("random priorities" in answer.text, bool(answer.concepts)) == (is_shared, is_shared)
    assert [each.title for each in answer.citations if "treap" in each.title] == (
        ["treap (The lender)"] if is_shared else []
    )
    assert answer.route is not Route.DIRECT


async def test_lending_begins_and_ends_with_the_next_question(platform: Platform) -> None:
    """The index is not built anew for it."""
    await ask(platform)
    generations = set((platform.settings.home / "index").glob("generation-*"))
    for lends in (True, False):
        lend(platform, shares=lends, takes=lends)
        assert ("random priorities" in (await ask(platform)).text) is lends
    assert set((platform.settings.home / "index").glob("generation-*")) == generations


CONCEPTS = {
    "lender": '{"concepts": [{"name": "treap", "definition": "A treap has random priorities."}]}',
    "asked": '{"concepts": [{"name": "list", "definition": "A list is a row of nodes."}]}',
}
