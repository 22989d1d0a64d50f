"""Rank over synthetic pairs: the whole ranker beside raw engines, same pairs and same query terms, one run.

python -m benchmarks ranking --pairs 10000 100000 --elasticsearch http://127.0.0.1:9200

Each system runs in a process of its own, so that its peak memory is its own. Ours analyses, links concepts,
and computes S over all sources and fields. "tantivy, our terms" is given the very terms and boosts that ours
asks for and searches the same fields, as one flat union; the other raw engines get the analysed words of the
questions and search one field. Elasticsearch runs behind the same ranker; its memory is the server's and is
not measured here. All questions are asked in several rounds and the fastest of each counts, which leaves out
the machine's other work and favours no system; SQLite, which takes a second and more at 1,000,000 pairs, is
asked fewer questions in fewer rounds, as its rows say.
"""

from __future__ import annotations

import random
import resource
import shutil
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.record import in_own_process
from concept_graph.mentions import DictionaryLinker
from knowledge.index import PairIndex
from knowledge.index.embedded import EmbeddedIndex
from knowledge.index.embedded_documents import WRITER_BYTES
from knowledge.index.tokens import FIELDS, boosted_terms, token_fields
from knowledge.ranking import ConceptAwareRanker, build_query, source_weights
from vta.languages import Language
from vta.text import Analyser
from vta.types.concepts import Concept
from vta.types.courses import ConceptId, Course, CourseId, PairId
from vta.types.pairs import QAPair, Source

SEED, QUERIES, TOP, ROUNDS = 20_240_601, 200, 10, 5
FEWER = {"sqlite fts5": (40, 2)}
"""Questions and rounds of the systems that take too long for all of them."""
COURSE = Course(id=CourseId("c0"), name="C0", domains=("计算机",), language=Language.ZH)
_SYLLABLES = "树图栈列链表点边堆散排查递归动规网络层机学模型数据集合函映射矩阵向量概率分布统计".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One system at one size. Times in milliseconds but for the build; memory is the process's peak."""

    system: str
    pairs: int
    build_s: float
    p50_ms: float
    p99_ms: float
    disk_mb: float | None
    peak_mb: float | None
    queries: int
    rounds: int


def vocabulary(rng: random.Random) -> list[str]:
    """6,000 Chinese and 6,000 English words that only look like words."""
    chinese = {"".join(rng.choices(_SYLLABLES, k=rng.choice((2, 2, 3)))) for _ in range(12_000)}
    english = {"".join(rng.choices("abcdeghilmnoprstu", k=rng.randint(4, 9))) for _ in range(8_000)}
    words = sorted(chinese)[:6_000] + sorted(english)[:6_000]
    rng.shuffle(words)
    return words


def synthetic_pairs(count: int) -> Iterator[QAPair]:
    """Short pairs over words with Zipf's frequencies: 70 % FAQ, 30 % concepts."""
    rng = random.Random(SEED)
    words = vocabulary(rng)
    weights = [1 / rank for rank in range(3, len(words) + 3)]
    cumulative = [0.0]
    for each in weights:
        cumulative.append(cumulative[-1] + each)
    for n in range(count):
        drawn = rng.choices(words, cum_weights=cumulative[1:], k=16)
        source = Source.FAQ if rng.random() < 0.7 else Source.CONCEPT
        size = rng.randint(3, 7)
        yield QAPair(
            id=PairId(f"{n:07}"),
            course_id=COURSE.id,
            source=source,
            question=" ".join(drawn[:size]),
            answer=" ".join(drawn[size:]),
        )


def questions() -> list[str]:
    """Questions of three words of the same distribution, in templates as students use them."""
    rng = random.Random(SEED)
    words = vocabulary(rng)
    weights = [1 / rank for rank in range(3, len(words) + 3)]
    rng.seed(SEED + 1)
    templates = ("什么是 {} {} {}？", "{} 和 {} {} 有什么区别？", "What is the {} of {} {}?")
    return [rng.choice(templates).format(*rng.choices(words, weights, k=3)) for _ in range(QUERIES)]


def concepts() -> list[Concept]:
    words = vocabulary(random.Random(SEED))
    return [Concept(id=ConceptId(word), name=word) for word in words[100:1_100]]


Build = Callable[[int, Path], Callable[[str], object]]


def ours(index: PairIndex, count: int) -> Callable[[str], object]:
    linker = DictionaryLinker(concepts())
    analyser = Analyser(each.name for each in concepts())
    index.replace(synthetic_pairs(count), analyser=analyser, stamp="benchmark")
    ranker = ConceptAwareRanker(index=index, analyser=analyser, courses=[COURSE])

    def ask(question: str) -> object:
        mentions = linker.link(question, course=COURSE)
        return ranker.find(ranker.ask(question, course=COURSE, mentions=mentions, chit_chat=0.1), TOP)

    return ask


def build_ours(count: int, folder: Path) -> Callable[[str], object]:
    return ours(EmbeddedIndex(folder), count)


def terms_of(analyser: Analyser) -> Callable[[str], list[str]]:
    """The raw engines' query terms, looked up before the clock starts."""
    table = {text: [word for word, _ in build_query(text, (), analyser).words] for text in questions()}
    return lambda text: table[text]


def build_tantivy(count: int, folder: Path) -> Callable[[str], object]:
    """One field, the words of the question."""
    analyser = Analyser(each.name for each in concepts())
    terms = terms_of(analyser)
    documents = ({"question": analyser.words(pair.question)} for pair in synthetic_pairs(count))
    boosted = {text: [("question", term, 1.0) for term in terms(text)] for text in questions()}
    return raw_tantivy(documents, ("question",), boosted, folder)


def build_tantivy_with_our_terms(count: int, folder: Path) -> Callable[[str], object]:
    """Our four fields, the words and grams of the question with their boosts."""
    linker = DictionaryLinker(concepts())
    analyser = Analyser(each.name for each in concepts())
    weight = source_weights(COURSE, [COURSE], 0.1)[0]
    boosted = {}
    for text in questions():
        query = build_query(text, linker.link(text, course=COURSE), analyser)
        boosted[text] = list(boosted_terms(query, weight))
    documents = (token_fields(pair, analyser) for pair in synthetic_pairs(count))
    return raw_tantivy(documents, FIELDS, boosted, folder)


def raw_tantivy(
    documents: Iterator[dict[str, list[str]]],
    fields: Sequence[str],
    boosted: Mapping[str, Sequence[tuple[str, str, float]]],
    folder: Path,
) -> Callable[[str], object]:
    """`boosted` are the terms of each question, looked up before the clock starts."""
    from tantivy import Document, Index, Occur, Query, SchemaBuilder

    builder = SchemaBuilder()
    for field in fields:
        builder.add_text_field(field, tokenizer_name="whitespace", index_option="freq")
    builder.add_integer_field("id", stored=True)
    schema = builder.build()
    index = Index(schema, path=str(folder))
    writer = index.writer(WRITER_BYTES, num_threads=1)
    for n, tokens in enumerate(documents):
        document = Document()
        for field, words in tokens.items():
            document.add_text(field, " ".join(words))
        document.add_integer("id", n)
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def term(field: str, token: str, boost: float) -> Query:
        query = Query.term_query(schema, field, token, index_option="freq")
        return query if boost == 1.0 else Query.boost_query(query, boost)

    def ask(question: str) -> object:
        parts = [(Occur.Should, term(*each)) for each in boosted[question]]
        hits = searcher.search(Query.boolean_query(parts), limit=TOP, count=False).hits
        return [searcher.doc(address) for _, address in hits]

    return ask


def build_bm25s(count: int, folder: Path) -> Callable[[str], object]:
    import bm25s

    analyser = Analyser(each.name for each in concepts())
    retriever = bm25s.BM25(method="lucene", k1=1.2, b=0.75, backend="numba")
    retriever.index([analyser.words(pair.question) for pair in synthetic_pairs(count)], show_progress=False)
    retriever.save(str(folder))
    terms = terms_of(analyser)

    def ask(question: str) -> object:
        return retriever.retrieve([terms(question)], k=TOP, show_progress=False, n_threads=1)

    return ask


def build_fts5(count: int, folder: Path) -> Callable[[str], object]:
    analyser = Analyser(each.name for each in concepts())
    connection = sqlite3.connect(folder / "fts.db")
    connection.execute("CREATE VIRTUAL TABLE pairs USING fts5(question, tokenize='unicode61')")
    rows = ((" ".join(analyser.words(pair.question)),) for pair in synthetic_pairs(count))
    connection.executemany("INSERT INTO pairs VALUES (?)", rows)
    connection.commit()
    terms = terms_of(analyser)

    def ask(question: str) -> object:
        match = " OR ".join(f'"{term}"' for term in terms(question))
        found = "SELECT rowid FROM pairs WHERE pairs MATCH ? ORDER BY bm25(pairs) LIMIT ?"
        return connection.execute(found, (match, TOP)).fetchall()

    return ask


SYSTEMS: dict[str, Build] = {
    "ours": build_ours,
    "tantivy, our terms": build_tantivy_with_our_terms,
    "tantivy": build_tantivy,
    "bm25s with numba": build_bm25s,
    "sqlite fts5": build_fts5,
}


def measure(system: str, count: int, url: str | None) -> Measured:
    folder = Path(tempfile.mkdtemp())
    start = time.perf_counter()
    if url:
        from knowledge.index.elasticsearch import ElasticsearchIndex
        from knowledge.index.elasticsearch_client import open_client

        client = open_client([url], api_key=None, timeout_s=60.0)
        ask = ours(ElasticsearchIndex(client, alias="vta-benchmark"), count)
    else:
        ask = SYSTEMS[system](count, folder)
    build_s = time.perf_counter() - start
    number, rounds = FEWER.get(system, (QUERIES, ROUNDS))
    asked = questions()[:number]
    for question in asked[:20]:
        ask(question)  # warm: caches, just-in-time compilers
    taken = [[1000 * seconds(ask, question) for question in asked] for _ in range(rounds)]
    times = list(map(min, *taken))
    disk: float = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    if url:
        name = next(iter(client.indices.get(index="vta-benchmark")))
        disk = client.indices.stats(index=name)["_all"]["primaries"]["store"]["size_in_bytes"]
        client.indices.delete(index=name)
    shutil.rmtree(folder, ignore_errors=True)
    return Measured(
        system=system,
        pairs=count,
        build_s=round(build_s, 2),
        p50_ms=round(statistics.median(times), 3),
        p99_ms=round(statistics.quantiles(times, n=100)[98], 3),
        disk_mb=round(disk / 1e6, 1),
        peak_mb=None if url else round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        queries=number,
        rounds=rounds,
    )


def seconds(ask: Callable[[str], object], question: str) -> float:
    start = time.perf_counter()
    ask(question)
    return time.perf_counter() - start


def run(
    *,
    pairs: list[int] = [10_000, 100_000, 1_000_000],  # noqa: B006
    systems: list[str] = list(SYSTEMS),  # noqa: B006
    elasticsearch: str | None = None,
) -> dict[str, Any]:
    """`elasticsearch`: URL of a running server."""
    measured: list[tuple[str, str | None]] = [(name, None) for name in systems]
    measured += [("elasticsearch, our ranker", elasticsearch)] if elasticsearch else []
    return describe(
        [asdict(in_own_process(measure, name, count, url)) for count in pairs for name, url in measured]
    )


def ratios(rows: list[dict[str, object]]) -> dict[str, dict[str, float]]:
    """Ours divided by each other system in p50, by the number of pairs."""
    p50 = {(str(row["pairs"]), str(row["system"])): float(str(row["p50_ms"])) for row in rows}
    return {
        pairs: {
            system: round(p50[pairs, "ours"] / time_ms, 2)
            for (of, system), time_ms in p50.items()
            if of == pairs and system != "ours"
        }
        for pairs in dict.fromkeys(of for of, system in p50 if system == "ours")
    }


def describe(rows: list[dict[str, object]]) -> dict[str, object]:
    """The figures with what they were measured on."""
    return {"seed": SEED, "top": TOP, "ours_to": ratios(rows), "rows": rows}
