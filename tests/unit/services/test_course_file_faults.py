"""Course files that are damaged, hostile or of another time: what is said of them."""

from __future__ import annotations

import hashlib
import io
import json
import random
from dataclasses import replace
from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZipFile

import pytest
from course_contents import DS, SMALL, Content, members, read, written

from services.archive import zipped
from services.archive.courses import open_course
from services.documents.rows import read_stored
from vta.errors import InvalidInput
from vta.types.concepts import ConceptEdge
from vta.types.courses import ConceptId
from vta.types.facts import CourseFacts

ARCHIVES = Path(__file__).parents[2] / "data" / "archives"
SOUND = written(SMALL)


def packed(changed: dict[str, bytes], *, compression: int = ZIP_DEFLATED) -> bytes:
    """A zip of these members, with a manifest that says of each what it is now."""
    manifest = json.loads(changed["manifest.json"])
    for name, member in manifest["members"].items():
        member["size"] = len(changed[name])
        member["sha256"] = hashlib.sha256(changed[name]).hexdigest()
    file = io.BytesIO()
    with ZipFile(file, "w", compression) as made:
        for name, data in {**changed, "manifest.json": json.dumps(manifest).encode()}.items():
            made.writestr(name, data)
    return file.getvalue()


def with_value(table: str, column: str, value: object, at: int = -1) -> bytes:
    """A sound file, but for a column of one row; bytes stand in the file as they are."""
    changed, name = members(SOUND), f"{table}.jsonl"
    place = json.loads(changed["manifest.json"])["members"][name]["columns"].index(column)
    rows = [json.loads(line) for line in changed[name].splitlines()]
    rows[at][place] = "here" if isinstance(value, bytes) else value
    text = "".join(json.dumps(row) + "\n" for row in rows).encode()
    return packed({**changed, name: text.replace(b'"here"', value) if isinstance(value, bytes) else text})


def with_manifest(**fields: object) -> bytes:
    changed = members(SOUND)
    changed["manifest.json"] = json.dumps(json.loads(changed["manifest.json"]) | fields).encode()
    return packed(changed)


def fault(data: bytes, tmp_path: Path) -> str:
    """The fault of a file, without its path."""
    file = tmp_path / "course.zip"
    file.write_bytes(data)
    with pytest.raises(InvalidInput) as caught, open_course(file, tmp_path) as (content, _):
        Content.of(content)
    assert caught.value.message.startswith(f"{file}: ")
    return caught.value.message.removeprefix(f"{file}: ")


def pair(**fields: object) -> list[dict[str, object]]:
    return [{"id": "0" * 20, "course_id": "ds", "source": "faq", "question": "", "answer": "", **fields}]


def edge(**fields: object) -> list[dict[str, object]]:
    return [{"prerequisite": "ds:a", "concept": "ds:b", **fields}]


@pytest.mark.fault(case="T147")
@pytest.mark.parametrize(
    ("table", "column", "value", "said"),
    [
        ("documents", "pairs", b"{", "documents.jsonl, line 3: is damaged"),
        ("documents", "pairs", b"\xff", "documents.jsonl, line 3: is damaged"),
        ("documents", "pairs", b"[" * 10_000, "documents.jsonl, line 3: is damaged"),
        ("documents", "pairs", b"[NaN]", "documents.jsonl, line 3: is damaged"),
        ("documents", "pairs", b'"\\ud800"', "documents.jsonl, line 3: is damaged"),
        ("documents", "pairs", b"[1e999]", "documents.jsonl: is damaged: Out of range"),
        ("documents", "pairs", b"[], []", "documents.jsonl, line 3: does not have"),
        ("documents", "pairs", 5, "is damaged"),
        ("documents", "pairs", pair(id="a@b"), "notes/stack.md: id: 'a@b' is out of bounds"),
        ("documents", "pairs", pair(id="faq-1"), "notes/stack.md: id: 'faq-1' is out of bounds"),
        ("documents", "pairs", pair(question=1), "notes/stack.md"),
        ("documents", "pairs", pair(source="?"), "notes/stack.md"),
        ("documents", "pairs", pair(url="javascript:x"), "notes/stack.md: url"),
        ("documents", "edges", edge(score=2), "notes/stack.md: score"),
        ("documents", "held", [5], "is damaged"),
        ("documents", "path", "../a", "../a: the path leads out"),
        ("documents", "path", "/etc/passwd", "/etc/passwd: the path leads out"),
        ("documents", "path", "a\0", "the path leads out"),
        ("documents", "path", "a" * 1001, "the path leads out"),
        ("documents", "release_at", "9000-01-01T00:00:00Z", "notes/stack.md: its release is outside"),
        ("documents", "course_id", "ml", "documents.jsonl: is damaged: FOREIGN KEY"),
        ("faq_entries", "id", "../../x", "faq_versions.jsonl: is damaged: FOREIGN KEY"),
        ("faq_versions", "question", " ", "the question is empty"),
        ("faq_entries", "created_at", "9999-01-01T00:00:00+00:00", "created_at"),
        ("graph_edits", "edit", {"kind": "drop"}, "cannot be read"),
        ("graph_edits", "number", "x", "is damaged"),
        ("courses", "language", "fr", "fr"),
        ("courses", "alpha", 2, "alpha"),
        ("courses", "relevance", "x", "courses.jsonl: is damaged"),
        ("courses", "id", "ml", "course_embeddings.jsonl: is damaged: FOREIGN KEY"),
        ("courses", "name", "", "the name of a course"),
        ("courses", "name", "a" * 201, "the name of a course"),
        ("courses", "name", "a\0", "the name of a course"),
        ("courses", "domains", [], "domains"),
        ("courses", "domains", ["a" * n for n in range(1, 22)], "domains"),
        ("course_embeddings", "origins", ["*"], "'*' is not an origin"),
        ("course_facts", "time_zone", "Mars/Base", "'Mars/Base' is no time zone"),
        ("course_facts", "facts", [{"kind": "exam"}], "no list of facts"),
        (
            "course_facts",
            "facts",
            [{"id": "a b", "kind": "exam", "name": "Final", "begins": "2027-01-12"}],
            "'a b'",
        ),
        (
            "course_facts",
            "facts",
            [{"id": "a", "kind": "exam", "name": "Final", "begins": "soon"}],
            "'soon' is no",
        ),
        ("course_facts", "dismissed", 5, "no list of facts"),
        ("test_questions", "tests", [{"place": "a.md"}], "no list of test questions"),
        ("test_questions", "tests", [{"question": "?"}], "where the answer must come from"),
        ("course_embeddings", "starters", ["a" * 301], "starters"),
        ("course_embeddings", "greeting", "a" * 301, "greeting"),
        ("course_embeddings", "daily_tokens", -1, "daily_tokens"),
        ("courses", "tone", "a" * 301, "tone"),
    ],
)
def test_a_wrong_value_is_named(tmp_path, table, column, value, said):
    """Also where manifest and hashes agree with it."""
    assert said in fault(with_value(table, column, value), tmp_path)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"course": None}, "of a platform, not of one course"),
        ({"course": "ml"}, "courses.jsonl: does not hold the course 'ml'"),
        ({"schema_version": "9999"}, "update first"),
        ({"format": "x"}, "manifest.json: format: is not 'vta-backup'"),
        ({"version": 3, "new": 1}, "version: 3 is of a newer release; this one reads up to 2"),
        ({"version": True}, "manifest.json: version"),
        ({"rows": " " * 1_000_001}, "manifest.json: has more than 1000000"),
        ({"new": 1}, "manifest.json: new"),
    ],
)
def test_a_wrong_manifest_is_refused(tmp_path, fields, said):
    assert said in fault(with_manifest(**fields), tmp_path)


def test_a_course_file_of_an_earlier_release_is_refused_with_what_to_do(tmp_path):
    """It was written by the commit before the two formats became one."""
    said = fault((ARCHIVES / "course-file-v1.zip").read_bytes(), tmp_path)
    assert "import it with that release (commit 44d373c5), update that store, and export" in said


def test_a_course_is_imported_from_its_backup_without_its_people():
    """Under another id, too; the file was written before course files and backups were one format."""
    data = (ARCHIVES / "course-backup-v2.zip").read_bytes()
    held = tuple(replace(each, contents=()) for each in SMALL.held_documents)
    later = dict.fromkeys(("tone", "assistant", "model", "daily_tokens", "research"))
    was = replace(SMALL, course=replace(SMALL.course, tone=None), settings=replace(SMALL.settings, **later))
    assert read(data) == replace(was, held_documents=held, facts=CourseFacts(), tests=(), weeks=())
    assert read(data, as_id="copy").course.name == SMALL.course.name


def test_a_fact_that_no_clock_knows_is_named_in_a_copy_too():
    """Facts are checked before their dates are moved."""
    facts = [{"id": "a", "kind": "exam", "name": "Final", "begins": "soon or later"}]
    with pytest.raises(InvalidInput, match="'soon or later' is no date"):
        read(with_value("course_facts", "facts", facts), as_id="copy")


def test_damage_anywhere_is_a_fault_that_can_be_told(tmp_path):
    """Bytes changed at random: the file reads as it was written, or one error says what is wrong."""
    draw = random.Random(0)
    file = tmp_path / "course.zip"
    refused = 0
    for _ in range(100):
        data = bytearray(SOUND)
        for _ in range(draw.randint(1, 4)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        file.write_bytes(bytes(data))
        try:
            with open_course(file, tmp_path) as (content, _):
                assert Content.of(content) == SMALL
        except InvalidInput:
            refused += 1
    assert refused > 75


def test_a_bomb_is_stopped_before_it_is_unpacked(tmp_path, monkeypatch):
    """A line and a whole that are too large, however small they are packed."""
    long = with_value("documents", "pairs", pair(answer="a" * 2_000_000))
    monkeypatch.setattr(zipped, "LARGEST_LINE", 1_000_000)
    assert "documents.jsonl, line 3: has more than 1000000 bytes" in fault(long, tmp_path)
    monkeypatch.setattr(zipped, "LARGEST_FILE", 1_000)
    assert "manifest.json: has more than 1000 bytes" in fault(SOUND, tmp_path)


def test_what_a_language_model_said_of_an_edge_is_passed_over():
    """Rows of an earlier version hold it; the edge is read without it."""
    said = {"verdict": "reversed", "reason": "r", "model": "m", "unjudged": 0.95}
    row = {"prerequisite": "a", "concept": "b", "score": 0.95, "judgement": said}
    (found,) = read_stored(ConceptEdge, [row], DS, "/graph/built")
    assert found == ConceptEdge(prerequisite=ConceptId("a"), concept=ConceptId("b"), score=0.95)


def test_a_member_packed_in_another_way_is_refused(tmp_path):
    """Ways of packing that unpack without a bound on memory are not read."""
    assert "packed in a way" in fault(packed(members(SOUND), compression=ZIP_BZIP2), tmp_path)
