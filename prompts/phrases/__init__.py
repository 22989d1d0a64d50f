"""The fixed sentences of the assistant, in both languages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from prompts.markdown import escape_markdown
from vta.texts import read_texts
from vta.types import Language, Offer

TEXTS = read_texts("prompts.phrases", "texts.toml")
OPERATIONS = ("why", "example", "code", "formula", "simpler", "shorter", "where")


def unanswered(language: Language, *, own: str | None = None) -> str:
    """Nothing in the course supports an answer; a real TA can be asked.

    `own` is a course's sentence, as plain text, in the place of the usual one.
    """
    return TEXTS[language]["unanswered"] if own is None else escape_markdown(own)


def closest(language: Language, titles: Mapping[int, str]) -> str:
    """Names what comes closest to an answer that was not found: titles by their [n]."""
    return TEXTS[language]["closest"].replace("{titles}", _titles(language, titles))


def see_also(language: Language, numbers: Sequence[int]) -> str:
    """Points to further citations as [n] markers."""
    return TEXTS[language]["see_also"].replace("{markers}", _markers(numbers))


def unsupported(language: Language) -> str:
    """Markdown that stands behind a sentence which the given knowledge does not support."""
    return TEXTS[language]["unsupported"]


def broken_off(language: Language) -> str:
    """Markdown between the beginning of a language model's answer, which broke off, and another answer.

    It says that what stands above is incomplete, and ends with a heading for what stands below.
    """
    return TEXTS[language]["broken_off"]


def own_words(language: Language) -> str:
    """Markdown between a language model's explanation and the course's own words below it."""
    return TEXTS[language]["own_words"]


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
