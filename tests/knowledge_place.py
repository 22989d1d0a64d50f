"""A knowledge base over a store and an index in a folder, which can be started anew as by another process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import factories as make
from sql_stores import new_stores

from knowledge.index.embedded import EmbeddedIndex
from services.documents.store import SqlDocuments
from services.indexing.stored_knowledge import StoredKnowledge
from vta.types.courses import Course
from vta.types.documents import CourseDocument


class Place:
    """Stores with these courses, an index of the given kind, and what knows them."""

    def __init__(
        self,
        folder: Path,
        *courses: Course,
        index: type[EmbeddedIndex] = EmbeddedIndex,
        documents: type[SqlDocuments] = SqlDocuments,
        **settings: Any,
    ) -> None:
        """`settings` are those of the knowledge base."""
        self.stores = new_stores(folder / "store", *courses)
        self.courses, self.edits = self.stores.courses, self.stores.edits
        self.documents = documents(self.stores.engine)
        self.folder, self._index, self._settings = folder / "index", index, settings
        self.start()

    def start(self) -> None:
        """A new process over the same stores and folder."""
        self.index: Any = self._index(self.folder)
        self.knowledge = StoredKnowledge(
            courses=self.courses,
            documents=self.documents,
            edits=self.edits,
            index=self.index,
            **self._settings,
        )

    def put(self, course: Course, path: str, *questions: str, names: str = "") -> None:
        """Store a document with a pair a question, called by its path and number, and a concept if named."""
        pairs = tuple(
            make.pair(text, id=f"{path}{n}" if len(questions) > 1 else path, course=course.id)
            for n, text in enumerate(questions)
        )
        known = make.concept(
            names, course=course.id, definition=f"{names} is known.", domains=course.domains, curated=True
        )
        document = CourseDocument(path=path, sha256="0", pairs=pairs, concepts=(known,) if names else ())
        self.documents.apply(course.id, put=[document])

    def ask(self, course: Course, question: str) -> list[str]:
        """The ids of the nine best pairs."""
        known = self.knowledge.current(course)
        mentions = known.linker.link(question, course=course)
        found = known.ranker.rank(question, course=course, mentions=mentions, chit_chat=0.0, top=9)
        return [candidate.pair.id for candidate in found.candidates]

    def close(self) -> None:
        self.knowledge.close()
        self.stores.close()


def settle(knowledge: StoredKnowledge) -> None:
    """Wait until the index is not being worked on."""
    work = knowledge._work
    with work._changed:
        work._changed.wait_for(lambda: work._thread is None)
