"""Unlabelled text for pre-training: files and folders given by the user, cut into pairs of passages."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from intent.encoding import TurnEncoder, TurnText
from lab.evaluation.rows import numbered_rows
from vta.errors import InvalidInput
from vta.faults import Fault

SUFFIXES = (".csv", ".jsonl", ".md", ".srt", ".txt", ".vtt")
TEXT_FIELDS = (
    *("answer", "context", "definition", "goals", "passage"),
    *("question", "reason", "summary", "text", "title"),
)
"""The fields of JSON Lines that are read: never a label."""

_SENTENCE = re.compile(r"[^。！？!?\n]+?(?:[。！？!?]+|\.(?=\s|$)|\n|$)")
_FENCE = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.MULTILINE | re.DOTALL)
_MARKUP = re.compile(r"!\[[^\]]*\]\([^)]*\)|<[^>\n]*>|\]\([^)]*\)|^[#>*\-=|:\s]+|\{[^}\n]*\}", re.MULTILINE)
_CUE = re.compile(r"^(WEBVTT.*|\d+|[\d:.,]+ --> .*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusText:
    """The text of one file: `documents` are its parts in reading order, each on its own."""

    name: str
    sha256: str
    documents: tuple[str, ...]

    @property
    def characters(self) -> int:
        return sum(map(len, self.documents))


def read_corpus(paths: Sequence[Path]) -> tuple[CorpusText, ...]:
    """Every readable file of the paths, folders searched to their depths, each file and each field of
    JSON Lines once.

    `InvalidInput` naming the path that does not exist, holds no file of a known kind, or is no UTF-8.
    """
    texts: dict[str, CorpusText] = {}
    seen: set[str] = set()
    for path in paths:
        found = sorted(file for file in path.rglob("*") if file.suffix.lower() in SUFFIXES)
        files = [path] if path.is_file() else found
        if not files:
            raise InvalidInput(Fault("intent.no_corpus", path=str(path)), path=str(path))
        for file in files:
            text = _read_text(file, seen)
            texts.setdefault(text.sha256, text)
    return tuple(texts.values())


def cut_pairs(documents: Iterable[str], encoder: TurnEncoder) -> list[TurnText]:
    """Neighbouring passages as turns (the first in the place of x_{t-1}), each text in one pair only.

    A passage is as many whole sentences as fill a half of the encoder's length, of about 1 to 3
    characters a token; what has no letter is left out.
    """
    pairs = []
    for document in documents:
        passages = list(_join_sentences(document, (encoder.max_length - 3) // 2))
        for number in range(0, len(passages), 2):
            first, second = [*passages[number : number + 2], ""][:2]
            pairs.append(TurnText(question=second, previous=first) if second else TurnText(question=first))
    return pairs


def _join_sentences(document: str, tokens: int) -> Iterator[str]:
    passage, size = "", 0
    for sentence in (match.group().strip() for match in _SENTENCE.finditer(document)):
        if not any(map(str.isalpha, sentence)):
            continue
        length = _estimate_tokens(sentence)
        if passage and size + length > tokens:
            yield passage
            passage, size = "", 0
        passage, size = f"{passage} {sentence}".strip(), size + length
    if passage:
        yield passage


def _estimate_tokens(text: str) -> int:
    wide = sum(character > "\u2fff" for character in text)
    return wide + (len(text) - wide) // 4 + 1


def _read_text(path: Path, seen: set[str]) -> CorpusText:
    try:
        content = path.read_bytes()
        text = content.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(Fault("intent.not_utf8", path=str(path)), path=str(path)) from error
    documents: Iterable[str]
    match path.suffix.lower():
        case ".jsonl":
            documents = _read_json_lines(path, seen)
        case ".csv":
            documents = ("\n".join(row) for row in csv.reader(io.StringIO(text)))
        case ".srt" | ".vtt":
            documents = [_CUE.sub("", text)]
        case _:
            documents = [_MARKUP.sub(" ", _FENCE.sub("", text))]
    return CorpusText(
        name=path.name, sha256=hashlib.sha256(content).hexdigest(), documents=tuple(dict.fromkeys(documents))
    )


def _read_json_lines(path: Path, seen: set[str]) -> Iterator[str]:
    for _, row in numbered_rows(path, object):
        fresh = [value for value in dict.fromkeys(_find_texts(row)) if value not in seen]
        seen.update(fresh)
        if fresh:
            yield "\n".join(fresh)


def _find_texts(value: object) -> Iterator[str]:
    """The texts under the known fields, however deep they lie."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if isinstance(inner, dict | list):
                yield from _find_texts(inner)
            elif isinstance(inner, str) and name in TEXT_FIELDS:
                yield inner
    elif isinstance(value, list):
        for inner in value:
            yield from _find_texts(inner)
