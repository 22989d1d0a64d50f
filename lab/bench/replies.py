"""Replies of an assistant, and the file that keeps them as they came."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lab.bench.questions import Key
from lab.evaluation.rows import read_rows
from vta.errors import InvalidInput
from vta.faults import Fault


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """What a reply cites: all by which a teacher would know the place, and its text where it was given."""

    title: str = ""
    document: str = ""
    headings: tuple[str, ...] = ()
    passage: str = ""

    @property
    def place(self) -> str:
        return " | ".join((self.title, self.document, *self.headings))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """`refused`: the assistant says by more than its words that it does not answer; `is_chat`: that it chats.

    `ms` are from question to whole reply, `tokens` what a language model read and wrote, None where unknown.
    """

    text: str
    citations: tuple[Cited, ...] = ()
    refused: bool = False
    is_chat: bool = False
    ms: float = 0.0
    tokens: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """Who was asked what: the assistant in words, and the hash of the set."""

    assistant: str
    set_sha256: str


class ReplyFile:
    """JSON Lines: the run first, then a line for each reply."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def open(self, run: Run) -> dict[Key, Reply]:
        """The replies that are there already; `InvalidInput` where they are of another run."""
        if not self._path.exists():
            self._path.write_text(_line(asdict(run)), encoding="utf-8")
            return {}
        found, replies = self.read()
        if found != run:
            raise InvalidInput(
                Fault("bench.other_run", file=str(self._path), assistant=found.assistant),
                path=str(self._path),
            )
        return replies

    def add(self, key: Key, reply: Reply) -> None:
        """Write one reply down."""
        row = {"conversation": key[0], "turn": key[1], **asdict(reply)}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(_line(row))

    def read(self) -> tuple[Run, dict[Key, Reply]]:
        """The run and its replies. `InvalidInput` names the line that is neither."""
        head, *rows = read_rows(self._path, dict)
        try:
            run = Run(assistant=str(head["assistant"]), set_sha256=str(head["set_sha256"]))
            return run, {(str(row["conversation"]), int(str(row["turn"]))): _reply(row) for row in rows}
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidInput(Fault("bench.replies", file=str(self._path)), path=str(self._path)) from error


def _reply(row: Mapping[str, Any]) -> Reply:
    cited = tuple(Cited(**{**each, "headings": tuple(each["headings"])}) for each in row["citations"])
    tokens = row["tokens"] and tuple(row["tokens"])
    names = ("text", "refused", "is_chat", "ms")
    return Reply(**{name: row[name] for name in names}, citations=cited, tokens=tokens)


def _line(row: Mapping[str, object]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"
