"""The reader of concept files."""

from __future__ import annotations

import hashlib
from pathlib import PurePosixPath
from typing import BinaryIO

from concept_graph.concept_file import read_concepts
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types import Course, CourseDocument

CONCEPT_FILE = "concepts.json"
LARGEST_CONCEPT_FILE = 50_000_000
"""Bytes."""


class ConceptFileReader:
    """`vta.ports.DocumentReader` for files named `concepts.json`."""

    def handles(self, path: str) -> bool:
        return PurePosixPath(path).name == CONCEPT_FILE

    def read(self, file: BinaryIO, *, path: str, course: Course) -> CourseDocument:
        data = file.read(LARGEST_CONCEPT_FILE + 1)
        if len(data) > LARGEST_CONCEPT_FILE:
            raise InvalidInput(Fault("concept.file_too_large", most=LARGEST_CONCEPT_FILE).at(path))
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = error.object[: error.start].count(b"\n") + 1
            raise InvalidInput(Fault("file.no_utf8_text").at(path, line)) from error
        concepts, edges = read_concepts(text, path=path, course=course)
        return CourseDocument(
            path=path, sha256=hashlib.sha256(data).hexdigest(), concepts=concepts, edges=edges
        )
