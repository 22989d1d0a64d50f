"""The FAQ of one course, for the bearer of an instructor's key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from services.client.connection import Connection
from services.client.models import FaqEntries, FaqEntry, FaqVersions

PAGE = 200


class FaqClient:
    """Reads and writes entries; a write names the version it has read, so nothing is overwritten unseen."""

    def __init__(self, connection: Connection, path: str) -> None:
        self._connection = connection
        self._path = path

    def all(self, *, search: str | None = None, page_size: int = PAGE) -> Iterator[FaqEntry]:
        """Entries that match, page by page."""
        offset = 0
        while True:
            query = {"search": search, "offset": offset, "limit": page_size}
            page = self._connection.get(FaqEntries, self._path, **query)
            yield from page.entries
            offset += len(page.entries)
            if offset >= page.total or not page.entries:
                return

    def get(self, faq_id: str) -> FaqEntry:
        """The newest version of an entry."""
        return self._connection.get(FaqEntry, self._of(faq_id))

    def add(self, question: str, answer: str, **more: Any) -> FaqEntry:
        """A new entry; `more` are `similar_questions`, `negative_questions`, `category`, `state`."""
        body = {"question": question, "answer": answer, **more}
        return self._connection.post(FaqEntry, self._path, body)

    def edit(self, entry: FaqEntry, **changes: Any) -> FaqEntry:
        """The next version of the entry as it was read, with these fields changed."""
        fields = {"question", "answer", "similar_questions", "negative_questions", "category", "state"}
        body = entry.model_dump(mode="json", include=fields) | changes
        return self._connection.change(FaqEntry, "PUT", self._of(entry.id), body, version=entry.version)

    def remove(self, entry: FaqEntry) -> FaqEntry:
        """Remove the entry as it was read; its history stays."""
        return self._connection.change(FaqEntry, "DELETE", self._of(entry.id), None, version=entry.version)

    def history(self, faq_id: str) -> tuple[FaqEntry, ...]:
        """All versions of an entry, oldest first."""
        return self._connection.get(FaqVersions, f"{self._of(faq_id)}/history").versions

    def _of(self, faq_id: str) -> str:
        return f"{self._path}/{quote(faq_id, safe='')}"
