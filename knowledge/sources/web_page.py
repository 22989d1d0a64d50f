"""HTML: every paragraph, list, table and code under its heading path; what is not content is dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import PurePosixPath

from lxml import etree, html

from knowledge.sources.archive import Unreadable
from knowledge.sources.mathml import to_tex
from knowledge.sources.note_marks import section_level
from knowledge.sources.tables import SHIFTS, markdown_table
from knowledge.sources.visibility import canvas_opens, release_of
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types.answers import Block
from vta.types.documents import SourceDocument
from vta.types.pairs import Locator

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_DROPPED = frozenset(
    "head script style noscript template nav footer aside iframe object embed svg canvas button select "
    "input textarea dialog".split()
)
_DROPPED_ROLES = frozenset({"navigation", "banner", "contentinfo", "search", "doc-toc", "doc-pagelist"})
_DROPPED_CLASSES = frozenset(
    "breadcrumb breadcrumbs navbar navheader navfooter pager pagination related-links toc".split()
)
_ASIDES = frozenset("note tip warning important caution".split())
"""Classes of boxes whose title opens no section."""
_INLINE = frozenset(
    "a abbr b bdi bdo big cite code data del dfn em font i img ins kbd label mark math q s samp small span "
    "strike strong sub sup time tt u var wbr ruby rb".split()
)
_CODE = frozenset({"code", "kbd", "samp", "tt"})
_PERMALINKS = frozenset("¶#§🔗")
"""Signs that Sphinx, MkDocs and others put behind a heading, to link it."""
_LISTS = frozenset("ul ol dl".split())
_ITEM = "- "
_ARRANGED = (*_HEADINGS, "table", "pre", "details")
"""Elements that are only in tables that arrange a page."""
_LARGEST_SPAN = 100
_IN_LISTS = _LISTS | frozenset("li dt dd br".split())


def read_html(text: str, *, path: str) -> SourceDocument:
    """The content of a page; its title is `<title>`, else the first heading, else the file's name.

    `InvalidInput` where Canvas says in the page that it is hidden; the date on which it opens is its release.
    """
    root = parse_html(text, path=path)
    settings = {each.get("name"): each.get("content", "") for each in root.iter("meta")}
    release_at = release_of(canvas_opens(lambda name: settings.get(name, "")), path)
    named = (element.text_content() for tag in ("title", "h1") for element in root.iter(tag))
    title = next((" ".join(name.split()) for name in named if name.strip()), PurePosixPath(path).stem)
    blocks = tuple(
        Block(text=content, locator=Locator(heading_path=headings or (title,)))
        for headings, content in html_blocks(_main_part(root))
    )
    return SourceDocument(path=path, title=title, blocks=blocks, release_at=release_at)


def parse_html(text: str, *, path: str) -> html.HtmlElement:
    """The tree of a page or a piece of one, without comments. `InvalidInput` where nothing is in it."""
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True)
    try:
        root = html.document_fromstring(text.encode(), parser=parser)
    except (etree.LxmlError, ValueError) as error:
        raise Unreadable(Fault("file.no_html").at(path, 1)) from error
    for fault in parser.error_log:
        if fault.type_name == "ERR_RESOURCE_LIMIT":  # the parser has left out what came after
            raise InvalidInput(Fault("file.nested_elements").at(path, fault.line))
    return root


def html_blocks(root: html.HtmlElement) -> Iterator[tuple[tuple[str, ...], str]]:
    """The blocks under an element in reading order, each with the headings above it."""
    flow = _Flow()
    taken = set[html.HtmlElement]()
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        if event == "end":
            flow.close(element, dropped=element in taken)
        elif _is_dropped(element) or _take(element, flow):
            taken.add(element)
            walk.skip_subtree()
        else:
            flow.open(element)
        yield from flow.done
        flow.done.clear()
    flow.end_block()
    yield from flow.done


def _take(element: html.HtmlElement, flow: _Flow) -> bool:
    """Read an element whose content is read as a whole; False for any other."""
    if element.tag == "pre":
        flow.code(element.text_content())
    elif element.tag == "math":
        flow.inline(to_tex(element))
    elif element.tag in _CODE:
        flow.inline(_as_code(element))
    elif element.tag in SHIFTS and element.find(".//math") is None:
        leads = element.xpath(".//a[starts-with(@href, '#')]")  # to a footnote
        flow.inline("" if leads else SHIFTS[element.tag](element.text_content()))
    elif element.tag == "table" and (rows := _rows(element)):
        flow.table(" ".join(element.xpath("string(./caption)").split()), markdown_table(rows))
    else:
        return False
    return True


def _rows(table: html.HtmlElement) -> list[list[str]]:
    """The texts of the cells, one that spans rows or columns in each; none for what only arranges a page."""
    if table.get("role") == "presentation" or next(table.iterdescendants(*_ARRANGED), None) is not None:
        return []
    order = {"thead": 0, "tfoot": 2}
    rows = [row for row in table.iter("tr") if not _is_dropped(row)]
    rows.sort(key=lambda row: order.get(row.getparent().tag, 1))
    grid = cell_grid(rows, _cell_text)
    return grid if grid and len(grid[0]) > 1 else []


def _cell_text(cell: html.HtmlElement) -> str:
    lines = "\n".join(text for _, text in html_blocks(cell))
    return lines.removeprefix(_ITEM).replace(f"\n{_ITEM}", "; ")


def cell_grid(rows: Sequence[html.HtmlElement], read: Callable[[html.HtmlElement], str]) -> list[list[str]]:
    """The texts of the cells in these rows, one that spans rows or columns in each place that it covers."""
    grid: dict[tuple[int, int], str] = {}
    for y, row in enumerate(rows):
        x = 0
        for cell in row.iterchildren("td", "th"):
            while (y, x) in grid:
                x += 1
            text = read(cell)
            below, beside = (_span(cell.get(name, "")) for name in ("rowspan", "colspan"))
            places = product(range(y, min(y + below, len(rows))), range(x, x + beside))
            grid.update((place, text) for place in places if place not in grid)
    width = max((x + 1 for _, x in grid), default=0)
    return [[grid.get((y, x), "") for x in range(width)] for y in range(len(rows))] if width else []


def _span(written: str) -> int:
    written = written.strip()
    return min(max(int(written), 1), _LARGEST_SPAN) if written.isdecimal() else 1


def _main_part(root: html.HtmlElement) -> html.HtmlElement:
    """The one element that says it is the content, else the whole page."""
    for query in ("//main | //*[@role='main']", "//article"):
        found = root.xpath(query)
        if len(found) == 1:
            main: html.HtmlElement = found[0]
            return main
    return root


def _is_dropped(element: html.HtmlElement) -> bool:
    return (
        element.tag in _DROPPED
        or element.get("role") in _DROPPED_ROLES
        or not _DROPPED_CLASSES.isdisjoint(element.get("class", "").split())
        or element.get("hidden") is not None
        or element.get("aria-hidden") == "true"
        or (element.tag == "a" and element.text_content().strip() in _PERMALINKS)
        or "display:none" in element.get("style", "").replace(" ", "").lower()
    )


def _is_aside(element: html.HtmlElement) -> bool:
    boxes = element.iterancestors("div", "section")
    return any(not _ASIDES.isdisjoint(box.get("class", "").split()) for box in boxes)


def _as_code(element: html.HtmlElement) -> str:
    """The code of a line between its marks, so that `__init__` stays what it is; a heading has none."""
    text = " ".join(element.text_content().split())
    is_plain = not text or "`" in text or next(element.iterancestors(*_HEADINGS), None) is not None
    return text if is_plain else f"`{text}`"


class _Flow:
    """Text as it comes, cut into lines and blocks by the tags around it."""

    def __init__(self) -> None:
        self.done: list[tuple[tuple[str, ...], str]] = []
        self._headings: list[tuple[float, str]] = []
        self._outside: list[list[tuple[float, str]]] = []
        """The headings above each `<details>` that is open."""
        self._text: list[str] = []
        self._lines: list[str] = []
        self._lists = 0
        self._item = _ITEM
        """The first characters of the line of the present item of a list."""
        self._terms: list[str] = []
        """Of a list of definitions, before what they mean."""

    def open(self, element: html.HtmlElement) -> None:
        tag = element.tag
        self._break(tag)
        self._lists += tag in _LISTS
        if tag == "details":
            self._outside.append(self._headings)
        if tag in ("li", "dd"):
            self._item = _ITEM + _defined(self._terms)
            self._text[:], self._terms = [self._item], []
        elif tag == "img":
            self._text.append(element.get("alt", ""))
        self._text.append(element.text or "")

    def close(self, element: html.HtmlElement, *, dropped: bool) -> None:
        tag = element.tag
        if not dropped:
            if tag in ("td", "th"):
                self._text.append(" | ")
            elif tag in _HEADINGS and not _is_aside(element):
                self._head(int(tag[1]))
            elif tag == "summary" and self._outside:
                above = self._outside[-1]
                self._head(section_level(above[-1][0] if above else 0))
            elif tag == "dt" and (term := self._line()) and "*" not in term:
                self._terms.append(term)
                self._text.clear()
            elif tag == "dl":
                self._lines += self._terms  # that nothing explains
                self._terms = []
            self._lists -= tag in _LISTS
            self._break(tag)
            if tag == "details":
                self._headings = self._outside.pop()
        self._text.append(element.tail or "")

    def code(self, text: str) -> None:
        self.end_block()
        if text.strip():
            self._put("```\n" + text.strip("\n").rstrip() + "\n```")

    def table(self, caption: str, rows: str) -> None:
        self.end_block()
        for text in filter(None, (caption, rows)):
            self._put(text)

    def inline(self, text: str) -> None:
        self._text.append(text)

    def end_block(self) -> None:
        self._end_line()
        self._text.clear()
        if self._lines:
            self._put("\n".join(self._lines))
            self._lines.clear()

    def _break(self, tag: str) -> None:
        """End the line, or the block, at a tag that does; cells go on in the line of their row."""
        if tag in _INLINE or tag in ("td", "th"):
            return
        if tag in _LISTS and not self._lists:
            self.end_block()
        elif tag in _IN_LISTS or self._lists:
            self._end_line()
        else:
            self.end_block()

    def _head(self, level: float) -> None:
        heading = self._line()
        self._text.clear()
        self._headings = [(n, h) for n, h in self._headings if n < level]
        if heading:
            self._headings.append((level, heading))

    def _line(self) -> str:
        return " ".join("".join(self._text).split())

    def _end_line(self) -> None:
        line = self._line().removesuffix("|").rstrip()
        self._text.clear()
        if line and line == self._item.rstrip():
            self._text.append(self._item)  # the paragraph inside of the item is still to come
        elif line:
            self._lines.append(line)

    def _put(self, text: str) -> None:
        self.done.append((tuple(heading for _, heading in self._headings), text))


def _defined(terms: Sequence[str]) -> str:
    """The beginning of a definition: its term in bold, further ones in brackets; empty without a term."""
    others = f" ({', '.join(terms[1:])})" if terms[1:] else ""
    return f"**{terms[0]}**{others}: " if terms else ""
