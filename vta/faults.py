"""What went wrong, as a code with values and a place; its words in each language are data (`faults.toml`)."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from functools import cache

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
        """The sentence with the place in front of it."""
        if self.field:
            sentence = self._in_field(sentence).text(language)
        return self._in_file(sentence).text(language) if self.path else self._inside(sentence, language)

    def _in_field(self, sentence: str) -> Fault:
        if self.path:
            return Fault("place.field", field=self.field, fault=sentence)
        return Fault("place.form_field", field=self.field, fault=sentence)

    def _inside(self, sentence: str, language: Language) -> str:
        """For where the file is named already."""
        if self.line is not None:
            return Fault("place.only_line", line=self.line, fault=sentence).text(language)
        if self.row is not None:
            return Fault("place.only_row", row=self.row, fault=sentence).text(language)
        if self.page is not None:
            return Fault("place.only_page", page=self.page, fault=sentence).text(language)
        return sentence

    def _in_file(self, sentence: str) -> Fault:
        if self.line is not None:
            return Fault("place.line", path=self.path, line=self.line, fault=sentence)
        if self.row is not None:
            return Fault("place.row", path=self.path, row=self.row, fault=sentence)
        if self.page is not None:
            return Fault("place.page", path=self.path, page=self.page, fault=sentence)
        return Fault("place.file", path=self.path, fault=sentence)


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
        """The same fault for where its file is named already."""
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
        """The sentence on a page, which names no ids; the same as `text` where the table has no other."""
        return self._say(page_table().get(self.code) or fault_table()[self.code], language)

    def _say(self, sentences: Mapping[Language, str], language: Language) -> str:
        shown = {name: _shown(value, language) for name, value in self.params.items()}
        sentence = sentences[language].format_map(shown)
        return self.place.before(sentence, language) if self.place else sentence

    def __hash__(self) -> int:
        return hash((self.code, frozenset(self.params.items()), self.place))


FaultValue = str | int | float | Fault
"""What a sentence names."""


def _shown(value: FaultValue, language: Language) -> str | int | float:
    return value.text(language) if isinstance(value, Fault) else value


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
    rooms = read_table("vta", "faults.toml")
    return {f"{room}.{name}": row for room, faults in rooms.items() for name, row in faults.items()}
