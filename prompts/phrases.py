"""The fixed sentences of the assistant, in both languages.

The n-th of `places` is marked [n], counted from 1; in the sentences around an exercise [1] is its source.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

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


def gentle_line(language: Language, *, help_line: str) -> str:
    """Where help is to be found, below an answer to what may be a cry for it."""
    return TEXTS[language]["gentle_line"].format(help_line=help_line)


def unanswered(language: Language, *, own: str | None = None) -> str:
    """Nothing in the course supports an answer; a real TA can be asked.

    `own` is a course's sentence, as plain text, in the place of the usual one.
    """
    return TEXTS[language]["unanswered"] if own is None else escape_markdown(own)


def closest(language: Language, titles: Mapping[int, str]) -> str:
    """Names what comes closest to an answer that was not found: titles by their [n]."""
    return TEXTS[language]["closest"].replace("{titles}", _titles(language, titles))


def coming(language: Language, title: str, at: datetime) -> str:
    """That what a title names is released at a moment."""
    utc = at.astimezone(UTC)
    day = {
        Language.EN: f"{utc.day} {utc:%B %Y, %H:%M} (UTC)",
        Language.ZH: f"{utc.year}年{utc.month}月{utc.day}日 {utc:%H:%M}（UTC）",
    }[language]
    return TEXTS[language]["coming"].format(title=escape_markdown(title), day=day)


def of_year(language: Language, year: int) -> str:
    """That what is cited is of a year long past."""
    return TEXTS[language]["of_year"].format(year=year)


def see_also(language: Language, numbers: Sequence[int]) -> str:
    """Points to further citations as [n] markers."""
    return TEXTS[language]["see_also"].replace("{markers}", _markers(numbers))


def broken_off(language: Language) -> str:
    """Markdown between the beginning of a language model's answer, which broke off, and another answer.

    It says that what stands above is incomplete, and ends with a heading for what stands below.
    """
    return TEXTS[language]["broken_off"]


def conflict(language: Language, *, faq: str, material: str) -> str:
    """Markdown that shows two sayings which disagree, one of the FAQ and one of the material."""
    before, between, after = re.split(r"\{faq\}|\{material\}", TEXTS[language]["conflict"])
    return f"{before}{quote(faq)}{between}{quote(material)}{after}"


def quote(text: str) -> str:
    """The text as a Markdown block quotation."""
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def _markers(numbers: Sequence[int]) -> str:
    return " ".join(f"[{number}]" for number in numbers)


def _titles(language: Language, titles: Mapping[int, str]) -> str:
    return TEXTS[language]["comma"].join(f"{escape_markdown(title)} [{n}]" for n, title in titles.items())


def offer(name: str, language: Language) -> Offer:
    """An operation on the answer by its name, one of `OPERATIONS`."""
    return Offer(label=TEXTS[language][name], question=TEXTS[language][f"{name}_asks"])


def ask_again(question: str, language: Language) -> Offer:
    """The same question once more."""
    return Offer(label=TEXTS[language]["ask_again"], question=question)


def where(language: Language, places: Sequence[str]) -> str:
    """The places and nothing else; that there are none, where there are none."""
    if not places:
        return TEXTS[language]["places_not_there"]
    marked = [f"{escape_markdown(place)} [{n}]" for n, place in enumerate(places, start=1)]
    return marked[0] if len(marked) == 1 else "\n".join(f"- {each}" for each in marked)


def all_said(language: Language, places: Sequence[str]) -> str:
    """The course says no more about it than was told, with the places where it does."""
    return (
        f"{TEXTS[language]['places_all_said']}\n\n{where(language, places)}"
        if places
        else TEXTS[language]["places_not_there"]
    )


def which_lecture(language: Language, names: Sequence[str]) -> str:
    """Asks which lecture is meant, by some of them."""
    marked = [f"{escape_markdown(name)} [{n}]" for n, name in enumerate(names, start=1)]
    return TEXTS[language]["places_which"].format(TEXTS[language]["comma"].join(marked))


def here(language: Language, places: Sequence[str], texts: Sequence[str], terms: Sequence[Concept]) -> str:
    """What stands or was just said at these places, and what the terms mean that are used there."""
    parts = []
    for n, (place, text) in enumerate(zip(places, texts, strict=True), start=1):
        parts.append(f"**{escape_markdown(place)}**\n\n> {_end(text, _LONGEST_QUOTE // len(texts))} [{n}]")
    if terms:
        listed = "\n".join(f"- **{escape_markdown(t.name)}**: {_line(t.definition)}" for t in terms)
        parts.append(f"{TEXTS[language]['places_terms']}\n\n{listed}")
    return "\n\n".join(parts)


def outline(language: Language, name: str, places: Sequence[str], texts: Sequence[str]) -> str:
    """The parts of a lecture, a line each."""
    lines = [
        f"- {escape_markdown(place)}: {_line(text, _LONGEST_LINE)} [{n}]"
        for n, (place, text) in enumerate(zip(places, texts, strict=True), start=1)
    ]
    return f"{TEXTS[language]['places_outline'].format(escape_markdown(name))}\n\n" + "\n".join(lines)


def _line(text: str, longest: int = 200) -> str:
    """The first sentence, cut at a length; escaped."""
    first = next(iter(split_sentences(text)), " ".join(text.split()))
    return escape_markdown(first if len(first) <= longest else f"{first[: longest - 1].rstrip()}…")


def _end(text: str, longest: int) -> str:
    """The last whole sentences that fit, the last one at least: what the student just heard."""
    kept: list[str] = []
    for sentence in reversed(split_sentences(text) or [" ".join(text.split())]):
        if kept and len(sentence) + sum(map(len, kept)) > longest:
            break
        kept.insert(0, escape_markdown(sentence))
    return join_sentences(kept)
