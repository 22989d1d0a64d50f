"""Reads typed fields out of JSON that people wrote, naming the place of every fault."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from vta.errors import InvalidInput
from vta.faults import Fault


def load_json(text: str, *, path: str) -> object:
    """The value of a JSON text; `InvalidInput` with the line where it is broken."""
    try:
        return json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        fault = Fault("concept.broken_json", reason=error.msg, column=error.colno)
        raise InvalidInput(fault.at(path, error.lineno)) from error
    except (RecursionError, ValueError) as error:
        raise InvalidInput(Fault("concept.wild_json").at(path)) from error


@dataclass(frozen=True, slots=True)
class Fields:
    """One JSON object of the file at `path`; `place` is where it stands, `label` what it calls itself.

    `line` is that of its start, where the file has an object a line.
    """

    path: str
    place: str
    values: Mapping[str, object]
    label: str = ""
    line: int | None = None

    @classmethod
    def of(cls, value: object, *, path: str, place: str, known: tuple[str, ...] | None = None) -> Fields:
        if not isinstance(value, dict):
            if place:
                raise InvalidInput(Fault("concept.no_object").at(path, field=place))
            raise InvalidInput(Fault("concept.file_no_object").at(path))
        fields = cls(path, place, value)
        return fields if known is None else fields.named(known)

    def named(self, known: tuple[str, ...]) -> Fields:
        """The same object, checked to have no fields but the known ones and labelled by its name."""
        name = self.values.get("name")
        labelled = replace(self, label=f" (concept {name!r})" if isinstance(name, str) else "")
        for key in self.values:
            if key not in known:
                raise labelled.refused(key, Fault("concept.unknown_field", known=", ".join(known)))
        return labelled

    def refused(self, field: str, fault: Fault) -> InvalidInput:
        """The error to raise about one field of this object."""
        full = f"{self.place}.{field}" if self.place else field
        return InvalidInput(fault.at(self.path, self.line, field=f"{full}{self.label}"), field=full)

    def objects(self, field: str, *, required: bool = False) -> Iterator[Fields]:
        """The objects of a list; none where the field is missing."""
        for n, value in enumerate(self._list(field, required=required)):
            place = f"{self.place}.{field}[{n}]" if self.place else f"{field}[{n}]"
            yield Fields.of(value, path=self.path, place=place)

    def string(self, field: str, *, required: bool = False) -> str:
        """A text; "" where the field is missing or null."""
        value = self.values.get(field)
        if value is None and not required:
            return ""
        if value is None:
            raise self.refused(field, Fault("concept.missing"))
        return self._text(value, field)

    def strings(self, field: str, *, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        """A list of texts."""
        if self.values.get(field) is None:
            return default
        return tuple(self._text(value, f"{field}[{n}]") for n, value in enumerate(self._list(field)))

    def share(self, field: str, *, default: float) -> float:
        """A number from 0 to 1."""
        value = self.values.get(field)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise self.refused(field, Fault("concept.no_share"))
        return float(value)

    def _list(self, field: str, *, required: bool = False) -> list[object]:
        value = self.values.get(field)
        if value is None and not required:
            return []
        if not isinstance(value, list):
            raise self.refused(field, Fault("concept.missing") if value is None else Fault("concept.no_list"))
        return value

    def _text(self, value: object, field: str) -> str:
        if not isinstance(value, str):
            raise self.refused(field, Fault("concept.not_a_text"))
        if any(unicodedata.category(c) in ("Cc", "Cs") and c not in "\t\r\n" for c in value):
            raise self.refused(field, Fault("concept.control_characters"))
        return value
