"""Backups of Moodle as the files that students see, from both forms of archive."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from html import escape
from pathlib import Path, PurePosixPath

import pytest

from knowledge.sources import moodle
from knowledge.sources.moodle import count_backup, unpack_backup
from knowledge.sources.visibility import Unpacked
from vta.errors import InvalidInput


def section(number: int, name: str = "$@NULL@$", *, summary: str = "", visible: int = 1) -> dict[str, str]:
    text = f"<name>{name}</name><summary>{escape(summary)}</summary><visible>{visible}</visible>"
    return {f"sections/section_{number}/section.xml": f"<section id='{number}'>{text}</section>"}


def activity(id: int, kind: str, fields: str, *, visible: int = 1) -> dict[str, str]:
    place = f"activities/{kind}_{id}"
    return {
        f"{place}/{kind}.xml": f"<activity contextid='{100 + id}'><{kind}>{fields}</{kind}></activity>",
        f"{place}/module.xml": f"<module><visible>{visible}</visible></module>",
    }


def field(name: str, text: str) -> str:
    return f"<{name}>{escape(text)}</{name}>"


def stored(context: int, name: str, hash: str, area: str = "content") -> str:
    texts = {"contenthash": hash, "contextid": str(context), "filearea": area, "filename": name}
    return field("file", "").replace("><", ">" + "".join(field(*each) for each in texts.items()) + "<")


def about(activities: dict[int, tuple[str, int]], sections: int) -> str:
    shown = "".join(
        f"<activity><sectionid>{of}</sectionid><modulename>{kind}</modulename>"
        f"<directory>activities/{kind}_{id}</directory></activity>"
        for id, (kind, of) in activities.items()
    )
    parts = "".join(
        f"<section><sectionid>{n}</sectionid><directory>sections/section_{n}</directory></section>"
        for n in range(sections)
    )
    return (
        "<moodle_backup><information><original_course_fullname>Stacks</original_course_fullname>"
        f"<contents><activities>{shown}</activities><sections>{parts}</sections></contents>"
        "</information></moodle_backup>"
    )


def members() -> dict[str, str]:
    book = "".join(
        f"<chapter>{field('title', title)}{field('content', text)}<hidden>{hidden}</hidden></chapter>"
        for title, text, hidden in (("Push", "<p>On top.</p>", 0), ("Draft", "<p>Not yet.</p>", 1))
    )
    quiz = field("name", "Test") + field("intro", "<p>Ten minutes.</p>") + "<question>42</question>"
    return {
        "moodle_backup.xml": about(
            {
                1: ("label", 0),
                2: ("page", 1),
                3: ("book", 1),
                4: ("quiz", 1),
                5: ("resource", 1),
                6: ("page", 1),
            },
            4,
        ),
        **section(0),
        **section(1, "Week 1: what/why?", summary="<p>We begin.</p>"),
        **section(2, "Later", summary="<p>Secret.</p>", visible=0),
        **section(3, "Empty"),
        **activity(1, "label", field("name", "Welc...") + field("intro", "<h3>Welcome</h3><p>Hello.</p>")),
        **activity(2, "page", field("name", "A & B") + field("content", "<h1>Why</h1><p>Last in.</p>")),
        **activity(3, "book", field("name", "Book") + book),
        **activity(4, "quiz", quiz),
        **activity(5, "resource", field("name", "Slides") + field("intro", "$@NULL@$")),
        **activity(6, "page", field("name", "Hidden") + field("content", "<p>Secret.</p>"), visible=0),
        "files.xml": "<files>"
        + stored(105, "../week 1.md", "ab12")
        + stored(105, ".", "0000")
        + stored(105, "photo.png", "ab13")
        + stored(106, "hidden.md", "ab14")
        + stored(999, "draft.md", "ab15")
        + "</files>",
        "files/ab/ab12": "# Slides\n\nOf week one.",
        "files/ab/ab14": "Secret.",
        "files/ab/ab15": "Secret.",
    }


def packed(form: str, texts: dict[str, str]) -> io.BytesIO:
    file = io.BytesIO()
    if form == "zip":
        with zipfile.ZipFile(file, "w") as archive:
            for name, text in texts.items():
                archive.writestr(name, text)
    else:
        with tarfile.open(fileobj=file, mode="w:gz") as archive:
            for name, text in texts.items():
                entry = tarfile.TarInfo(name)
                entry.size = len(text.encode())
                archive.addfile(entry, io.BytesIO(text.encode()))
    file.seek(0)
    return file


def shown(file: io.BytesIO, folder: Path) -> list[Path]:
    """The files of a backup that wait for no date."""
    found = Unpacked()
    unpack_backup(file, folder, path="term.mbz", wanted=is_course_file, found=found)
    return [folder / name for name in found.files if name not in found.release_at]


def is_course_file(name: str) -> bool:
    return name.endswith((".html", ".md"))


@pytest.mark.parametrize("form", ["tar", "zip"])
def test_a_backup_gives_the_sections_and_files_that_students_see(tmp_path, form):
    """In the order of the course; what is hidden, drafts and the questions of a quiz are left out."""
    files = shown(packed(form, members()), tmp_path)
    found = {file.relative_to(tmp_path).as_posix(): file.read_text(encoding="utf-8") for file in files}
    assert list(found) == [
        "term/00 Stacks.html",
        "term/01 Week 1 what why.html",
        "term/01 Week 1 what why/week 1.md",
    ]
    assert "<h6>Welcome</h6><p>Hello.</p>" in found["term/00 Stacks.html"]
    week = found["term/01 Week 1 what why.html"]
    parts = [
        "<h1>Week 1: what/why?</h1>",
        "We begin.",
        "<h2>A &amp; B</h2>",
        "<h4>Why</h4>",
        "Last in.",
        "<h2>Book</h2>",
    ]
    parts += ["<h3>Push</h3>", "On top.", "<h2>Test</h2>", "Ten minutes.", "<h2>Slides</h2>"]  # fmt: skip
    places = [week.index(part) for part in parts]
    assert places == sorted(places)
    assert not any(word in str(found) for word in ("Secret", "Not yet", "42", "Welc...", "NULL"))


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ({"other.xml": "<a/>"}, "not a backup of a Moodle course"),
        ({"moodle_backup.xml": "<moodle_backup>"}, r"moodle_backup\.xml, line 1: not XML"),
        ({"moodle_backup.xml": "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"}, "moodle_backup.xml"),
        ({"moodle_backup.xml": "<a/>", "../x/section.xml": "<a/>"}, "leads out"),
    ],
)
@pytest.mark.parametrize("form", ["tar", "zip"])
def test_what_is_no_backup_is_refused_and_leaves_nothing(tmp_path, texts, words, form):
    with pytest.raises(InvalidInput, match=words):
        shown(packed(form, texts), tmp_path)
    assert list(tmp_path.rglob("*")) == []


@pytest.mark.parametrize("form", ["tar", "zip"])
def test_files_are_counted_as_they_would_be_written(tmp_path, form):
    assert count_backup(packed(form, members()), tmp_path, path="term.mbz", wanted=is_course_file) == 3
    assert list(tmp_path.iterdir()) == []


@pytest.mark.fault(case="T149")
def test_a_part_that_is_listed_again_is_read_once(tmp_path, monkeypatch):
    """So that a small list cannot have one text read any number of times; what is hidden stays so."""
    texts = members()
    for part in ("activity", "section"):
        start = texts["moodle_backup.xml"].index(f"<{part}>")
        listed = texts["moodle_backup.xml"][start:].split("</activities>")[0].split("</sections>")[0]
        again = listed.replace("</directory>", "//</directory>")
        texts["moodle_backup.xml"] = texts["moodle_backup.xml"].replace(listed, listed + again)
    read: list[str] = []
    parse = moodle.parse_xml

    def parse_noted(data, *, name, path):
        read.append(name)
        return parse(data, name=name, path=path)

    monkeypatch.setattr(moodle, "parse_xml", parse_noted)
    files = shown(packed("tar", texts), tmp_path)
    assert len(files) == 3
    assert len(read) == len({str(PurePosixPath(name)) for name in read})
    assert not any("Secret" in file.read_text(encoding="utf-8") for file in files)


def test_a_backup_of_too_many_parts_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(moodle, "MOST_PARTS", 5)
    with pytest.raises(InvalidInput, match="more than 5 entries"):
        shown(packed("tar", members()), tmp_path)


PAST, LATER = 1_000_000_000, 32_000_000_000
GROUP = {"type": "group", "id": 3}


def dated(second: int, **more: object) -> dict[str, object]:
    return {"op": "&", "c": [{"type": "date", "d": ">=", "t": second}], **more}


@pytest.mark.parametrize(
    ("availability", "is_read"),
    [
        ("$@NULL@$", True),
        (json.dumps({"op": "&", "c": [], "showc": []}), True),
        (json.dumps(dated(PAST)), True),
        (json.dumps(dated(LATER)), False),
        (json.dumps(dated(PAST, op="!&")), False),
        (json.dumps({"op": "&", "c": [GROUP]}), False),
        ("nonsense", False),
    ],
)
@pytest.mark.parametrize("where", ["sections/section_1/section.xml", "activities/page_2/module.xml"])
def test_what_is_restricted_is_read_from_the_day_on_which_it_opens(tmp_path, where, availability, is_read):
    """A section or an activity; a condition other than a day that has come keeps it out."""
    texts = members()
    texts[where] = texts[where].replace("</visible>", f"</visible>{field('availability', availability)}")
    files = shown(packed("zip", texts), tmp_path)
    assert any("Last in." in file.read_text(encoding="utf-8") for file in files) == is_read


@pytest.mark.parametrize(
    ("always", "opens", "is_read"), [(0, LATER, False), (0, PAST, True), (0, 0, True), (1, LATER, True)]
)
def test_an_assignment_whose_description_is_not_shown_yet_is_left_out(tmp_path, always, opens, is_read):
    task = field("name", "Week 9") + field("intro", "<p>Build a heap.</p>")
    task += field("alwaysshowdescription", str(always)) + field("allowsubmissionsfromdate", str(opens))
    texts = {"moodle_backup.xml": about({1: ("assign", 0)}, 1), **section(0), **activity(1, "assign", task)}
    files = shown(packed("zip", texts), tmp_path)
    assert any("Build a heap." in file.read_text(encoding="utf-8") for file in files) == is_read
