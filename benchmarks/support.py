"""Check judged sentences, and people's answers to the questions of hello-algo's readers, for support.

.venv/bin/python benchmarks/support.py ../shared/data/hello_algo AB_OOD > docs/runs/support.json

AB_OOD is data/test_ood_all_subset_balanced.jsonl of AttributionBench (Li et al. 2024; no rule or setting was
made on it): claims of other systems, each with its references; the F1 of both labels, and their mean.

The judged sentences stand each to one passage: half have support in it, the others a fault of a known kind
(tests/data/support_judged.jsonl), or say the opposite (support_opposites.jsonl). Rules and settings were made
on those that are "seen"; the others ("held_out") were written afterwards, the opposites with the seen ones,
and measured once. The fresh ones (support_fresh.jsonl) were written after all rules and settings, on 72
passages of other subjects; no rule or setting was made on them. `before` is the rule of before: 0.4 of the
content words.

Of the questions that the book answers in full, each one's own answer is held against what is retrieved for
it, and so is the answer to the `SHIFT`-th question after it, which should look unsupported. The people who
answered did not keep to the book, so not every claim of theirs has support in it.

`without` leaves out one kind of contradiction at a time, over the judged sentences, `without, fresh` over the
fresh ones: how much precision and recall of "supported" move, with 95 % of 1,000 draws of passages, and of
how many sentences with a fault, and with support, the verdict changes.
"""

from __future__ import annotations

import ast
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from knowledge.vectors.token_table import shipped_encoder
from lab.evaluation.rows import data_hash
from lab.measures.intervals import bootstrap_statistic
from lab.measures.judged_pairs import f1_of
from services.dialogue.lookup import look_up
from services.labelled_rows import read_rows
from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.dialogue.claims import attribution, contradiction
from vta.dialogue.claims.attribution import LEAST, LEAST_TO_STAY, LEAST_WORDS, LIKENESS
from vta.dialogue.claims.claim import FEWEST_WORDS
from vta.dialogue.concepts import teach_steps
from vta.dialogue.routing import relevant
from vta.dialogue.support import Checked, SupportCheck
from vta.ingest.pipeline import ingest
from vta.languages import Language
from vta.text import Analyser
from vta.types.answers import Unsupported
from vta.types.courses import Course, CourseId, PairId
from vta.types.pairs import Candidate, QAPair, Source

DATA = Path(__file__).parents[1] / "tests" / "data"
JUDGED, OPPOSITES = DATA / "support_judged.jsonl", DATA / "support_opposites.jsonl"
FRESH = DATA / "support_fresh.jsonl"
SHIFT = 5
SHARE_BEFORE = 0.4
KINDS: Mapping[str, Sequence[tuple[Any, str, object]]] = {
    "number": [(contradiction, "_differ", False), (attribution, "_has_values", True)],
    "negation": [(contradiction, "_denies", False)],
    "comparison": [(contradiction, "_orientation", 0), (contradiction, "_turns_premise", False)],
    "polarity": [(contradiction, "_is_turned", False)],
    "roles": [(contradiction, "_changes_places", False)],
    "condition": [(contradiction, "_drops_condition", False)],
    "all": [(attribution, "contradiction", None)],
}
"""The functions of each kind of contradiction, with what they return where they find none."""

Judge = Callable[[str, str], bool]
"""Whether a sentence has support in a passage."""


def share_of_words(sentence: str, passage: str) -> bool:
    """The rule of before."""
    analyser = Analyser()
    words, known = set(analyser.content_words(sentence)), set(analyser.words(passage))
    held = sum(word in known or (not word.isascii() and word in passage) for word in words)
    return held >= SHARE_BEFORE * len(words)


def judge_with(check: SupportCheck) -> Judge:
    """The rule of today."""

    def judge(sentence: str, passage: str) -> bool:
        return check.check(sentence, candidates=[as_found(passage)], steps=(), mark="").unsupported == 0

    return judge


def as_found(passage: str) -> Candidate:
    """A passage as if it had been found."""
    pair = QAPair(
        id=PairId("1"), course_id=CourseId("c"), source=Source.MATERIAL, question="", answer=passage
    )
    return Candidate(pair=pair, bm25=1.0, weight=1.0, score=1.0)


def judge_sentences(judge: Judge, *, held_out: bool, file: Path = JUDGED) -> dict[str, object]:
    """What is taken as supported, by kind of fault, of one part."""
    found, all_of = Counter[str](), Counter[str]()
    for row in read_rows(file, ("language", "passage", "sentences")):
        if row.get("held_out", False) is not held_out:
            continue
        sentences: list[dict[str, str | None]] = row["sentences"]  # type: ignore[assignment]
        for sentence in sentences:
            kind = sentence["fault"] or "supported"
            all_of[kind] += 1
            found[kind] += judge(str(sentence["text"]), str(row["passage"]))
    taken = sum(found.values())
    return {
        "precision": round(found["supported"] / taken, 3),
        "recall": round(found["supported"] / all_of["supported"], 3),
        "taken_as_supported": {kind: f"{found[kind]} of {all_of[kind]}" for kind in sorted(all_of)},
    }


def judged() -> dict[str, object]:
    """Both halves by the rule of before and by that of today, with and without the encoder."""
    rules = {
        "before": share_of_words,
        "today": judge_with(SupportCheck(Analyser(), embedder=shipped_encoder())),
        "where_removed": judge_with(
            SupportCheck(Analyser(), embedder=shipped_encoder(), unsupported=Unsupported.REMOVE)
        ),
        "without_encoder": judge_with(SupportCheck(Analyser())),
    }
    return {
        name: {
            "seen": judge_sentences(rule, held_out=False),
            "held_out": judge_sentences(rule, held_out=True),
            "opposites, seen": judge_sentences(rule, held_out=False, file=OPPOSITES),
            "opposites, held out": judge_sentences(rule, held_out=True, file=OPPOSITES),
            "fresh": judge_sentences(rule, held_out=False, file=FRESH),
        }
        for name, rule in rules.items()
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A judged sentence of the n-th passage: whether it has support, and whether it is taken to have it."""

    passage: int
    supported: bool
    taken: bool


def verdicts(judge: Judge, files: Sequence[Path]) -> list[Verdict]:
    """Of all judged sentences of some files, in their order."""
    rows = [row for file in files for row in read_rows(file, ("passage", "sentences"))]
    return [
        Verdict(
            passage=n,
            supported=sentence["fault"] is None,
            taken=judge(str(sentence["text"]), str(row["passage"])),
        )
        for n, row in enumerate(rows)
        for sentence in row["sentences"]  # type: ignore[attr-defined]
    ]


@contextmanager
def left_out(kind: str) -> Iterator[None]:
    """Without one kind of contradiction."""
    known = [(module, name, getattr(module, name)) for module, name, _ in KINDS[kind]]
    for module, name, nothing in KINDS[kind]:
        setattr(module, name, lambda *_, nothing=nothing, **__: nothing)
    try:
        yield
    finally:
        for module, name, function in known:
            setattr(module, name, function)


def precision(found: Sequence[Verdict]) -> float:
    taken = [each.supported for each in found if each.taken]
    return sum(taken) / len(taken)


def recall(found: Sequence[Verdict]) -> float:
    supported = [each.taken for each in found if each.supported]
    return sum(supported) / len(supported)


def compare(found: Sequence[Verdict], today: Sequence[Verdict]) -> dict[str, object]:
    """What moves, by draws of passages, and in how many sentences."""
    places = [[i for i, each in enumerate(today) if each.passage == n] for n in range(today[-1].passage + 1)]

    def moved(measure: Callable[[Sequence[Verdict]], float]) -> dict[str, object]:
        def difference(drawn: Sequence[int]) -> float:
            chosen = [i for n in drawn for i in places[n]]
            return measure([found[i] for i in chosen]) - measure([today[i] for i in chosen])

        interval = bootstrap_statistic(len(places), difference, seed=0)  # type: ignore[arg-type]
        assert interval is not None
        whole = measure(found) - measure(today)
        return {"difference": round(whole, 3), "interval": [round(edge, 3) for edge in interval]}

    pairs = zip(found, today, strict=True)
    changed = Counter((new.supported, new.taken) for new, old in pairs if new.taken is not old.taken)
    return {
        "precision": moved(precision),
        "recall": moved(recall),
        "faults_taken": {"more": changed[False, True], "fewer": changed[False, False]},
        "support_taken": {"more": changed[True, True], "fewer": changed[True, False]},
    }


def without(*files: Path) -> dict[str, object]:
    """What each kind of contradiction is worth on the sentences of these files."""

    def judge_all() -> list[Verdict]:
        return verdicts(judge_with(SupportCheck(Analyser(), embedder=shipped_encoder())), files)

    today = judge_all()
    found: dict[str, object] = {"sentences": len(today), "faults": sum(not v.supported for v in today)}
    for kind in KINDS:
        with left_out(kind):
            found[kind] = compare(judge_all(), today)
    return found


def attribution_bench(file: Path) -> dict[str, float]:
    """The F1 of each label over the claims of AttributionBench, and the mean of both."""
    check, judged = SupportCheck(Analyser(), embedder=shipped_encoder()), list[tuple[bool, bool]]()
    for row in read_rows(file, ("question", "claim", "references", "attribution_label")):
        known = [as_found(text) for text in ast.literal_eval(str(row["references"]))]
        checked = check.check(
            str(row["claim"]), candidates=known, steps=(), mark="", question=str(row["question"])
        )
        judged.append((checked.unsupported == 0, row["attribution_label"] == "attributable"))
    said, true = np.array(judged, dtype=bool).T
    attributable, other = f1_of(said, true), f1_of(~said, ~true)
    return {
        "claims": len(judged),
        "attributable": round(attributable, 3),
        "not_attributable": round(other, 3),
        "macro_f1": round((attributable + other) / 2, 3),
    }


def read_answered(folder: Path, language: Language) -> list[tuple[str, str]]:
    """(question, answer) of the questions labelled as answerable in full."""
    labels = read_rows(folder / f"qa_labels_{language}.jsonl", ("id", "answerable"))
    full = {row["id"] for row in labels if row["answerable"] == "full"}
    rows = read_rows(folder / f"qa_{language}.jsonl", ("id", "question", "answer"))
    return [(str(row["question"]), str(row["answer"])) for row in rows if row["id"] in full]


def check(platform: Platform, course: Course, question: str, answer: str) -> Checked:
    """The answer against what the course knows of the question."""
    known = look_up(platform, course, question, top=platform.settings.top_k)
    return SupportCheck(Analyser(), embedder=shipped_encoder()).check(
        answer,
        candidates=relevant(known.ranking.candidates, platform.settings.thresholds),
        steps=teach_steps(known.mentions, known.knowledge.graph),
        mark="",
        question=question,
    )


def summarise(found: Sequence[Checked]) -> dict[str, float]:
    """How many claims there are, the share without support, and the share of answers without any support."""
    claims = sum(checked.claims for checked in found)
    return {
        "answers": len(found),
        "claims": claims,
        "unsupported": round(sum(checked.unsupported for checked in found) / claims, 3),
        "answers_without_support": round(sum(checked.holds_nothing for checked in found) / len(found), 3),
    }


def measure(folder: Path, language: Language, home: Path) -> dict[str, object]:
    """Own answers and those of other questions, in one language."""
    course = Course(
        id=CourseId(f"book-{language}"), name="Hello Algo", domains=("Computer Science",), language=language
    )
    platform = build_platform(Settings(home=home))
    try:
        platform.stores.courses.add(course)
        folders = [folder / str(language)]
        ingest(folders, course=course, readers=platform.readers, documents=platform.stores.documents)
        pairs = read_answered(folder, language)
        others = [answer for _, answer in pairs[SHIFT:] + pairs[:SHIFT]]
        return {
            "own_answers": summarise([check(platform, course, q, a) for q, a in pairs]),
            "answers_to_other_questions": summarise(
                [check(platform, course, q, other) for (q, _), other in zip(pairs, others, strict=True)]
            ),
        }
    finally:
        platform.close()


def main() -> None:
    folder = Path(sys.argv[1])
    files = [file for file in folder.rglob("*") if file.is_file()]
    with tempfile.TemporaryDirectory() as work:
        found = {str(language): measure(folder, language, Path(work) / language) for language in Language}
    record = {
        "command": "benchmarks/support.py ../shared/data/hello_algo AB_OOD",
        "settings": {
            "likeness": LIKENESS,
            "least": LEAST,
            "least_to_stay": LEAST_TO_STAY,
            "least_words": LEAST_WORDS,
            "fewest_words": FEWEST_WORDS,
        },
        "judged_sentences": judged(),
        "without": without(JUDGED, OPPOSITES),
        "without, fresh": without(FRESH),
        "attribution_bench": attribution_bench(Path(sys.argv[2])),
        "data_sha256": data_hash([*files, JUDGED, OPPOSITES, FRESH]),
        **found,
    }
    print(json.dumps(record, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
