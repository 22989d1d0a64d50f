"""Where a course may say what a name means, and how sure it is that it does.

A text says so in few forms ("X is a ...", "X: ...", a line under its heading), and most of what has such a
form says something else: a judgement, an example, a consequence. So each candidate has features (the form,
what stands after the name, what around it) and a probability, by a logistic regression whose weights are in
`words/defining.toml` (fitted by `benchmarks/explanations.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, lru_cache
from math import log
from types import MappingProxyType

from concept_graph.names import inflections
from concept_graph.word_files import read_words
from vta.scoring import linear, logistic
from vta.sentences import split_sentences
from vta.text import FIRST_HAN, HAN, normalise, segmenter

MAX_DEFINITION = 300
"""Characters; a longer sentence says more than what the thing is."""
SURE = 0.5
"""A candidate of this probability is taken for a definition."""
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

    IS = "is"
    """X is …; X是…"""
    MEANS = "means"
    """X refers to …; X是指…"""
    LED_IN = "led_in"
    """In science, X is …"""
    CALLED = "called"
    """… is called X; …称为X"""
    TOLD = "told"
    """X stores …; X把…"""
    COLON = "colon"
    """X: …"""
    DASH = "dash"
    """X — …"""
    EQUALS = "equals"
    """X = …"""
    APPOSED = "apposed"
    """… X, which is …; … X，即…"""
    CELL = "cell"
    """| X | … |"""
    LINE = "line"
    """X on a line of its own, … on the next."""
    HEADED = "headed"
    """… under the heading X."""
    SET_APART = "set_apart"
    """… **X** …; …X（X in the other language）…"""


@dataclass(frozen=True, slots=True)
class DefiningText:
    """A piece of text that may explain the name of a key; `rest` is what it says of it."""

    key: str
    form: Form
    text: str
    rest: str
    bold: bool = False
    listed: bool = False
    """Whether the next line is a name again."""
    place: int = 0
    """The number of the piece in its passage."""
    under: int = 0
    """2 under a heading that is the name, 1 where it is the heading above that one."""
    first: bool = False
    """Whether it is the first candidate of its name in the course."""


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
_TEXT, _REST, _OTHER = _patterns("text"), _patterns("rest"), _patterns("other")
_CELL = re.compile(r"\s*\|\s*")
_HEADED_PIECES = 3
_EMPHASIS = re.compile(r"(\*\*|[*_])(?!\s)([^*_\n]{2,60}?)(?<!\s)\1")
_TRANSLATED = re.compile(rf"([{HAN}]{{2,12}})[”」]?\s?[(（][A-Za-z][A-Za-z, -]+[)）]")


class DefiningSentences:
    """Recognises the explanations of the names of one course."""

    def __init__(self, names: Mapping[str, Iterable[str]]) -> None:
        """`names` are those of each thing by its key; of a name that two have, the first has it."""
        self._owner: dict[str, str] = {}
        for key, forms in names.items():
            for form in forms:
                plain = normalise(form)
                for each in (plain, *sorted(inflections(plain))):
                    self._owner.setdefault(each, key)
        self._longest = min(max(map(len, self._owner), default=0), _LONGEST_NAME)

    def owner(self, name: str) -> str | None:
        """The key of the thing that has a normalised name."""
        return self._owner.get(name)

    def explained(self, sentence: str) -> list[tuple[str, float]]:
        """(key, probability) of each name that a sentence may explain wherever it stands."""
        found = self._of_piece(_unmarked(sentence), "")
        return [(each.key, probability(replace(each, first=True))) for each in found]

    def definition(self, text: str) -> str:
        """The first sentence of a text that explains a name, without markup; "" where there is none."""
        found = (each for each in self.candidates(text) if probability(replace(each, first=True)) >= SURE)
        return next((each.text for each in found), "")

    def candidates(
        self, text: str, above: Mapping[str, int] = MappingProxyType({})
    ) -> Iterator[DefiningText]:
        """What may explain a name in a passage; `above`: how near a heading is that names a key."""
        pieces = [(_unmarked(plain(raw)), raw) for raw in split_sentences(text, wrapped=True)]
        titled = ""
        for place, (piece, raw) in enumerate(pieces):
            found = list(self._of_piece(piece, raw))
            known = self._owner.get(normalise(_without_gloss(piece)), "")
            if titled and not found and not known:
                after = pieces[place + 1][0] if place + 1 < len(pieces) else ""
                listed = normalise(_without_gloss(after)) in self._owner
                found.append(DefiningText(titled, Form.LINE, piece, piece, listed=listed))
            explains = bool(found)
            for key, near in above.items() if place < _HEADED_PIECES else ():
                if near > 1 and not known and not explains:  # else it says what another name means
                    found.append(_under(key, piece))
            for each in found:
                if fits(each):
                    yield replace(each, place=place, under=above.get(each.key, 0))
            titled = known

    def names_at(self, text: str, start: int) -> list[tuple[int, str]]:
        """(end, key) of each name that stands at a place of the text, as a word of its own."""
        piece = text[start : start + self._longest].lower()
        found = []
        for length in range(1, len(piece) + 1):
            key = self._owner.get(piece[:length])
            after = text[start + length : start + length + 1]
            if key and not (after.isascii() and after.isalnum() and piece[length - 1].isascii()):
                found.append((start + length, key))
        return found

    def _of_piece(self, piece: str, raw: str) -> Iterator[DefiningText]:
        if "|" in raw and raw.lstrip().startswith("|"):
            yield from self._of_row(raw)
            return
        yield from self._opened(piece, raw)
        yield from self._called(piece)
        yield from self._apposed(piece)
        yield from self._set_apart(piece, raw)

    def _of_row(self, row: str) -> Iterator[DefiningText]:
        cells = [plain(cell).strip() for cell in _CELL.split(row.strip().strip("|"))]
        key = self._owner.get(normalise(_without_gloss(cells[0]))) if len(cells) > 1 else None
        if key:
            longest = max(cells[1:], key=len)
            yield DefiningText(key, Form.CELL, longest, longest)

    def _opened(self, piece: str, raw: str) -> Iterator[DefiningText]:
        opening = _OPENING.match(piece)
        begin = opening.end() if opening else 0
        ends = sorted({*self.names_at(piece, 0), *self.names_at(piece, begin)})
        for end, key in ends:
            for form, pattern in _FORMS.items():
                found = pattern.match(piece, end)
                if found and (
                    form is not Form.TOLD or ((end, key) == ends[-1] and not _goes_on(piece[end:]))
                ):
                    bold = any(f"{mark}{piece[begin:end]}" in raw for mark in ("*", "_", "“", "`"))
                    yield DefiningText(key, form, piece, piece[found.end() :].strip(), bold)
                    break
        lead = None if ends else _OTHER["lead_in"].match(piece)
        for end, key in self.names_at(piece, lead.end()) if lead else ():
            if found := _FORMS[Form.MEANS].match(piece, end) or _FORMS[Form.IS].match(piece, end):
                yield DefiningText(key, Form.LED_IN, piece, piece[found.end() :].strip())

    def _called(self, piece: str) -> Iterator[DefiningText]:
        for called in _OTHER["called"].finditer(piece):
            longest = max(self.names_at(piece, called.end()), default=None)
            if longest and _OTHER["named"].match(piece, longest[0]):
                yield DefiningText(longest[1], Form.CALLED, piece, piece[: called.start()].strip())

    def _apposed(self, piece: str) -> Iterator[DefiningText]:
        for found in _OTHER["apposed"].finditer(piece):
            end = found.start()
            starts = range(max(0, end - self._longest), end)
            key = next(
                (
                    self._owner[name]
                    for at in starts
                    if (name := piece[at:end].lower()) in self._owner and _begins(piece, at)
                ),
                None,
            )
            if key and piece[found.end() :]:
                yield DefiningText(key, Form.APPOSED, piece, piece[found.end() :].strip())

    def _set_apart(self, piece: str, raw: str) -> Iterator[DefiningText]:
        spans = [found[2] for found in _EMPHASIS.finditer(raw)]
        spans += [found[1][at:] for found in _TRANSLATED.finditer(piece) for at in range(len(found[1]) - 1)]
        for span in spans:
            key = self._owner.get(normalise(_without_gloss(plain(span))))
            at = piece.find(span)
            if key and at > 0:
                after = piece[at + len(span) :].strip()
                yield DefiningText(key, Form.SET_APART, piece, after if len(after) >= SHORTEST else piece)


def _under(key: str, piece: str) -> DefiningText:
    """The text under a heading that is the name, which it may leave out (是指……)."""
    means = _FORMS[Form.MEANS].match(piece) if piece >= FIRST_HAN else None
    if means:
        return DefiningText(key, Form.MEANS, piece, piece[means.end() :].strip())
    return DefiningText(key, Form.HEADED, piece, piece)


def _goes_on(after: str) -> bool:
    """Whether a Chinese name goes on: the next word is a noun, a number or a name."""
    if not re.match(rf"[{HAN}]", after):
        return False
    (_, tag), *_ = segmenter().tag(after[:8], False)
    return tag.startswith(("n", "m", "q", "x", "f", "l", "j"))


def _begins(text: str, at: int) -> bool:
    return at == 0 or not (text[at].isascii() and text[at - 1].isalnum() and text[at - 1].isascii())


def fits(candidate: DefiningText) -> bool:
    """Whether a candidate stands by itself: of some length, asks nothing, points nowhere, begins no list."""
    shortest = SHORTEST if candidate.rest.isascii() else SHORTEST // 2
    if not len(candidate.rest) >= shortest or len(candidate.text) > MAX_DEFINITION:
        return False
    if candidate.form is Form.CALLED and _OTHER["points"].search(candidate.rest):
        return False
    open_end = candidate.text.endswith(("?", "？", "...", "…", ":", "："))
    return not (open_end or _CODE_NAME.match(candidate.text) or _OTHER["hangs"].search(candidate.text))


def plain(text: str) -> str:
    """A text without Markdown but for its formulas, on one line."""
    if not _MARKS.isdisjoint(text):
        parts = _FORMULA.split(_LINK.sub(r"\1", text))
        text = "".join(part if number % 2 else _MARKUP.sub("", part) for number, part in enumerate(parts))
    return " ".join(text.split())


def names_any(names: Iterable[str], text: str) -> bool:
    """Whether one of the names may stand in the text; without one, nothing need be looked for."""
    folded = _folded(plain(text))
    return any(_folded(name) in folded for name in names)


@lru_cache(maxsize=4096)  # one text is asked for the names of all headings above it
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


def _without_gloss(name: str) -> str:
    return re.sub(r"\s*[(（][^()（）]*[)）]\s*\Z|[：:*]+\Z", "", _unmarked(name)).strip("\"'“”‘’「」 ")


_CODE_NAME = re.compile(r"[\w ]+\s[(（](?:[a-z]+[a-z_0-9]*|[a-z_0-9]+ and [a-z_0-9]+)[)）]\s*[:：]")
"""A variable of data or code: "Income (income): ..."."""
_PROPER = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+")


def features(candidate: DefiningText) -> dict[str, float]:
    """The features of a candidate that are there, each with its size."""
    text, rest = candidate.text, candidate.rest
    chinese = not text.isascii() and re.search(rf"[{HAN}]", text) is not None
    weight = 2.5 if chinese else 1.0
    length = len(text) * weight
    found = {f"form_{candidate.form}": 1.0, "length": log(max(1.0, length) / 100)}
    found |= {name: 1.0 for name, pattern in _TEXT.items() if pattern.search(text)}
    if candidate.form is not Form.CALLED:
        found |= {f"rest_{name}": 1.0 for name, pattern in _REST.items() if pattern.match(rest)}
    found |= {
        f"{candidate.form}_{name}": 1.0 for name in ("verb", "genus", "praise") if f"rest_{name}" in found
    }
    found |= {
        "chinese": float(chinese),
        "short": float(length < 45),
        "clauses": min(3.0, len(_OTHER["clause"].findall(rest))),
        "called_longer": float(candidate.form is Form.CALLED and len(text) > 2 * len(rest)),
        "colon_statement": float(
            candidate.form is Form.COLON and _OTHER["statement"].match(rest) is not None
        ),
        "listed": float(candidate.listed),
        "lead": float(candidate.form is Form.LED_IN and _OTHER["lead"].match(text) is not None),
        "under": float(candidate.under > 0),
        "titled": float(candidate.under > 1),
        "first": float(candidate.first),
        "proper": min(3.0, len(_PROPER.findall(text))),
        "small": float(text[:1].islower()),
        "bold": float(candidate.bold),
        "place": min(4.0, candidate.place),
        "before": log(1 + max(0, len(text) - len(rest)) * weight),
    }
    return {name: size for name, size in found.items() if size}


def probability(candidate: DefiningText) -> float:
    """How likely a candidate explains its name."""
    if not fits(candidate):
        return 0.0
    return logistic(linear(read_words("defining"), features(candidate)))
