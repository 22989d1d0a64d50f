"""Where a course says what a name means.

A text says so in few plain forms: "X is a ... that ...", "X refers to ...", "... is called X", "X: a ...",
"X = ...". Of what has such a form, only what goes on as a definition does is taken: it names a kind and what
sets the thing apart, says no judgement and points at nothing else. `benchmarks/explanations.py` measures it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from types import MappingProxyType

from concept_graph.names import forms
from concept_graph.word_files import read_words
from vta.sentences import split_sentences
from vta.text import FIRST_HAN, HAN

MAX_DEFINITION = 300
"""Characters; a longer sentence says more than what the thing is."""
SHORTEST = 6
"""Characters of an explanation without its name; of Chinese half as many."""
_LONGEST_NAME = 60
_MARKUP = re.compile(r"<[^<>]*>|\*+|`+|(?<!\w)_+|_+(?!\w)")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)?\)")
_FORMULA = re.compile(r"(\$\$[^$]+\$\$|\$(?![\s$])[^$]{1,600}(?<!\s)\$(?!\d))")
_MARKS = frozenset("<*`_[")
_LIST_MARK = re.compile(r"[-*+>|\s]*(?:\d+[.)、]\s*)?[-*+>|\s]*")


class Form(StrEnum):
    """The ways in which a text may say what X is."""

    MEANS = "means"
    """X refers to …; X是指…"""
    IS = "is"
    """X is …; X是…"""
    EQUALS = "equals"
    """X = …"""
    COLON = "colon"
    """X: …"""
    CALLED = "called"
    """… is called X; …称为X"""


_RIGHT = {Form.MEANS: 0.97, Form.IS: 0.93, Form.EQUALS: 0.92, Form.COLON: 0.9, Form.CALLED: 0.89}
"""How far a form is trusted, by the share right on the courses whose sentences shaped the patterns.

Of what is shown of other courses fewer are right (docs/graph.md).
"""


@dataclass(frozen=True, slots=True)
class DefiningText:
    """A piece of text that may explain the name of a key; `rest` is what it says of it."""

    key: str
    form: Form
    text: str
    rest: str


_OPEN = r"[\"'“‘「『《【]?"
_GLOSS = r"[\"'”’」』》】]?(?:\s*[(（\[][^()（）\[\]]{1,80}[)）\]])?"


@cache
def _patterns(table: str) -> Mapping[str, re.Pattern[str]]:
    """The patterns of a table of `words/defining_patterns.toml`."""
    start = _GLOSS if table == "forms" else ""
    found = read_words("defining_patterns")[table].items()
    return {name: re.compile(start + each.replace("HAN", HAN), re.IGNORECASE) for name, each in found}


_OPENING = re.compile(rf"(?:所谓的?|an?\s|the\s)?{_OPEN}", re.IGNORECASE)
_FORMS = {Form(name): pattern for name, pattern in _patterns("forms").items()}
_SAID, _OTHER = _patterns("said"), _patterns("other")
_HEADED_PIECES = 3


class DefiningSentences:
    """Recognises the explanations of the names of one course."""

    def __init__(self, names: Mapping[str, Iterable[str]]) -> None:
        """`names` are those of each thing by its key; of a name that two have, the first has it."""
        self._owner: dict[str, str] = {}
        for key, called in names.items():
            for form in (form for name in called for form in forms(name)):
                self._owner.setdefault(form, key)
        self._longest = min(max(map(len, self._owner), default=0), _LONGEST_NAME)
        self._beginnings = {name[:end] for name in self._owner for end in range(1, len(name) + 1)}

    def owner(self, name: str) -> str | None:
        """The key of the thing that has a normalised name."""
        return self._owner.get(name)

    def explained(self, sentence: str) -> list[tuple[str, float]]:
        """(key, probability) of each name that a sentence may explain wherever it stands."""
        return [(each.key, probability(each)) for each in self._of_piece(_unmarked(sentence))]

    def definition(self, text: str) -> str:
        """The first sentence of a text that explains a name, without markup; "" where there is none."""
        found = (each.text for each in self.candidates(text) if probability(each))
        return next(found, "")

    def candidates(
        self, text: str, above: Mapping[str, int] = MappingProxyType({})
    ) -> Iterator[DefiningText]:
        """What may explain a name in a passage; `above`: how near a heading is that names a key, 2 the last.

        Under the heading that is the name, a Chinese sentence may leave it out (是指……).
        """
        for place, raw in enumerate(split_sentences(text, wrapped=True)):
            piece = _unmarked(plain(raw))
            found = [] if raw.lstrip().startswith("|") else list(self._of_piece(piece))
            means = _FORMS[Form.MEANS].match(piece) if piece >= FIRST_HAN else None
            if means and not found and place < _HEADED_PIECES:
                rest = piece[means.end() :].strip()
                found = [DefiningText(key, Form.MEANS, piece, rest) for key in above if above[key] > 1]
            yield from filter(fits, found)

    def names_at(self, text: str, start: int) -> list[tuple[int, str]]:
        """(end, key) of each name that stands at a place of the text, as a word of its own."""
        piece = text[start : start + self._longest].lower()
        found = []
        for length in range(1, len(piece) + 1):
            if (name := piece[:length]) not in self._beginnings:
                break
            key = self._owner.get(name)
            after = text[start + length : start + length + 1]
            if key and not (after.isascii() and after.isalnum() and piece[length - 1].isascii()):
                found.append((start + length, key))
        return found

    def _of_piece(self, piece: str) -> Iterator[DefiningText]:
        opening = _OPENING.match(piece)
        begin = opening.end() if opening else 0
        for end, key in sorted({*self.names_at(piece, 0), *self.names_at(piece, begin)}):
            for form, pattern in _FORMS.items():
                if found := pattern.match(piece, end):
                    yield DefiningText(key, form, piece, piece[found.end() :].strip())
                    break
        for called in _OTHER["called"].finditer(piece):
            longest = max(self.names_at(piece, called.end()), default=None)
            if longest and _OTHER["named"].match(piece, longest[0]):
                yield DefiningText(longest[1], Form.CALLED, piece, piece[: called.start()].strip())


def fits(candidate: DefiningText) -> bool:
    """Whether a candidate stands by itself: of some length, asks nothing, points nowhere, begins no list."""
    shortest = SHORTEST if candidate.rest.isascii() else SHORTEST // 2
    if not len(candidate.rest) >= shortest or len(candidate.text) > MAX_DEFINITION:
        return False
    if candidate.form is Form.CALLED and _OTHER["points"].search(candidate.rest):
        return False
    open_end = candidate.text.endswith(("?", "？", "...", "…", ":", "："))
    is_code = candidate.form is Form.COLON and _CODE_NAME.match(candidate.text)
    return not (open_end or is_code or _OTHER["hangs"].search(candidate.text))


def plain(text: str) -> str:
    """A text without Markdown but for its formulas, on one line."""
    if not _MARKS.isdisjoint(text):
        parts = _FORMULA.split(_LINK.sub(r"\1", text))
        text = "".join(part if number % 2 else _MARKUP.sub("", part) for number, part in enumerate(parts))
    return " ".join(text.split())


def names_any(names: Iterable[str], text: str) -> bool:
    """Whether one of the names may stand in the text; without one, nothing need be looked for."""
    folded = _folded_plain(text)
    return any(_folded(name) in folded for name in names)


@lru_cache(maxsize=16)  # one text is asked for the names of all headings above it
def _folded_plain(text: str) -> str:
    return _folded(plain(text))


@lru_cache(maxsize=4096)
def _folded(text: str) -> str:
    return "".join(text.split()).casefold()


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text without markup, each on one line."""
    for piece in split_sentences(text, wrapped=True):
        if sentence := plain(piece):
            yield sentence


def _unmarked(piece: str) -> str:
    found = _LIST_MARK.match(piece)
    return piece[found.end() :] if found else piece


_CODE_NAME = re.compile(r"[a-z]|[\w ]+\s[(（](?:[a-z]+[a-z_0-9]*|[a-z_0-9]+ and [a-z_0-9]+)[)）]\s*[:：]")
"""A variable of data or code: "Income (income): ...", "income: ..."."""


def probability(candidate: DefiningText) -> float:
    """How likely a candidate explains its name: by its form, and 0 where it is no definition."""
    text, rest = candidate.text, candidate.rest
    language = "zh" if re.search(f"[{HAN}]", text) else "en"
    form = _SAID.get(f"{candidate.form}_{language}") or _SAID[candidate.form]
    is_definition = fits(candidate) and form.match(rest) and not _OTHER["judges"].match(rest)
    return _RIGHT[candidate.form] if is_definition and not _OTHER["leans"].search(rest) else 0.0
