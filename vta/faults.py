"""What went wrong, as a code with values and a place; its words in each language are data (`faults.toml`)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from vta.languages import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
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
        return self._in_file(sentence).text(language) if self.path else sentence

    def _in_field(self, sentence: str) -> Fault:
        if self.path:
            return Fault("place.field", field=self.field, fault=sentence)
        return Fault("place.form_field", field=self.field, fault=sentence)

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

    `Fault("faq.too_long", column="similar", most=4000)` reads "one of the similar is longer than 4000
    characters". Values are shown as they are, so secrets and inner addresses never become one; a value that is
    a fault itself is shown in the language of the whole.
    """

    code: str
    params: Mapping[str, Value]
    place: Place | None

    def __init__(self, code: str, /, **params: Value) -> None:
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
        place = Place(path=path, line=line, row=row, page=page, field=field)
        placed = Fault(self.code, **self.params)
        object.__setattr__(placed, "place", place)
        return placed

    def text(self, language: Language = Language.EN) -> str:
        """The sentence in a language. `KeyError` for a code or a value that the table does not know."""
        shown = {
            name: value.text(language) if isinstance(value, Fault) else value
            for name, value in self.params.items()
        }
        sentence = fault_table()[self.code][language].format_map(shown)
        return self.place.before(sentence, language) if self.place else sentence

    def __hash__(self) -> int:
        return hash((self.code, frozenset(self.params.items()), self.place))


Value = str | int | float | Fault
"""What a sentence may name."""


@cache
def fault_table() -> Mapping[str, Mapping[Language, str]]:
    """The sentences of each code, `room.fault`, by language."""
    rooms = tomllib.loads((files("vta") / "faults.toml").read_text(encoding="utf-8"))
    return {
        f"{room}.{name}": {Language(language): text for language, text in texts.items()}
        for room, faults in rooms.items()
        for name, texts in faults.items()
    }
