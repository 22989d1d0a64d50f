"""Fit the classifier's wide layer on the open sets too; judge it on rows held out.

    python -m benchmarks intent_on_open_sets ../shared/data [--teacher FOLDER] [--write intent/weights]

DATA is a folder as ../shared/data; the shipped ALBERT is kept. TEACHER is a sentence encoder that
`knowledge.vectors` loads, for the word vectors. Three folds: rows of the open sets by their text, those of
vta/intent_dev by session. The ALBERT had seen the rows of intent_dev alone. Needs scikit-learn.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.student_turns import interval
from intent.albert import AlbertIntentClassifier, mix, soften
from intent.encoding import TurnText
from intent.wide import LABELS, WideLayer, other_task
from lab.intent.labels import QUESTION_LABELS, LabelledQuestion, read_labelled
from lab.intent.ngram_fitting import Tasks, WordVectors, fit_wide
from lab.intent.training import read_shipped_tasks, read_shipped_utterances
from vta.scoring import pack
from vta.text import normalise
from vta.types.questions import CHIT_CHAT_LABELS, OTHER_TASK, IntentLabel

FOLDS = 3
TASK_WEIGHT = 5.0
SHARE = 0.55
ALPHA = 0.5
LEAST_TEXTS = 2
DIMENSIONS = 128
WEIGHTS = {
    "rewrite": 0.1, "syllabi": 0.3, "zoomcamp": 0.5, "hello_algo": 0.5, "cast": 0.2, "fresh": 3.0,
    "utterances_en_4.jsonl": 2.0, "vta": 3.0,
}  # fmt: skip
"""How much a row of a source counts; 1 for all others."""
CHAT_WEIGHT = 1.75
"""By how much more small talk of the open sets counts, so that alpha can stay where it is."""
_HOLD_TASKS = ("vta", "rewrite", "fresh REWRITE")
"""Sources whose small talk holds requests for other tasks, so that it tells nothing about them."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A text with what it is: `kind` question, chat, task or other; `label` None where it has none."""

    text: str
    kind: str
    source: str
    previous: str = ""
    course: str = ""
    label: IntentLabel | None = None
    session: str = ""

    @property
    def turn(self) -> TurnText:
        return TurnText(question=self.text, previous=self.previous, course=self.course)

    @property
    def language(self) -> str:
        return "zh" if any("\u4e00" <= character <= "\u9fff" for character in self.text) else "en"


def run(data: Path, *, teacher: Path | None = None, write: Path | None = None) -> dict[str, Any]:
    """`teacher`: a sentence model for the word vectors; `write`: folder of the new weights."""
    rows = drop_repeated(read_rows(data))
    deep = AlbertIntentClassifier.load().deep([row.turn for row in rows])
    rows = [guess_label(row, logits) for row, logits in zip(rows, deep, strict=True)]
    words = None if teacher is None else embed_words(teacher)
    if write:
        layer = fit(rows, words)
        (write / "ngrams.npz").write_bytes(pack(layer.ngrams))
        if layer.words is not None:
            (write / "words.npz").write_bytes(pack(layer.words))
        config = json.loads((write / "config.json").read_text())
        (write / "config.json").write_text(json.dumps({**config, "ngram_share": SHARE}, indent=2) + "\n")
    return {
        "folds": FOLDS,
        "share_of_the_wide_layer": SHARE,
        "alpha": ALPHA,
        "other_task": OTHER_TASK,
        "rows": Counter(row.source for row in rows),
        "after": measure(rows, *predict(rows, deep, words)),
    }


def read_rows(data: Path) -> Iterator[Row]:
    """The rows of all sources."""
    for row in read_labelled(data / "vta/intent_dev.jsonl").rows:
        yield labelled(row, "vta")
    for source in read_shipped_utterances():
        for row in source.rows:
            yield labelled(row, source.name)
    for turn in read_shipped_tasks():
        yield Row(text=turn.question, kind="task", source="tasks")
    fresh = data / "fresh"
    kinds = {"chat": "chat", "course": "question", "other_task": "task"}
    for name in ("en", "zh"):
        for line in read(fresh / f"chat_vs_course/{name}.jsonl"):
            yield Row(
                text=line["text"], kind=kinds[line["label"]], source=f"fresh {line['source'].split()[0]}"
            )
    for line in read(fresh / "chat_vs_course/cs1qa_questions_en.jsonl"):
        yield Row(text=line["text"], kind="question", source="cs1qa")
    for line in read(fresh / "chat_vs_course/sight_comments_en.jsonl"):
        if line["asks_or_confused"] == "both":
            yield Row(text=line["text"], kind="question", source="sight")
        elif (
            "gratitude" in (*line["annotator1"], *line["annotator2"])
            and line["asks_or_confused"] == "neither"
        ):
            yield Row(text=line["text"], kind="chat", source="sight")
    for path, source in (("zoomcamp/faq", "zoomcamp"), ("muli_d2l_zh/questions", "muli")):
        for line in read(fresh / f"{path}.jsonl"):
            yield Row(text=line["question"], kind="question", source=source)
    for line in read(fresh / "syllabusqa/questions.jsonl"):
        yield Row(text=line["question"], kind="question", source="syllabi", label=IntentLabel.PLATFORM)
    for name in ("zh", "en"):
        for line in read(data / f"hello_algo/qa_{name}.jsonl"):
            yield Row(text=line["question"], kind="question", source="hello_algo")
    for line in read(fresh / "rewrite/cast_en.jsonl"):
        yield Row(text=line["rewrite"], kind="question", source="cast", label=IntentLabel.SIMPLE)
    for line in read(fresh / "rewrite/rewrite_zh.jsonl"):
        yield Row(text=line["history"][0], kind="chat", source="rewrite")
        yield Row(text=line["question"], kind="chat", source="rewrite", previous=line["history"][-1])


def drop_repeated(rows: Iterable[Row]) -> list[Row]:
    """Each text once where it stands in no session: the open sets overlap."""
    kept: dict[tuple[str, str], Row] = {}
    for number, row in enumerate(rows):
        if row.text.strip():
            kept.setdefault((str(number) if row.session else normalise(row.text), row.previous), row)
    return list(kept.values())


def read(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def labelled(row: LabelledQuestion, source: str) -> Row:
    kind = (
        "chat" if row.label in CHIT_CHAT_LABELS else "question" if row.label in QUESTION_LABELS else "other"
    )
    return Row(
        text=row.question,
        kind=kind,
        source=source,
        previous=row.previous,
        course=row.course,
        label=row.label,
        session=f"{source} {row.session_id}",
    )


def guess_label(row: Row, logits: Floats) -> Row:
    """A row of a source without six labels gets the likeliest of its kind by the ALBERT; a task gets none."""
    if row.label is not None or row.kind == "task":
        return row
    fitting = CHIT_CHAT_LABELS if row.kind == "chat" else QUESTION_LABELS
    return replace(row, label=max(fitting, key=lambda label: (float(logits[LABELS.index(label)]), label)))


def embed_words(teacher: Path) -> WordVectors:
    """The teacher's vocabulary of whole words, each read alone, reduced to the first principal components."""
    from tokenizers import Tokenizer

    from knowledge.vectors.local_model import LocalEmbedder

    vocabulary = Tokenizer.from_file(str(teacher / "tokenizer.json")).get_vocab()
    words = sorted(word for word in vocabulary if word.isascii() and word.isalpha() and len(word) <= 20)
    vectors = LocalEmbedder(teacher).embed(words).astype(np.float64)
    vectors -= vectors.mean(axis=0)
    return WordVectors(
        words=words, vectors=vectors @ np.linalg.svd(vectors, full_matrices=False)[2][:DIMENSIONS].T
    )


def weigh(row: Row) -> float:
    weight = WEIGHTS.get(row.source, WEIGHTS.get(row.source.split()[0], 1.0))
    return weight * CHAT_WEIGHT if row.kind == "chat" and row.source.startswith("fresh") else weight


def fit(rows: Sequence[Row], words: WordVectors | None) -> WideLayer:
    """The wide layer of these rows."""
    known = [
        LabelledQuestion(
            question=row.text,
            label=row.label,
            session_id=row.session,
            previous=row.previous,
            course=row.course,
            weight=weigh(row),
        )
        for row in rows
        if row.label is not None
    ]
    tasks = Tasks(
        asked=[row.turn for row in rows if row.kind == "task"],
        not_asked=[
            row.turn
            for row in rows
            if row.kind == "question" or (row.kind == "chat" and row.source not in _HOLD_TASKS)
        ],
        weight=TASK_WEIGHT,
    )
    return fit_wide(known, tasks=tasks, words=words, least_texts=LEAST_TEXTS)


def predict(rows: Sequence[Row], deep: Floats, words: WordVectors | None) -> tuple[Floats, Floats]:
    """h and the probability of another task for each row, by a layer fitted on the other two folds."""
    chance, dealt = random.Random(5), dict[str, int]()
    folds = np.array(
        [dealt.setdefault(row.session or normalise(row.text), chance.randrange(FOLDS)) for row in rows]
    )
    chat = [LABELS.index(label) for label in CHIT_CHAT_LABELS]
    h, task = np.zeros(len(rows)), np.zeros(len(rows))
    for fold in range(FOLDS):
        layer = fit([row for row, own in zip(rows, folds, strict=True) if own != fold], words)
        places = np.flatnonzero(folds == fold)
        outputs = layer.outputs([rows[place].turn for place in places])
        h[places] = soften(mix(deep[places], outputs, SHARE), 1.0)[:, chat].sum(axis=1)
        task[places] = other_task(outputs)
    return h, task


def measure(rows: Sequence[Row], h: Floats, task: Floats) -> dict[str, object]:
    """The share of each set that is taken for small talk, for another task, and for either."""
    figures: dict[str, object] = {}
    for name, is_of in SETS.items():
        own = np.array([is_of(row) for row in rows])
        is_chat, is_task = h[own] > ALPHA, task[own] > OTHER_TASK
        figures[name] = {
            "n": int(own.sum()),
            "small_talk": interval(is_chat * 1.0),
            "other_task": interval(is_task * 1.0),
            "either": interval((is_chat | is_task) * 1.0),
        }
    return figures


def in_open(row: Row, kind: str, language: str) -> bool:
    return row.source.startswith("fresh") and row.kind == kind and row.language == language


SETS: dict[str, Callable[[Row], bool]] = {
    "course questions, en": lambda row: in_open(row, "question", "en"),
    "course questions, zh": lambda row: in_open(row, "question", "zh"),
    "lecture questions, zh": lambda row: row.source == "muli",
    "cs1qa": lambda row: row.source in ("cs1qa", "fresh CS1QA"),
    "small talk, en": lambda row: in_open(row, "chat", "en"),
    "small talk, zh": lambda row: in_open(row, "chat", "zh"),
    "other tasks, en": lambda row: in_open(row, "task", "en"),
    "other tasks, zh": lambda row: in_open(row, "task", "zh"),
    "intent_dev, questions": lambda row: row.source == "vta" and row.kind == "question",
    "intent_dev, small talk": lambda row: row.source == "vta" and row.kind == "chat",
}
