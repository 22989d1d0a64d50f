"""What a sentence says, clause by clause: its words, values, negations, conditions and relations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from vta.dialogue.claims.cues import CUES, OPPOSITES, RELATIONS
from vta.dialogue.claims.values import Values, as_words, counts_of, values_of, without_values
from vta.text import Analyser, normalise

NEGATED_WORDS = 3
"""How many content words behind a negation it denies, at most."""

FIRST_WORDS = 2
"""How many words at the head of a Chinese clause name what it speaks of; one in an English clause."""

REACH = 24
"""How many characters behind a negation an opposite may begin that it denies; a quarter of it in Chinese."""

_LETTERS = re.compile(r"[^\W\d_]")
_FEWEST_LETTERS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One clause: its content words, its words behind each negation, and which way it says what it says.

    `first` are the words that it begins with; `is_premise` says that it only sets the scene ("if");
    `compared` are its values and small counts in words. `signs` is which way it says what it says, by the
    number of the pair of opposites, and `topic` its words where both opposites count as one. `lead` are
    the words that its sentence begins with, where it is not the first clause, and may speak of unnamed.
    """

    text: str
    first: frozenset[str]
    words: frozenset[str]
    is_premise: bool
    denied: tuple[tuple[str, ...], ...]
    values: Values
    compared: Values
    signs: Mapping[int, int]
    topic: frozenset[str]
    lead: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What a clause depends on, and what it says under this condition, in content words and values."""

    words: frozenset[str]
    then: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A sentence as read: `words` are its content words with its values."""

    text: str
    words: frozenset[str]
    clauses: tuple[Clause, ...]
    relations: tuple[Relation, ...]
    conditions: tuple[Condition, ...]
    is_conditional: bool
    is_example: bool


def read_statement(sentence: str, analyser: Analyser) -> Statement:
    """A sentence, clause by clause."""
    text = normalise(sentence)
    pieces = _pieces(text)
    read = [_read(piece, analyser, goes_on=n < len(pieces)) for n, piece in enumerate(pieces, start=1)]
    clauses = (*read[:1], *(replace(clause, lead=_lead(read[0])) for clause in read[1:]))
    return Statement(
        text=text,
        words=frozenset().union(*(words_of(clause) for clause in clauses)),
        clauses=clauses,
        relations=read_relations(text, analyser),
        conditions=tuple(_conditions(clauses, analyser)),
        is_conditional=any(each.is_premise for each in clauses) or bool(CUES["condition"].search(text)),
        is_example=CUES["example"].search(text) is not None,
    )


def _lead(clause: Clause) -> frozenset[str]:
    """The words that a clause begins with, and the longer ones that they are part of."""
    return frozenset(word for word in clause.words if any(first in word for first in clause.first))


def _pieces(text: str) -> list[str]:
    """The texts of the clauses; one that has nothing but values belongs to that before it."""
    pieces: list[str] = []
    start = 0
    for match in (*CUES["split"].finditer(text), None):
        piece = text[start : match.start() if match else len(text)].strip()
        if pieces and len(_LETTERS.findall(without_values(piece))) < _FEWEST_LETTERS:
            pieces[-1] += f" {piece}"
        elif piece:
            pieces.append(piece)
        start = match.end() if match else start
    return pieces


def words_of(clause: Clause) -> frozenset[str]:
    """The content words of a clause with its values."""
    return clause.words | as_words(clause.values)


def _conditions(clauses: Sequence[Clause], analyser: Analyser) -> Iterator[Condition]:
    """The conditions of a sentence: behind "if", up to the end of its clause or "then".

    What depends on one stands in the same clause, before or behind it, else in the next.
    """
    for n, clause in enumerate(clauses):
        if (cue := CUES["condition"].search(clause.text)) is None:
            continue
        end = CUES["condition_end"].search(clause.text, cue.end() + 1)
        stop = end.start() if end else len(clause.text)
        before, behind = clause.text[: cue.start()].strip(), clause.text[stop:]
        then = _all_words(f"{before} {behind}", analyser)
        if not before and n + 1 < len(clauses):
            then |= words_of(clauses[n + 1])
        words = _all_words(clause.text[cue.end() : stop], analyser)
        yield Condition(words=words - then, then=then)


def _read(text: str, analyser: Analyser, *, goes_on: bool = False) -> Clause:
    plain = without_values(text)
    words = analyser.content_words(plain) if _LETTERS.search(plain) else []
    values = values_of(text)
    rest, signs = read_opposites(plain)
    topic = analyser.content_words(rest) if signs and _LETTERS.search(rest) else [] if signs else words
    return Clause(
        text=text,
        first=frozenset(words[: 1 if text.isascii() else FIRST_WORDS]),
        words=frozenset(words),
        is_premise=goes_on and CUES["premise"].search(text) is not None,
        denied=tuple(_denied(text, analyser)),
        values=values,
        compared={**values, **counts_of(text)},
        signs=signs,
        topic=frozenset(topic).union(f"opposites {n}" for n in signs),
    )


def read_opposites(text: str) -> tuple[str, Mapping[int, int]]:
    """A normalised clause without its opposites, and the sign of each pair of opposites that stands in it.

    1 for the first of the two or for the second denied, -1 the other way round; 0 for both.
    """
    signs: dict[int, int] = {}
    found: list[re.Match[str]] = []
    for n, pair in enumerate(OPPOSITES):
        for sign, pattern in zip((1, -1), pair, strict=True):
            for match in pattern.finditer(text):
                own = -sign if _is_denied(text, match) else sign
                signs[n] = own if signs.get(n, own) == own else 0
                found.append(match)
    for match in found:
        text = text[: match.start()] + " " * (match.end() - match.start()) + text[match.end() :]
    return text, signs


def _is_denied(text: str, opposite: re.Match[str]) -> bool:
    """Whether an odd number of negations stands shortly before it."""
    reach = REACH if opposite.group().isascii() else REACH // 4
    before = CUES["negation"].finditer(text, max(0, opposite.start() - reach), opposite.start())
    return sum(1 for _ in before) % 2 == 1


def _all_words(text: str, analyser: Analyser) -> frozenset[str]:
    return words_of(_read(text, analyser))


def _denied(text: str, analyser: Analyser) -> list[tuple[str, ...]]:
    """The words that each negation of a clause denies, nearest first."""
    found = (analyser.content_words(text[match.end() :]) for match in CUES["negation"].finditer(text))
    return [tuple(dict.fromkeys(words))[:NEGATED_WORDS] for words in found if words]


_COMPARING = 3
"""How many of the pairs of opposites stand in comparisons (cues.toml)."""

_NEAR = 4
_SIZES = "大小高低多少快慢早晚优劣强弱长短好差重轻"
_HAN_SIZE = re.compile(rf"[{_SIZES}](?=[的得了]|一些|一点|很多|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """Two sides of a word such as "than": the words that stand before and behind it.

    `sign` is -1 where the word or its comparative has the opposite sense ("after", "less ... than").
    """

    family: str
    sign: int
    left: frozenset[str]
    right: frozenset[str]


def read_relations(sentence: str, analyser: Analyser) -> tuple[Relation, ...]:
    """The relations of a sentence, the first of each family; one that is denied is left out."""
    text = normalise(sentence)
    found: dict[str, tuple[re.Match[str], int]] = {}
    for family, sign, pattern in RELATIONS:
        for match in pattern.finditer(text):
            if CUES["negation"].search(text[max(0, match.start() - 4) : match.start()]):
                continue
            if family not in found or match.start() < found[family][0].start():
                found[family] = match, sign
            break
    return tuple(_sides(text, family, match, sign, analyser) for family, (match, sign) in found.items())


def _sides(text: str, family: str, match: re.Match[str], sign: int, analyser: Analyser) -> Relation:
    before = _last_with_words(re.split(r"[,;:](?=\D)", text[: match.start()]), analyser)
    behind = re.split(r"[,;。](?!\d)|\.(?!\d)|\band\b", text[match.end() :])[0]
    return Relation(
        family=family,
        sign=sign * _comparative(before, behind, match.group()) if family == "comparison" else sign,
        left=frozenset(analyser.words(before)),
        right=frozenset(analyser.words(behind)),
    )


def _last_with_words(pieces: Sequence[str], analyser: Analyser) -> str:
    """The last piece that says something: "so" alone does not."""
    return next((each for each in reversed(pieces) if len(set(analyser.content_words(each))) > 1), pieces[0])


def _comparative(before: str, behind: str, pivot: str) -> int:
    """-1 where the comparative says less ("slower than", "比...少"), else 1."""
    if not pivot.isascii():
        size = before[-1:] if pivot == "于" else "".join(_HAN_SIZE.findall(behind.strip(" .!?。"))[:1])
        return -1 if size and _SIZES.find(size) % 2 else 1
    near = " ".join(before.split()[-_NEAR:])
    turned = sum(len(minus.findall(near)) for _, minus in OPPOSITES[:_COMPARING])
    return -1 if turned % 2 else 1
