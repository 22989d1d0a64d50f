"""S_cot, the library of worked examples, and the choice of the similar ones.

An example is one Markdown file: a header of `key: value` lines between two `---` lines, then the answer.
"""

from __future__ import annotations

import importlib.resources
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from vta.languages import Language
from vta.text import Analyser
from vta.types.language_model import WorkedExample


def load_examples() -> tuple[WorkedExample, ...]:
    """The packaged examples by id."""
    folder = importlib.resources.files("prompts.chain_of_teach").joinpath("examples")
    texts = (file.read_text(encoding="utf-8") for file in folder.iterdir() if file.name.endswith(".md"))
    return tuple(sorted(map(parse_example, texts), key=lambda example: example.id))


def parse_example(text: str) -> WorkedExample:
    """The example in a file. `ValueError` or `TypeError` where its header has not all fields, or others."""
    _, header, answer = text.split("---\n", 2)
    fields: dict[str, Any] = dict(line.split(": ", 1) for line in header.splitlines())
    return WorkedExample(**fields | {"language": Language(fields["language"])}, answer=answer.strip())


def sample_similar(
    examples: Sequence[WorkedExample],
    question: str,
    *,
    language: Language,
    analyser: Analyser,
    count: int,
) -> tuple[WorkedExample, ...]:
    """The examples e of S_cot nearest to the question q, of its language: `count` of them, nearest first.

    Nearness is the cosine of the word counts of the two questions. Function words count too, since they tell
    the kind of question; ties go by id.
    """
    asked = Counter(analyser.words(question))

    def order(example: WorkedExample) -> tuple[float, str]:
        return -cosine(asked, Counter(analyser.words(example.question))), example.id

    return tuple(sorted((e for e in examples if e.language == language), key=order)[:count])


def cosine(a: Counter[str], b: Counter[str]) -> float:
    """cos(a, b) = a.b / (|a| |b|) of two word counts, 0 where one is empty."""
    norm = math.sqrt(sum(n * n for n in a.values()) * sum(n * n for n in b.values()))
    return sum(n * b[word] for word, n in a.items()) / norm if norm else 0.0
