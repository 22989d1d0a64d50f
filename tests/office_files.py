"""Office files, PDF and course exports made in memory for the tests of their readers."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from collections.abc import Mapping, Sequence

from docx import Document
from openpyxl import Workbook
from pptx import Presentation


def make_docx() -> bytes:
    """A title, two levels of headings, a list, a table and a picture's worth of nothing."""
    document = Document()
    document.add_heading("数据结构", 0)
    document.add_paragraph("前言。")
    document.add_heading("Stack", 1)
    document.add_paragraph("A stack is a list.")
    document.add_heading("Push", 2)
    document.add_paragraph("one", style="List Bullet")
    document.add_paragraph("two", style="List Bullet")
    document.add_paragraph("After the list.")
    table = document.add_table(rows=2, cols=2)
    for n, cell in enumerate(cell for row in table.rows for cell in row.cells):
        cell.text = f"c{n}"
    return _saved(document)


def make_pptx() -> bytes:
    """Three slides: text with notes, a table without a title, a hidden one."""
    deck = Presentation()
    first = deck.slides.add_slide(deck.slide_layouts[1])
    first.shapes.title.text = "栈 Stack"
    first.placeholders[1].text = "last in\nfirst out"
    first.notes_slide.notes_text_frame.text = "Say it slowly."
    second = deck.slides.add_slide(deck.slide_layouts[6])
    table = second.shapes.add_table(1, 2, 0, 0, 9, 9).table
    table.cell(0, 0).text, table.cell(0, 1).text = "push", "O(1)"
    hidden = deck.slides.add_slide(deck.slide_layouts[1])
    hidden.shapes.title.text = "Answers"
    hidden.element.set("show", "0")
    return _saved(deck)


def make_xlsx(rows: Sequence[Sequence[object]]) -> bytes:
    book = Workbook()
    for row in rows:
        book.active.append(list(row))
    return _saved(book)


def make_pdf(pages: Sequence[str], outline: Sequence[tuple[str, int]] = (), encrypt: bytes = b"") -> bytes:
    """Pages of plain ASCII lines, or as operators from BT on; bookmarks point to pages (from 0)."""
    first_page, first_mark = 4, 4 + 2 * len(pages)
    kids = " ".join(f"{first_page + 2 * n} 0 R" for n in range(len(pages)))
    marks = f"/Outlines {first_mark} 0 R" if outline else ""
    root = f"<< /Type /Catalog /Pages 2 0 R {marks} >>"
    objects = [root, f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
               "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]  # fmt: skip
    for n, text in enumerate(pages):
        lines = "".join(f"({line}) Tj 0 -14 Td " for line in text.split("\n"))
        stream = text if text.startswith("BT") else f"BT /F1 12 Tf 50 700 Td {lines}ET"
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {first_page + 2 * n + 1} 0 R >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    if outline:
        last = first_mark + len(outline)
        objects.append(f"<< /First {first_mark + 1} 0 R /Last {last} 0 R /Count {len(outline)} >>")
        for n, (title, page) in enumerate(outline, start=1):
            after = f"/Next {first_mark + n + 1} 0 R" if n < len(outline) else ""
            before = f"/Prev {first_mark + n - 1} 0 R" if n > 1 else ""
            target = f"[{first_page + 2 * page} 0 R /Fit]"
            objects.append(f"<< /Title ({title}) /Parent {first_mark} 0 R {after} {before} /Dest {target} >>")
    written = b"%PDF-1.7\n"
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(written))
        written += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    start = len(written)
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    written += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}".encode()
    return written + b"trailer\n<< /Size %d /Root 1 0 R %b >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1, encrypt, start,
    )  # fmt: skip


ENCRYPTED = (
    b"/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <" + b"00" * 32 + b"> /U <" + b"11" * 32 + b"> >> "
    b"/ID [<" + b"00" * 16 + b"> <" + b"00" * 16 + b">]"
)

COURSE: Mapping[str, str] = {
    "course.xml": '<course url_name="2024" org="x" course="ds"/>',
    "course/2024.xml": '<course display_name="数据结构"><chapter url_name="c1"/></course>',
    "chapter/c1.xml": '<chapter display_name="Week 1"><sequential url_name="s1"/></chapter>',
    "sequential/s1.xml": '<sequential display_name="Lists"><vertical url_name="v1"/></sequential>',
    "vertical/v1.xml": '<vertical display_name="Stack"><html url_name="h1"/><video url_name="w1"/>'
    '<problem url_name="p1"/><html url_name="staff"/></vertical>',
    "html/h1.xml": '<html filename="h1" display_name="Notes"/>',
    "html/h1.html": "<h2>Push</h2><p>A stack is a list.</p><script>no()</script>",
    "html/staff.xml": '<html filename="staff" display_name="S" visible_to_staff_only="true"/>',
    "html/staff.html": "<p>exam answers</p>",
    "video/w1.xml": '<video display_name="Lecture" sub="abc" edx_video_id="e1">'
    '<transcript language="zh" src="zh.srt"/></video>',
    "static/subs_abc.srt.sjson": json.dumps(
        {"start": [1000, 3000], "end": [2000, 4500], "text": ["Push adds", "on top."]}
    ),
    "static/zh.srt": "1\n00:00:01,000 --> 00:00:02,500\n入栈在栈顶。\n",
    "static/other.srt": "1\n00:00:01,000 --> 00:00:02,500\nNot of this course.\n",
    "problem/p1.xml": '<problem display_name="Quiz"><multiplechoiceresponse><label>What is on top?</label>'
    '<choicegroup><choice correct="true">the last<choicehint>Right!</choicehint></choice>'
    '<choice correct="false">the first</choice></choicegroup><solution><p>Because it is.</p></solution>'
    "</multiplechoiceresponse><demandhint><hint>Think.</hint></demandhint></problem>",
}


def make_tar(files: Mapping[str, str | bytes], *members: tarfile.TarInfo, folder: str = "course/") -> bytes:
    """A gzipped tar of texts, with further members as they are."""
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w:gz") as archive:
        for name, text in files.items():
            data = text.encode() if isinstance(text, str) else text
            member = tarfile.TarInfo(folder + name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
        for member in members:
            archive.addfile(member, io.BytesIO(bytes(member.size)))
    return written.getvalue()


def replaced(package: bytes, name: str, change: Mapping[bytes, bytes] | bytes) -> bytes:
    """A zip with one entry changed: bytes in it for others, or all of it."""
    written = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(package)) as old,
        zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        names = dict.fromkeys((*old.namelist(), name))
        for entry in names:
            data = old.read(entry) if entry in old.namelist() else b""
            if entry == name:
                if isinstance(change, bytes):
                    data = change
                else:
                    for before, after in change.items():
                        assert before in data
                        data = data.replace(before, after)
            new.writestr(entry, data)
    return written.getvalue()


def _saved(document: object) -> bytes:
    written = io.BytesIO()
    document.save(written)  # type: ignore[attr-defined]
    return written.getvalue()
