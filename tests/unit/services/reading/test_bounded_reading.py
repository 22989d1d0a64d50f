"""Reading in a child: the same documents as in this process, bounds on what a file takes, and an end."""

from __future__ import annotations

import io
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hostile_files import export_with, pdf_of_stream
from office_files import COURSE as EXPORT
from office_files import make_docx, make_pdf, make_pptx, make_tar, make_xlsx

from services.reading.bounded_readers import LARGEST_PLAIN, bounded_readers
from services.reading.pool import ReaderPool
from services.reading.reader_process import ReadingBounds
from services.reading.readers import build_readers
from vta.errors import InvalidInput, NotReady
from vta.languages import Language
from vta.types.courses import Course, CourseId
from vta.types.documents import CourseDocument

COURSE = Course(id=CourseId("ds"), name="数据结构", domains=("计算机", "algorithms"), language=Language.ZH)
NOTES = "# 栈（stack）\n\n栈是只在一端插入和删除的线性表。\n\n## 入栈\n\n入栈在栈顶。\n".encode()
PAGE = b"<h1>Stack</h1><p>A stack is a list.</p>"
SLOW = ("<p " + " ".join(f"a{n}='x'" for n in range(60_000)) + ">x</p>").encode()
LARGE = pdf_of_stream(b"(a) Tj ", 40)


@pytest.fixture(scope="module")
def shared() -> Iterator[ReaderPool]:
    """One pool, and so one child, for tests that only read."""
    pool = ReaderPool()
    yield pool
    pool.close()


@pytest.fixture
def pool() -> Iterator[ReaderPool]:
    pool = ReaderPool()
    yield pool
    pool.close()


def pids(pool: ReaderPool) -> tuple[int, ...]:
    return tuple(child.pid for child in (*pool._busy, *pool._idle))


def read(pool: ReaderPool, path: str, data: bytes) -> CourseDocument:
    reader = next(each for each in bounded_readers(pool) if each.handles(path))
    return reader.read(io.BytesIO(data), path=path, course=COURSE)


def refused(path: str, data: bytes, **bounds: float) -> str:
    """The reason for which a file is refused, after which the next one is read as if nothing had been."""
    pool = ReaderPool(ReadingBounds(**bounds), children=1)  # type: ignore[arg-type]
    try:
        with pytest.raises(InvalidInput) as fault:
            read(pool, path, data)
        assert fault.value.path == path
        assert len(read(pool, "page.html", PAGE).pairs) == 1
        return fault.value.message
    finally:
        pool.close()


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("a/notes.md", NOTES * 400),
        ("page.html", PAGE),
        ("slides.pdf", make_pdf(["A stack is a list.", "It has a top."], [("Stack", 0)])),
        ("notes.docx", make_docx()),
        ("slides.pptx", make_pptx()),
        ("faq.xlsx", make_xlsx([["question", "answer", "相似问题"], ["q", "a", "x|y"]])),
        ("course.tar.gz", make_tar(EXPORT)),
        ("torn.tar.gz", make_tar({**EXPORT, "html/h1.xml": "<html"})),
        ("long.srt", b"1\n00:00:01,000 --> 00:00:02,500\nA stack is a list.\n\n" * 4000),
    ],
)
def test_a_child_reads_what_this_process_would(shared: ReaderPool, path: str, data: bytes) -> None:
    """Nothing is lost on the way: pairs, places, concepts, edges and what was left out."""
    reader = next(each for each in build_readers() if each.handles(path))
    expected = reader.read(io.BytesIO(data), path=path, course=COURSE)
    assert read(shared, path, data) == expected
    assert len(pids(shared)) == 1


def test_a_fault_names_its_line_as_before(shared: ReaderPool) -> None:
    """What a reader refuses in a child is refused in the same words, with path, line and field."""
    cues = "A stack is a list.\n" * 4000 + "1\nnow --> then\nIt has a top.\n"
    with pytest.raises(InvalidInput, match=r"long\.srt, line 4002: 'now --> then' is not") as fault:
        read(shared, "long.srt", cues.encode())
    assert (fault.value.line, fault.value.field, fault.value.path) == (4002, None, "long.srt")


def test_half_a_character_refuses_its_file_alone(shared: ReaderPool) -> None:
    """JSON can hold a lone surrogate, which no store takes; it must not end the whole ingest."""
    cues = '{"start": [1], "end": [2], "text": ["a \\ud800 b."]}'
    with pytest.raises(InvalidInput, match=r"course.tgz: holds half a character"):
        read(shared, "course.tgz", export_with("static/subs_abc.srt.sjson", cues))


def test_small_plain_files_need_no_child(pool: ReaderPool) -> None:
    """A course of short notes is read without the start of a process."""
    assert read(pool, "notes.md", NOTES).pairs
    assert pids(pool) == ()
    assert read(pool, "notes.md", NOTES + b"\n" * LARGEST_PLAIN).pairs
    assert len(pids(pool)) == 1


def test_a_file_that_needs_too_much_memory_is_refused() -> None:
    """A PDF library ends its process where memory is refused to it; a parser of HTML calls the page empty."""
    words = "needs more than 0.25 GB of memory to read"
    assert refused("slides.pdf", LARGE, memory=250_000_000) == f"slides.pdf: {words}"
    breaks = b"<br>" * 2_000_000
    assert refused("page.html", breaks, memory=250_000_000) == f"page.html: {words}"


def test_a_file_that_ends_a_second_child_is_refused() -> None:
    """The first one had ended while it was idle; the file is named, so that others are read on."""
    pool = ReaderPool(ReadingBounds(memory=250_000_000), children=1)
    read(pool, "page.html", PAGE)
    end_idle(pool)
    with pytest.raises(InvalidInput, match="memory to read") as fault:
        read(pool, "slides.pdf", LARGE)
    assert fault.value.path == "slides.pdf"
    assert len(read(pool, "page.html", PAGE).pairs) == 1
    pool.close()


def test_children_that_ended_while_idle_refuse_no_file(pool: ReaderPool) -> None:
    """However many they were."""
    barrier = threading.Barrier(2)

    def read_beside() -> None:
        barrier.wait(60)
        read(pool, "page.html", PAGE * 3000)

    while len(pids(pool)) < 2:
        with ThreadPoolExecutor(2) as threads:
            for done in [threads.submit(read_beside) for _ in range(2)]:
                done.result(timeout=60)
    ended = pids(pool)
    end_idle(pool)
    assert len(read(pool, "page.html", PAGE).pairs) == 1
    assert not set(pids(pool)) & set(ended)


def end_idle(pool: ReaderPool) -> None:
    """What a long time without work does to the children of a pool: they end by themselves."""
    for child in pool._idle:
        child._socket.shutdown(socket.SHUT_WR)
        assert child._process.wait(timeout=20) == 0


def test_a_file_that_takes_too_long_is_refused() -> None:
    """Processor time is counted anew for each file; the clock ends what the processor does not."""
    assert refused("page.html", SLOW, processor_s=1) == "page.html: takes more than 1 seconds to read"
    assert refused("page.html", SLOW, wall_s=0.2) == "page.html: could not be read within 0.2 seconds"


def test_a_file_that_gives_too_much_is_refused() -> None:
    """A long heading above many short passages makes a result far larger than the file."""
    page = f"<h1>{'word ' * 2000}</h1>" + "".join(f"<h2>{n}</h2><p>b</p>" for n in range(500))
    assert refused("page.html", page.encode(), result=2_000_000) == "page.html: holds more than 2 MB of text"
    assert refused("page.html", page.encode(), pairs=400) == "page.html: holds more than 400 passages"


def test_a_child_knows_no_secret(pool: ReaderPool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its environment holds none of our settings."""
    monkeypatch.setenv("VTA_ADMIN_KEY", "a-secret-of-the-house")
    read(pool, "page.html", PAGE)
    (pid,) = pids(pool)
    environment = Path(f"/proc/{pid}/environ")
    if not environment.exists():
        pytest.skip("environment not proven: the system has no /proc")
    assert b"secret" not in environment.read_bytes()
    assert b"VTA_" not in environment.read_bytes()


def test_closing_ends_a_read_under_way() -> None:
    """Who waits for a slow file is told at once, and so is who waits in turn; no child is left."""
    pool = ReaderPool(children=1)
    with ThreadPoolExecutor(2) as threads:
        reads = [threads.submit(read, pool, "page.html", SLOW * 2) for _ in range(2)]
        while not pids(pool):
            threading.Event().wait(0.01)
        pool.close()
        for each in reads:
            with pytest.raises(NotReady):
                each.result(timeout=20)
    with pytest.raises(NotReady):
        read(pool, "page.html", PAGE)
    assert pids(pool) == ()


def test_files_of_two_courses_are_read_in_turn() -> None:
    """With one child, a single file waits for one file of another course, not for all of them."""
    pool = ReaderPool(children=1)
    order: list[str] = []

    def many() -> None:
        for n in range(8):
            read(pool, "page.html", PAGE * 300)
            order.append("many")
            if n == 0:
                begun.set()

    def one() -> None:
        assert begun.wait(60)
        read(pool, "page.html", PAGE)
        order.append("one")

    begun = threading.Event()
    with ThreadPoolExecutor(2) as threads:
        for done in [threads.submit(many), threads.submit(one)]:
            done.result(timeout=60)
    pool.close()
    assert order.index("one") <= 3
