"""Citations: numbers in the text, bound to candidates."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from vta.types.answers import Citation
from vta.types.courses import CourseId
from vta.types.pairs import Candidate, QAPair, Source

PROTECTED = (
    r"(?P<fence>^ {0,3}(?P<ticks>`{3,}|~{3,})[\s\S]*?(?:^ {0,3}(?P=ticks)|\Z))"
    r"|(?P<code>(?<!`)(?P<tick>`+)(?!`)[\s\S]*?(?<!`)(?P=tick)(?!`))"
    r"|(?P<mathematics>\$\$[\s\S]*?\$\$|\$(?!\s)[^$\n]+(?<!\s)\$(?!\d))"
)
"""Code and mathematics, in which a number in brackets is an index; to be read with `re.MULTILINE`."""

_LIST = r"\d{1,3}(?:\s*[,，、–-]\s*\d{1,3})*"
_BRACKET = rf"(?:\[\^?(?:documents?|文档)?\s*{_LIST}\]|【{_LIST}】)"
_LINK = r"\([^)\s]*\)"
_MARKER = re.compile(
    rf"{PROTECTED}|(?P<space>\s?)"
    rf"(?P<mark><sup>\s*{_BRACKET}\s*</sup>|\[{_BRACKET}\]{_LINK}|{_BRACKET}(?:{_LINK})?)",
    re.MULTILINE | re.IGNORECASE,
)
"""A mark in any of the shapes that models write: [1], [1, 2], [1-3], [^1], 【1】, in <sup>, as a link."""
_NUMBERS = re.compile(_LIST)
_SPAN = re.compile(r"(\d{1,3})(?:\s*[–-]\s*(\d{1,3}))?")
_LONGEST_SPAN = 10
_LONGEST_NAME = 60
"""Characters before a mark in which a name is looked for."""
_NAME = re.compile(r"[A-Za-z0-9_]+\Z")
_PROSE_WORD = re.compile(r"[A-Za-z]{4,}\Z")
_CLAUSE_ENDS = re.compile(r"\s*(?:[.,;:!?)\[。，；：！？）]|$)", re.MULTILINE)
_UNDERLINE = re.compile(r"(?<=\S)\n(?=-{3,}[ \t]*$)", re.MULTILINE)
_RELEVANT = 0.5


def bind_citations(
    text: str,
    candidates: Sequence[Candidate],
    sharing: Mapping[CourseId, str] = MappingProxyType({}),
    quotes: Mapping[int, str] = MappingProxyType({}),
    further: Sequence[int] = (),
) -> tuple[str, tuple[Citation, ...]]:
    """The text with its citations numbered 1, 2, ... in order of first use, and these citations.

    `sharing` has the names of other courses, for the titles of the concepts that they share; `quotes` and
    `further` as in `Taught`.

    In the text given, [n] stands for the n-th candidate, counted from 1, except in code and mathematics and
    behind a name, where it is an index. Markers without a candidate are dropped. A rule under a
    paragraph gets a blank line before it, or Markdown would make the paragraph a heading.
    """
    numbers: dict[int, int] = {}

    def renumber(match: re.Match[str]) -> str:
        cited = _numbers_of(match)
        if cited is None:
            return match.group()
        known = [n for n in cited if 1 <= n <= len(candidates)]
        marks = "".join(f"[{numbers.setdefault(n, len(numbers) + 1)}]" for n in known)
        return f"{match['space']}{marks}" if marks else ""

    bound = _UNDERLINE.sub("\n\n", _MARKER.sub(renumber, text))
    for n in further:
        numbers.setdefault(n, len(numbers) + 1)
    return bound, tuple(
        replace(cite(new, candidates[old - 1], sharing), quoted=old in quotes, marked=quotes.get(old, ""))
        for old, new in numbers.items()
    )


def _numbers_of(match: re.Match[str]) -> tuple[int, ...] | None:
    """The numbers of a mark; None for code, mathematics and the index of a name such as `dp[0]`."""
    if match["mark"] is None:
        return None
    text, start, end = match.string, match.start("mark"), match.end("mark")
    before = text[max(start - _LONGEST_NAME, 0) : start]
    is_behind_name = _NAME.search(before) is not None
    if is_behind_name and not (_PROSE_WORD.search(before) and _CLAUSE_ENDS.match(text, end)):
        return None
    listed = _NUMBERS.search(match["mark"])
    spans = [(int(a), int(b or a)) for a, b in _SPAN.findall(listed.group())] if listed else []
    return tuple(n for a, b in spans for n in range(a, min(b, a + _LONGEST_SPAN) + 1))


def cited_numbers(text: str) -> tuple[int, ...]:
    """The numbers that a text cites, in order, once each."""
    return tuple(dict.fromkeys(n for match in _MARKER.finditer(text) for n in _numbers_of(match) or ()))


def without_marks(sentence: str) -> str:
    """The sentence without its marks; code and mathematics stay as they are."""
    return _MARKER.sub(lambda match: match.group() if _numbers_of(match) is None else "", sentence)


def unknown_citations(text: str, candidates: Sequence[Candidate]) -> tuple[int, ...]:
    """The numbers that a text cites though nothing was retrieved under them, in order, once each."""
    return tuple(n for n in cited_numbers(text) if not 1 <= n <= len(candidates))


def cite(n: int, candidate: Candidate, sharing: Mapping[CourseId, str] = MappingProxyType({})) -> Citation:
    """The n-th source as it is shown: title, passage and place; `sharing` as in `bind_citations`."""
    pair = candidate.pair
    lender = sharing.get(pair.course_id)
    return Citation(
        n=n,
        pair_id=pair.id,
        source=pair.source,
        title=f"{title_of(pair)} ({lender})" if lender else title_of(pair),
        passage=pair.answer,
        document=pair.document,
        url=pair.url,
        locator=pair.locator,
    )


def title_of(pair: QAPair) -> str:
    """The heading a passage stands under; its heading path is in the locator."""
    headings = pair.locator.heading_path
    return headings[-1] if pair.source is Source.MATERIAL and headings else pair.question


_MOST_FURTHER = 2


def further_reading(best: Candidate, others: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Passages of course material on the very thing that a direct answer, not itself material, is about.

    Those that are likely to answer the question too: by their relevance where it was judged, else by an S
    near the best one.
    """
    if best.pair.source is Source.MATERIAL:
        return ()
    material = (c for c in others if c.pair.source is Source.MATERIAL)
    return tuple(c for c in material if _is_relevant(c, best))[:_MOST_FURTHER]


def _is_relevant(candidate: Candidate, best: Candidate) -> bool:
    if candidate.relevance is not None:
        return candidate.relevance >= _RELEVANT
    return candidate.score >= _RELEVANT * best.score
