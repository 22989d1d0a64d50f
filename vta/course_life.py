"""Words about how a course is run, such as homework, deadlines, exams and grades, in both languages.

The words of a row of the table mean the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from itertools import chain

from vta.kinds import Kind, kinds_of
from vta.languages import Language
from vta.patterns import read_table
from vta.sentences import split_sentences
from vta.text import Analyser, normalise
from vta.units import gives, has_date

_TABLE = "words/course_life.toml"


@lru_cache(maxsize=1_000)
def rows_of(question: str) -> Mapping[int, tuple[str, ...]]:
    """The rows of the table that a question names, with its words of each; none where it may mean a subject.

    Ambiguous words count beside those of another row, or where the question has no other content.
    """
    plain = normalise(question)
    named = {n: tuple(found) for n, row in enumerate(_patterns()) if (found := row.findall(plain))}
    words = [word for found in named.values() for word in found]
    if len(named) > 1 or _is_sure(words):
        return named
    return named if _says_nothing_else(plain, words) else {}


def asks_when(question: str) -> bool:
    """Whether a question asks for a time of how the course is run, and names nothing else.

    A word that names both, as "deadline" does, may mean a subject: it asks when beside another such word.
    """
    plain, rows = normalise(question), rows_of(question)
    asks = Kind.TIME in kinds_of(question if len(rows) > 1 else outside(plain))
    return asks and bool(rows) and _says_nothing_else(plain, chain.from_iterable(rows.values()))


def _says_nothing_else(plain: str, words: Iterable[str]) -> bool:
    analyser = _plain_analyser()
    return set(analyser.content_words(plain)) <= set(analyser.words(" ".join(words)))


def names_of(text: str) -> Mapping[str, tuple[str, ...]]:
    """The rows that a text names, each by its first English word, with its words of it."""
    plain, rows = normalise(text), read_table("vta", _TABLE)["rows"]
    found = (
        (row["en"][0], tuple(words.findall(plain))) for row, words in zip(rows, _patterns(), strict=True)
    )
    return {name: words for name, words in found if words}


def outside(plain: str) -> str:
    """A normalised text without its words of course life."""
    for row in _patterns():
        plain = row.sub(" ", plain)
    return plain


def synonyms(question: str, analyser: Analyser) -> dict[str, tuple[str, ...]]:
    """For each analysed word of a question that speaks of how a course is run, the other phrases of its rows.

    A phrase is its analysed words with a space between.
    """
    found: dict[str, tuple[str, ...]] = {}
    for n, named in rows_of(question).items():
        for word in analyser.content_words(" ".join(named)):
            others = (phrase for phrase in _phrases(analyser)[n] if phrase != word)
            found[word] = (*found.get(word, ()), *others)
    return found


def tells(question: str, text: str) -> bool:
    """Whether a text covers all that a question asks about how the course is run, in either language.

    It needs an unambiguous word, unless the question itself names several things by ambiguous ones. An amount
    that is asked for stands anywhere in the text; a time stands in one sentence or row with all the rest.
    """
    rows, kinds = rows_of(question), kinds_of(question)
    if not rows or (Kind.AMOUNT in kinds and not gives(Kind.AMOUNT, text)):
        return False
    parts = filter(has_date, split_sentences(text, wrapped=True)) if Kind.TIME in kinds else [text]
    may_be_unsure = len(rows) > 1 and not any(map(_is_sure, rows.values()))
    held = ([_patterns()[n].findall(plain) for n in rows] for plain in map(normalise, parts))
    return any(all(words) and (may_be_unsure or any(map(_is_sure, words))) for words in held)


def _is_sure(words: Iterable[str]) -> bool:
    return not all(map(_ambiguous().fullmatch, words))


def spell_out(text: str, language: Language) -> str:
    """The text with its short forms of these words in full."""
    short = read_table("vta", _TABLE)["short"]
    return _short_forms().sub(lambda found: short[found[0].lower()][language], text)


@cache
def _short_forms() -> re.Pattern[str]:
    forms = "|".join(read_table("vta", _TABLE)["short"])
    return re.compile(rf"(?<![a-z0-9_])({forms})(?![a-z0-9_])", re.IGNORECASE | re.ASCII)


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    return tuple(_any_of((*row["en"], *row["zh"])) for row in read_table("vta", _TABLE)["rows"])


@cache
def _ambiguous() -> re.Pattern[str]:
    return _any_of(read_table("vta", _TABLE)["ambiguous"])


def _any_of(phrases: Iterable[str]) -> re.Pattern[str]:
    """Matches the longest of the phrases; English ones as whole words, also with an ending."""
    longest = sorted(map(normalise, phrases), key=len, reverse=True)
    words = "|".join(re.escape(phrase) for phrase in longest if phrase[0].isascii() and phrase[0].isalnum())
    han = "|".join(phrase for phrase in longest if phrase[0] == "%" or not phrase[0].isascii())
    return re.compile(rf"\b(?:{words})(?:e?s|e?d|ing)?\b|{han}")


@cache
def _plain_analyser() -> Analyser:
    return Analyser()


@lru_cache(maxsize=4)
def _phrases(analyser: Analyser) -> tuple[tuple[str, ...], ...]:
    rows = ((*row["en"], *row["zh"]) for row in read_table("vta", _TABLE)["rows"])
    analysed = ([" ".join(analyser.words(phrase)) for phrase in row] for row in rows)
    return tuple(tuple(dict.fromkeys(filter(None, row))) for row in analysed)
