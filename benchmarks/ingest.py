"""How fast a folder of Markdown or subtitles is taken in, and how much memory that takes.

python -m benchmarks ingest [--megabytes 20] [--sizes 50 500]

The folders are made here, half Chinese and half English, from the words of the sample courses. Speed is from
the first file read to the index that answers; each figure comes from a fresh process. On a machine that
others use too, the speed by processor time (of all processes and threads together, both ingests) says more.
"""

from __future__ import annotations

import importlib.resources
import random
import resource
import tempfile
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import Any

import rjieba

from benchmarks.record import in_own_process
from services.settings import Settings
from services.wiring import build_platform
from vta.ingest.pipeline import ingest
from vta.languages import Language
from vta.types.courses import Course, CourseId

SEED = 20_240
MEGABYTE = 1_000_000
COURSE = Course(id=CourseId("bench"), name="Bench", domains=("计算机",), language=Language.ZH)


class Writer:
    """Writes endless course material out of the words of one sample course; `seed` fixes every byte."""

    def __init__(self, course: str, language: Language, seed: int) -> None:
        notes = importlib.resources.files("services.demo").joinpath("courses", course, "material", "notes")
        text = "\n".join(note.read_text(encoding="utf-8") for note in notes.iterdir())
        cut = rjieba.cut(text, False) if language is Language.ZH else text.split()
        self._words = [word for word in cut if any(map(str.isalnum, word))]
        self._between = "" if language is Language.ZH else " "
        self._stop = "。" if language is Language.ZH else "."
        self._random = random.Random(seed)
        self._topics = [self._phrase(2) for _ in range(300)]

    def markdown(self) -> str:
        """One note of 20 sections on topics that follow one another in the course."""
        first = self._random.randrange(len(self._topics) - 20)
        sections = [f"# {self._topics[first]}\n"]
        for topic in self._topics[first + 1 : first + 21]:
            paragraphs = "\n\n".join(self._sentences(4) for _ in range(4))
            code = "```python\nfor x in range(10):\n    print(x)\n```"
            sections.append(f"## {topic}\n\n{paragraphs}\n\n{code}\n")
        return "\n".join(sections)

    def srt(self) -> str:
        """One video of 600 cues of three seconds."""
        cues = []
        for n in range(600):
            text = self._phrase(9) + (self._stop if n % 3 == 2 else "")
            cues.append(f"{n + 1}\n{_clock(3 * n)},000 --> {_clock(3 * n + 2)},900\n{text}\n")
        return "\n".join(cues)

    def paragraph(self) -> str:
        """Four sentences."""
        return self._sentences(4)

    def topic(self, number: int) -> str:
        """One of the 300 headings."""
        return self._topics[number % len(self._topics)]

    def _sentences(self, number: int) -> str:
        return " ".join(self._phrase(self._random.randint(8, 25)) + self._stop for _ in range(number))

    def _phrase(self, words: int) -> str:
        """Words of the course; one in twenty is a number, so that texts never end to differ."""
        chosen = self._random.choices(self._words, k=words)
        return self._between.join(
            str(self._random.randrange(100_000)) if self._random.random() < 0.05 else word for word in chosen
        )


def make_folder(folder: Path, kind: str, megabytes: int) -> int:
    """Fill a folder with files of one kind; returns their bytes."""
    writers = (
        Writer("data-structures-zh", Language.ZH, SEED),
        Writer("machine-learning-en", Language.EN, SEED + 1),
    )
    size = 0
    for n in count():
        if size >= megabytes * MEGABYTE:
            return size
        data = getattr(writers[n % 2], "markdown" if kind == "md" else kind)().encode()
        file = folder / f"unit-{n // 100:03}" / f"{n:05}.{kind}"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        size += len(data)
    raise AssertionError


def take_in(folder: Path, home: Path) -> dict[str, float]:
    """Ingest a folder twice; seconds of both and the process's peak memory."""
    vta = build_platform(Settings(home=home))
    started_mb = _peak_mb()
    vta.stores.courses.add(COURSE)
    seconds = []
    pairs = 0
    for _ in range(2):
        start = perf_counter()
        report = ingest([folder], course=COURSE, readers=vta.readers, documents=vta.stores.documents)
        vta.knowledge.current()
        seconds.append(perf_counter() - start)
        pairs += report.pairs
    vta.close()
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    processor = sum(each.ru_utime + each.ru_stime for each in used)
    return {
        "seconds": seconds[0],
        "again_seconds": seconds[1],
        "processor_seconds": processor,
        "pairs": pairs,
        "started_mb": started_mb,
        "peak_mb": _peak_mb(),
    }


def measure(kind: str, megabytes: int) -> dict[str, object]:
    """One folder, ingested in a process of its own."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "material")
        size = make_folder(folder, kind, megabytes)
        found = in_own_process(take_in, folder, Path(place, "home"))
    return {
        "kind": kind,
        "megabytes": round(size / MEGABYTE, 1),
        "pairs": found["pairs"],
        "seconds": round(found["seconds"], 1),
        "mb_per_minute": round(size / MEGABYTE / found["seconds"] * 60, 1),
        "mb_per_processor_minute": round(size / MEGABYTE / found["processor_seconds"] * 60, 1),
        "again_share": round(found["again_seconds"] / found["seconds"], 4),
        "memory_before_mb": round(found["started_mb"]),
        "memory_peak_mb": round(found["peak_mb"]),
    }


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MEGABYTE


def _clock(second: int) -> str:
    return f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"


def run(*, megabytes: int = 20, sizes: list[int] = []) -> dict[str, Any]:  # noqa: B006
    """`megabytes`: size of the folders that give the speed; `sizes`: of those that give peak memory."""
    runs = [measure(kind, megabytes) for kind in ("md", "srt")]
    return {"seed": SEED, "runs": runs + [measure("md", size) for size in sizes]}
