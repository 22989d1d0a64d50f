"""What the rows of the data sets say, and the hash by which a figure names its data."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from lab.evaluation.labelled_rows import Row
from vta.dialogue.question import check_question
from vta.errors import InvalidInput
from vta.faults import Fault


def question_of(row: Row, place: Fault) -> str:
    """The question of a row; `InvalidInput` names the row where it is none."""
    text = row["question"]
    if not isinstance(text, str):
        raise InvalidInput(Fault("data.not_text", place=place, field="question"), field="question")
    try:
        check_question(text)
    except InvalidInput as fault:
        raise InvalidInput(
            Fault("data.row_fault", place=place, reason=fault.fault), field="question"
        ) from fault
    return text


def text_of(row: Row, field: str, place: Fault) -> str | None:
    """An optional text of a row; None where it is missing, null or blank."""
    text = row.get(field)
    if text is not None and not isinstance(text, str):
        raise InvalidInput(Fault("data.not_text", place=place, field=field), field=field)
    return text if text and text.strip() else None


def texts_of(row: Row, field: str, place: Fault) -> tuple[str, ...]:
    """An optional text, or list of texts, of a row."""
    given = row.get(field, ())
    texts = [given] if isinstance(given, str) else given
    if texts is None:
        return ()
    if not isinstance(texts, list | tuple) or not all(isinstance(each, str) for each in texts):
        raise InvalidInput(Fault("data.not_texts", place=place, field=field), field=field)
    return tuple(texts)


def data_hash(files: Iterable[Path]) -> str:
    """The SHA-256 over the bytes of the files in order of their paths, 16 hex digits."""
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]
