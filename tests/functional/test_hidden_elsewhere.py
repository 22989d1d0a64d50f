"""What students of another platform do not see is not read; what they see later waits until then."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from html import escape
from pathlib import Path

import pytest
from served_platform import Build

from services.reading.given_files import GivenFile
from services.wiring import Platform
from vta.ingest.pipeline import IngestReport
from vta.languages import Language
from vta.types.courses import Course, CourseId

TERM = Course(id=CourseId("term"), name="Trees", domains=("trees",), language=Language.EN)
LATER, PAST = "2999-01-01T00:00:00", "2020-01-01T00:00:00"


@pytest.fixture
def platform(build: Build) -> Platform:
    built = build({})
    built.stores.courses.add(TERM)
    return built


def page(word: str, **metas: str) -> str:
    named = "".join(f'<meta name="{name}" content="{value}"/>' for name, value in metas.items())
    return f"<html><head><title>{word}</title>{named}</head><body><p>A {word} grows.</p></body></html>"


def settings(name: str, inside: str) -> str:
    return f'<{name} xmlns="http://canvas.instructure.com/xsd/cccv1p0">{inside}</{name}>'


def tags(**values: str) -> str:
    return "".join(f"<{name}>{value}</{name}>" for name, value in values.items())


def cartridge() -> dict[str, str]:
    """A course of Canvas; the stem of a file says what is to become of it: shown, later or hidden."""
    pages = {
        "shown0": page("shown0", workflow_state="active", publish_at="", unlock_at=PAST),
        "later0": page("later0", workflow_state="unpublished", publish_at="2999-01-01 00:00:00 UTC"),
        "later1": page("later1", workflow_state="active", unlock_at=LATER + "Z"),
        "hidden0": page("hidden0", workflow_state="unpublished"),
        "hidden1": page("hidden1", workflow_state="unpublished", publish_at=PAST),
        "hidden2": page("hidden2", workflow_state="deleted"),
        "hidden3": page("hidden3", workflow_state="active", unlock_at="in spring"),
        "hidden4": page("hidden4", workflow_state="active", lock_at=PAST),
    }
    files = {f"wiki_content/{name}.html": text for name, text in pages.items()}
    tasks = {
        "shown5": tags(workflow_state="published", unlock_at=PAST, lock_at=PAST),
        "later5": tags(workflow_state="published", unlock_at=LATER),
        "hidden5": tags(workflow_state="unpublished", unlock_at=PAST),
        "hidden6": tags(workflow_state="published", only_visible_to_overrides="true"),
    }
    for name, told in tasks.items():
        files[f"g{name}/{name}.html"] = page(name)
        files[f"g{name}/assignment_settings.xml"] = settings("assignment", told)
    extended = settings("assignment", f"<extensions>{settings('assignment', tasks['hidden5'])}</extensions>")
    files |= {"ghidden7/hidden7.html": page("hidden7"), "ghidden7/assignment.xml": extended}
    meta = {
        "shown8": "",
        "later8": tags(unlock_at=LATER),
        "hidden8": tags(hidden="true"),
        "hidden9": tags(locked="true", unlock_at=PAST),
    }
    places = ("shown10", "later10", "hidden10")
    folders = {"closed folder": tags(locked="true"), "spring": tags(unlock_at=LATER), "open": ""}
    listed = "".join(f'<file identifier="{name}">{told}</file>' for name, told in meta.items())
    listed += "</files><folders>"
    listed += "".join(f'<folder path="{name}">{told}</folder>' for name, told in folders.items())
    files["course_settings/files_meta.xml"] = settings("fileMeta", f"<files>{listed}</folders>")
    for name in (*meta, *places, "hidden11"):
        files[f"web_resources/{name}.md"] = f"# {name}\n\nA {name} grows.\n"
    for folder, name in (("closed folder/sub", "hidden12"), ("spring", "later12"), ("open", "shown12")):
        files[f"web_resources/{folder}/{name}.md"] = f"# {name}\n\nA {name} grows.\n"
    items = {"hidden10": ("unpublished", ""), "later10": ("active", LATER), "shown10": ("active", PAST)}
    modules = "".join(
        f"<module>{tags(workflow_state=state, unlock_at=date)}<items>"
        + "".join(
            f"<item>{tags(workflow_state='active', identifierref=each)}</item>" for each in ("shown10", name)
        )
        + "</items></module>"
        for name, (state, date) in items.items()
    )
    files["course_settings/module_meta.xml"] = settings("modules", modules)
    role = "<metadata><lom:lom xmlns:lom='urn:lom'><lom:educational><lom:intendedEndUserRole><lom:value>"
    role += "Instructor</lom:value></lom:intendedEndUserRole></lom:educational></lom:lom></metadata>"
    resources = "".join(
        f'<resource identifier="{name}" href="web_resources/{name}.md">{role * (name == "hidden11")}'
        f'<file href="web_resources/{name}.md"/></resource>'
        for name in (*meta, *places, "hidden11")
    )
    manifest = f'<manifest xmlns="http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1"><resources>{resources}'
    return files | {"imsmanifest.xml": f"{manifest}</resources></manifest>"}


def zipped(files: dict[str, str]) -> io.BytesIO:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    packed.seek(0)
    return packed


def tarred(files: dict[str, str]) -> io.BytesIO:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    packed.seek(0)
    return packed


def waiting(platform: Platform) -> dict[str, bool]:
    """The files of the course by the last part of their path; whether each waits."""
    found = platform.materials.documents(TERM.id)
    assert all((each.release_at is not None) == each.waits for each in found)
    return {each.path.split("/")[-1].split(".")[0]: each.waits for each in found}


def read(platform: Platform, way: str, name: str, packed: io.BytesIO, folder: Path) -> IngestReport:
    """By the command, or by an upload, or by one that waited for a yes."""
    (folder / name).write_bytes(packed.read())
    if way == "command":
        return platform.materials.ingest(TERM, [folder / name])
    if way == "yes":
        earlier = f"{name.split('.', maxsplit=1)[0]}/wiki_content/shown0.html"
        old = folder / "old.html"
        old.write_text("<p>It was.</p>", encoding="utf-8")
        first = platform.materials.begin(TERM, [GivenFile(name=earlier, file=old)])
        ended(platform, first.id)
    begun = platform.materials.upload(TERM, [GivenFile(name=name, file=folder / name)])
    return ended(platform, platform.materials.confirm(TERM, begun).id if isinstance(begun, str) else begun.id)


def ended(platform: Platform, job: str) -> IngestReport:
    platform.materials._queue.join(60)
    report = platform.materials.job(TERM.id, job).report
    assert report is not None
    return report


@pytest.mark.fault(case="T155")
@pytest.mark.parametrize("way", ["command", "upload", "yes"])
@pytest.mark.parametrize("name", ["canvas.imscc", "renamed.zip"])
def test_a_cartridge_keeps_what_canvas_hides_and_when_it_opens(platform, tmp_path, name, way):
    files = cartridge()
    if name.endswith("zip"):
        files = {f"renamed/{path}": text for path, text in files.items()}
    report = read(platform, way, name, zipped(files), tmp_path)
    stems = {Path(path).stem for path in files if not path.endswith(".xml")}
    named = {Path(each.path).stem for each in report.rejected}
    assert waiting(platform) == {stem: stem.startswith("later") for stem in stems if "hidden" not in stem}
    assert named == {stem for stem in stems if stem.startswith("hidden")}
    answers = " ".join(pair.answer for pair in platform.stores.documents.pairs(TERM.id))
    assert "shown0" in answers
    assert "later" not in answers


@pytest.mark.fault(case="T155")
def test_a_moodle_backup_names_what_is_hidden_and_dates_what_opens_later(platform, tmp_path):
    """An activity that opens later than its section is a page of its own, with its files."""
    later = json.dumps({"op": "&", "c": [{"type": "date", "d": ">=", "t": 32_000_000_000}]})
    group = json.dumps({"op": "&", "c": [{"type": "group", "id": 3}]})
    sections = {"shown0": "", "later0": later, "hidden0": group}
    activities = {"shown1": (0, ""), "later1": (0, later), "hidden1": (0, group), "later2": (1, "")}
    files, listed = dict[str, str](), ""
    for number, (name, given) in enumerate(sections.items()):
        listed += f"<section>{tags(sectionid=str(number), directory=f'sections/section_{number}')}</section>"
        told = tags(name=name, summary=f"A {name} grows.", visible="1", availability=escape(given))
        files[f"sections/section_{number}/section.xml"] = f"<section>{told}</section>"
    listed = f"<sections>{listed}</sections><activities>"
    stored = ""
    for number, (name, (section, given)) in enumerate(activities.items()):
        place = f"activities/page_{number}"
        told = tags(sectionid=str(section), modulename="page", directory=place)
        listed += f"<activity>{told}</activity>"
        content = tags(name=name, content=f"A {name} thrives.")
        files[f"{place}/page.xml"] = f"<activity contextid='{number}'><page>{content}</page></activity>"
        files[f"{place}/module.xml"] = f"<module>{tags(visible='1', availability=escape(given))}</module>"
        file = tags(contenthash=f"ab{number}", contextid=str(number), filearea="content")
        stored += f"<file>{file}{tags(filename=f'{name}file.md')}</file>"
        files[f"files/ab/ab{number}"] = f"# {name}\n\nThe file of {name} grows.\n"
    files["files.xml"] = f"<files>{stored}</files>"
    contents = f"<information><contents>{listed}</activities></contents></information>"
    files["moodle_backup.xml"] = f"<moodle_backup>{contents}</moodle_backup>"
    report = read(platform, "command", "m.mbz", tarred(files), tmp_path)
    assert waiting(platform) == {
        "00 shown0": False,
        "shown1file": False,
        "later1": True,
        "later1file": True,
        "01 later0": True,
        "later2file": True,
    }
    assert [each.path for each in report.rejected] == ["m/00 shown0/hidden1", "m/02 hidden0"]
    answers = " ".join(pair.answer for pair in platform.stores.documents.pairs(TERM.id))
    assert "shown1" in answers
    assert "later" not in answers


@pytest.mark.fault(case="T155")
def test_an_open_edx_course_waits_for_its_start_and_names_its_other_parts(platform, tmp_path):
    """It is one document: a part that opens later than the course is left out, with its day."""
    chapters = "".join(
        f'<chapter display_name="{name}" {told}><html>A {name} grows.</html></chapter>'
        for name, told in {
            "shown": f'start="{PAST}"',
            "later": 'start="2999-06-01T00:00:00Z"',
            "hidden": 'visible_to_staff_only="true"',
        }.items()
    )
    export = {"course.xml": f'<course display_name="C" start="{LATER}">{chapters}</course>'}
    report = read(platform, "command", "edx.tar.gz", tarred(export), tmp_path)
    (document,) = platform.materials.documents(TERM.id)
    assert document.waits
    assert document.off == 1
    later, hidden = (each.reason for each in report.rejected)
    assert "'later' opens on 2999-06-01" in later
    assert "'hidden' is not open to all students" in hidden
