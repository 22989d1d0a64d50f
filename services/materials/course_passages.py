"""The passages of a file for its instructors: their switches, and the whole text."""

from __future__ import annotations

from collections.abc import Collection

from services.indexing.stored_knowledge import StoredKnowledge, sync_index
from services.materials.course_reading import new_headings
from services.stores import Stores
from vta.places import format_time
from vta.types.courses import CourseId
from vta.types.pairs import QAPair, Source


class CoursePassages:
    """The passages of the files of all courses of one platform."""

    def __init__(self, stores: Stores, knowledge: StoredKnowledge) -> None:
        self._passages = stores.passages
        self._knowledge = knowledge

    def switch(self, course_id: CourseId, path: str, digests: Collection[str], *, on: bool) -> None:
        """Switch passages off or on; students are answered without or with them when this returns."""
        self._passages.switch(course_id, path, digests, on=on)
        sync_index(self._knowledge)

    def text(self, course_id: CourseId, path: str) -> str:
        """The text of a file as Markdown: headings, pages, seconds, and all passages, on or off."""
        lines: list[str] = []
        place = ""
        passages = self._passages.file(course_id, path).passages
        for pair, headings in new_headings(each.pair for each in passages):
            lines.extend(f"{'#' * min(depth + 1, 6)} {heading}" for depth, heading in headings)
            if (here := _place(pair)) and here != place:
                lines.append(f"<!-- {here} -->")
            place = here
            lines.extend([pair.question, pair.answer] if pair.source is Source.FAQ else [pair.answer])
        return "\n\n".join(lines) + "\n"


def _place(pair: QAPair) -> str:
    if pair.locator.start_s is not None:
        return format_time(pair.locator.start_s)
    return f"{pair.locator.page}" if pair.locator.page is not None else ""
