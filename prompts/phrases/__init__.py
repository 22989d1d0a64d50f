"""The fixed sentences of the assistant, in both languages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from prompts.markdown import escape_markdown
from prompts.primers import refusal_sentence
from vta.texts import read_texts
from vta.types import Language

TEXTS = read_texts("prompts.phrases", "texts.toml")


class FixedPhrases:
    """`vta.ports.Phrases`."""

    def unanswered(self, language: Language, *, own: str | None = None) -> str:
        return TEXTS[language]["unanswered"] if own is None else escape_markdown(own)

    def closest(self, language: Language, titles: Mapping[int, str]) -> str:
        return TEXTS[language]["closest"].replace("{titles}", _titles(language, titles))

    def refusal(self, language: Language) -> str:
        return refusal_sentence(language)

    def see_also(self, language: Language, numbers: Sequence[int]) -> str:
        return TEXTS[language]["see_also"].replace("{markers}", _markers(numbers))

    def unsupported(self, language: Language) -> str:
        return TEXTS[language]["unsupported"]

    def broken_off(self, language: Language) -> str:
        return TEXTS[language]["broken_off"]

    def own_words(self, language: Language) -> str:
        return TEXTS[language]["own_words"]

    def conflict(self, language: Language, *, faq: str, material: str) -> str:
        before, between, after = re.split(r"\{faq\}|\{material\}", TEXTS[language]["conflict"])
        return f"{before}{quote(faq)}{between}{quote(material)}{after}"


def quote(text: str) -> str:
    """The text as a Markdown block quotation."""
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def _markers(numbers: Sequence[int]) -> str:
    return " ".join(f"[{number}]" for number in numbers)


def _titles(language: Language, titles: Mapping[int, str]) -> str:
    return TEXTS[language]["comma"].join(f"{escape_markdown(title)} [{n}]" for n, title in titles.items())
