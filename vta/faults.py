"""What went wrong, as a code with parameters; its words in each language are data (`faults.toml`)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import TypeAlias

from vta.types import Language

FaultValue: TypeAlias = "str | int | float | Fault"
"""What a sentence names; a fault within a fault is said in the language of the whole sentence."""


class Fault:
    """A fault by its code in the table and the values its sentence names. Two of the same content are equal.

    `Fault("faq.text_too_long", name="question", most=4000)` reads "the question is longer than 4000
    characters". Values are shown as they are, so secrets and inner addresses never become one.
    """

    __slots__ = ("code", "params")

    def __init__(self, code: str, **params: FaultValue) -> None:
        self.code = code
        self.params: Mapping[str, FaultValue] = MappingProxyType(params)

    @classmethod
    def of(cls, code: str, params: Mapping[str, FaultValue]) -> Fault:
        """A fault that was stored or sent. `KeyError` for a code or a missing value."""
        found = cls(code, **params)
        found.text()
        return found

    def replacing(self, **params: FaultValue) -> Fault:
        """The same fault with other values."""
        return type(self)(self.code, **{**self.params, **params})

    def text(self, language: Language = Language.EN) -> str:
        """The sentence in a language. `KeyError` for a code or a value that the table does not know."""
        return self._fill(fault_table()[self.code][language], language)

    def page_text(self, language: Language) -> str:
        """The sentence on a page, which names no ids; the same as `text` where the table has no other."""
        sentences = page_table().get(self.code) or fault_table()[self.code]
        return self._fill(sentences[language], language)

    def _fill(self, sentence: str, language: Language) -> str:
        return sentence.format_map(
            {name: v.text(language) if isinstance(v, Fault) else v for name, v in self.params.items()}
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fault) and (self.code, self.params) == (other.code, other.params)

    def __hash__(self) -> int:
        return hash((self.code, *sorted(self.params)))

    def __repr__(self) -> str:
        return "".join((f"Fault({self.code!r}", *(f", {k}={v!r}" for k, v in self.params.items()), ")"))


@cache
def fault_table() -> Mapping[str, Mapping[Language, str]]:
    """The sentences of each code, `room.fault`, by language."""
    return {
        code: {Language(key): text for key, text in row.items() if isinstance(text, str)}
        for code, row in _rows().items()
    }


@cache
def page_table() -> Mapping[str, Mapping[Language, str]]:
    """The sentences that pages show instead, by code and language, of the codes that have such."""
    pages = {code: row["page"] for code, row in _rows().items() if "page" in row}
    return {
        code: {Language(key): text for key, text in sentences.items()}
        for code, sentences in pages.items()
        if not isinstance(sentences, str)
    }


@cache
def _rows() -> Mapping[str, Mapping[str, str | Mapping[str, str]]]:
    rooms = tomllib.loads((files("vta") / "faults.toml").read_text(encoding="utf-8"))
    return {f"{room}.{name}": row for room, faults in rooms.items() for name, row in faults.items()}
