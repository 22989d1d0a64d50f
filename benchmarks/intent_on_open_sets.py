"""Fit the classifier's wide layer on the open sets too; judge it on rows held out, beside the layer before.

    python -m benchmarks intent_on_open_sets ../shared/data --before FOLDER [--teacher FOLDER] [--ablate] \\
        [--write intent/weights]

DATA is a folder as ../shared/data; FOLDER holds the weights to compare with (their ALBERT is kept), TEACHER a
sentence encoder that `knowledge.vectors` loads, for the word vectors. Three folds: rows of the open sets by
their text, those of vta/intent_dev by session. The ALBERT had seen the rows of intent_dev alone.
Needs scikit-learn.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.refit_card import tell_refit
from intent.albert import AlbertIntentClassifier, mix, soften, to_prediction
from intent.encoding import TurnText
from intent.wide import LABELS, WideLayer, other_task
from lab.intent.intervals import bootstrap_differences
from lab.intent.labels import QUESTION_LABELS, LabelledQuestion, read_labelled
from lab.intent.model_card import CARD_FILE
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
DRAWS = 2000
WEIGHTS = {
    "rewrite": 0.1, "syllabi": 0.3, "zoomcamp": 0.5, "hello_algo": 0.5, "cast": 0.2, "fresh": 3.0,
    "utterances_en_4.jsonl": 2.0, "vta": 3.0,
}  # fmt: skip
"""How much a row of a source counts; 1 for all others."""
CHAT_WEIGHT = 1.75
"""By how much more small talk of the open sets counts, so that alpha can stay where it is."""
_NEW_UTTERANCES = ("utterances_en_4.jsonl", "utterances_zh_3.jsonl", "utterances_help.jsonl")
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


def run(
    data: Path,
    *,
    before: Path,
    teacher: Path | None = None,
    ablate: bool = False,
    write: Path | None = None,
) -> dict[str, Any]:
    """`before`: weights to compare with; `teacher`: a sentence model; `write`: folder of the new weights."""
    known = AlbertIntentClassifier.load(before)
    rows = drop_repeated(read_rows(data))
    deep = known.deep([row.turn for row in rows])
    rows = [guess_label(row, logits) for row, logits in zip(rows, deep, strict=True)]
    words = None if teacher is None else embed_words(teacher)
    judge = Judge(rows, deep, words)
    old = judge.predict(is_known_before, share=0.5, plain=True)
    new = judge.predict(lambda row: True)
    record = {
        "folds": FOLDS,
        "share_of_the_wide_layer": SHARE,
        "alpha": ALPHA,
        "other_task": OTHER_TASK,
        "rows": {
            source: sum(row.source == source for row in rows) for source in sorted({r.source for r in rows})
        },
        "before": judge.measure(old),
        "after": judge.measure(new),
        "after_minus_before": judge.compare(new, old),
        "intent_dev_after_minus_before": judge.compare_six(new, old),
        "intent_dev_after_minus_before_wide_layers_alone": judge.compare_six(
            judge.predict(lambda row: True, share=1.0), judge.predict(is_known_before, share=1.0, plain=True)
        ),
    }
    if ablate:
        record["without"] = {
            name: judge.measure(judge.predict(lambda row, left_out=left_out: row.source not in left_out))
            for name, left_out in ABLATIONS.items()
        }
        record["without"]["word vectors"] = judge.measure(judge.predict(lambda row: True, words=False))
    if write:
        layer = fit(rows, words)
        (write / "ngrams.npz").write_bytes(pack(layer.ngrams))
        if layer.words is not None:
            (write / "words.npz").write_bytes(pack(layer.words))
        config = json.loads((write / "config.json").read_text())
        (write / "config.json").write_text(json.dumps({**config, "ngram_share": SHARE}, indent=2) + "\n")
        card = write / CARD_FILE
        card.write_text(tell_refit(card.read_text(encoding="utf-8"), record), encoding="utf-8")
    return record


ABLATIONS = {
    "our new utterances": _NEW_UTTERANCES,
    "our tasks": ("tasks",),
    "open small talk": ("fresh dialogflow", "fresh BYU", "fresh chatterbot-corpus", "fresh REWRITE"),
    "dialogues of REWRITE": ("rewrite",),
    "course questions of other sets": (
        *("cs1qa", "fresh CS1QA", "zoomcamp", "fresh zoomcamp", "muli", "fresh Mu"),
        *("hello_algo", "syllabi", "cast", "sight"),
    ),
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


def is_known_before(row: Row) -> bool:
    """Whether the weights before were fitted on it."""
    return row.source == "vta" or (row.source.startswith("utterances") and row.source not in _NEW_UTTERANCES)


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


def fit(rows: Sequence[Row], words: WordVectors | None, *, plain: bool = False) -> WideLayer:
    """The wide layer of these rows; `plain` as it was before: no weights, words or tasks."""
    known = [
        LabelledQuestion(
            question=row.text,
            label=row.label,
            session_id=row.session,
            previous=row.previous,
            course=row.course,
            weight=1.0 if plain else weigh(row),
        )
        for row in rows
        if row.label is not None
    ]
    if plain:
        return fit_wide(known)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicted:
    """Of each row held out: probabilities (rows x labels), h, and the probability of another task."""

    probabilities: Floats
    task: Floats

    @property
    def h(self) -> Floats:
        return np.asarray(
            self.probabilities[:, [LABELS.index(label) for label in CHIT_CHAT_LABELS]].sum(axis=1)
        )


class Judge:
    """Fits on two folds, predicts the third, and measures on the sets."""

    def __init__(self, rows: Sequence[Row], deep: Floats, words: WordVectors | None) -> None:
        self._rows, self._deep, self._words = rows, deep, words
        dealt: dict[str, int] = {}
        chance = random.Random(5)
        self._folds = np.array(
            [dealt.setdefault(row.session or normalise(row.text), chance.randrange(FOLDS)) for row in rows]
        )
        self._sets = {name: np.flatnonzero([chosen(row) for row in rows]) for name, chosen in SETS.items()}
        for language in ("en", "zh"):
            lengths = self._match_lengths(language)
            self._sets |= {f"{kind}, equal lengths, {language}": own for kind, own in lengths.items()}

    def predict(
        self, used: Callable[[Row], bool], *, share: float = SHARE, plain: bool = False, words: bool = True
    ) -> Predicted:
        probabilities, task = np.zeros((len(self._rows), len(LABELS))), np.zeros(len(self._rows))
        for fold in range(FOLDS):
            training = [
                row for row, own in zip(self._rows, self._folds, strict=True) if own != fold and used(row)
            ]
            layer = fit(training, self._words if words else None, plain=plain)
            places = np.flatnonzero(self._folds == fold)
            turns = [self._rows[place].turn for place in places]
            outputs = layer.outputs(turns)
            logits = mix(self._deep[places], outputs, share)
            probabilities[places] = soften(logits, 1.0)
            task[places] = 0.0 if plain else other_task(outputs)
        return Predicted(probabilities=probabilities, task=task)

    def measure(self, found: Predicted) -> dict[str, object]:
        """The share of each set that is taken for small talk and that is not taken for a question."""
        figures: dict[str, object] = {}
        for name, places in self._sets.items():
            chat, task = found.h[places] > ALPHA, found.task[places] > OTHER_TASK
            figures[name] = {
                "n": len(places),
                "small_talk": interval(chat),
                "other_task": interval(task),
                "either": interval(chat | task),
            }
        return figures

    def compare(self, one: Predicted, other: Predicted) -> dict[str, list[float]]:
        """Paired: the difference of the share taken for small talk or another task, with its interval."""
        return {
            name: interval(
                ((one.h > ALPHA) | (one.task > OTHER_TASK))[places] * 1.0
                - ((other.h > ALPHA) | (other.task > OTHER_TASK))[places]
            )
            for name, places in self._sets.items()
        }

    def compare_six(self, one: Predicted, other: Predicted) -> dict[str, list[float]]:
        places = [n for n, row in enumerate(self._rows) if row.source == "vta"]
        rows = [
            LabelledQuestion(question=row.text, label=row.label, session_id=row.session)
            for row in (self._rows[place] for place in places)
            if row.label is not None
        ]
        first, second = ([to_prediction(found.probabilities[n]) for n in places] for found in (one, other))
        differences = bootstrap_differences(rows, first, second)
        return {name: [found.difference, found.low, found.high] for name, found in differences.items()}

    def _match_lengths(self, language: str) -> dict[str, NDArray[np.int64]]:
        """As many course questions as small talk of each length, by tens of characters (zh: by fives)."""
        step, chance = (10, random.Random(1)) if language == "en" else (5, random.Random(1))
        groups: dict[int, tuple[list[int], list[int]]] = {}
        for side, name in enumerate((f"course questions, {language}", f"small talk, {language}")):
            for place in self._sets[name].tolist():
                groups.setdefault(len(self._rows[place].text) // step, ([], []))[side].append(place)
        kept: tuple[list[int], list[int]] = ([], [])
        for questions, talk in groups.values():
            size = min(len(questions), len(talk))
            kept[0].extend(chance.sample(questions, size))
            kept[1].extend(chance.sample(talk, size))
        return {"course questions": np.array(sorted(kept[0])), "small talk": np.array(sorted(kept[1]))}


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


def interval(values: NDArray[np.bool_] | Floats) -> list[float]:
    """The mean with its 95 % interval by drawing rows again."""
    if not len(values):
        return []
    chance = np.random.default_rng(0)
    drawn = np.asarray(values, dtype=np.float64)[chance.integers(0, len(values), (DRAWS, len(values)))].mean(
        axis=1
    )
    return [round(float(x), 4) for x in (np.mean(values), *np.percentile(drawn, (2.5, 97.5)))]
