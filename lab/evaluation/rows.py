"""Data that a person labelled: JSON Lines, each row a dataclass, whose faults name file, line and field."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BeforeValidator, StringConstraints, TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from services.cli.output import read_text
from vta.dialogue.question import check_question
from vta.errors import InvalidInput
from vta.faults import Fault

T = TypeVar("T")


def read_rows(file: Path, kind: type[T]) -> list[T]:
    """The rows of a JSON Lines file; `InvalidInput` where there is none."""
    rows = [row for _, row in numbered_rows(file, kind)]
    if not rows:
        raise InvalidInput(Fault("data.no_row", file=str(file)), path=str(file))
    return rows


def numbered_rows(file: Path, kind: type[T]) -> Iterator[tuple[int, T]]:
    """The rows of a JSON Lines file, each with its line."""
    adapter = TypeAdapter(kind)
    for number, line in enumerate(read_text(file).removeprefix("\ufeff").split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield number, adapter.validate_json(line, strict=True)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            field = str(first["loc"][0]) if first["loc"] else ""
            fault = Fault("data.wrong_row", reason=first["msg"])
            raise InvalidInput(fault.at(str(file), number, field=field)) from error


def _askable(text: str) -> str:
    try:
        check_question(text)
    except InvalidInput as refused:
        raise PydanticCustomError("question", "{reason}", {"reason": refused.message}) from refused
    return text


def _as_text(given: object) -> object:
    return str(given) if isinstance(given, int | float) and not isinstance(given, bool) else given


def _listed(given: object) -> object:
    if isinstance(given, list):
        return tuple(given)
    return () if given is None else (given,)


Cell = Annotated[str, BeforeValidator(_as_text)]
"""A text, or a number that a spreadsheet made of it."""
AskedText = Annotated[str, AfterValidator(_askable)]
"""A question that may be asked."""
OptionalText = Annotated[str, StringConstraints(strip_whitespace=True)] | None
"""A text, which is as good as missing where it is blank."""
Listed = BeforeValidator(_listed)
"""One value stands for a list of it, null for none."""
Texts = Annotated[tuple[str, ...], Listed]
"""A text or a list of texts."""


def data_hash(files: Iterable[Path]) -> str:
    """The SHA-256 over the bytes of the files in order of their paths, 16 hex digits."""
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]
