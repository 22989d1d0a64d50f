"""A whole platform of many courses: turns, FAQ edits until they are found, memory and the time of a start.

python -m benchmarks scale HOME --courses 1000 --pairs 1000000

Fills a data folder (which is kept, and not filled again), builds the index, and then starts `vta serve` on it
and measures over HTTP, without a language model:

- `start_s`: from the start of the process until /readyz says yes, with the index there; the files are in the
  machine's cache, as after a restart.
- `turn`: questions over all courses, Zipf by course; `first` is each course's first question in the process,
  `warm` all later ones.
- `edit`: an FAQ entry is changed, and a question asks for its new words: `stored_ms` until the change is
  acknowledged, `found_ms` until the answer to the question with the new words has come. An edit counts only
  where that answer is the new text.
- `memory`: of the server, its own (anonymous) and with the mapped files of the index, after each part.

Half of the courses are Chinese, half English; the words are those of the shipped encoder, drawn with Zipf's
frequencies, seven of ten from those of all courses and three from the course's own three hundred. A tenth of
the pairs are FAQ entries, 60 are concepts with 80 edges, the others passages, 30 a document. `cpu` is what
the server's processors spent, which other work on the machine hardly adds to.
"""

from __future__ import annotations

import json
import random
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import accumulate
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from benchmarks.record import ROOT
from benchmarks.service import processor_s, serve
from concept_graph.names import concept_id
from knowledge.vectors.token_table import FILE
from services.settings import Settings
from services.wiring import build_platform
from vta.languages import Language
from vta.types.concepts import Concept, ConceptEdge
from vta.types.courses import Course, CourseId, PairId, Role
from vta.types.documents import CourseDocument
from vta.types.faq import FaqDraft
from vta.types.pairs import Locator, QAPair, Source

SEED = 21
PASSAGES, CONCEPTS, EDGES, DOMAINS, OWN_WORDS = 30, 60, 80, 40, 300
FILLED = "scale.json"


class Words:
    """Texts of one course: Zipf's words of a language, and some of its own."""

    def __init__(self, language: Language, rng: random.Random) -> None:
        self._words, self._cumulative = vocabulary(language)
        self._rng = rng
        self._space = " " if language is Language.EN else ""
        self.own = rng.sample(self._words[1000:], OWN_WORDS)

    def text(self, least: int, most: int) -> str:
        count = self._rng.randint(least, most)
        common = self._rng.choices(self._words, cum_weights=self._cumulative, k=count)
        return self._space.join(self._rng.choice(self.own) if self._rng.random() < 0.3 else w for w in common)


_VOCABULARIES: dict[Language, tuple[list[str], list[float]]] = {}


def vocabulary(language: Language) -> tuple[list[str], list[float]]:
    """Whole words of the encoder in one language, the most probable first, with their Zipf weights summed."""
    if language not in _VOCABULARIES:
        with np.load(ROOT / "knowledge" / "vectors" / FILE) as file:
            tokens, scores = file["tokens"].tobytes().decode().split("\n"), file["scores"]
        latin = language is Language.EN
        chosen = [
            n
            for n, each in enumerate(tokens)
            if (each.isascii() and each.isalpha() and len(each) > 3) == latin
            and (latin or (1 < len(each) < 5 and all("\u4e00" <= c <= "\u9fff" for c in each)))
        ]
        chosen = sorted(chosen, key=lambda n: -scores[n])[:30_000]
        weights = list(accumulate(1 / rank for rank in range(5, len(chosen) + 5)))
        _VOCABULARIES[language] = [tokens[n] for n in chosen], weights
    return _VOCABULARIES[language]


def make_course(number: int) -> Course:
    language = Language.ZH if number % 2 else Language.EN
    return Course(
        id=CourseId(f"course-{number:05}"),
        name=f"Course {number}",
        domains=(f"Domain {number % DOMAINS}",),
        language=language,
    )


def make_documents(course: Course, pairs: int, words: Words, rng: random.Random) -> Iterator[CourseDocument]:
    """A concept file, and passages, `PASSAGES` a document."""
    names = list(dict.fromkeys(words.text(2, 2).lower() for _ in range(4 * CONCEPTS)))[:CONCEPTS]
    concepts = tuple(
        Concept(
            id=concept_id(course.id, name),
            name=name,
            definition=words.text(8, 16),
            domains=course.domains,
            courses=(course.id,),
            curated=True,
        )
        for name in names
    )
    ends = {tuple(sorted(rng.sample(range(len(names)), 2))) for _ in range(EDGES)}
    edges = tuple(
        ConceptEdge(prerequisite=concepts[one].id, concept=concepts[other].id, curated=True)
        for one, other in sorted(ends)
    )
    yield CourseDocument(path="concepts.json", sha256="0", concepts=concepts, edges=edges)
    for begin in range(0, pairs, PASSAGES):
        path = f"{begin // PASSAGES:04}.md"
        yield CourseDocument(
            path=path,
            sha256="0",
            pairs=tuple(
                QAPair(
                    id=PairId(f"{course.id}/{path}/{n}"),
                    course_id=course.id,
                    source=Source.MATERIAL,
                    question=(heading := words.text(1, 3)),
                    answer=words.text(30, 80),
                    domains=course.domains,
                    document=path,
                    locator=Locator(heading_path=(heading,)),
                )
                for n in range(min(PASSAGES, pairs - begin))
            ),
        )


def make_entries(count: int, words: Words) -> list[FaqDraft]:
    drafts = [FaqDraft(question=words.text(5, 10), answer=words.text(10, 30)) for _ in range(count)]
    return list({draft.question: draft for draft in drafts}.values())


def fill(settings: Settings, courses: int, pairs: int) -> float:
    """Seconds that it took to fill the store."""
    begun = time.perf_counter()
    platform = build_platform(settings)
    try:
        each = pairs // courses
        for number in range(courses):
            course, rng = make_course(number), random.Random(SEED + number)
            words = Words(course.language, rng)
            platform.stores.courses.add(course)
            faq = each // 10
            documents = make_documents(course, each - faq - CONCEPTS, words, rng)
            platform.stores.documents.apply(course.id, put=documents)
            platform.stores.faq.add(course.id, make_entries(faq, words), editor="benchmark")
        return round(time.perf_counter() - begun, 1)
    finally:
        platform.close()


def index(settings: Settings) -> float:
    """Seconds that it took to build the index, or to see that it is there."""
    platform = build_platform(settings)
    begun = time.perf_counter()
    platform.knowledge.sync()
    platform.close()
    return round(time.perf_counter() - begun, 1)


def make_keys(settings: Settings, courses: Sequence[CourseId]) -> dict[CourseId, str]:
    platform = build_platform(settings)
    keys = {course: platform.stores.keys.make(course, Role.INSTRUCTOR)[0] for course in courses}
    platform.close()
    return keys


def memory(process: int) -> dict[str, float]:
    """Megabytes."""
    found = dict(line.split(":") for line in Path(f"/proc/{process}/status").read_text().splitlines())
    return {
        name: round(int(found[key].split()[0]) / 1024, 1)
        for name, key in (("resident_mb", "VmRSS"), ("own_mb", "RssAnon"), ("mapped_mb", "RssFile"))
    }


def cpu_ms(process: int) -> float:
    return 1000 * processor_s(process)


def summary(times: Sequence[float]) -> dict[str, float]:
    """Of milliseconds."""
    if len(times) < 2:
        return {"n": len(times)}
    cut = statistics.quantiles(times, n=100, method="inclusive")
    return {
        "n": len(times),
        "p50_ms": round(cut[49], 1),
        "p95_ms": round(cut[94], 1),
        "p99_ms": round(cut[98], 1),
        "worst_ms": round(max(times), 1),
    }


def ask(client: httpx.Client, course: str, question: str) -> tuple[float, dict[str, Any]]:
    """Milliseconds and the answer."""
    begun = time.perf_counter()
    reply = client.post(f"/v1/courses/{course}/dialogue", json={"question": question})
    took = (time.perf_counter() - begun) * 1000
    reply.raise_for_status()
    return took, reply.json()


def questions(number: int, count: int, each: int) -> list[str]:
    """Of a course: those of its FAQ, words that name a passage, and names of its concepts."""
    course, rng = make_course(number), random.Random(SEED + number)
    words = Words(course.language, rng)
    documents = list(make_documents(course, each - each // 10 - CONCEPTS, words, rng))
    entries = make_entries(each // 10, words)
    what = "什么是{}？" if course.language is Language.ZH else "What is {}?"
    kinds = [
        lambda: rng.choice(entries).question,
        lambda: what.format(rng.choice(documents[0].concepts).name),
        lambda: rng.choice(rng.choice(documents[1:]).pairs).answer[:60],
    ]
    return [kinds[n % len(kinds)]() for n in range(count)]


def measure_turns(client: httpx.Client, process: int, courses: int, pairs: int, turns: int) -> dict[str, Any]:
    rng = random.Random(SEED)
    order = rng.choices(range(courses), weights=[1 / (n + 5) for n in range(courses)], k=turns)
    order = [number for _, number in zip(range(turns), order, strict=True)]
    prepared = {n: iter(questions(n, order.count(n), pairs // courses)) for n in set(order)}
    first, warm, routes = [], [], dict[str, int]()
    seen = set[int]()
    spent = 0.0
    for number in order:
        before = cpu_ms(process)
        took, answer = ask(client, make_course(number).id, next(prepared[number]))
        if number in seen:
            warm.append(took)
            spent += cpu_ms(process) - before
        else:
            first.append(took)
        seen.add(number)
        routes[answer["route"]] = routes.get(answer["route"], 0) + 1
    return {
        "courses_asked": len(seen),
        "first": summary(first),
        "warm": summary(warm) | {"cpu_mean_ms": round(spent / max(len(warm), 1), 1)},
        "routes": routes,
    }


def measure_edits(
    client: httpx.Client, process: int, keys: dict[CourseId, str], edits: int
) -> dict[str, Any]:
    """Entries of courses in turn; an edit's new question has a number that no text has."""
    stored, found, spent = [], [], []
    for number in range(edits):
        course, key = list(keys.items())[number % len(keys)]
        headers = {"Authorization": f"Bearer {key}"}
        faq = f"/v1/courses/{course}/faq"
        page = client.get(faq, headers=headers, params={"limit": 1, "offset": number % 7})
        (entry,) = page.json()["entries"]
        body = {"question": f"{entry['question'][:40]} zq{number}", "answer": f"edit {number} of {course}"}
        before, begun = cpu_ms(process), time.perf_counter()
        reply = client.put(
            f"{faq}/{entry['id']}", json=body, headers=headers | {"If-Match": f'"{entry["version"]}"'}
        )
        stored.append((time.perf_counter() - begun) * 1000)
        reply.raise_for_status()
        _, answer = ask(client, course, body["question"])
        found.append((time.perf_counter() - begun) * 1000)
        spent.append(cpu_ms(process) - before)
        assert body["answer"] in answer["text"], answer["text"]
    return {
        "courses_edited": len(keys),
        "stored": summary(stored),
        "found": summary(found),
        "cpu_mean_ms": round(statistics.fmean(spent), 1),
    }


def run(
    home: Path,
    *,
    courses: int = 1000,
    pairs: int = 1_000_000,
    elasticsearch: str | None = None,
    turns: int = 600,
    edits: int = 100,
) -> dict[str, Any]:
    """Fill `home` if it is empty and measure; `elasticsearch`: URL of a server, else the embedded index.

    The rows of other engines and sizes are those of the record before.
    """
    engine = "elasticsearch" if elasticsearch else "embedded"
    settings = Settings(home=home, elasticsearch_url=elasticsearch)
    variables = {"VTA_ELASTICSEARCH_URL": elasticsearch} if elasticsearch else {}
    home.mkdir(parents=True, exist_ok=True)
    said = home / FILLED
    filled = json.loads(said.read_text()) if said.exists() else {}
    if "store_s" not in filled:
        filled["store_s"] = fill(settings, courses, pairs)
        said.write_text(json.dumps(filled))
    built_s = index(settings)
    filled.setdefault(engine, built_s)
    said.write_text(json.dumps(filled))
    row: dict[str, Any] = {
        "engine": engine,
        "courses": courses,
        "pairs": pairs,
        "store_s": filled["store_s"],
        "index_s": filled[engine],
    }
    keys = make_keys(settings, [make_course(n).id for n in range(0, courses, courses // 20 or 1)])
    begun = time.perf_counter()
    with ExitStack() as stack:
        port, process = stack.enter_context(serve(home, 1, **variables))
        row["start_s"] = round(time.perf_counter() - begun, 2)
        address = f"http://127.0.0.1:{port}"
        client = stack.enter_context(httpx.Client(base_url=address, timeout=120, trust_env=False))
        row["start_cpu_s"] = round(processor_s(process), 2)
        row["memory"] = {"started": memory(process)}
        row["turn"] = measure_turns(client, process, courses, pairs, turns)
        row["memory"]["asked"] = memory(process)
        row["edit"] = measure_edits(client, process, keys, edits)
        row["memory"]["edited"] = memory(process)
    file = ROOT / "docs" / "runs" / "scale.json"
    rows = json.loads(file.read_text())["rows"] if file.exists() else []
    same = ("engine", "courses", "pairs")
    return {"rows": [each for each in rows if any(each[name] != row[name] for name in same)] + [row]}
