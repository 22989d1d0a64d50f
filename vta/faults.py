"""A fault as a code with values and a place; its sentences in each language are data (`faults.toml`)."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from functools import cache
from typing import Any

from vta.languages import Language
from vta.patterns import read_table


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultPlace:
    """Where a fault is: in a file, at one of its lines, table rows or pages, in a field. All count from 1."""

    path: str = ""
    line: int | None = None
    row: int | None = None
    page: int | None = None
    field: str = ""

    def before(self, sentence: str, language: Language) -> str:
        """The sentence after its place: file, then line, row or page, then field."""
        numbers = {"line": self.line, "row": self.row, "page": self.page}
        unit = next((name for name, number in numbers.items() if number is not None), "")
        keys = []
        if self.field:
            keys.append("field" if self.path else "form_field")
        if self.path:
            keys.append(unit or "file")
        elif unit:
            keys.append(f"only_{unit}")
        for key in keys:
            frame = fault_table()[f"place.{key}"][language]
            sentence = frame.format(path=self.path, field=self.field, fault=sentence, **numbers)
        return sentence


@dataclass(frozen=True, slots=True, init=False)
class Fault:
    """A fault by its code in the table, the values its sentence names, and its place where it has one.

    `Fault("question.too_long", length=5000, most=4000)` reads "the question has 5000 characters; at most
    4000 are read". Values are shown as they are, so secrets and inner addresses never become one; a value
    that is a fault itself is shown in the language of the whole.
    """

    code: str
    params: Mapping[str, FaultValue]
    place: FaultPlace | None

    def __init__(self, code: str, /, **params: FaultValue) -> None:
        object.__setattr__(self, "code", code)
        object.__setattr__(self, "params", params)
        object.__setattr__(self, "place", None)

    def at(
        self,
        path: str = "",
        line: int | None = None,
        *,
        row: int | None = None,
        page: int | None = None,
        field: str = "",
    ) -> Fault:
        """The same fault with its place."""
        placed = copy(self)
        place = FaultPlace(path=path, line=line, row=row, page=page, field=field)
        object.__setattr__(placed, "place", place)
        return placed

    def inside(self) -> Fault:
        """The same fault for a page that names its file already."""
        place = self.place or FaultPlace()
        return self.at("", place.line, row=place.row, page=place.page, field=place.field)

    def replacing(self, **params: FaultValue) -> Fault:
        """The same fault with other values."""
        replaced = copy(self)
        object.__setattr__(replaced, "params", {**self.params, **params})
        return replaced

    def text(self, language: Language = Language.EN) -> str:
        """The sentence in a language. `KeyError` for a code or a value that the table does not know."""
        return self._say(fault_table()[self.code], language)

    def page_text(self, language: Language) -> str:
        """The sentence for a page, without ids; the same as `text` where the table has no other."""
        return self._say(page_table().get(self.code) or fault_table()[self.code], language)

    def _say(self, sentences: Mapping[Language, str], language: Language) -> str:
        shown = {
            name: value.text(language) if isinstance(value, Fault) else value
            for name, value in self.params.items()
        }
        sentence = sentences[language].format_map(shown)
        return self.place.before(sentence, language) if self.place else sentence

    def __hash__(self) -> int:
        return hash((self.code, frozenset(self.params.items()), self.place))


FaultValue = str | int | float | Fault
"""A value in the sentence of a fault."""


@cache
def fault_table() -> Mapping[str, Mapping[Language, str]]:
    """The sentences of each code, `room.fault`, by language."""
    return {code: {each: row[each] for each in Language} for code, row in _rows().items()}


@cache
def page_table() -> Mapping[str, Mapping[Language, str]]:
    """The sentences that pages show instead, by code and language."""
    pages = {code: row["page"] for code, row in _rows().items() if "page" in row}
    return {code: {each: row[each] for each in Language} for code, row in pages.items()}


@cache
def _rows() -> Mapping[str, Mapping[str, Any]]:
    rooms = read_table("vta", "faults.toml")
    return {f"{room}.{name}": row for room, faults in rooms.items() for name, row in faults.items()}
