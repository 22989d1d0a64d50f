"""Ingesting: all of it or nothing, and a report that tells what happened to every file."""

from __future__ import annotations

import hashlib
import io
import os
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import factories as make
import pytest
from plain_faults import plain
from sql_stores import new_stores

from vta.errors import InvalidInput, UpstreamFailed
from vta.faults import Fault
from vta.ingest.files import LARGEST_FILE, count_kinds
from vta.ingest.pipeline import IN_MEMORY, Spool, ingest
from vta.languages import Language
from vta.types.answers import Rejection
from vta.types.courses import Course
from vta.types.documents import CourseDocument
from vta.types.pairs import Locator

TORN = Fault("file.no_text")
COURSE = make.course("ds", language=Language.ZH)


class LineReader:
    """A small reader: one pair a line, the word `bad` is a fault."""

    def handles(self, path: str) -> bool:
        return path.endswith(".txt")

    def read(self, file: BinaryIO, *, path: str, course: Course) -> CourseDocument:
        data = file.read()
        lines = data.decode().splitlines()
        if "bad" in lines:
            line = lines.index("bad") + 1
            raise InvalidInput(plain(f"{path}, line {line}: bad"), path=path, line=line)
        pairs = tuple(
            make.pair(line, line, id=f"{path}:{n}", course=course.id) for n, line in enumerate(lines)
        )
        return CourseDocument(path=path, sha256=hashlib.sha256(data).hexdigest(), pairs=pairs)


class BoxReader(LineReader):
    """Reads folders that hold `box.txt` as one document: the names of their files, `torn` being a fault."""

    def handles(self, path: str) -> bool:
        return path.endswith("box.txt")

    def entry(self, folder: Path) -> str | None:
        return "box.txt" if (folder / "box.txt").exists() else None

    def pack(self, folder: Path) -> BinaryIO:
        return io.BytesIO("\n".join(sorted(file.name for file in folder.iterdir())).encode())

    def read(self, file: BinaryIO, *, path: str, course: Course) -> CourseDocument:
        document = super().read(file, path=path, course=course)
        whole = tuple(pair for pair in document.pairs if pair.answer != "torn")
        faults = [Rejection(path=path, fault=TORN, line=1)] if whole != document.pairs else []
        return replace(document, pairs=whole, rejected=tuple(faults))


@pytest.fixture
def documents(tmp_path):
    stores = new_stores(tmp_path / "store", COURSE)
    yield stores.documents
    stores.close()


@pytest.fixture
def take_in(documents):
    def run(*roots, readers=(BoxReader(), LineReader()), **more):
        return ingest(roots, course=COURSE, readers=readers, documents=documents, **more)

    return run


@pytest.fixture
def notes(tmp_path):
    return write(tmp_path / "notes", {"a.txt": "one\ntwo", "sub/b.txt": "three"})


def write(folder, files):
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder


def stored(documents) -> dict[str, list[str]]:
    """The questions of each document."""
    paths = documents.states(COURSE.id)
    return {path: [p.question for p in documents.passages(COURSE.id, path)] for path in paths}


def test_a_folder_is_read_with_the_folders_inside(take_in, documents, notes):
    """Documents are known by their path inside the folder given; files of other kinds are named."""
    write(notes, {"picture.png": "", "readme": "", "sub/old.zip": "", "~$a.docx": "", "__MACOSX/a.txt": "x"})
    write(notes, {"_layouts/page.html": "{{ content }}", "404.html": "x", "a/_drafts/b.md": "x"})
    report = take_in(notes)
    assert report.passed_over == ("picture.png", "readme", "sub/old.zip")
    assert count_kinds(report.passed_over) == "1 .png, 1 readme, 1 .zip"
    assert (report.added, report.pairs) == (("a.txt", "sub/b.txt"), 3)
    assert (report.unchanged, report.removed, report.rejected) == ((), (), ())
    assert stored(documents) == {"a.txt": ["one", "two"], "sub/b.txt": ["three"]}


def test_what_has_not_changed_is_skipped(take_in, documents, notes):
    """A second run stores nothing, so the revision and the index stay; a changed file alone is read again."""
    seen = []
    take_in(notes, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(0, 2), (1, 2), (2, 2)]
    revision = documents.revision()
    report = take_in(notes)
    assert (report.added, report.unchanged, report.pairs) == ((), ("a.txt", "sub/b.txt"), 0)
    assert documents.revision() == revision
    write(notes, {"a.txt": "new"})
    assert take_in(notes).added == ("a.txt",)
    assert stored(documents) == {"a.txt": ["new"], "sub/b.txt": ["three"]}


def test_what_has_gone_from_the_folder_is_removed(take_in, documents, notes, tmp_path):
    """What other folders or single files gave stays."""
    single = write(tmp_path, {"single.txt": "s"}) / "single.txt"
    take_in(notes)
    take_in(single)
    take_in(write(tmp_path / "more", {"c.txt": "c"}))
    (notes / "a.txt").unlink()
    assert take_in(notes).removed == ("a.txt",)
    assert set(stored(documents)) == {"sub/b.txt", "single.txt", "c.txt"}


@pytest.mark.parametrize("text", ["changed", "one\ntwo"])
@pytest.mark.parametrize("folder_first", [True, False])
def test_a_file_of_a_folder_given_by_itself_goes_with_the_folder(take_in, notes, text, folder_first):
    """Before or after the folder, changed or not."""
    if folder_first:
        take_in(notes)
    write(notes, {"a.txt": text})
    take_in(notes / "a.txt")
    if not folder_first:
        take_in(notes)
    (notes / "a.txt").unlink()
    assert take_in(notes).removed == ("a.txt",)


def test_a_faulty_file_is_rejected_and_the_others_are_stored(take_in, documents, notes):
    """The report names its line, and what was stored of it before stays."""
    take_in(notes)
    write(notes, {"a.txt": "one\nbad", "c.txt": "four"})
    report = take_in(notes)
    assert [(r.path, r.line) for r in report.rejected] == [("a.txt", 2)]
    assert "bad" in report.rejected[0].reason
    assert (report.added, report.removed) == (("c.txt",), ())
    assert stored(documents) == {"a.txt": ["one", "two"], "sub/b.txt": ["three"], "c.txt": ["four"]}


def test_a_file_too_large_to_read_is_rejected(take_in, notes):
    """It is refused by its size, before it is read."""
    os.truncate(notes / "a.txt", LARGEST_FILE + 1)
    report = take_in(notes)
    assert [r.path for r in report.rejected] == ["a.txt"]
    assert str(LARGEST_FILE) in report.rejected[0].reason


def test_a_name_that_is_no_text_is_rejected(take_in, documents, notes):
    """A file name in another encoding neither stops the others nor reaches the store."""
    name = os.fsencode(notes) + b"/\xff.txt"
    try:
        with open(name, "wb") as file:
            file.write(b"x")
    except OSError:
        pytest.skip("this file system has no such names")
    report = take_in(notes)
    assert [r.path for r in report.rejected] == ["\\udcff.txt"]
    assert set(stored(documents)) == {"a.txt", "sub/b.txt"}


def test_a_file_that_vanishes_is_rejected(take_in, documents, notes):
    """A file that cannot be read any more does not stop the others."""

    write(notes, {f"{name}.txt": name for name in "cdef"})

    def remove_the_last(done, total):
        (notes / "sub" / "b.txt").unlink(missing_ok=True)

    report = take_in(notes, progress=remove_the_last)
    assert [r.path for r in report.rejected] == ["sub/b.txt"]
    assert set(stored(documents)) == {f"{name}.txt" for name in "acdef"}


def test_two_folders_never_overwrite_each_other(take_in, documents, notes, tmp_path):
    """A file of another folder with the same name is rejected, and what was stored stays."""
    take_in(notes)
    other = write(tmp_path / "other", {"a.txt": "other", "c.txt": "c"})
    report = take_in(other)
    assert [r.path for r in report.rejected] == ["a.txt"]
    assert "'notes'" in report.rejected[0].reason
    assert stored(documents) == {"a.txt": ["one", "two"], "sub/b.txt": ["three"], "c.txt": ["c"]}


def test_one_name_given_twice_stores_nothing(take_in, documents, notes, tmp_path):
    """Two folders of one call that hold the same path are told to be given together."""
    other = write(tmp_path / "other", {"a.txt": "other"})
    with pytest.raises(InvalidInput, match=r"a\.txt: given twice"):
        take_in(notes, other)
    assert stored(documents) == {}


def test_of_files_with_the_same_content_one_is_read(take_in, documents, notes):
    """The others are named with it; one that is stored stays, and a file that was moved is no second one."""
    write(notes, {"copy.txt": "three"})
    report = take_in(notes)
    assert report.added == ("a.txt", "copy.txt")
    assert [(each.path, each.reason) for each in report.rejected] == [
        ("sub/b.txt", "sub/b.txt: has the same content as copy.txt, which is read; answers cite that one")
    ]
    write(notes, {"0.txt": "one\ntwo"})
    assert [each.path for each in take_in(notes).rejected] == ["0.txt", "sub/b.txt"]
    (notes / "copy.txt").unlink()
    report = take_in(notes)
    assert (report.added, report.removed) == (("sub/b.txt",), ("copy.txt",))


def test_hidden_files_and_links_to_elsewhere_are_passed_over(take_in, documents, notes, tmp_path):
    """Neither they nor anything below a hidden folder is read; a link inside the folder is."""
    outside = write(tmp_path / "outside", {"secret.txt": "secret"})
    write(notes, {".hidden.txt": "h", ".git/x.txt": "x"})
    (notes / "link.txt").symlink_to(outside / "secret.txt")
    (notes / "folder").symlink_to(outside)
    (notes / "broken.txt").symlink_to(notes / "nothing.txt")
    (notes / "loop.txt").symlink_to(notes / "loop.txt")
    (notes / "sub" / "kept.bin").write_text("inside")
    (notes / "inside.txt").symlink_to(notes / "sub" / "kept.bin")
    take_in(notes)
    assert set(stored(documents)) == {"a.txt", "sub/b.txt", "inside.txt"}


def test_a_store_that_fails_leaves_everything_as_before(take_in, documents, notes, monkeypatch):
    """The error reaches the caller, and nothing was stored or removed."""

    def is_full(*_, **__):
        raise UpstreamFailed(plain("no space left"))

    take_in(notes)
    before, revision = stored(documents), documents.revision()
    write(notes, {"a.txt": "changed", "new.txt": "new"})
    (notes / "sub" / "b.txt").unlink()
    monkeypatch.setattr(documents, "apply", is_full)
    with pytest.raises(UpstreamFailed):
        take_in(notes)
    assert (stored(documents), documents.revision()) == (before, revision)


@pytest.mark.parametrize("name", ["nothing", "picture.png", "empty"])
def test_a_path_that_gives_nothing_is_refused_by_name(take_in, documents, notes, tmp_path, name):
    """A missing path, a file of an unknown kind, a folder without any known kind."""
    (tmp_path / "empty").mkdir()
    write(tmp_path, {"picture.png": ""})
    with pytest.raises(InvalidInput, match=name):
        take_in(notes, tmp_path / name) if name != "empty" else take_in(tmp_path / name)
    assert stored(documents) == {}


def test_a_folder_without_a_readable_file_names_the_kinds_and_what_is_there(take_in, tmp_path):
    write(tmp_path, {"x/a.log": "", "x/b.rds": "", "x/LICENSE": ""})
    with pytest.raises(InvalidInput, match=r"found: 1 LICENSE, 1 \.log, 1 \.rds.*\.md.*\.pdf"):
        take_in(tmp_path / "x")


def test_a_folder_that_is_one_document_is_read_as_one(take_in, documents, notes):
    """What is inside is not read again, and a change inside is a change of the document."""
    write(notes, {"x/box.txt": "", "x/c": "", "x/deep/d.txt": "no"})
    assert take_in(notes).added == ("a.txt", "sub/b.txt", "x/box.txt")
    assert stored(documents)["x/box.txt"] == ["box.txt", "c", "deep"]
    assert take_in(notes).unchanged == ("a.txt", "sub/b.txt", "x/box.txt")
    write(notes, {"x/e": ""})
    assert take_in(notes).added == ("x/box.txt",)
    given = write(notes.parent / "given", {"box.txt": "", "f": ""})
    assert take_in(given).added == ("box.txt",), "the folder given may be one, too"


def test_a_part_that_cannot_be_read_is_reported_and_the_rest_is_stored(take_in, documents, notes):
    """The document is among the added ones, and its fault among the rejected."""
    report = take_in(write(notes, {"x/box.txt": "", "x/torn": ""}))
    assert "x/box.txt" in report.added
    assert [(r.path, r.fault) for r in report.rejected] == [("x/box.txt", TORN)]
    assert stored(documents)["x/box.txt"] == ["box.txt"]


def test_the_spool_gives_back_what_was_put_as_often_as_it_is_asked():
    """In memory or, beyond a size, in a file without a name."""
    text = "x" * (IN_MEMORY // 3)
    documents = [CourseDocument(path=str(n), sha256=text) for n in range(4)]
    with closing(Spool()) as spool:
        for document in documents:
            spool.add(document)
        assert [list(spool), list(spool)] == [documents, documents]
        first, second = iter(spool), iter(spool)
        assert [next(first), next(second), next(first)] == [documents[0], documents[0], documents[1]]


class SpeechReader(LineReader):
    """`.srt` is speech, a pair a line; the first line of `.txt` is its title."""

    def handles(self, path: str) -> bool:
        return path.endswith((".srt", ".txt"))

    def read(self, file: BinaryIO, *, path: str, course: Course) -> CourseDocument:
        document = super().read(file, path=path, course=course)
        if path.endswith(".txt"):
            return replace(document, title=document.pairs[0].question)
        place = Locator(video=path, start_s=0.0)
        return replace(document, pairs=tuple(replace(pair, locator=place) for pair in document.pairs))


def test_a_lecture_is_called_by_the_title_of_its_notes(take_in, documents, tmp_path):
    """Notes of the same name give subtitles their title, also where only the subtitles are new."""
    folder = write(tmp_path / "course", {"04-stack.txt": "4. 栈\n", "05-other.srt": "hello\n"})
    for text in ("hi\n", "hi again\n"):
        (folder / "04-stack.srt").write_text(text)
        take_in(folder, readers=[SpeechReader()])
        called = {pair.document or pair.id: pair.question for pair in documents.pairs(COURSE.id)}
        assert called["04-stack.srt:0"] == "第 4 讲 栈"
        assert called["05-other.srt:0"] == "hello"


class NoteReader(LineReader):
    """`.txt` as notes: a passage a paragraph."""

    def read(self, file: BinaryIO, *, path: str, course: Course) -> CourseDocument:
        data = file.read()
        pairs = tuple(
            make.passage(text, path, id=f"{path}:{n}", course=course.id)
            for n, text in enumerate(data.decode().split("\n\n"))
        )
        return CourseDocument(path=path, sha256=hashlib.sha256(data).hexdigest(), pairs=pairs)


def test_lines_that_many_files_begin_or_end_with_are_left_out(take_in, documents, tmp_path):
    """Footers go; a sentence stays in one file; code, and a file of nothing else, stay as they are."""
    rule = "Work that comes more than three days late is not marked."
    footer = "```\nimport x as y\n```\nLast page | Next page"
    texts = {f"{n}.txt": f"Text number {n}.\n\n{rule}\n{footer}\n\nLast page | Next page" for n in range(6)}
    folder = write(tmp_path / "course", texts | {"7.txt": "Last page | Next page"})
    report = take_in(folder, readers=[NoteReader()])
    kept = {pair.id: pair.answer for pair in documents.pairs(COURSE.id)}
    code = "```\nimport x as y\n```"
    expected = {f"{n}.txt:0": f"Text number {n}." for n in range(6)}
    expected |= {"0.txt:1": f"{rule}\n{code}"} | {f"{n}.txt:1": code for n in range(1, 6)}
    assert kept == expected | {"7.txt:0": "Last page | Next page"}
    assert report.pairs == len(kept)
