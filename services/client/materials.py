"""The documents of one course, for the bearer of an instructor's key."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from urllib.parse import quote

from services.client.connection import Connection
from services.client.models import Document, Documents, Ingest

PAGE = 200
ASKS_EVERY_S = 0.2


class MaterialsClient:
    """Lists, uploads and removes documents."""

    def __init__(self, connection: Connection, path: str) -> None:
        self._connection = connection
        self._path = path

    def all(self, *, search: str | None = None, page_size: int = PAGE) -> Iterator[Document]:
        """Documents whose path holds what is sought, page by page."""
        offset = 0
        while True:
            query = {"search": search, "offset": offset, "limit": page_size}
            page = self._connection.get(Documents, self._path, **query)
            yield from page.documents
            offset += len(page.documents)
            if offset >= page.total or not page.documents:
                return

    def upload(self, files: Mapping[str, bytes]) -> Ingest:
        """Begin to read files by name, each in the place of its namesake; see `wait`."""
        return self._connection.upload(Ingest, self._path, tuple(files.items()))

    def ingest(self, ingest_id: str) -> Ingest:
        """How far an ingest is."""
        return self._connection.get(Ingest, f"{self._path}/ingests/{quote(ingest_id, safe='')}")

    def wait(self, ingest: Ingest, *, seconds: float = 600.0) -> Ingest:
        """The ingest once it is over. `TimeoutError` where it takes longer."""
        end = time.monotonic() + seconds
        while not ingest.is_over:
            if time.monotonic() > end:
                raise TimeoutError(f"the ingest {ingest.id} is not over after {seconds:g} s")
            time.sleep(ASKS_EVERY_S)
            ingest = self.ingest(ingest.id)
        return ingest

    def remove(self, path: str) -> None:
        """Take a document out of the course."""
        self._connection.do("DELETE", self._path, path=path)
