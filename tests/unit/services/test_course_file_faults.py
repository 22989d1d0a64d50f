"""Course files that are damaged, hostile or of another time: what is said of them."""

from __future__ import annotations

import hashlib
import io
import json
import random
from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZipFile

import pytest
from course_contents import SMALL, members, written

from services.archive import zipped
from services.courses import course_file as courses
from services.courses.course_file import open_course
from services.documents.rows import read_stored
from vta.errors import InvalidInput
from vta.types.concepts import ConceptEdge
from vta.types.courses import ConceptId

SOUND = written(SMALL)
DOCUMENTS = "documents.jsonl"

Change = Callable[[dict[str, bytes]], object]


def packed(changed: dict[str, bytes], *, compression: int = ZIP_DEFLATED) -> bytes:
    """A zip of these members."""
    file = io.BytesIO()
    with ZipFile(file, "w", compression) as zipped:
        for name, data in changed.items():
            zipped.writestr(name, data)
    return file.getvalue()


def resigned(changed: dict[str, bytes]) -> dict[str, bytes]:
    """The members with a manifest that says of each what it is now."""
    manifest = json.loads(changed["manifest.json"])
    manifest["members"] = {
        name: {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in changed.items()
        if name != "manifest.json"
    }
    return {**changed, "manifest.json": json.dumps(manifest).encode()}


def lines_changed(member: str, number: int, text: bytes | None) -> bytes:
    """A sound file, but for one line, counted from 1, of a member."""
    changed = members(SOUND)
    lines = changed[member].splitlines(keepends=True)
    lines[number - 1 : number] = [] if text is None else [text + b"\n"]
    return packed(resigned({**changed, member: b"".join(lines)}))


def read(file: Path) -> list[object]:
    """All that a file holds."""
    with open_course(file) as content:
        return [*content.documents(), *content.entries(), *content.edits()]


def fault(data: bytes, tmp_path: Path) -> InvalidInput:
    """What is said when all of a file is read."""
    file = tmp_path / "course.zip"
    file.write_bytes(data)
    with pytest.raises(InvalidInput) as caught:
        read(file)
    assert str(caught.value.message).startswith(f"{file}: ")
    assert caught.value.path == str(file)
    return caught.value


def with_manifest(**fields: object) -> bytes:
    changed = members(SOUND)
    manifest = {**json.loads(changed["manifest.json"]), **fields}
    return packed({**changed, "manifest.json": json.dumps(manifest).encode()})


def line(kind: str, **fields: object) -> bytes:
    """A sound line of `documents.jsonl`, but for some fields."""
    sound: dict[str, dict[str, object]] = {
        "document": {"path": "a.md", "sha256": ""},
        "pair": {"id": "0" * 20, "source": "faq", "question": "", "answer": ""},
        "concept": {"key": "a", "name": "a"},
        "edge": {"prerequisite": "a", "concept": "b"},
    }
    return json.dumps({kind: {**sound[kind], **fields}}).encode()


def entry(**fields: object) -> bytes:
    """A sound line of `faq.jsonl`, but for some fields."""
    sound = {"id": "f" * 32, "created_at": "2025-03-01T00:00:00Z", "question": "a", "answer": "b"}
    return json.dumps({**sound, **fields}).encode()


def edit(number: int, **fields: object) -> bytes:
    """A line of `graph_edits.jsonl`."""
    return json.dumps({"number": number, "created_at": "2025-03-01T00:00:00Z", "edit": fields}).encode()


def settings(**fields: object) -> bytes:
    """A sound `course.json`, but for some fields."""
    return json.dumps({"id": "ds", "name": "DS", "domains": ["cs"], "language": "zh", **fields}).encode()


@pytest.mark.parametrize(
    ("number", "text", "said"),
    [
        (2, b"{", "line 2: Invalid JSON"),
        (2, b"", "line 2: Invalid JSON"),
        (2, b"\xff", "line 2: "),
        (2, b"[" * 10_000, "line 2: "),
        (2, b"[]", "line 2: "),
        (2, b"{}", "line 2: Value error, a line holds one of"),
        (2, line("concept", score=float("nan")), "line 2: concept.score"),
        (2, line("concept", courses=["ml"]), "line 2: concept.courses: Extra"),
        (2, line("concept", key=""), "line 2: concept.key"),
        (2, line("edge", score=2), "line 2: edge.score"),
        (6, line("pair", id="a@b"), "line 6: pair.id"),
        (6, line("pair", id="faq-1"), "line 6: pair.id"),
        (6, line("pair", question=1), "line 6: pair.question"),
        (6, line("pair", source="?"), "line 6: pair.source"),
        (6, line("pair", answer="\ud800"), "line 6: "),
        (6, line("pair", url="javascript:x"), "line 6: pair.url"),
        (6, line("pair", locator={"start_s": "1"}), "line 6: pair.locator.start_s"),
        (1, None, "line 1: there is no document before it"),
        (5, line("document", path="../a"), "line 5: document: Value error, the path leads out"),
        (5, line("document", path="/etc/passwd"), "the path leads out"),
        (5, line("document", path="/faq/1"), "the path leads out"),
        (5, line("document", path="a\0"), "the path leads out"),
        (5, line("document", path="a" * 1001), "line 5: document.path"),
        (5, line("document", release_at="9000-01-01T00:00:00Z"), "line 5: document.release_at"),
        (7, None, "holds 1 pairs, not the 2 of the manifest"),
    ],
)
def test_a_wrong_line_of_a_document_is_named(tmp_path, number, text, said):
    """Also where manifest and hashes agree with it."""
    message = fault(lines_changed(DOCUMENTS, number, text), tmp_path).message
    assert "documents.jsonl" in message
    assert said in message


@pytest.mark.parametrize(
    ("member", "number", "text", "said"),
    [
        ("faq.jsonl", 1, entry(id="../../x"), "line 1: id"),
        ("faq.jsonl", 1, entry(question=" "), "line 1: the question is empty"),
        ("faq.jsonl", 1, entry(created_at="0001-01-01T00:00:00+14:00"), "line 1: created_at"),
        ("faq.jsonl", 1, None, "holds 0 faq_entries, not the 1 of the manifest"),
        ("graph_edits.jsonl", 2, edit(1, kind="reject", concept="a"), "line 2: number: 1 does not come"),
        ("graph_edits.jsonl", 1, edit(1, kind="drop"), "line 1: edit"),
        ("course.json", 1, settings(language="fr"), "line 1: language"),
        ("course.json", 1, settings(alpha=2), "line 1: alpha"),
        ("course.json", 1, settings(relevance=2), "line 1: relevance"),
        ("course.json", 1, settings(id="ml"), "is of the course 'ml', not 'ds'"),
        ("course.json", 1, settings(origins=["*"]), "line 1: '*' is not an origin"),
        ("course.json", 1, settings(name=""), "line 1: name"),
        ("course.json", 1, settings(name="a" * 201), "line 1: name"),
        ("course.json", 1, settings(name="a\0"), "line 1: name"),
        ("course.json", 1, settings(domains=[]), "line 1: domains"),
        ("course.json", 1, settings(domains=["a"] * 21), "line 1: domains"),
        ("course.json", 1, settings(starters=["a" * 301]), "line 1: starters"),
        ("course.json", 1, settings(greeting="a" * 301), "line 1: greeting"),
        ("course.json", 1, None, "has 0 lines, not one"),
    ],
)
def test_a_wrong_line_is_named_with_its_member(tmp_path, member, number, text, said):
    """Entries, edits and settings are checked as strictly."""
    message = fault(lines_changed(member, number, text), tmp_path).message
    assert member in message
    assert said in message


def test_an_entry_that_asks_what_another_does_is_named(tmp_path):
    """Their marks at the end do not tell two questions apart."""
    changed = members(SOUND)
    changed["faq.jsonl"] += entry(id="a" * 32, question="什么时候交作业") + b"\n"
    message = fault(packed(resigned(changed)), tmp_path).message
    assert "faq.jsonl, line 2: asks the same question as line 1" in message


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda m: m.pop("faq.jsonl"), "faq.jsonl: is not in the file"),
        (lambda m: m.pop("manifest.json"), "manifest.json: is not in the file"),
        (lambda m: m.update({"../../etc/cron.d/x": b""}), "../../etc/cron.d/x: is no part of a course file"),
        (lambda m: m.update({"notes/": b""}), "notes/: is no part of a course file"),
        (lambda m: m.update({"manifest.json": b"["}), "manifest.json: is not JSON"),
        (lambda m: m.update({"manifest.json": b"[" * 100_000}), "manifest.json: is not JSON"),
        (lambda m: m.update({"manifest.json": b"{}"}), "manifest.json: format: is not 'vta-course'"),
        (lambda m: m.update({"manifest.json": b" " * 1_000_001}), "manifest.json: has more than 1000000"),
        (lambda m: m.update({DOCUMENTS: m[DOCUMENTS].replace(b"12.25", b"12.26")}), "its sha256 differs"),
        (lambda m: m.update({DOCUMENTS: m[DOCUMENTS] + b"{}\n"}), "documents.jsonl, line 8: is beyond"),
    ],
)
def test_a_file_with_other_members_is_refused(tmp_path, change: Change, said):
    """Members that are missing, unknown, or not what the manifest says."""
    changed = members(SOUND)
    change(changed)
    assert said in fault(packed(changed), tmp_path).message


def test_a_newer_form_says_so(tmp_path):
    """Whatever else it holds; and a version that never was is none."""
    newer = with_manifest(version=2, new_things=[1])
    assert "version: 2 is of a newer release; this one reads up to 1" in fault(newer, tmp_path).message
    for version in (0, "1", None, True):
        assert "manifest.json: version" in fault(with_manifest(version=version), tmp_path).message


def test_a_member_that_is_there_twice_is_refused(tmp_path):
    """Two programs could take another one of them."""
    file = io.BytesIO(SOUND)
    with pytest.warns(UserWarning, match="Duplicate name"), ZipFile(file, "a") as zipped:
        zipped.writestr("faq.jsonl", b"")
    assert "faq.jsonl: is there twice" in fault(file.getvalue(), tmp_path).message


def test_a_file_that_is_no_zip_or_was_cut_off_is_refused(tmp_path):
    """Wherever it was cut."""
    for data in (b"", b"PK", b"hello", *(SOUND[:end] for end in range(0, len(SOUND), 97))):
        assert "is no course file, or was cut off" in fault(data, tmp_path).message


def test_a_file_that_is_not_there_is_said_to_be_missing(tmp_path):
    """By its name."""
    with pytest.raises(InvalidInput, match=r"none\.zip: cannot be read"):
        read(tmp_path / "none.zip")


def test_damage_anywhere_is_a_fault_that_can_be_told(tmp_path):
    """Bytes changed at random: the file reads as it was written, or one error says what is wrong."""
    draw = random.Random(0)
    file = tmp_path / "course.zip"
    refused = 0
    for _ in range(400):
        data = bytearray(SOUND)
        for _ in range(draw.randint(1, 4)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        file.write_bytes(bytes(data))
        try:
            found = read(file)
        except InvalidInput:
            refused += 1
        else:
            assert found == [*SMALL.documents(), *SMALL.entries(), *SMALL.edits()]
    assert refused > 300


def test_a_bomb_is_stopped_before_it_is_unpacked(tmp_path, monkeypatch):
    """A line, a document and a whole that are too large, however small they are packed."""
    changed = members(SOUND)
    long = line("document", path="a" * 3_000_000) + b"\n"
    monkeypatch.setattr(zipped, "LARGEST_LINE", 1_000_000)
    message = fault(packed(resigned({**changed, DOCUMENTS: long})), tmp_path).message
    assert "documents.jsonl, line 1: has more than 1000000 bytes" in message

    monkeypatch.setattr(courses, "LARGEST_DOCUMENT", 1_000_000)
    many = line("document") + b"\n" + 3 * (line("pair", answer="a" * 400_000) + b"\n")
    message = fault(packed(resigned({**changed, DOCUMENTS: many})), tmp_path).message
    assert "documents.jsonl, line 4: 'a.md' has more than 1000000 bytes" in message

    monkeypatch.setattr(courses, "LARGEST_COURSE", 1_000)
    assert "members: are more than 1000 bytes" in fault(SOUND, tmp_path).message


def test_what_a_language_model_said_of_an_edge_is_passed_over(tmp_path):
    """Files and rows of an earlier version hold it; the edge is read without it, and not written with it."""
    said = {"verdict": "reversed", "reason": "r", "model": "m", "unjudged": 0.95}
    sound = members(SOUND)[DOCUMENTS].splitlines()
    number, old = next((n, json.loads(each)) for n, each in enumerate(sound, start=1) if b'{"edge"' in each)
    old["edge"]["judgement"] = said
    file = tmp_path / "course.zip"
    file.write_bytes(lines_changed(DOCUMENTS, number, json.dumps(old).encode()))
    assert read(file) == [*SMALL.documents(), *SMALL.entries(), *SMALL.edits()]

    row = {"prerequisite": "a", "concept": "b", "score": 0.95, "judgement": said}
    (edge,) = read_stored(ConceptEdge, [row], "ds", "/graph/built")
    assert edge == ConceptEdge(prerequisite=ConceptId("a"), concept=ConceptId("b"), score=0.95)


def test_a_member_packed_in_another_way_is_refused(tmp_path):
    """Ways of packing that unpack without a bound on memory are not read."""
    assert "packed in a way" in fault(packed(members(SOUND), compression=ZIP_BZIP2), tmp_path).message
