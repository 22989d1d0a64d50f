"""S_cot, the library of worked examples, and the choice of the similar ones.

An example is one Markdown file: a header of `key: value` lines between two `---` lines, then the answer.
"""

from __future__ import annotations

import importlib.resources
import math
from collections import Counter
from collections.abc import Sequence

from vta.errors import InvalidInput
from vta.faults import Fault
from vta.text import Analyser
from vta.types import Language, WorkedExample

KINDS = ("comparison", "method", "reason", "example", "recommendation")
"""The kinds of complex questions."""

_FIELDS = ("id", "language", "kind", "subject", "question")


def load_examples() -> tuple[WorkedExample, ...]:
    """The packaged examples by id. `InvalidInput` names the file and the field of the first fault."""
    folder = importlib.resources.files("prompts.chain_of_teach").joinpath("examples")
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".md")), key=lambda f: f.name)
    return tuple(parse_example(f.name, f.read_text(encoding="utf-8")) for f in files)


def parse_example(name: str, text: str) -> WorkedExample:
    """The example that a file named `name` holds; its id is the name without the suffix."""
    header, answer = _split(name, text)
    values = _read_header(name, header)
    if values["id"] != name.removesuffix(".md"):
        raise InvalidInput(Fault("prompt.example_id", id=values["id"]).at(name), field="id")
    if values["kind"] not in KINDS:
        raise InvalidInput(Fault("prompt.example_kind", kind=values["kind"]).at(name), field="kind")
    try:
        language = Language(values["language"])
    except ValueError as error:
        unknown = Fault("prompt.example_language", language=values["language"])
        raise InvalidInput(unknown.at(name), field="language") from error
    if not answer:
        raise InvalidInput(Fault("prompt.example_answer").at(name), field="answer")
    return WorkedExample(
        id=values["id"],
        language=language,
        kind=values["kind"],
        subject=values["subject"],
        question=values["question"],
        answer=answer,
    )


def sample_similar(
    examples: Sequence[WorkedExample],
    question: str,
    *,
    language: Language,
    analyser: Analyser,
    count: int = 2,
) -> tuple[WorkedExample, ...]:
    """e = sample_similar(S_cot, q): the `count` examples of the language nearest to q, nearest first.

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


def _split(name: str, text: str) -> tuple[list[str], str]:
    first, *rest = text.split("\n")
    if first.strip() != "---" or "---" not in rest:
        raise InvalidInput(Fault("prompt.example_header").at(name), line=1)
    end = rest.index("---")
    return rest[:end], "\n".join(rest[end + 1 :]).strip()


def _read_header(name: str, lines: Sequence[str]) -> dict[str, str]:
    values: dict[str, str] = {}
    for number, line in enumerate(lines, start=2):
        key, colon, value = line.partition(":")
        if not colon or key not in _FIELDS or key in values:
            raise InvalidInput(Fault("prompt.example_line", line=line).at(name), line=number)
        values[key] = value.strip()
    for field in _FIELDS:
        if not values.get(field):
            raise InvalidInput(Fault("prompt.example_field", field=field).at(name), field=field)
    return values
