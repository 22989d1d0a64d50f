"""OpenStax textbooks as passages with their glossaries (checkouts of github.com/openstax/osbooks-NAME)."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from vta.types.courses import Course, PairId
from vta.types.pairs import Locator, QAPair, Source

CNXML = "{http://cnx.rice.edu/cnxml}"
LEFT_OUT = frozenset({"figure", "note", "table", "exercise", "media", "footnote", "metadata", "glossary"})
_WITH_OTHER = re.compile(r"(.*?)\s*\(([^()]+)\)\s*\Z")


def books_in(folder: Path) -> list[Path]:
    return sorted(each for each in folder.iterdir() if (each / "collections").is_dir())


def names_of(term: str) -> list[str]:
    """The names of a term of a glossary; one may stand in brackets."""
    found = _WITH_OTHER.match(term)
    return [found[1], found[2]] if found else [term]


def read_cnxml(book: Path, course: Course) -> tuple[list[QAPair], list[str]]:
    """The paragraphs of a book in order, terms in bold, and the terms of its glossary."""
    collection = etree.parse(sorted((book / "collections").glob("*.xml"))[0])
    passages: list[QAPair] = []
    glossary: list[str] = []
    for module in collection.iter("{*}module"):
        root = etree.parse(book / "modules" / module.get("document", "") / "index.cnxml").getroot()
        for entry in root.iter(f"{CNXML}definition"):
            if (term := entry.find(f"{CNXML}term")) is not None:
                glossary.append(_text(term).replace("*", ""))
        title = root.findtext(f"{CNXML}title") or ""
        for path, text in _paragraphs(root.find(f"{CNXML}content"), (title,)):
            locator = Locator(heading_path=path)
            passages.append(
                QAPair(
                    id=PairId(f"{course.id}:{len(passages)}"),
                    course_id=course.id,
                    question=" › ".join(path),
                    answer=text,
                    source=Source.MATERIAL,
                    domains=course.domains,
                    locator=locator,
                    document=title,
                )
            )
    return passages, glossary


def _paragraphs(
    element: etree._Element | None, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], str]]:
    for child in element if element is not None else ():
        if child.tag == f"{CNXML}section":
            if not child.get("class"):  # one with a class holds exercises, a summary, key terms
                title = child.find(f"{CNXML}title")
                yield from _paragraphs(child, (*path, _text(title)) if title is not None else path)
        elif child.tag in (f"{CNXML}para", f"{CNXML}list") and (text := _text(child)):
            yield path, text


def _text(element: etree._Element) -> str:
    """The words of an element; a term that is explained is bold, an item of a list stands on its line."""
    if not isinstance(element.tag, str) or etree.QName(element).localname in LEFT_OUT:
        return ""
    words = (element.text or "") + "".join(_text(child) + (child.tail or "") for child in element)
    words = html.unescape(words)
    name = etree.QName(element).localname
    if name == "list":
        return words
    words = " ".join(words.split())
    match name:
        case "term" if element.get("class") != "no-emphasis":
            return f"**{words}**"
        case "item":
            return f"\n- {words}\n"
        case "math":
            return f"${words}$"
    return words
