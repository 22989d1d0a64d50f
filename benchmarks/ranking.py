"""Rank over synthetic and judged pairs: the whole ranker beside raw engines, same pairs and terms, one run.

python -m benchmarks ranking --pairs 10000 100000 --sets ../shared/data/ir --elasticsearch --built FOLDER

Each system runs in a process of its own, so that its peak memory is its own. Ours analyses, links concepts,
and computes S over all sources and fields. "tantivy, our terms" is given the very terms and boosts that ours
asks for and searches the same fields, as one flat union; the other raw engines get the analysed words of the
questions and search one field. Elasticsearch, which is fetched and started here, runs behind the same ranker;
its memory is the server's and is not measured. All questions are asked in several rounds and the fastest of
each counts, which leaves out the machine's other work and favours no system.

The passages of the judged sets, BEIR folders below `--sets`, stand among the synthetic pairs as questions of
the FAQ; up to 300 questions of each give nDCG@10. What was built in `--built` before is not built again.
"""

from __future__ import annotations

import random
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

from benchmarks.record import in_own_process
from concept_graph.mentions import DictionaryLinker
from knowledge.index import PairIndex
from knowledge.index.embedded import EmbeddedIndex
from knowledge.index.embedded_documents import WRITER_BYTES
from knowledge.index.tokens import FIELDS, boosted_terms, token_fields
from knowledge.ranking import ConceptAwareRanker, build_query, source_weights
from lab.evaluation.retrieval_sets import read_beir
from lab.evaluation.rows import read_rows
from lab.measures.metrics import JudgedQuestion, ndcg_at
from vta.languages import Language
from vta.text import Analyser
from vta.types.concepts import Concept
from vta.types.courses import ConceptId, Course, CourseId, PairId
from vta.types.pairs import QAPair, Source

SEED, QUERIES, JUDGED, TOP, ROUNDS = 20_240_601, 200, 300, 10, 5
COURSE = Course(id=CourseId("c0"), name="C0", domains=("计算机",), language=Language.ZH)
_SYLLABLES = "树图栈列链表点边堆散排查递归动规网络层机学模型数据集合函映射矩阵向量概率分布统计".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One system at one size. Times in milliseconds but for the build; memory is the process's peak.

    Of what was built before, the build and the disk are 0.
    """

    system: str
    pairs: int
    build_s: float
    p50_ms: float
    p99_ms: float
    disk_mb: float
    peak_mb: float | None
    ndcg_at_10: dict[str, float]


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


@dataclass(frozen=True, slots=True)
class Data:
    """`count` pairs: the passages of judged sets, and synthetic ones."""

    count: int
    sets: Path | None

    def folders(self) -> list[Path]:
        return sorted(file.parent for file in self.sets.glob("*/corpus.jsonl")) if self.sets else []

    def pairs(self) -> Iterator[QAPair]:
        return islice(chain(self._passages(), synthetic_pairs(self.count)), self.count)

    def _passages(self) -> Iterator[QAPair]:
        for folder in self.folders():
            for row in read_rows(folder / "corpus.jsonl", dict):
                name = f"{folder.name}/{row['_id']}"
                yield QAPair(
                    id=PairId(name),
                    course_id=COURSE.id,
                    source=Source.FAQ,
                    question=f"{row.get('title') or ''} {row['text']}".strip(),
                    answer="",
                )

    def judged(self) -> dict[str, Sequence[JudgedQuestion]]:
        return {folder.name: read_beir(folder).queries[:JUDGED] for folder in self.folders()}

    def texts(self) -> list[str]:
        """All questions."""
        return [*questions(), *(each.text for asked in self.judged().values() for each in asked)]


Ask = Callable[[str], Callable[[], Sequence[str]]]
"""Asks a question; the names of the pairs found are told by what it returns."""
Build = Callable[[Data, Path], Ask]


def ours(index: PairIndex, data: Data) -> Ask:
    linker = DictionaryLinker(concepts())
    analyser = Analyser(each.name for each in concepts())
    if index.stamp() is None:
        index.replace(data.pairs(), analyser=analyser, stamp="benchmark")
    ranker = ConceptAwareRanker(index=index, analyser=analyser, courses=[COURSE])

    def ask(question: str) -> Callable[[], Sequence[str]]:
        mentions = linker.link(question, course=COURSE)
        found = ranker.find(ranker.ask(question, course=COURSE, mentions=mentions, chit_chat=0.1), TOP)
        return lambda: [each.pair.id for each in found]

    return ask


def build_ours(data: Data, folder: Path) -> Ask:
    return ours(EmbeddedIndex(folder), data)


def terms_of(analyser: Analyser, data: Data) -> Callable[[str], list[str]]:
    """The raw engines' query terms, looked up before the clock starts."""
    table = {text: [word for word, _ in build_query(text, (), analyser).words] for text in data.texts()}
    return lambda text: table[text]


def build_tantivy(data: Data, folder: Path) -> Ask:
    """One field, the words of the question."""
    analyser = Analyser(each.name for each in concepts())
    terms = terms_of(analyser, data)
    documents = ((pair.id, {"question": analyser.words(pair.question)}) for pair in data.pairs())
    boosted = {text: [("question", term, 1.0) for term in terms(text)] for text in data.texts()}
    return raw_tantivy(documents, ("question",), boosted, folder)


def build_tantivy_with_our_terms(data: Data, folder: Path) -> Ask:
    """Our four fields, the words and grams of the question with their boosts."""
    linker = DictionaryLinker(concepts())
    analyser = Analyser(each.name for each in concepts())
    weight = source_weights(COURSE, [COURSE], 0.1)[0]
    boosted = {}
    for text in data.texts():
        query = build_query(text, linker.link(text, course=COURSE), analyser)
        boosted[text] = list(boosted_terms(query, weight))
    documents = ((pair.id, token_fields(pair, analyser)) for pair in data.pairs())
    return raw_tantivy(documents, FIELDS, boosted, folder)


def raw_tantivy(
    documents: Iterator[tuple[str, dict[str, list[str]]]],
    fields: Sequence[str],
    boosted: Mapping[str, Sequence[tuple[str, str, float]]],
    folder: Path,
) -> Ask:
    """`boosted` are the terms of each question, looked up before the clock starts."""
    from tantivy import Document, Index, Occur, Query, SchemaBuilder

    builder = SchemaBuilder()
    for field in fields:
        builder.add_text_field(field, tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field("name", stored=True, tokenizer_name="raw", index_option="basic")
    schema = builder.build()
    index = Index(schema, path=str(folder))
    if not index.searcher().num_docs:
        writer = index.writer(WRITER_BYTES, num_threads=1)
        for name, tokens in documents:
            document = Document()
            for field, words in tokens.items():
                document.add_text(field, " ".join(words))
            document.add_text("name", name)
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
    searcher = index.searcher()

    def term(field: str, token: str, boost: float) -> Query:
        query = Query.term_query(schema, field, token, index_option="freq")
        return query if boost == 1.0 else Query.boost_query(query, boost)

    def ask(question: str) -> Callable[[], Sequence[str]]:
        parts = [(Occur.Should, term(*each)) for each in boosted[question]]
        hits = searcher.search(Query.boolean_query(parts), limit=TOP, count=False).hits
        found = [searcher.doc(address) for _, address in hits]
        return lambda: [str(each["name"][0]) for each in found]

    return ask


def build_bm25s(data: Data, folder: Path) -> Ask:
    import bm25s

    analyser = Analyser(each.name for each in concepts())
    if not (folder / "params.index.json").exists():
        retriever = bm25s.BM25(method="lucene", k1=1.2, b=0.75, backend="numba")
        retriever.index([analyser.words(pair.question) for pair in data.pairs()], show_progress=False)
        retriever.save(str(folder))
    retriever = bm25s.BM25.load(str(folder))
    names = [pair.id for pair in data.pairs()]
    terms = terms_of(analyser, data)

    def ask(question: str) -> Callable[[], Sequence[str]]:
        found = retriever.retrieve([terms(question)], k=TOP, show_progress=False, n_threads=1).documents[0]
        return lambda: [names[number] for number in found]

    return ask


SYSTEMS: dict[str, Build] = {
    "ours": build_ours,
    "tantivy, our terms": build_tantivy_with_our_terms,
    "tantivy": build_tantivy,
    "bm25s with numba": build_bm25s,
}


def measure(system: str, data: Data, built: Path | None, url: str | None) -> Measured:
    with ExitStack() as stack:
        place = built or Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        folder = place / f"{system.replace(', ', '-').replace(' ', '-')}-{data.count}"
        is_new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        start = time.perf_counter()
        if url:
            from knowledge.index.elasticsearch import ElasticsearchIndex
            from knowledge.index.elasticsearch_client import open_client

            client = stack.enter_context(open_client([url], api_key=None, timeout_s=60.0))
            ask = ours(ElasticsearchIndex(client, alias=f"vta-benchmark-{data.count}"), data)
        else:
            ask = SYSTEMS[system](data, folder)
        build_s = time.perf_counter() - start if is_new else 0.0
        for question in questions()[:20]:
            ask(question)  # warm: caches, just-in-time compilers
        taken = [[1000 * seconds(ask, question) for question in questions()] for _ in range(ROUNDS)]
        times = list(map(min, *taken))
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        return Measured(
            system=system,
            pairs=data.count,
            build_s=round(build_s, 2),
            p50_ms=round(statistics.median(times), 3),
            p99_ms=round(statistics.quantiles(times, n=100)[98], 3),
            disk_mb=round(size / 1e6, 1),
            peak_mb=None if url else round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
            ndcg_at_10={name: quality(ask, name, asked) for name, asked in data.judged().items()},
        )


def quality(ask: Ask, name: str, asked: Sequence[JudgedQuestion]) -> float:
    """The mean nDCG@10 of a set."""
    found = [[each.removeprefix(f"{name}/") for each in ask(question.text)()] for question in asked]
    graded = zip(found, asked, strict=True)
    return round(statistics.mean(ndcg_at(TOP, ranked, question.grades) for ranked, question in graded), 4)


def seconds(ask: Ask, question: str) -> float:
    start = time.perf_counter()
    ask(question)
    return time.perf_counter() - start


def run(
    *,
    pairs: list[int] = [10_000, 100_000, 1_000_000],  # noqa: B006
    systems: list[str] = list(SYSTEMS),  # noqa: B006
    sets: Path | None = None,
    built: Path | None = None,
    elasticsearch: bool = False,
) -> dict[str, Any]:
    """`sets`: folder of BEIR folders; `built`: where indexes are kept; `elasticsearch`: measure it, too."""
    with ExitStack() as stack:
        measured: list[tuple[str, str | None]] = [(name, None) for name in systems]
        if elasticsearch:
            from elasticsearch_server import ElasticsearchServer

            server = ElasticsearchServer(heap="1g")
            stack.callback(server.stop)
            server.wait()
            measured.append(("elasticsearch, our ranker", server.url))
        rows = [
            asdict(in_own_process(measure, name, Data(count, sets), built, url))
            for count in pairs
            for name, url in measured
        ]
    return describe(rows)


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
