"""NER over 600,000 concepts: ours, whole `link`, beside other dictionaries that only look names up.

python -m benchmarks mentions [--concepts 600000]

Concepts, questions and text are made here out of the words of the sample courses, by Zipf's law; half of the
names are Chinese, half English, a sixth has an alias in the other language. All are of one domain, so that
every name counts for the course that asks. Each dictionary is loaded and asked in a process of its own. The
others get the names and the normalised text, and give strings: no normalising, no word boundaries, no
concepts, no course before the platform. pyahocorasick and jieba come from the registry, for this alone.
"""

from __future__ import annotations

import gc
import importlib.resources
import random
import resource
from collections import Counter
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import rjieba

from benchmarks.record import in_own_process
from concept_graph.mentions import DictionaryLinker
from knowledge.sources.subtitles import read_subtitles
from vta.languages import Language
from vta.text import normalise
from vta.types.concepts import Concept
from vta.types.courses import ConceptId, Course, CourseId

SEED = 6_000
QUESTIONS = 3_000
ROUNDS = 7
"""Of a question the quickest counts, as the machine may be busy with other work."""
COURSES = 600
COMMONEST = 300
TEXT_BYTES = 10_000_000
COURSE = Course(id=CourseId("7"), name="Bench", domains=("计算机",), language=Language.ZH)
SAMPLES = {Language.ZH: "data-structures-zh", Language.EN: "machine-learning-en"}
ZH_TEMPLATES = (
    "什么是{}？", "{}和{}有什么区别？", "老师，{}这一步为什么要用{}？", "{}的时间复杂度怎么算",
    "为什么需要{}", "请问课程里讲的{}和书上的{}是一回事吗？", "能举一个{}的例子吗？", "{}应该怎么理解",
)  # fmt: skip
EN_TEMPLATES = (
    "What is {}?", "What is the difference between {} and {}?", "Why do we need {} before {}?",
    "How do I compute the {} of a model?", "can you give an example of {}", "I do not understand {} at all",
)  # fmt: skip

Look = Callable[[str], object]


class Words:
    """The words of a sample course, commonest first, with as many made-up ones after them."""

    def __init__(self, language: Language, size: int) -> None:
        folder = importlib.resources.files("services.demo").joinpath("courses", SAMPLES[language])
        files = sorted(folder.joinpath("material", "subtitles").iterdir(), key=lambda file: file.name)
        blocks = [
            block.text
            for file in files
            for block in read_subtitles(file.read_text(encoding="utf-8"), path=file.name).blocks
        ]
        self.language, self.lines = language, blocks
        cut = (
            rjieba.cut(line, False) if language is Language.ZH else line.lower().split() for line in blocks
        )
        known = Counter(word.strip(",.?!") for line in cut for word in line if word[0].isalpha())
        self.words = [word for word, _ in known.most_common() if word]
        draw, characters = random.Random(SEED), "".join(self.words)
        syllables = "ba ce di fo gu la me ni ro su ta ve wi xo zu".split()
        seen = set(self.words)
        while len(self.words) < size:
            if language is Language.ZH:
                word = "".join(draw.choices(characters, k=2))
            else:
                word = "".join(draw.choices(syllables, k=draw.randint(2, 4))) + draw.choice("nrstl")
            if word not in seen:
                seen.add(word)
                self.words.append(word)
        self._rare = [word for word in self.words[COMMONEST:] if len(word) > 1]
        self._weights = list(accumulate(1 / rank for rank in range(50, len(self._rare) + 50)))

    def name(self, draw: random.Random) -> str:
        """One to four words, none of them among the commonest of the language, as of concepts."""
        count = draw.choices((1, 2, 3, 4), (1, 5, 3, 1))[0]
        between = "" if self.language is Language.ZH else " "
        return between.join(draw.choices(self._rare, cum_weights=self._weights, k=count))


def concepts(count: int) -> list[Concept]:
    """Concepts with distinct names, of 600 courses in turn."""
    draw = random.Random(SEED)
    sides = (Words(Language.ZH, 20_000), Words(Language.EN, 20_000))
    made: dict[str, Concept] = {}
    while len(made) < count:
        side = len(made) % 2
        name = sides[side].name(draw)
        if name in made:
            continue
        made[name] = Concept(
            id=ConceptId(str(len(made))),
            name=name,
            aliases=(sides[1 - side].name(draw),) if draw.random() < 1 / 6 else (),
            domains=COURSE.domains,
            courses=(CourseId(str(len(made) % COURSES)),),
        )
    return list(made.values())


def questions(named: list[Concept]) -> list[str]:
    """Questions about one or two concepts, half in each language."""
    draw = random.Random(SEED + 1)
    sides = (named[0::2], named[1::2])
    asked = []
    for n in range(QUESTIONS):
        template = draw.choice((ZH_TEMPLATES, EN_TEMPLATES)[n % 2])
        asked.append(template.format(*(each.name for each in draw.choices(sides[n % 2], k=2))))
    return asked


def lecture_text(named: list[Concept], size: int) -> str:
    """Lines of the sample courses, a concept's name after every fourth, until there are `size` bytes."""
    draw = random.Random(SEED + 2)
    lines = [line for language in SAMPLES for line in Words(language, 0).lines]
    text: list[str] = []
    while size > 0:
        line = draw.choice(lines) + (f" {draw.choice(named).name}" if draw.random() < 0.25 else "")
        text.append(line)
        size -= len(line.encode()) + 1
    return "\n".join(text)


def names(named: list[Concept]) -> list[str]:
    """The normalised names and aliases, each once."""
    return list(dict.fromkeys(normalise(form) for each in named for form in (each.name, *each.aliases)))


def load_ours(named: list[Concept]) -> Look:
    linker = DictionaryLinker(named)
    return lambda text: linker.link(text, course=COURSE)


def load_ahocorasick_rs(named: list[Concept]) -> Look:
    import ahocorasick_rs

    automaton = ahocorasick_rs.AhoCorasick(
        names(named),
        matchkind=ahocorasick_rs.MatchKind.LeftmostLongest,
        implementation=ahocorasick_rs.Implementation.ContiguousNFA,
    )
    return automaton.find_matches_as_indexes


def load_pyahocorasick(named: list[Concept]) -> Look:
    import ahocorasick

    automaton = ahocorasick.Automaton()
    for n, name in enumerate(names(named)):
        automaton.add_word(name, n)
    automaton.make_automaton()
    return lambda text: list(automaton.iter_long(text))


def load_jieba(named: list[Concept]) -> Look:
    import jieba

    jieba.setLogLevel(60)
    cutter = jieba.Tokenizer()
    cutter.initialize()
    known = names(named)
    for name in known:
        cutter.add_word(name, 20_000)
    found = set(known)
    return lambda text: [word for word in cutter.cut(text, HMM=False) if word in found]


LOADERS = {
    "ours": load_ours,
    "ahocorasick-rs": load_ahocorasick_rs,
    "pyahocorasick": load_pyahocorasick,
    "jieba": load_jieba,
}


def measure(name: str, count: int) -> dict[str, object]:
    """Load one dictionary, then ask; memory is what loading adds, the concepts themselves not counted."""
    named = concepts(count)
    asked = questions(named)
    text = lecture_text(named, TEXT_BYTES)
    if name != "ours":
        asked, text = [normalise(each) for each in asked], normalise(text)
    gc.collect()
    gc.freeze()
    before = _resident_mb()
    start, worked = perf_counter(), process_time()
    look = LOADERS[name](named)
    load, load_cpu = perf_counter() - start, process_time() - worked
    gc.collect()
    held, peak = _resident_mb() - before, _peak_mb() - before
    rounds = [[_timed(look, each) for each in asked] for _ in range(ROUNDS)]
    each = sorted(map(min, zip(*rounds, strict=True)))
    pieces = [text[n : n + 10_000] for n in range(0, len(text), 10_000)]
    text_seconds = sum(
        map(min, zip(*([_timed(look, piece) for piece in pieces] for _ in range(3)), strict=True))
    )
    return {
        "dictionary": name,
        "load_s": round(load, 2),
        "load_cpu_s": round(load_cpu, 2),
        "memory_mb": round(held),
        "memory_peak_mb": round(peak),
        "question_p50_us": round(each[len(each) // 2] * 1e6, 1),
        "question_p99_us": round(each[len(each) * 99 // 100] * 1e6, 1),
        "text_mb_per_s": round(len(text.encode()) / text_seconds / 1e6, 1),
    }


def _timed(look: Look, text: str) -> float:
    start = perf_counter()
    look(text)
    return perf_counter() - start


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def run(*, concepts: int = 600_000, only: list[str] = list(LOADERS)) -> dict[str, Any]:  # noqa: B006
    """`only`: the dictionaries that are measured, each in a process of its own."""
    runs = [in_own_process(measure, name, concepts) for name in only]
    return {
        "seed": SEED,
        "concepts": concepts,
        "questions": QUESTIONS,
        "text_mb": TEXT_BYTES / 1e6,
        "runs": runs,
    }
