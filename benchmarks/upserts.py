"""Edit one FAQ pair until a search finds it as it now is: in the index alone, and in the whole platform.

python -m benchmarks upserts --pairs 10000 100000 --elasticsearch http://127.0.0.1:9200

"index" is `PairIndex.update` of one pair and a search that finds its new text. "platform" stores an edited
document of a hundred pairs in a SQLite file, lets the knowledge follow, and ranks. Every second edit adds a
pair, every other one replaces one. Each row is measured in a process of its own. `cpu` is what an edit takes
of the processors, which the machine's other work adds little to; `--built` names a folder with an embedded
index of the pairs, which is copied and not built anew.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.ranking import COURSE, describe, synthetic_pairs
from benchmarks.record import in_own_process
from knowledge.index import PairIndex
from knowledge.index.embedded import EmbeddedIndex
from knowledge.ranking import build_query, source_weights
from services.clock import SystemClock
from services.indexing.stored_knowledge import StoredKnowledge
from services.store.engine import sqlite_url
from services.stores import open_stores
from vta.text import Analyser
from vta.types.courses import PairId
from vta.types.documents import CourseDocument
from vta.types.pairs import QAPair, Source

EDITS, DOCUMENT = 200, 100
PATHS = ("index", "platform")
Edit = Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One system at one size, times in milliseconds but for the build, which is 0 where there was none."""

    system: str
    path: str
    pairs: int
    build_s: float
    p50_ms: float
    p99_ms: float
    worst_ms: float
    cpu_p50_ms: float
    cpu_p99_ms: float


def documents(count: int) -> Iterator[CourseDocument]:
    """The synthetic pairs, `DOCUMENT` a document."""
    pairs, number = synthetic_pairs(count), 0
    while taken := tuple(islice(pairs, DOCUMENT)):
        yield CourseDocument(path=f"{number:06}", sha256="0", pairs=taken)
        number += 1


def edit_document(document: CourseDocument, number: int) -> tuple[CourseDocument, QAPair]:
    """The document with a pair more, or with its first one replaced, and that pair."""
    new = QAPair(
        id=PairId(f"new{number}") if number % 2 else document.pairs[0].id,
        course_id=COURSE.id,
        source=Source.FAQ,
        question=f"unheard{number}",
        answer=f"edit {number}",
    )
    kept = document.pairs if number % 2 else document.pairs[1:]
    return replace(document, sha256=str(number), pairs=(new, *kept)), new


def edit_index(index: PairIndex, count: int, edited: Sequence[tuple[CourseDocument, QAPair]]) -> Edit:
    analyser = Analyser()
    if index.stamp() is None:
        index.replace(synthetic_pairs(count), analyser=analyser, stamp="0")
    weights = source_weights(COURSE, [COURSE], 0.1)

    def edit(number: int) -> None:
        pair = edited[number][1]
        since = str(index.stamp())
        index.update(put=[pair], remove={}, analyser=analyser, since=since, stamp=f"edit{number}")
        (found,) = index.search(build_query(pair.question, (), analyser), weights, 1)
        assert found.pair == pair

    return edit


def edit_platform(
    index: PairIndex, count: int, edited: Sequence[tuple[CourseDocument, QAPair]], folder: Path
) -> Edit:
    stores = open_stores(sqlite_url(folder / "vta.db"), SystemClock())
    stores.courses.add(COURSE)
    stores.documents.apply(COURSE.id, put=documents(count))
    knowledge = StoredKnowledge(
        courses=stores.courses, documents=stores.documents, edits=stores.edits, index=index
    )
    knowledge.current()

    def edit(number: int) -> None:
        document, pair = edited[number]
        stores.documents.apply(COURSE.id, put=[document])
        ranker = knowledge.current().ranker
        found = ranker.rank(pair.question, course=COURSE, mentions=(), chit_chat=0.1, top=1)
        assert found.candidates[0].pair == pair

    return edit


def measure(path: str, count: int, url: str | None, built: Path | None) -> Measured:
    some = list(islice(documents(count), EDITS))
    edited = [edit_document(some[n % len(some)], n) for n in range(EDITS)]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        if built and not url and path == "index":
            shutil.copytree(built, folder / "index")
        index: PairIndex = EmbeddedIndex(folder / "index")
        if url:
            from knowledge.index.elasticsearch import ElasticsearchIndex
            from knowledge.index.elasticsearch_client import open_client

            client = stack.enter_context(open_client([url], api_key=None, timeout_s=60.0))
            index = ElasticsearchIndex(client, alias="vta-benchmark")
        start = time.perf_counter()
        edit = (
            edit_index(index, count, edited)
            if path == "index"
            else edit_platform(index, count, edited, folder)
        )
        build_s = 0.0 if built else time.perf_counter() - start
        times, cpu = [], []
        for number in range(EDITS):
            start, worked = time.perf_counter(), time.process_time()
            edit(number)
            times.append((time.perf_counter() - start) * 1000)
            cpu.append((time.process_time() - worked) * 1000)
        if url:
            for name in client.indices.get(index="vta-benchmark.generation-*"):
                client.indices.delete(index=name)
    return Measured(
        system="elasticsearch" if url else "embedded",
        path=path,
        pairs=count,
        build_s=round(build_s, 2),
        p50_ms=round(statistics.median(times), 2),
        p99_ms=round(statistics.quantiles(times, n=100)[98], 2),
        worst_ms=round(max(times), 2),
        cpu_p50_ms=round(statistics.median(cpu), 2),
        cpu_p99_ms=round(statistics.quantiles(cpu, n=100)[98], 2),
    )


def run(
    *,
    pairs: list[int] = [10_000, 100_000, 1_000_000],  # noqa: B006
    elasticsearch: str | None = None,
    paths: list[str] = list(PATHS),  # noqa: B006
    built: Path | None = None,
) -> dict[str, Any]:
    """`elasticsearch`: URL of a running server; `built`: folder of an embedded index of the pairs."""
    rows = [
        asdict(in_own_process(measure, path, count, url, built))
        for count in pairs
        for url in ((None, elasticsearch) if elasticsearch else (None,))
        for path in paths
    ]
    figures = describe(rows) | {"edits": EDITS}
    del figures["top"]
    return figures
