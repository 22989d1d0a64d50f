"""Files made to bring down whoever reads them; each is written when it is asked for."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from office_files import COURSE, make_docx, make_pptx, make_tar, make_xlsx

Write = Callable[[Path], None]
MEGABYTE = 1_000_000


def _whole(make: Callable[[], bytes]) -> Write:
    return lambda file: _none(file.write_bytes(make()))


def _none(_: object) -> None:
    return None


def _repeated(start: str, unit: str, size: int, end: str = "") -> Write:
    """A text of about so many bytes."""

    def write(file: Path) -> None:
        with file.open("w", encoding="utf-8") as out:
            out.write(start)
            piece = unit * max(1, MEGABYTE // len(unit.encode()))
            for _ in range(max(1, size // len(piece.encode()))):
                out.write(piece)
            out.write(end)

    return write


# PDF


def _pdf(objects: Iterable[bytes]) -> bytes:
    written = bytearray(b"%PDF-1.7\n")
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(written))
        written += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    start = len(written)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    written += b"xref\n0 %d\n0000000000 65535 f \n%b" % (len(places) + 1, table)
    return bytes(
        written + b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(places) + 1, start)
    )


def _deflated(pieces: Iterable[bytes]) -> bytes:
    packer = zlib.compressobj(9)
    return b"".join(map(packer.compress, pieces)) + packer.flush()


_CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"
_FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
_PAGE = (
    b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F1 3 0 R >> %b >> "
    b"/Contents 5 0 R >>"
)


def pdf_of_stream(unit: bytes, megabytes: int, *, filters: int = 1, more: bytes = b"") -> bytes:
    """One page whose content is a unit repeated, deflated once or more often."""
    piece = unit * (MEGABYTE // len(unit))
    packed = _deflated([b"BT /F1 12 Tf ", *([piece] * megabytes), b" ET"])
    for _ in range(filters - 1):
        packed = _deflated([packed])
    names = b"[" + b"/FlateDecode " * filters + b"]"
    stream = b"<< /Length %d /Filter %b >>\nstream\n%b\nendstream" % (len(packed), names, packed)
    return _pdf([_CATALOG, b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>", _FONT, _PAGE % more, stream])


def pdf_of_deep_pages(depth: int) -> bytes:
    """A tree of pages in which each node has one child."""
    nodes = [
        b"<< /Type /Pages /Parent %d 0 R /Kids [%d 0 R] /Count 1 >>" % (n + 1, n + 3) for n in range(depth)
    ]
    nodes[0] = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
    leaf = b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 9 9] >>" % (depth + 1)
    return _pdf([_CATALOG, *nodes, leaf])


def pdf_of_many_pages(count: int) -> bytes:
    """A tree that says it has very many pages, all of them one."""
    kids = b"4 0 R " * count
    stream = b"<< /Length 30 >>\nstream\nBT /F1 12 Tf (a) Tj ET         \nendstream"
    pages = b"<< /Type /Pages /Kids [%b] /Count %d >>" % (kids, count)
    return _pdf([_CATALOG, pages, _FONT, _PAGE % b"", stream])


def pdf_of_nested_forms(depth: int, breadth: int) -> bytes:
    """Forms that each draw the next one several times."""
    forms = []
    for n in range(depth):
        body = b"/X Do " * breadth if n < depth - 1 else b"BT /F1 9 Tf (bomb) Tj ET"
        inner = b"/XObject << /X %d 0 R >>" % (n + 7)
        forms.append(
            b"<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Font << /F1 3 0 R >> %b >> "
            b"/Length %d >>\nstream\n%b\nendstream" % (inner, len(body), body)
        )
    first = b"<< /Length 5 >>\nstream\n/X Do\nendstream"
    page = _PAGE % b"/XObject << /X 6 0 R >>"
    return _pdf([_CATALOG, b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>", _FONT, page, first, *forms])


def pdf_of_wide_outline(count: int) -> bytes:
    """Bookmarks in one long chain."""
    catalog = b"<< /Type /Catalog /Pages 2 0 R /Outlines 5 0 R >>"
    marks = [
        b"<< /Title (mark %d) /Parent 5 0 R /Next %d 0 R /Dest [4 0 R /Fit] >>"
        % (n, n + 7 if n < count - 1 else 6)
        for n in range(count)
    ]
    return _pdf(
        [
            catalog,
            b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
            _FONT,
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>",
            b"<< /First 6 0 R /Last %d 0 R /Count %d >>" % (count + 5, count),
            *marks,
        ]
    )


# Office files and archives


def _package_with(package: bytes, name: str, pieces: Iterable[bytes]) -> bytes:
    """An office file with one part in another's place, which is packed as it is written."""
    written = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(package)) as old,
        zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for entry in old.infolist():
            if entry.filename != name:
                new.writestr(entry, old.read(entry.filename))
        changed = zipfile.ZipInfo(name)
        changed.compress_type = zipfile.ZIP_DEFLATED
        with new.open(changed, "w", force_zip64=True) as part:
            for piece in pieces:
                part.write(piece)
    return written.getvalue()


_WORD = b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
_SHEET = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
_STRINGS = b'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
_SLIDE = (
    b'<p:sld xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    b'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><p:cSld><p:spTree>'
    b'<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>'
)
_SHAPE = (
    b'<p:sp><p:nvSpPr><p:cNvPr id="2" name=""/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/>'
    b"<p:txBody><a:bodyPr/><a:p><a:r><a:t>x</a:t></a:r></a:p></p:txBody></p:sp>"
)
_ROW = b'<row><c t="inlineStr"><is><t>q</t></is></c><c t="inlineStr"><is><t>a</t></is></c></row>'


def _times(unit: bytes, megabytes: int) -> Iterable[bytes]:
    piece = unit * (MEGABYTE // len(unit))
    return (piece for _ in range(megabytes))


def docx_of(unit: bytes, megabytes: int) -> bytes:
    parts = (_WORD, *_times(unit, megabytes), b"</w:body></w:document>")
    return _package_with(make_docx(), "word/document.xml", parts)


def docx_of_deep_tables(depth: int) -> bytes:
    cell = b"<w:tbl><w:tr><w:tc>"
    end = b"</w:tc></w:tr></w:tbl>"
    parts = (_WORD, cell * depth, end * depth, b"</w:body></w:document>")
    return _package_with(make_docx(), "word/document.xml", parts)


def xlsx_of_rows(megabytes: int) -> bytes:
    head = (
        b'<row><c t="inlineStr"><is><t>question</t></is></c><c t="inlineStr"><is><t>answer</t></is></c></row>'
    )
    parts = (_SHEET, head, *_times(_ROW, megabytes), b"</sheetData></worksheet>")
    return _package_with(make_xlsx([["question", "answer"]]), "xl/worksheets/sheet1.xml", parts)


def xlsx_of_strings(megabytes: int) -> bytes:
    parts = (_STRINGS, *_times(b"<si><t>a</t></si>", megabytes), b"</sst>")
    return _package_with(make_xlsx([["question", "answer"], ["a", "b"]]), "xl/sharedStrings.xml", parts)


def xlsx_of_far_cell() -> bytes:
    """A sheet whose only cell stands in the last row and column."""
    parts = (_SHEET, b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData></worksheet>')
    return _package_with(make_xlsx([["question", "answer"]]), "xl/worksheets/sheet1.xml", parts)


def pptx_of_shapes(megabytes: int) -> bytes:
    parts = (_SLIDE, *_times(_SHAPE, megabytes), b"</p:spTree></p:cSld></p:sld>")
    return _package_with(make_pptx(), "ppt/slides/slide1.xml", parts)


def _entities(levels: int) -> bytes:
    """Each entity is ten of the one before."""
    lines = [b'<!ENTITY a0 "lol">']
    lines += [b'<!ENTITY a%d "%b">' % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, levels)]
    return b"<!DOCTYPE x [" + b"".join(lines) + b"]>"


def docx_of_entities() -> bytes:
    text = b"<w:p><w:r><w:t>&a9;</w:t></w:r></w:p></w:body></w:document>"
    parts = (_entities(10), _WORD, text)
    return _package_with(make_docx(), "word/document.xml", parts)


def export_of_entities() -> bytes:
    return make_tar({**COURSE, "course.xml": _entities(10).decode() + "<course>&a9;</course>"})


def export_with(name: str, text: str) -> bytes:
    return make_tar({**COURSE, name: text})


def tar_of_zeros(gigabytes: int, *, nested: int = 1) -> bytes:
    """A gzipped tar with one entry of zeros; nested ones are gzipped again."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=9) as out:
        member = tarfile.TarInfo("course/static/a.xml")
        member.size = gigabytes * 1_000_000_000
        out.write(member.tobuf())
        zeros = bytes(10 * MEGABYTE)
        for _ in range(gigabytes * 100):
            out.write(zeros)
        out.write(bytes(10240))
    data = packed.getvalue()
    for _ in range(nested - 1):
        data = gzip.compress(data)
    return data


def tar_of_many(count: int) -> bytes:
    """A gzipped tar with very many empty entries."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=1) as out:
        for n in range(count):
            out.write(tarfile.TarInfo(f"course/html/{n}.html").tobuf(tarfile.USTAR_FORMAT))
        out.write(bytes(10240))
    return packed.getvalue()


# Texts


def _attributes(count: int) -> Write:
    """A paragraph with very many attributes, for which libxml2 compares each with all before it."""
    return _whole(lambda: _paragraph(count).encode())


def _paragraph(attributes: int) -> str:
    return "<p " + " ".join(f"a{n}='x'" for n in range(attributes)) + ">x</p>"


def _headings(count: int) -> Write:
    """Short passages under a long heading, which each of them repeats."""
    sections = (f"## {n}\n\nb\n\n" for n in range(count))
    return _whole(lambda: ("# " + "word " * 2000 + "\n\n" + "".join(sections)).encode())


def _cues(count: int, *, webvtt: bool) -> Write:
    def write(file: Path) -> None:
        mark = "." if webvtt else ","
        with file.open("w", encoding="utf-8") as out:
            out.write("WEBVTT\n\n" if webvtt else "")
            for n in range(count):
                clock = f"{n // 3600 % 100:02}:{n // 60 % 60:02}:{n % 60:02}{mark}"
                out.write(f"{n + 1}\n{clock}000 --> {clock}900\nword {n}\n\n")

    return write


def _rows(count: int) -> Write:
    def write(file: Path) -> None:
        with file.open("w", encoding="utf-8") as out:
            out.write("question,answer\n")
            out.writelines(f"What is number {n}?,It is {n}.\n" for n in range(count))

    return write


NASTIEST = ("stream.pdf", "forms.pdf", "attributes.html", "paragraphs.docx", "wide.csv", "headings.md")
"""Each hurts in its own way: a long stream, forms that draw forms, memory that a parser takes for attributes,
a tree of XML, memory in Python, and a result that is much larger than the file."""

HOSTILE: Mapping[str, Write] = {
    "stream.pdf": _whole(lambda: pdf_of_stream(b"1 0 Td (a) Tj ", 460)),
    "twice.pdf": _whole(lambda: pdf_of_stream(b"(aaaaaaaaaaaaaaaaaaa) Tj ", 900, filters=2)),
    "paths.pdf": _whole(lambda: pdf_of_stream(b"0 0 m 9 9 l S ", 300)),
    "forms.pdf": _whole(lambda: pdf_of_nested_forms(20, 10)),
    "deep.pdf": _whole(lambda: pdf_of_deep_pages(200_000)),
    "pages.pdf": _whole(lambda: pdf_of_many_pages(9_999)),
    "outline.pdf": _whole(lambda: pdf_of_wide_outline(200_000)),
    "paragraphs.docx": _whole(lambda: docx_of(b"<w:p><w:r><w:t>a</w:t></w:r></w:p>", 59)),
    "empty.docx": _whole(lambda: docx_of(b"<w:p/>", 59)),
    "tables.docx": _whole(lambda: docx_of_deep_tables(100_000)),
    "large.docx": _whole(lambda: docx_of(b"<w:p><w:r><w:t>a</w:t></w:r></w:p>", 900)),
    "entities.docx": _whole(docx_of_entities),
    "rows.xlsx": _whole(lambda: xlsx_of_rows(59)),
    "strings.xlsx": _whole(lambda: xlsx_of_strings(59)),
    "far.xlsx": _whole(xlsx_of_far_cell),
    "shapes.pptx": _whole(lambda: pptx_of_shapes(59)),
    "attributes.html": _attributes(200_000),
    "nested.html": _repeated("", "<div>", 20 * MEGABYTE),
    "inline.html": _repeated("<p>", "<b>a", 20 * MEGABYTE),
    "lists.html": _repeated("", "<ul><li>a</li></ul>", 40 * MEGABYTE),
    "cues.srt": _cues(1_000_000, webvtt=False),
    "cues.vtt": _cues(1_000_000, webvtt=True),
    "tags.vtt": _repeated("WEBVTT\n\n00:00.000 --> 00:01.000\n", "<v ", 5 * MEGABYTE),
    "line.txt": _repeated("", "word ", 49 * MEGABYTE),
    "paragraphs.txt": _repeated("", "a\n\n", 49 * MEGABYTE),
    "headings.md": _headings(20_000),
    "sections.md": _repeated("", "# a\n\nb\n\n", 5 * MEGABYTE),
    "nested.md": _repeated("", "> - ", 5 * MEGABYTE),
    "brackets.md": _repeated("# ", "[", 2 * MEGABYTE),
    "wide.csv": _repeated("question,answer", ",a", 40 * MEGABYTE, "\nb,c\n"),
    "rows.csv": _rows(250_000),
    "deep.jsonl": _repeated('{"question": ', "[", 10 * MEGABYTE),
    "entities.tgz": _whole(export_of_entities),
    "zeros.tgz": _whole(lambda: tar_of_zeros(1)),
    "nested.tgz": _whole(lambda: tar_of_zeros(1, nested=2)),
    "many.tgz": _whole(lambda: tar_of_many(300_000)),
    "page.tgz": _whole(lambda: export_with("html/h1.html", _paragraph(100_000))),
    "concepts.json": _repeated('{"concepts": [', '{"name": "a"},', 20 * MEGABYTE, '{"name": "b"}]}'),
}
"""By name of the file; the name says who reads it."""


def write_hostile(name: str, folder: Path) -> Path:
    """Write one of them into a folder."""
    file = folder / name
    HOSTILE[name](file)
    return file
