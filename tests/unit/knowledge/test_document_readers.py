"""Readers of pages, office files, PDF and course exports: what they keep and what they refuse."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import tracemalloc

import pytest

from knowledge.sources import archive
from knowledge.sources.archive import unpack
from knowledge.sources.pdf import paragraphs
from knowledge.sources.readers import FaqReader, MaterialReader
from knowledge.sources.subtitles import MOST_CUES
from knowledge.sources.web_page import read_html
from vta.errors import InvalidInput
from vta.languages import Language
from vta.types.courses import Course, CourseId
from vta.types.documents import CourseDocument

COURSE = Course(id=CourseId("ds"), name="DS", domains=("计算机",), language=Language.ZH)
READERS = (MaterialReader(lambda document, course: ((), ())), FaqReader())
BOMB = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]>'


def read(data: bytes, path: str) -> CourseDocument:
    reader = next(reader for reader in READERS if reader.handles(path))
    return reader.read(io.BytesIO(data), path=path, course=COURSE)


def refusal(data: bytes, path: str) -> InvalidInput:
    with pytest.raises(InvalidInput) as raised:
        read(data, path)
    assert raised.value.path == path
    assert raised.value.message.startswith(path)
    return raised.value


def found(data: bytes, path: str) -> list[tuple[str, str, int | None]]:
    return [(pair.question, pair.answer, pair.locator.page) for pair in read(data, path).pairs]


# HTML


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<h1>A</h1><p>x</p><h2>B</h2>y<h1>C</h1>z", [(("A",), "x"), (("A", "B"), "y"), (("C",), "z")]),
        ("<p>one <b>bold</b>\n text</p>tail", [(("t",), "one bold text"), (("t",), "tail")]),
        ("<nav>n</nav><header>h</header><script>s</script><footer>f</footer>", [(("t",), "h")]),
        ("x<aside>a</aside>y<p hidden>z</p><p style='display: none'>z</p>", [(("t",), "xy")]),
        ("<p>x</p><main><p>y</p></main>", [(("t",), "y")]),
        ("<article>a</article><article>b</article>", [(("t",), "a"), (("t",), "b")]),
        ("<ul><li>a<ul><li>b</ul><li><p>c</p></ul>d", [(("t",), "- a\n- b\n- c"), (("t",), "d")]),
        ("<table><tr><th>a<th>b<tr><td>1<td>2</table>", [(("t",), "| a | b |\n|---|---|\n| 1 | 2 |")]),
        ("<pre><code>if x:\n    y()\n</code></pre>z", [(("t",), "```\nif x:\n    y()\n```"), (("t",), "z")]),
        ("<p>a<br>b</p>", [(("t",), "a\nb")]),
        ("<h1>A</h1><div class='tip'><h3>Tip</h3>x</div><p>y<div class='navfooter'>Home</div>",
         [(("A",), "Tip"), (("A",), "x"), (("A",), "y")]),
        ("<h1><code>len</code><a href='#len'>¶</a></h1>call <code><b>__len__</b>()</code> <a href='x'>it</a>",
         [(("len",), "call `__len__()` it")]),
        ("<p><code></code><tt>a`b</tt> <a href='#x'>#</a>", [(("t",), "a`b")]),
        ("<dl><dt>heap<dd>a tree<dt>stack</dt><dt>LIFO</dt><dd><p>a list</p><p>of one end</p></dl>x",
         [(("t",), "- **heap**: a tree\n- **stack** (LIFO): a list\nof one end"), (("t",), "x")]),
        ("<dl><dt><code>-a</code><dd>all<dd>any<dt>**kw<dd>more<dt>alone</dl>",
         [(("t",), "- **`-a`**: all\n- any\n**kw\n- more\nalone")]),
        ("<p>x<!-- hidden --> &lt;栈&gt; &amp;</p>", [(("t",), "x <栈> &")]),
        ("<img src=x alt='a tree'>", [(("t",), "a tree")]),
        ("<h1>A</h1><h2> </h2><p>x", [(("A",), "x")]),
        ("<p>not closed <b>at all", [(("t",), "not closed at all")]),
    ],
)  # fmt: skip
def test_the_content_of_a_page_stands_under_its_headings(body, expected):
    """Scripts, menus and what is hidden are no content; lists, tables and code are whole blocks."""
    page = read_html(f"<html><head><title>t</title></head><body>{body}</body></html>", path="a.html")
    assert [(block.locator.heading_path, block.text) for block in page.blocks] == expected


def test_the_title_of_a_page():
    """`<title>`, else the first heading, else the name of the file."""
    assert read_html("<title>T</title><h1>H</h1>x", path="a.html").title == "T"
    assert read_html("<h1>H</h1>x", path="a.html").title == "H"
    assert read_html("<p>x", path="dir/a.html").title == "a"


def test_a_page_in_gb18030_is_read():
    """Whatever its `<meta>` says, the bytes decide."""
    data = "<meta charset=gb2312><p>什么是栈？栈是一种线性表。".encode("gb18030")
    assert found(data, "a.htm") == [("a", "什么是栈？栈是一种线性表。", None)]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "no HTML"),
        (b"<html><script>x</script></html>", "no text"),
        (b"x\n" + b"<div>" * 100_000 + b"deep", "nested too deeply"),
        (b"\x89PNG\r\n\x1a\n\x00", "not utf-8 text"),
        (b"a\x00b", "NUL"),
    ],
)
def test_pages_without_content_are_refused(data, words):
    """Nothing that follows too deep a nesting is lost in silence."""
    assert words in refusal(data, "a.html").message


# PDF


def test_a_pdf_keeps_its_pages_and_its_outline(office_files):
    """Lines become paragraphs, words cut at a line's end become whole, bookmarks become headings."""
    data = office_files.make_pdf(
        ["A stack\nis a list.\nThe sec-\nond paragraph", "More.", "Queues."], [("Intro", 0), ("Queue", 2)]
    )
    assert found(data, "a.pdf") == [
        ("Intro", "A stack is a list.\n\nThe second paragraph", 1),
        ("Intro", "More.", 2),
        ("Queue", "Queues.", 3),
    ]


def test_a_pdf_without_an_outline_goes_by_its_name(office_files):
    """The passage still says on which page it is."""
    assert found(office_files.make_pdf(["", "x."]), "notes/stack.pdf") == [("Stack", "x.", 2)]


def drawn(*texts, size=10):
    """A page with each text at its place."""
    return "BT " + " ".join(f"/F1 {size} Tf 1 0 0 1 {x} {y} Tm ({text}) Tj" for x, y, text in texts) + " ET"


LEFT = ["A semaphore is a counter that", "threads may wait on. It is the", "first tool of this kind and"]
RIGHT = ["A monitor joins a lock with the", "data that it guards. Only one of", "the threads may run inside."]


@pytest.mark.parametrize("by_row", [True, False])
def test_two_columns_of_a_pdf_are_read_one_after_the_other(office_files, by_row):
    """Whichever way they were drawn, under their heading; a longer left column is read to its end first."""
    left = [(60, 740 - 14 * n, line) for n, line in enumerate([*LEFT, "the oldest."])]
    right = [(310, 741 - 14 * n, line) for n, line in enumerate(RIGHT)]
    rows = [cell for row in zip(left, right, strict=False) for cell in row] + left[3:]
    page = drawn((60, 780, "Lecture 7")) + drawn(*(rows if by_row else [*left, *right]))
    texts = [text for _, text, _ in found(office_files.make_pdf([page]), "a.pdf")]
    joined = f"{' '.join([*LEFT, 'the oldest.'])}\n\n{' '.join(RIGHT)}"
    assert texts == [f"Lecture 7\n\n{joined}"]


def test_rows_of_a_table_in_a_pdf_stay_rows(office_files):
    rows = [("Week", "Topic", "Room"), ("1", "Threads", "H1"), ("2", "Paging"), ("3", "Files", "H3")]
    cells = [(60 + 120 * n, 700 - 18 * m, text) for m, row in enumerate(rows) for n, text in enumerate(row)]
    page = drawn((60, 740, "Schedule"), *cells, (60, 560, "All lectures begin at ten."))
    assert found(office_files.make_pdf([page]), "a.pdf") == [
        (
            "A",
            "Schedule\n\n| Week | Topic | Room |\n| --- | --- | --- |\n| 1 | Threads | H1 |\n"
            "| 2 | Paging | |\n| 3 | Files | H3 |\n\nAll lectures begin at ten.",
            1,
        )
    ]


def test_a_heading_of_a_pdf_is_apart_from_the_first_sentence(office_files):
    """By the size of its letters, or its length beside the next; lines of a narrow box are not cut."""
    text = ((60, 700, "The scheduler runs each process for"), (60, 686, "a while."))
    larger = drawn((60, 740, "Round-robin scheduling of processes"), size=14) + drawn(*text)
    assert found(office_files.make_pdf([larger, drawn((60, 714, "Scheduling"), *text)]), "a.pdf") == [
        ("A", "Round-robin scheduling of processes\n\nThe scheduler runs each process for a while.", 1),
        ("A", "Scheduling\n\nThe scheduler runs each process for a while.", 2),
    ]
    box = drawn(
        (60, 700, "Threads of a Java"), (60, 686, "Virtual Machine"), (60, 500, "share its memory " * 4)
    )
    ((_, text, _),) = found(office_files.make_pdf([box]), "a.pdf")
    assert text.startswith("Threads of a Java Virtual Machine share")


def test_running_heads_and_page_numbers_of_a_pdf_are_left_out(office_files):
    """What stands in the margins of half of the pages; a heading that comes twice in the text stays."""
    pages = [
        drawn(
            (60, 780, "Systems, spring"), (60, 600, "Example"), (60, 500, f"Text {n}."), (290, 30, f"{n} / 4")
        )
        for n in (1, 2)
    ]
    read_pages = found(office_files.make_pdf([*pages, drawn((60, 785, "End."))]), "a.pdf")
    assert [text for _, text, _ in read_pages] == ["Example Text 1.", "Example Text 2.", "End."]


def test_compounds_of_a_pdf_keep_their_hyphen(office_files):
    page = "A moni-\ntor is well-\nknown, high-\ner and copy-on-\nwrite\nis low-\nlevel."
    assert found(office_files.make_pdf([page]), "a.pdf") == [
        ("A", "A monitor is well-known, higher and copy-on-write is low-level.", 1)
    ]


def test_a_page_is_known_by_what_is_printed_on_it_too(office_files):
    """Where the file says that it begins with pages i and ii."""
    labels = b"/Type /Catalog /PageLabels << /Nums [0 << /S /r >> 2 << /S /D >>] >>"
    data = office_files.make_pdf(["a.", "b.", "c."]).replace(b"/Type /Catalog", labels)
    places = [(pair.locator.page, pair.locator.page_label) for pair in read(data, "a.pdf").pairs]
    assert places == [(1, "i"), (2, "ii"), (3, "1")]
    assert read(office_files.make_pdf(["a."]), "a.pdf").pairs[0].locator.page_label is None


def test_chinese_that_is_spaced_letter_by_letter_is_joined():
    """Blanks between words stay."""
    page = "目 录\n\n第 二 章 死 锁\n\n条 件 ： 互 斥 、 4 个 。\n第三讲 进程调度 A B C"
    assert list(paragraphs(page)) == ["目录", "第二章死锁", "条件：互斥、4个。", "第三讲 进程调度 A B C"]


def test_chinese_lines_are_joined_without_a_space():
    """A blank line ends a paragraph as the end of a sentence does."""
    assert list(paragraphs("栈是一种\n线性表。\n队列\n\n是另一种")) == [
        "栈是一种线性表。",
        "队列",
        "是另一种",
    ]


def test_bullets_of_a_pdf_become_one_list():
    """An item that goes on in the next line stays whole; the line with a colon leads to the list."""
    page = "You will need\nthese:\n• a laptop\nwith Python\n• a pencil.\n\n\uf0b7\npaper\nAsk early. Or late."
    assert list(paragraphs(page)) == [
        "You will need these:\n- a laptop with Python\n- a pencil.\n- paper",
        "Ask early. Or late.",
    ]


def test_bullets_of_a_text_become_a_list():
    """At the start of a line, or several in one; a sign alone in a sentence stays."""
    text = "Bring:\n• a laptop\n• a pencil\n\nTopics: • stacks • queues\n\nf ○ g is read from the right."
    assert found(text.encode(), "a.txt") == [
        (
            "a",
            "Bring:\n- a laptop\n- a pencil\n\nTopics:\n- stacks\n- queues\n\nf ○ g is read from the right.",
            None,
        )
    ]


def test_broken_pdfs_are_refused(office_files):
    """Encrypted, cut, empty of text, or no PDF at all."""
    assert (
        "encrypted" in refusal(office_files.make_pdf(["x"], encrypt=office_files.ENCRYPTED), "a.pdf").message
    )
    assert "not readable as PDF" in refusal(office_files.make_pdf(["x"])[:200], "a.pdf").message
    assert "not readable as PDF" in refusal(b"", "a.pdf").message
    assert "a.pdf: holds no text" in refusal(office_files.make_pdf([""]), "a.pdf").message


def test_a_page_that_cannot_be_read_is_named_and_the_others_are_kept(office_files):
    """The report says which page was left out."""
    whole = office_files.make_pdf(["one.", "two."])
    broken = whole.replace(b"/Type /Page /Parent 2 0 R", b"/Type /Pxxx /Parent 2 0 R", 1)
    document = read(broken, "a.pdf")
    assert [pair.locator.page for pair in document.pairs] == [2]
    assert [(r.path, "page 1" in r.reason) for r in document.rejected] == [("a.pdf", True)]


# DOCX, PPTX


def test_a_word_file_stands_under_its_headings(office_files):
    """What comes before the first heading stands under the title; lists and tables are kept."""
    assert found(office_files.make_docx(), "a.docx") == [
        ("数据结构", "前言。", None),
        ("Stack", "A stack is a list.", None),
        ("Stack > Push", "- one\n- two\n\nAfter the list.\n\n| c0 | c1 |\n|---|---|\n| c2 | c3 |", None),
    ]


def test_slides_keep_their_numbers(office_files):
    """Title, text, tables and notes of each slide; hidden slides are not shown to students."""
    assert found(office_files.make_pptx(), "a.pptx") == [
        ("栈 Stack", "last in\nfirst out\n\nSay it slowly.", 1),
        ("栈 Stack", "push | O(1)", 2),
    ]


@pytest.mark.parametrize(("kind", "part"), [("docx", "word/document.xml"), ("pptx", "ppt/slides/slide1.xml")])
def test_broken_office_files_are_refused(office_files, kind, part):
    """Cut files, other files, passwords, missing and broken parts, entities."""
    whole, path = getattr(office_files, f"make_{kind}")(), f"a.{kind}"
    other = office_files.make_xlsx([["a"]])
    for data in (b"", b"PK", whole[:-100], whole[: len(whole) // 2], other,
                 office_files.replaced(whole, part, b"<x"),
                 office_files.replaced(whole, "[Content_Types].xml", b"")):  # fmt: skip
        assert "not readable as" in refusal(data, path).message
    assert "encrypted" in refusal(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99), path).message
    for declared in (BOMB, BOMB.decode().encode("utf-16")):
        assert "declares entities" in refusal(office_files.replaced(whole, part, declared), path).message


def test_zip_bombs_are_refused_by_their_directory(office_files, monkeypatch):
    """Before anything is unpacked: by bytes, by bytes of XML, by entries."""
    bomb = office_files.replaced(office_files.make_docx(), "x.bin", bytes(archive.LARGEST_PACKAGE + 1))
    tracemalloc.start()
    assert "bytes when unpacked" in refusal(bomb, "a.docx").message
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()
    monkeypatch.setattr(archive, "LARGEST_XML", 100)
    assert "bytes of XML" in refusal(office_files.make_pptx(), "a.pptx").message
    monkeypatch.setattr(archive, "MOST_ENTRIES", 3)
    assert "entries" in refusal(office_files.make_xlsx([["a"]]), "a.xlsx").message


# FAQ


def test_all_faq_tables_say_the_same(office_files):
    """One table as CSV, JSON Lines and XLSX gives the same variants."""
    lists = {"similar_questions": ["s", "t", " s "], "negative_questions": ["n"]}
    header = ["Question", "答案", "similar questions", "negative_questions", "note"]
    tables = {
        "f.csv": b"question,answer,similar_questions,negative_questions\nq,a,s|t| s ,n\n",
        "f.jsonl": json.dumps({"question": "q", "answer": "a", **lists}).encode(),
        "f.xlsx": office_files.make_xlsx([header, [None], ["q", "a", "s|t\ns", "n", 7]]),
    }
    for path, data in tables.items():
        (pair,) = read(data, path).pairs
        assert (pair.similar_questions, pair.negative_questions) == (("s", "t"), ("n",)), path


def test_broken_workbooks_are_refused(office_files):
    """Other files, cut files, entities, and variants that are no texts."""
    whole = office_files.make_xlsx([["question", "answer"], ["q", "a"]])
    sheet = "xl/worksheets/sheet1.xml"
    for data in (b"", whole[:-50], office_files.make_docx(), office_files.replaced(whole, sheet, b"<x")):
        assert "not readable as XLSX" in refusal(data, "a.xlsx").message
    assert "declares entities" in refusal(office_files.replaced(whole, sheet, BOMB), "a.xlsx").message
    row = b'{"question": "q", "answer": "a", "similar_questions": "s"}'
    assert "'similar_questions'" in refusal(row, "a.jsonl").message


def test_a_sheet_with_a_far_row_is_read_at_once(office_files):
    """Of the rows between, which are not there, none is made."""
    whole = office_files.make_xlsx([["question", "answer"], ["q", "a"]])
    far = office_files.replaced(whole, "xl/worksheets/sheet1.xml", {b'<row r="2"': b'<row r="999999999999"'})
    assert [pair.answer for pair in read(far, "a.xlsx").pairs] == ["a"]


# Subtitles


def test_a_million_cues_are_refused_with_the_line_of_the_first_too_many():
    """The file is told to be cut, not read to its end."""
    cue = b"1\n00:00:01,000 --> 00:00:02,000\nx\n\n"
    fault = refusal(cue * 1_000_000, "a.srt")
    assert fault.line == MOST_CUES * 4 + 2
    assert str(MOST_CUES) in fault.message


# Open edX


EXPORTED = [
    ("Week 1 > Lists > Stack > Notes > Push", "A stack is a list.", None),
    ("Week 1 > Lists > Stack > Lecture", "Push adds on top.", 1.0),
    ("Week 1 > Lists > Stack > Lecture", "入栈在栈顶。", 1.0),
    ("Week 1 > Lists > Stack > Quiz", "What is on top?\n\nthe last\n\nthe first", None),
]


def exported(document: CourseDocument) -> list[tuple[str, str, float | None]]:
    return [
        (" > ".join(pair.locator.heading_path), pair.answer, pair.locator.start_s) for pair in document.pairs
    ]


def test_a_course_export_keeps_the_place_of_every_component(office_files):
    """Chapter to component is the heading path, videos keep seconds, solutions and staff pages go."""
    document = read(office_files.make_tar(office_files.COURSE), "c.tar.gz")
    assert sorted(exported(document)) == sorted(EXPORTED)
    assert {pair.locator.video for pair in document.pairs} == {None, "Lecture"}
    assert [each.reason for each in document.rejected] == [CLOSED.format("S")]


CLOSED = "c.tar.gz: {!r} is not open to all students in the platform it comes from, and was left out"
DAY = "c.tar.gz: {!r} opens on 2999-01-01, after the course itself, and was left out; export it again then"
LATER = '"2999-01-01T00:00:00Z"'


@pytest.mark.parametrize(
    ("attributes", "policy", "reason"),
    [
        (f"start='{LATER}'", {}, DAY),
        ("start='in spring'", {}, CLOSED),
        ("group_access='{&quot;1&quot;: [2]}'", {}, CLOSED),
        ("", {"start": "2999-01-01T00:00:00Z"}, DAY),
        ("", {"group_access": {"1": [2]}}, CLOSED),
        ("", {"visible_to_staff_only": True}, CLOSED),
    ],
)
def test_a_part_that_is_not_open_to_all_is_left_out_and_named(office_files, attributes, policy, reason):
    """Whether the part says so itself or the policy of the course."""
    closed = {
        "course/2024.xml": '<course><chapter url_name="c1"/><chapter url_name="c2"/></course>',
        "chapter/c2.xml": f"<chapter display_name='Week 9' {attributes}><html>A secret.</html></chapter>",
        "policies/2024/policy.json": json.dumps(
            {"chapter/c2": policy, "chapter/c1": {"start": "2020-01-01"}}
        ),
    }
    document = read(office_files.make_tar({**office_files.COURSE, **closed}), "c.tar.gz")
    assert sorted(exported(document)) == sorted(EXPORTED)
    assert [each.reason for each in document.rejected] == [CLOSED.format("S"), reason.format("Week 9")]


def test_a_part_that_the_policy_keeps_for_staff_is_left_out(office_files):
    policy = json.dumps({"html/h1": {"visible_to_staff_only": True}})
    course = {**office_files.COURSE, "policies/2024/policy.json": policy}
    found = exported(read(office_files.make_tar(course), "c.tar.gz"))
    assert sorted(found) == sorted(each for each in EXPORTED if "Notes" not in each[0])


def test_a_folder_that_holds_an_export_is_one_document(office_files, tmp_path):
    """It is read as its archive is, and packed to the same bytes every time."""
    for name, text in office_files.COURSE.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "html" / "link.html").symlink_to("/etc/hostname")
    reader = READERS[0]
    assert reader.entry(tmp_path) == "course.xml"
    assert reader.entry(tmp_path / "html") is None
    with reader.pack(tmp_path) as packed, reader.pack(tmp_path) as again:
        assert packed.read() == again.read()
        packed.seek(0)
        document = reader.read(packed, path="course.xml", course=COURSE)
    assert sorted(exported(document)) == sorted(EXPORTED)


@pytest.mark.parametrize(
    ("name", "text", "line", "words"),
    [
        ("html/h1.html", None, None, "html/h1.html"),
        ("problem/p1.xml", "<problem>\n<", 2, "problem/p1.xml, line 2"),
        ("problem/p1.xml", BOMB.decode() + "<problem>&b;</problem>", None, "problem/p1.xml: refused"),
        ("static/zh.srt", "1\n00:00:0x,000 --> 00:00:02,000\nhi\n", 2, "static/zh.srt, line 2"),
        ("static/subs_abc.srt.sjson", '{"start": [1], "end": [], "text": []}', 1, "differ in length"),
    ],
)
def test_a_broken_component_is_named_and_the_others_are_kept(office_files, name, text, line, words):
    """One fault does not lose a course."""
    course = {k: v for k, v in {**office_files.COURSE, name: text}.items() if v is not None}
    document = read(office_files.make_tar(course), "c.tar.gz")
    assert len(document.pairs) == len(EXPORTED) - 1
    ((path, found_line, reason),) = [
        (r.path, r.line, r.reason) for r in document.rejected if "'S'" not in r.reason
    ]
    assert (path, found_line) == ("c.tar.gz", line)
    assert words in reason


def link(name: str, kind: bytes, target: str) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member


@pytest.mark.parametrize(
    ("member", "words"),
    [
        (tarfile.TarInfo("../../etc/passwd.xml"), "leads out"),
        (tarfile.TarInfo("/etc/passwd.xml"), "leads out"),
        (tarfile.TarInfo("a\\..\\b.xml"), "leads out"),
        (link("course/a.xml", tarfile.SYMTYPE, "/etc/passwd"), "link or device"),
        (link("course/a.xml", tarfile.LNKTYPE, "course/course.xml"), "link or device"),
        (link("course/a.xml", tarfile.CHRTYPE, ""), "link or device"),
    ],
)
def test_entries_that_lead_elsewhere_refuse_the_archive(office_files, member, words):
    """No export has them, so whoever made this one meant harm."""
    assert words in refusal(office_files.make_tar(office_files.COURSE, member), "c.tar.gz").message


def test_archives_that_are_none_are_refused(office_files):
    """Cut, empty, of something else, without a course, or with a course that points nowhere."""
    whole = office_files.make_tar(office_files.COURSE)
    for data in (b"", b"x" * 2000, whole[:-40], whole[:300], gzip.compress(b"x" * 2000)):
        assert "not readable as a tar archive" in refusal(data, "c.tar.gz").message
    assert "no course.xml" in refusal(office_files.make_tar({"a.xml": "<a/>"}), "c.tar.gz").message
    alone = {"course.xml": office_files.COURSE["course.xml"]}
    assert "course/2024.xml" in refusal(office_files.make_tar(alone), "c.tar.gz").message


def test_archives_that_unpack_to_too_much_are_refused(office_files, monkeypatch):
    """By texts, by entries, by all they hold, and by one header that asks for too much at once."""
    big = tarfile.TarInfo("course/static/movie.mp4")
    big.size = 50_000_000
    monkeypatch.setattr(archive, "LARGEST_ARCHIVE", 40_000_000)
    tracemalloc.start()
    assert (
        "more than 40000000" in refusal(office_files.make_tar(office_files.COURSE, big), "c.tar.gz").message
    )
    assert tracemalloc.get_traced_memory()[1] < 100_000_000
    tracemalloc.stop()
    monkeypatch.undo()
    monkeypatch.setattr(archive, "LARGEST_TEXTS", 100)
    assert "course texts" in refusal(office_files.make_tar(office_files.COURSE), "c.tar.gz").message
    monkeypatch.undo()
    monkeypatch.setattr(archive, "MOST_MEMBERS", 3)
    assert "entries" in refusal(office_files.make_tar(office_files.COURSE), "c.tar.gz").message
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 8_000_000_000
    with pytest.raises(InvalidInput, match=r"more than|empty header"):
        unpack(io.BytesIO(header.tobuf()), lambda name: True, path="c.tar")


@pytest.mark.parametrize(
    ("title", "called"),
    [("about:blank", "Sheet"), ("https://uni.example/a", "Sheet"), ("About stacks", "About stacks")],
)
def test_a_pdf_that_was_printed_without_a_title_is_called_by_its_file_name(office_files, title, called):
    """Its title property is the address of the page then."""
    pdf = office_files.make_pdf(["A stack is last in, first out."])
    titled = pdf.replace(b"xref", b"99 0 obj\n<< /Title (%b) >>\nendobj\nxref" % title.encode(), 1)
    titled = titled.replace(b"/Root 1 0 R", b"/Root 1 0 R /Info 99 0 R")
    assert {pair.question for pair in read(titled, "notes/sheet.pdf").pairs} == {called}
