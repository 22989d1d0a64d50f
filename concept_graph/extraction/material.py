"""Course material as runs of words: what candidates are counted in."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import rjieba

from vta.types import QAPair

HAN = r"\u3400-\u4dbf\u4e00-\u9fff"
Word = str
Run = tuple[Word, ...]

_FENCE = re.compile(r"[ \t>]*(```+|~~~+)")
_IMAGE = re.compile(r"!\[[^\[\]]*\]\([^()]*\)")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()]*\)")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+")
_TAG = re.compile(r"<[^<>]*>")
_SHORT_MATH = re.compile(r"\$([A-Za-z0-9]{1,2})\$")
_MATH = re.compile(r"\$\$.*?\$\$|\$[^$\n]*\$", re.DOTALL)
_MARKED = re.compile(
    r"\*\*([^*\n]{1,60})\*\*|`([^`\n]{1,40})`|[“「『]([^“”「」『』\n]{1,40})[”」』]|\"([^\"\n]{2,40})\""
)
_CODE_SPAN = re.compile(r"`[^`\n]*`")
_CODE_LIKE = re.compile(r"[_(){}\[\]=<>;:./\\]|[a-z][A-Z]|[-+*]\s|\d{2}")
_ONE_LATIN_WORD = re.compile(r"[A-Za-z0-9+#-]+")
_EMPHASIS = re.compile(r"\*+|(?<!\w)_+|_+(?!\w)")
_WORD = re.compile(rf"[{HAN}]+|[^\W_{HAN}](?:[^\W{HAN}]|[-'’](?=[^\W_{HAN}]))*(?:\+\+|#)?")
_HAN_START = re.compile(rf"[{HAN}]")
_DIGITS = re.compile(r"\d+")


@dataclass(slots=True)
class Material:
    """The distinct lines of a course as runs of words, in order.

    `runs` holds (section, run): words between two marks of punctuation, which no name crosses; a section is
    a heading path in a document. `headings` are the distinct headings as runs. `marked` are the terms that
    were set in bold, in code type or in quotation marks. `tags` is the dictionary's part of speech of each
    Chinese word.
    """

    runs: list[tuple[int, Run]] = field(default_factory=list)
    sections: int = 0
    headings: dict[str, list[Run]] = field(default_factory=dict)
    marked: dict[str, int] = field(default_factory=dict)
    tags: dict[Word, str] = field(default_factory=dict)
    passages: list[int] = field(default_factory=list)
    """The number of the first passage of each section."""

    def first_passage(self, run: int) -> int:
        """The number of the passage with which the section of a run begins."""
        return self.passages[self.runs[run][0]]


def clean_passages(passages: Iterable[QAPair]) -> Iterator[tuple[QAPair, str]]:
    """Each passage with its text without code, images and addresses; links keep their words.

    A block of code may have been cut into several passages: it is followed from one to the next.
    """
    place: tuple[str | None, str] | None = None
    fence = ""
    for passage in passages:
        if (passage.document, passage.question) != place:
            place, fence = (passage.document, passage.question), ""
        text, fence = _outside_code(passage.answer, fence)
        if "http" in text or "](" in text or "www." in text:
            text = _ADDRESS.sub(" ", _LINK.sub(r"\1", _IMAGE.sub("\n", text)))
        yield passage, text


def read_material(texts: Iterable[tuple[QAPair, str]]) -> Material:
    """The material of clean passages in order. A line seen before, but for its numbers, is not read again."""
    material = Material()
    sections: dict[tuple[str | None, str], int] = {}
    seen: set[int] = set()
    for number, (passage, text) in enumerate(texts):
        section = sections.setdefault((passage.document, passage.question), len(sections))
        if section == len(material.passages):
            material.passages.append(number)
        for heading in passage.locator.heading_path or (passage.question,):
            if heading not in material.headings:
                material.headings[heading] = read_runs(heading, material.tags)
        if "$" in text:
            text = _MATH.sub(" | ", _SHORT_MATH.sub(r"\1", text))
        for line in text.split("\n"):
            line = line.strip()
            mark = hash(_DIGITS.sub("0", line))
            if not line or mark in seen:
                continue
            seen.add(mark)
            for term in marked_terms(line):
                material.marked[term] = material.marked.get(term, 0) + 1
            material.runs.extend((section, run) for run in read_runs(line, material.tags))
    material.sections = len(sections)
    return material


def _outside_code(text: str, fence: str) -> tuple[str, str]:
    """The lines outside fenced code, and the fence that is still open at the end; "" where none is."""
    if not fence and "```" not in text and "~~~" not in text:
        return text, ""
    lines = []
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark.group(1).startswith(fence):
                fence = ""
        elif mark:
            fence = mark.group(1)
        else:
            lines.append(line)
    return "\n".join(lines), fence


def marked_terms(line: str) -> Iterator[str]:
    """The bold, code and quoted pieces of a line of Markdown that may be terms.

    One Latin word in code type is the name of a variable more often than a term, and is left out.
    """
    for bold, code, han_quoted, quoted in _MARKED.findall(line):
        term = (bold or code or han_quoted or quoted).strip('*`“”"「」 .,。，：:；;')
        if term and not (code and (_CODE_LIKE.search(term) or _ONE_LATIN_WORD.fullmatch(term))):
            yield term


def plain_text(line: str) -> str:
    """A line without markup; code becomes breaks, but for words in code type."""
    if "`" in line:
        line = _CODE_SPAN.sub(lambda found: f" | {_code_words(found.group())} | ", line)
    return _EMPHASIS.sub("", _TAG.sub(" ", line))


def join_words(words: Sequence[Word]) -> str:
    """Words as they are written: no space next to a Chinese one."""
    text = words[0]
    for before, word in pairwise(words):
        text += word if is_han(before) or is_han(word) else " " + word
    return text


def is_han(word: str) -> bool:
    return "\u3400" <= word[0] <= "\u9fff"


def read_runs(text: str, tags: dict[Word, str]) -> list[Run]:
    """The runs of a line of text."""
    return list(_runs(plain_text(text), tags))


def _code_words(span: str) -> str:
    code = span.strip("`")
    return "" if _CODE_LIKE.search(code) or _ONE_LATIN_WORD.fullmatch(code) else code


def _runs(plain: str, tags: dict[Word, str]) -> Iterator[Run]:
    """The words of a plain line, cut at punctuation; Chinese by the segmenter's dictionary."""
    run: list[Word] = []
    end = 0
    for found in _WORD.finditer(plain):
        if run and plain[end : found.start()].strip(" \t\u00a0"):
            yield tuple(run)
            run = []
        end = found.end()
        text = found.group()
        if not _HAN_START.match(text):
            run.append(sys.intern(text.replace("’", "'")))
            continue
        for word, tag in rjieba.tag(text, False):
            word = sys.intern(word)
            tags.setdefault(word, tag)
            run.append(word)
    if run:
        yield tuple(run)
