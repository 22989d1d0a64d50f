"""What the analyser and the index need to know of all concepts at once, kept between two starts."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from vta.changes import KEPT_REVISIONS
from vta.ports import KnowledgeSource
from vta.text import ANALYSER_VERSION, user_words
from vta.types import Concept

_FOLLOWED_EVERY = KEPT_REVISIONS // 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Dictionary:
    """The words of all concepts at a revision of the store."""

    revision: int
    words: tuple[str, ...]
    """Those that the analyser must know, in order."""
    digest: str
    """Of what an index holds of the concepts: neither their edges nor how sure they are."""


def make_dictionary(revision: int, concepts: Iterable[Concept]) -> Dictionary:
    """That of these concepts, in whatever order they come."""
    digest, names = hashlib.sha256(), []
    for concept in sorted(concepts, key=lambda each: each.id):
        indexed = replace(concept, score=1.0, curated=False, built=False, first_seen=None)
        digest.update(repr(indexed).encode())
        names += [concept.name, *concept.aliases]
    return Dictionary(revision=revision, words=user_words(names), digest=digest.hexdigest())


class DictionaryFile:
    """Keeps the dictionary in a file, which may be deleted at any time; without a path it keeps none."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._kept: Dictionary | None = None

    def read(self, documents: KnowledgeSource) -> Dictionary | None:
        """The dictionary at the store's present revision; None where it must be made anew."""
        self._kept = self._read()
        if self._kept is not None and self._kept.revision != documents.revision():
            changes = documents.changes(self._kept.revision)
            if changes is None or changes.concepts:
                self._kept = None
                return None
            self.write(replace(self._kept, revision=changes.revision))
        return self._kept

    def follow(self, revision: int) -> None:
        """Keep the same words as those of a later revision; now and then, so that changes are still told."""
        if self._kept is not None and revision - self._kept.revision >= _FOLLOWED_EVERY:
            self.write(replace(self._kept, revision=revision))

    def write(self, dictionary: Dictionary) -> None:
        """Keep it in the place of the one before; a full or read-only disk only costs the next start."""
        self._kept = dictionary
        if self._path is None:
            return
        staged = self._path.with_suffix(f".{uuid.uuid4().hex[:12]}")
        content = json.dumps(asdict(dictionary) | {"version": ANALYSER_VERSION}, ensure_ascii=False)
        try:
            staged.write_text(content, encoding="utf-8")
            staged.replace(self._path)
        except OSError:
            with suppress(OSError):
                staged.unlink(missing_ok=True)

    def _read(self) -> Dictionary | None:
        if self._path is None:
            return None
        try:
            kept = json.loads(self._path.read_text(encoding="utf-8"))
            if kept["version"] != ANALYSER_VERSION:
                return None
            return Dictionary(
                revision=int(kept["revision"]), words=tuple(kept["words"]), digest=str(kept["digest"])
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None
