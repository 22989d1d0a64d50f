"""The embedded search index: tantivy in a folder, one sub-folder a generation.

`live.json` names the generation that answers. A new one is built beside it and becomes live by one atomic
rename, so a reader sees the old index or the new one and never an empty one.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

import tantivy
from filelock import FileLock
from tantivy import Occur, Query

from knowledge.index.payload import pair_from_json, pair_to_json
from vta.errors import NotReady
from vta.text import Analyser
from vta.types import Candidate, QAPair, SearchQuery, SourceWeight

WORD_WEIGHT = 1.0
GRAM_WEIGHT = 0.5
"""Grams repeat what the words say already, so they count half."""

_WRITER_BYTES = 64_000_000
_TIES = 32


@dataclass(frozen=True, slots=True)
class _Generation:
    name: str
    stamp: str
    index: tantivy.Index


class EmbeddedIndex:
    """`vta.ports.PairIndex` over tantivy. Safe to share between threads; processes may share the folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._generation: _Generation | None = None
        self._lock = Lock()

    def replace(self, pairs: Iterable[QAPair], *, analyser: Analyser, stamp: str) -> int:
        name = f"generation-{uuid.uuid4().hex[:12]}"
        staged = self._folder / name
        self._folder.mkdir(parents=True, exist_ok=True)
        with FileLock(self._folder / "writer.lock"):
            staged.mkdir()
            try:
                count = _build(staged, pairs, analyser)
                self._swap(name, stamp)
            except BaseException:
                shutil.rmtree(staged, ignore_errors=True)
                raise
            self._drop_all_but(name)
        return count

    def stamp(self) -> str | None:
        live = self._read_live()
        return live[1] if live else None

    def search(self, query: SearchQuery, weights: Sequence[SourceWeight], top: int) -> tuple[Candidate, ...]:
        live = self._live()
        chosen = {f"{w.source}:{w.course_id}": w for w in weights if w.weight > 0}
        if not chosen or top < 1:
            return ()
        groups = [(Occur.Should, _group_query(live.index.schema, query, w)) for w in chosen.values()]
        searcher = live.index.searcher()
        found = []
        for score, address in _hits(searcher, Query.boolean_query(groups), top):
            document = searcher.doc(address)
            weight = chosen[str(document.get_first("group"))].weight
            pair = pair_from_json(bytes(document.get_first("pair")).decode())
            found.append(Candidate(pair=pair, bm25=score / weight, weight=weight, score=score))
        return tuple(sorted(found, key=lambda c: (-c.score, c.pair.id))[:top])

    def perfect_bm25(self, query: SearchQuery) -> float:
        searcher = self._live().index.searcher()

        def total(field: str, terms: tuple[tuple[str, float], ...]) -> float:
            documents = searcher.num_docs
            return sum(boost * idf(searcher.doc_freq(field, term), documents) for term, boost in terms)

        words = total("question_words", query.words)
        return WORD_WEIGHT * words + GRAM_WEIGHT * total("question_grams", query.grams)

    def _live(self) -> _Generation:
        live = self._read_live()
        if live is None:
            raise NotReady("the search index is empty; ingest course material first")
        with self._lock:
            while self._generation is None or self._generation.name != live[0]:
                try:
                    self._generation = self._open(*live)
                except (OSError, ValueError) as error:
                    newer = self._read_live()
                    if newer is None or newer == live:
                        raise NotReady("the search index is damaged; rebuild it") from error
                    live = newer  # swapped by another process between reading its name and opening it
            return self._generation

    def _open(self, name: str, stamp: str) -> _Generation:
        return _Generation(name, stamp, tantivy.Index(_schema(), path=str(self._folder / name), reuse=True))

    def _read_live(self) -> tuple[str, str] | None:
        """Name and stamp of the live generation; None where there is none, or not any more."""
        try:
            live = json.loads((self._folder / "live.json").read_text(encoding="utf-8"))
            name, stamp = str(live["generation"]), str(live["stamp"])
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return None
        return (name, stamp) if (self._folder / name / "meta.json").exists() else None

    def _swap(self, name: str, stamp: str) -> None:
        staged = self._folder / f"{name}.json"
        with staged.open("w", encoding="utf-8") as file:
            json.dump({"generation": name, "stamp": stamp}, file)
            file.flush()
            os.fsync(file.fileno())
        staged.replace(self._folder / "live.json")

    def _drop_all_but(self, name: str) -> None:
        """Old generations go; a reader that still has one open keeps its mapped files."""
        for folder in self._folder.glob("generation-*"):
            if folder.is_dir() and folder.name != name:
                shutil.rmtree(folder, ignore_errors=True)


def _hits(searcher: tantivy.Searcher, query: Query, top: int) -> list[tuple[float, tantivy.DocAddress]]:
    """The top hits and all that tie with the last of them, since tantivy breaks ties in another order."""
    limit = top + _TIES
    while True:
        hits: list[tuple[float, tantivy.DocAddress]] = searcher.search(query, limit=limit, count=False).hits
        if len(hits) < limit or hits[-1][0] < hits[top - 1][0]:
            return hits
        limit *= 4


def idf(document_frequency: int, documents: int) -> float:
    """ln(1 + (N - n + 0.5) / (n + 0.5)), the inverse document frequency of BM25 as Lucene has it."""
    return math.log(1 + (documents - document_frequency + 0.5) / (document_frequency + 0.5))


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_bytes_field("pair", stored=True)
    builder.add_text_field("group", stored=True, tokenizer_name="raw", index_option="basic")
    for field in ("question_words", "question_grams", "answer_words", "answer_grams"):
        builder.add_text_field(field, tokenizer_name="whitespace", index_option="freq")
    return builder.build()


def _build(folder: Path, pairs: Iterable[QAPair], analyser: Analyser) -> int:
    index = tantivy.Index(_schema(), path=str(folder))
    writer = index.writer(heap_size=_WRITER_BYTES, num_threads=1)
    count = 0
    try:
        for pair in pairs:
            writer.add_document(_document(pair, analyser))
            count += 1
        writer.commit()
    finally:
        writer.wait_merging_threads()  # nothing writes to the folder any more, so it can be removed
    return count


def _document(pair: QAPair, analyser: Analyser) -> tantivy.Document:
    question = "\n".join((pair.question, *pair.similar_questions))
    document = tantivy.Document()
    document.add_bytes("pair", pair_to_json(pair).encode())
    document.add_text("group", f"{pair.source}:{pair.course_id}")
    document.add_text("question_words", " ".join(analyser.words(question)))
    document.add_text("question_grams", " ".join(analyser.grams(question)))
    document.add_text("answer_words", " ".join(analyser.words(pair.answer)))
    document.add_text("answer_grams", " ".join(analyser.grams(pair.answer)))
    return document


def _group_query(schema: tantivy.Schema, query: SearchQuery, weight: SourceWeight) -> Query:
    """Pairs of one source in one course, scored by weight * BM25."""
    terms = []
    for side, boost in (("question", weight.question), ("answer", weight.answer)):
        for kind, tokens, share in (("words", query.words, WORD_WEIGHT), ("grams", query.grams, GRAM_WEIGHT)):
            for token, token_boost in tokens if boost > 0 else ():
                term = Query.term_query(schema, f"{side}_{kind}", token, index_option="freq")
                terms.append(
                    (Occur.Should, Query.boost_query(term, weight.weight * boost * share * token_boost))
                )
    group = Query.term_query(schema, "group", f"{weight.source}:{weight.course_id}", index_option="basic")
    only = Query.const_score_query(group, 0.0)
    return Query.boolean_query([(Occur.Must, only), (Occur.Must, Query.boolean_query(terms))])
