"""The sentences that name places of a course: where something stands, what a lecture holds.

The n-th of `places` is marked [n], counted from 1.
"""

from __future__ import annotations

from collections.abc import Sequence

from prompts.markdown import escape_markdown, join_sentences, split_sentences
from prompts.phrases import TEXTS
from vta.types import Concept, Language

_LONGEST_QUOTE = 420
_LONGEST_LINE = 110


def where(language: Language, places: Sequence[str]) -> str:
    """The places and nothing else; that there are none, where there are none."""
    if not places:
        return TEXTS[language]["not_there"]
    marked = [f"{escape_markdown(place)} [{n}]" for n, place in enumerate(places, start=1)]
    return marked[0] if len(marked) == 1 else "\n".join(f"- {each}" for each in marked)


def all_said(language: Language, places: Sequence[str]) -> str:
    """The course says no more about it than was told, with the places where it does."""
    said = TEXTS[language]["all_said"]
    return f"{said}\n\n{where(language, places)}" if places else where(language, places)


def which_lecture(language: Language, names: Sequence[str]) -> str:
    """Asks which lecture is meant, by some of them."""
    marked = [f"{escape_markdown(name)} [{n}]" for n, name in enumerate(names, start=1)]
    return TEXTS[language]["which_lecture"].format(TEXTS[language]["comma"].join(marked))


def here(language: Language, places: Sequence[str], texts: Sequence[str], terms: Sequence[Concept]) -> str:
    """What stands or was just said at these places, and what the terms mean that are used there."""
    parts = []
    for n, (place, text) in enumerate(zip(places, texts, strict=True), start=1):
        parts.append(f"**{escape_markdown(place)}**\n\n> {_end(text, _LONGEST_QUOTE // len(texts))} [{n}]")
    if terms:
        listed = "\n".join(f"- **{escape_markdown(t.name)}**: {_line(t.definition)}" for t in terms)
        parts.append(f"{TEXTS[language]['terms']}\n\n{listed}")
    return "\n\n".join(parts)


def outline(language: Language, name: str, places: Sequence[str], texts: Sequence[str]) -> str:
    """The parts of a lecture, a line each."""
    lines = [
        f"- {escape_markdown(place)}: {_line(text, _LONGEST_LINE)} [{n}]"
        for n, (place, text) in enumerate(zip(places, texts, strict=True), start=1)
    ]
    return f"{TEXTS[language]['outline'].format(escape_markdown(name))}\n\n" + "\n".join(lines)


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
