"""The fixed sentences of the assistant, in both languages. The n-th of `places` is marked [n], from 1."""

from __future__ import annotations

import calendar
from collections.abc import Mapping, Sequence
from datetime import datetime, time

from prompts.markdown import escape_markdown, join_sentences, split_sentences
from vta.languages import Language
from vta.texts import read_texts
from vta.types.answers import Offer
from vta.types.concepts import Concept

TEXTS = read_texts("prompts", "phrases.toml")
OPERATIONS = ("in_steps", "why", "example", "code", "formula", "simpler", "shorter", "where")
"""The names of the operations that are offered under an answer."""
_LONGEST_QUOTE = 420
_LONGEST_LINE = 110
_LONGEST_TERM = 200


def unanswered(language: Language, *, own: str | None = None) -> str:
    """The refusal: the course's `own` sentence, a plain text, or the usual one, which names the TA."""
    return TEXTS[language]["unanswered"] if own is None else escape_markdown(own)


def closest(language: Language, titles: Mapping[int, str]) -> str:
    """The nearest passages below a refusal: titles by their [n]."""
    listed = (f"{escape_markdown(title)} [{n}]" for n, title in titles.items())
    return TEXTS[language]["closest"].replace("{titles}", TEXTS[language]["comma"].join(listed))


def coming(language: Language, title: str, at: datetime, *, week: bool = False) -> str:
    """The day on which a document or week of this title opens, in the time zone of `at`."""
    day = {
        Language.EN: f"{at.day} {calendar.month_name[at.month]} {at.year}",
        Language.ZH: f"{at.year}年{at.month}月{at.day}日",
    }[language]
    if at.time() != time():
        told = {Language.EN: f", {at:%H:%M} ({at.tzinfo})", Language.ZH: f" {at:%H:%M}（{at.tzinfo}）"}
        day += told[language]
    return TEXTS[language]["coming_week" if week else "coming"].format(title=escape_markdown(title), day=day)


def see_also(language: Language, numbers: Sequence[int]) -> str:
    """Further citations as [n] markers."""
    return TEXTS[language]["see_also"].replace("{markers}", " ".join(f"[{n}]" for n in numbers))


def offer(name: str, language: Language) -> Offer:
    """An operation on the answer by its name, one of `OPERATIONS`."""
    return Offer(label=TEXTS[language][name], question=TEXTS[language][f"{name}_asks"])


def where(language: Language, places: Sequence[str]) -> str:
    """The places and nothing else."""
    marked = [f"{escape_markdown(place)} [{n}]" for n, place in enumerate(places, start=1)]
    return marked[0] if len(marked) == 1 else "\n".join(f"- {each}" for each in marked)


def all_said(language: Language, places: Sequence[str]) -> str:
    """That the course says no more about it, with the places where it does."""
    return f"{TEXTS[language]['places_all_said']}\n\n{where(language, places)}"


def which_lecture(language: Language, names: Sequence[str]) -> str:
    """The question which lecture is meant, with some of them."""
    marked = [f"{escape_markdown(name)} [{n}]" for n, name in enumerate(names, start=1)]
    return TEXTS[language]["places_which"].format(TEXTS[language]["comma"].join(marked))


def exercise(language: Language, text: str) -> str:
    """An exercise in the course's own words, as [1]."""
    texts = TEXTS[language]
    quoted = text.replace("\n", "\n> ")
    return f"{texts['exercise']}\n\n> {quoted} [1]\n\n{texts['exercise_next']}"


def exercise_hint(language: Language, places: Sequence[str]) -> str:
    """A hint that names a place; a sentence for none."""
    if not places:
        return TEXTS[language]["exercise_no_hint"]
    return f"{TEXTS[language]['exercise_hint']}\n\n{where(language, places)}"


def here(language: Language, places: Sequence[str], texts: Sequence[str], terms: Sequence[Concept]) -> str:
    """The end of each text under its place, and the definitions of the terms in them."""
    parts = []
    for n, (place, text) in enumerate(zip(places, texts, strict=True), start=1):
        parts.append(f"**{escape_markdown(place)}**\n\n> {_end(text, _LONGEST_QUOTE // len(texts))} [{n}]")
    if terms:
        lines = (f"- **{escape_markdown(t.name)}**: {_first(t.definition, _LONGEST_TERM)}" for t in terms)
        parts.append("\n".join((f"{TEXTS[language]['places_terms']}\n", *lines)))
    return "\n\n".join(parts)


def outline(language: Language, name: str, places: Sequence[str], texts: Sequence[str]) -> str:
    """The parts of a lecture, a line each."""
    lines = [
        f"- {escape_markdown(place)}: {_first(text, _LONGEST_LINE)} [{n}]"
        for n, (place, text) in enumerate(zip(places, texts, strict=True), start=1)
    ]
    return "\n".join((f"{TEXTS[language]['places_outline'].format(escape_markdown(name))}\n", *lines))


def _first(text: str, longest: int) -> str:
    """The first sentence, cut at a length; escaped."""
    first = next(iter(split_sentences(text)), " ".join(text.split()))
    return escape_markdown(first if len(first) <= longest else f"{first[: longest - 1].rstrip()}…")


def _end(text: str, longest: int) -> str:
    """The last whole sentences within a length, one at least; escaped."""
    kept: list[str] = []
    for sentence in reversed(split_sentences(text) or [" ".join(text.split())]):
        if kept and len(sentence) + sum(map(len, kept)) > longest:
            break
        kept.insert(0, escape_markdown(sentence))
    return join_sentences(kept)
