"""Plain retrieval, to compare with: pieces of the course's files, ranked by BM25 over their words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import tantivy

from vta.errors import InvalidInput
from vta.faults import Fault
from vta.text import Analyser

LONGEST = 800
"""Characters of a passage, its last paragraph aside."""
FOUND = 5
_HEADING = re.compile(r"^#{1,6}\s+(.*)$")


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a file under its heading."""

    file: str
    title: str
    text: str


class PassageSearch:
    """The passages of all courses of a folder that `vta bench fetch` filled, each course by itself."""

    def __init__(self, folder: Path, courses: Sequence[str]) -> None:
        self._analyser = Analyser()
        self._courses = {course: self._read(folder / course) for course in courses}

    def find(self, course: str, text: str) -> Sequence[Passage]:
        """The best `FOUND` passages, best first."""
        passages, index = self._courses[course]
        terms = [
            (tantivy.Occur.Should, tantivy.Query.term_query(index.schema, "words", word))
            for word in set(self._analyser.words(text))
        ]
        searcher = index.searcher()
        hits = searcher.search(tantivy.Query.boolean_query(terms), FOUND).hits
        return [passages[searcher.doc(address)["number"][0]] for _, address in hits]

    def _read(self, folder: Path) -> tuple[list[Passage], tantivy.Index]:
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        if not files:
            raise InvalidInput(Fault("bench.no_files", folder=str(folder)), path=str(folder))
        passages = [
            passage
            for path in files
            for passage in pieces(path.relative_to(folder).as_posix(), path.read_text(encoding="utf-8"))
        ]
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("words", tokenizer_name="whitespace")
        builder.add_unsigned_field("number", stored=True)
        index = tantivy.Index(builder.build())
        writer = index.writer(15_000_000)
        for number, passage in enumerate(passages):
            words = " ".join(self._analyser.words(f"{passage.title}\n{passage.text}"))
            writer.add_document(tantivy.Document(words=words, number=number))
        writer.commit()
        index.reload()
        return passages, index


def pieces(file: str, text: str) -> Iterator[Passage]:
    """A Markdown file cut at its headings, and after the paragraph that reaches `LONGEST` characters.

    Of a notebook the texts of its cells.
    """
    title, held = file, ""
    if file.endswith(".ipynb"):
        text = "\n\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
    for paragraph in text.split("\n\n"):
        heading = _HEADING.match(paragraph.strip().split("\n")[0])
        if (heading or len(held) >= LONGEST) and held.strip():
            yield Passage(file, title, held.strip())
            held = ""
        title = heading[1].strip() if heading else title
        held += paragraph + "\n\n"
    if held.strip():
        yield Passage(file, title, held.strip())
