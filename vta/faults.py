"""What went wrong, as a code with parameters; its words in each language are data (`faults.toml`)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from vta.types import Language


class Fault:
    """A fault by its code in the table and the values its sentence names. Two of the same content are equal.

    `Fault("faq.text_too_long", name="question", most=4000)` reads "the question is longer than 4000
    characters". Values are shown as they are, so secrets and inner addresses never become one.
    """

    __slots__ = ("code", "params")

    def __init__(self, code: str, **params: str | int | float) -> None:
        self.code = code
        self.params: Mapping[str, str | int | float] = MappingProxyType(params)

    def text(self, language: Language = Language.EN) -> str:
        """The sentence in a language. `KeyError` for a code or a value that the table does not know."""
        return fault_table()[self.code][language].format_map(self.params)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fault) and (self.code, self.params) == (other.code, other.params)

    def __hash__(self) -> int:
        return hash((self.code, *sorted(self.params)))

    def __repr__(self) -> str:
        return "".join((f"Fault({self.code!r}", *(f", {k}={v!r}" for k, v in self.params.items()), ")"))


@cache
def fault_table() -> Mapping[str, Mapping[Language, str]]:
    """The sentences of each code, `room.fault`, by language."""
    rooms = tomllib.loads((files("vta") / "faults.toml").read_text(encoding="utf-8"))
    return {
        f"{room}.{name}": {Language(language): text for language, text in texts.items()}
        for room, faults in rooms.items()
        for name, texts in faults.items()
    }
