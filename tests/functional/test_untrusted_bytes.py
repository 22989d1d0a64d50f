"""Bytes of strangers: each kind of file by HTTP, opened in the bounded child alone, beside no other data."""

from __future__ import annotations

import ast
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from office_files import make_docx, make_pdf, make_pptx, make_tar, make_xlsx
from served_platform import Served
from starlette.formparsers import MultiPartParser
from uploading import ended, upload

import services
from knowledge.sources import readers
from services.archive.backups import temporary_store
from services.materials import service as materials
from vta.types.courses import CourseId

COURSE = CourseId("stacks-en")
NOTE = "# Zoo example\n\nThe giraffe in our zoo example is five metres tall.\n"
PAGE = "<!doctype html><title>Zoo</title><h1>Zoo</h1><p>The giraffe is five metres tall.</p>"
CUE = "00:00:01{0}000 --> 00:00:04{0}000\nThe giraffe in our zoo example is five metres tall.\n"
SECTION = "<section><summary>The giraffe in our zoo example is five metres tall.</summary></section>"


def backup(sections: int) -> dict[str, str]:
    """The members of a Moodle backup."""
    listed = "".join(
        f"<section><sectionid>{n}</sectionid><directory>sections/section_{n}</directory></section>"
        for n in range(sections)
    )
    texts = {f"sections/section_{n}/section.xml": SECTION for n in range(sections)}
    return {"moodle_backup.xml": f"<m><contents><sections>{listed}</sections></contents></m>", **texts}


EXPORT = {
    "course.xml": '<course url_name="r"/>',
    "course/r.xml": '<course display_name="Zoo"><chapter display_name="A"><sequential display_name="B">'
    '<vertical display_name="C"><html url_name="p"/></vertical></sequential></chapter></course>',
    "html/p.xml": '<html filename="p"/>',
    "html/p.html": "<p>The giraffe in our zoo example is five metres tall.</p>",
}


def zipped(name: str, text: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, text)
    return file.getvalue()


KINDS: dict[str, str | bytes] = {
    **dict.fromkeys((".md", ".markdown", ".qmd", ".rmd", ".txt"), NOTE),
    **dict.fromkeys((".html", ".htm", ".xhtml"), PAGE),
    ".srt": "1\n" + CUE.format(","),
    ".vtt": "WEBVTT\n\n" + CUE.format("."),
    ".ipynb": json.dumps(
        {"cells": [{"cell_type": "markdown", "source": NOTE, "metadata": {}}], "metadata": {}, "nbformat": 4}
    ),
    ".pdf": make_pdf(["The giraffe in our zoo example is five metres tall."]),
    ".docx": make_docx(),
    ".pptx": make_pptx(),
    ".tar.gz": make_tar(EXPORT),
    ".tgz": make_tar(EXPORT),
    ".csv": "question,answer\nHow tall?,Five metres.\n",
    ".jsonl": json.dumps({"question": "How tall?", "answer": "Five metres."}) + "\n",
    ".xlsx": make_xlsx([["question", "answer"], ["How tall?", "Five metres."]]),
    ".json": json.dumps({"concepts": [{"name": "giraffe"}]}),
    ".zip": zipped("notes/a.md", NOTE),
    ".epub": zipped("a.xhtml", PAGE),
    ".imscc": zipped("a.html", PAGE),
    ".mbz": make_tar(backup(1), folder=""),
}


@pytest.mark.fault(case="T150")
@pytest.mark.parametrize("held", [1 << 20, 1], ids=["memory", "disk"])
def test_every_kind_of_file_is_read_from_memory_and_from_disk(
    api: Served, monkeypatch: pytest.MonkeyPatch, held: int
) -> None:
    """Whether the form holds it in memory or has rolled it to disk."""
    monkeypatch.setattr(MultiPartParser, "spool_max_size", held)
    known = {*readers._TEXTS, *readers._DOCUMENTS, *readers._FAQ} - {"course.xml"}
    assert known <= KINDS.keys()
    given = [(f"{number}/concepts{kind}", text) for number, (kind, text) in enumerate(KINDS.items())]
    files = [
        (name, text.encode() + b"\n" * n if isinstance(text, str) else text)
        for n, (name, text) in enumerate(given)
    ]
    report = ended(api, COURSE, upload(api, COURSE, *files), within_s=60)["report"]
    same = [each for each in report["rejected"] if "has the same content as" in each["reason"]]
    assert report["rejected"] == same
    assert len(report["added"]) + len(same) == len(KINDS)


def test_files_of_backups_count_among_the_thousand(api: Served) -> None:
    reply = upload(api, COURSE, ("term.mbz", make_tar(backup(1_001), folder="")))
    assert reply.status_code == 400
    assert reply.json()["detail"] == "1001 files are too many; at most 1000 can be uploaded at a time"


@pytest.mark.fault(case="T149")
def test_archives_and_pages_are_opened_in_the_child_alone(
    api: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing in this process opens a ZIP or a tar, or parses HTML or XML, of an upload of any kind."""

    def opened(*_: object, **__: object) -> None:
        raise AssertionError("opened in the server's own process")

    for name in (
        "zipfile.ZipFile.__init__",
        "tarfile.TarFile.__init__",
        "html.parser.HTMLParser.feed",
        "urllib.robotparser.RobotFileParser.parse",
        "defusedxml.ElementTree.fromstring",
    ):
        monkeypatch.setattr(name, opened)
    test_every_kind_of_file_is_read_from_memory_and_from_disk(api, monkeypatch, 1 << 20)


@pytest.mark.fault(case="T151")
def test_temporary_folders_lie_where_the_next_start_sweeps(
    api: Served, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Those of a course file and of an ingest by command, which hold a whole course."""
    places: list[Path] = []
    unpack = materials.unpack

    def unpack_noted(file: Path, folder: Path, **more: Any) -> Any:
        places.append(folder)
        return unpack(file, folder, **more)

    monkeypatch.setattr(materials, "unpack", unpack_noted)
    platform = api.platform
    with temporary_store(platform.settings.home) as own:
        places.append(Path(str(own.url.database)))
    (tmp_path / "a.zip").write_bytes(zipped("a.md", NOTE))
    course = platform.stores.courses.course(COURSE)
    assert platform.materials.ingest(course, [tmp_path / "a.zip"]).added
    uploads = platform.settings.home / "ingests"
    assert [place.is_relative_to(uploads) for place in places] == [True, True]


def test_no_temporary_folder_of_the_server_lies_elsewhere() -> None:
    """A folder made without a place stays where no start looks."""
    root = Path(services.__file__).parents[1]
    without = [
        f"{file.relative_to(root)}:{node.lineno}"
        for package in ("services", "knowledge", "vta", "concept_graph")
        for file in (root / package).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).split(".")[-1] in ("TemporaryDirectory", "mkdtemp", "NamedTemporaryFile")
        and "dir" not in {each.arg for each in node.keywords}
    ]
    assert without == []
