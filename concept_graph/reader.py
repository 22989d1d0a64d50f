"""The reader of concept files."""

from __future__ import annotations

import hashlib
from pathlib import PurePosixPath

from concept_graph.concept_file import read_concepts
from vta.errors import InvalidInput
from vta.types import Course, CourseDocument

CONCEPT_FILE = "concepts.json"


class ConceptFileReader:
    """`vta.ports.DocumentReader` for files named `concepts.json`."""

    def handles(self, path: str) -> bool:
        return PurePosixPath(path).name == CONCEPT_FILE

    def read(self, data: bytes, *, path: str, course: Course) -> CourseDocument:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = error.object[: error.start].count(b"\n") + 1
            raise InvalidInput(f"{path}, line {line}: not UTF-8 text", path=path, line=line) from error
        concepts, edges = read_concepts(text, path=path, course=course)
        return CourseDocument(
            path=path, sha256=hashlib.sha256(data).hexdigest(), concepts=concepts, edges=edges
        )
