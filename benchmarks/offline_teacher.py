"""Ask the questions of hello-algo's readers without a language model: what is taught, cited, and refused?

python -m benchmarks offline_teacher ../shared/data/hello_algo

ROUGE is of the whole answer as the student sees it, its Markdown marks and citation numbers aside, with the
author's answer. Beside it, in the same run: the best passage as it is, and its three sentences that share
most words with the question, in their order. Every way is scored on the same questions: one that ours leaves
unanswered counts with the text shown.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.evaluation.labelled_rows import read_rows
from lab.measures.rouge import Rouge, rouge
from prompts.markdown import split_sentences
from services.dialogue.lookup import look_up
from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.ingest.pipeline import ingest
from vta.languages import Language
from vta.text import Analyser
from vta.types.answers import Answer, Route
from vta.types.courses import Course, CourseId
from vta.types.questions import Question

WAYS = ("offline teacher", "best passage", "best three sentences")
LABELS = ("full", "partial", "no")
_MARKS = re.compile(r"\s?\[\d{1,3}\]|^>\s?|^#+\s|^-\s|\*\*|(?<!\*)\*(?!\*)|\\(?=\W)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A reader's question with our answer to it, and how near each way comes to the author's answer."""

    id: str
    label: str
    answer: Answer
    rouge: Mapping[str, Rouge]

    @property
    def refused(self) -> bool:
        return self.answer.route in (Route.UNANSWERED, Route.REFUSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineFigures:
    """Shares of the questions left unanswered by label, and of the answerable ones taught with a citation.

    `rouge` holds ROUGE-1, 2 and L, the mean over the fully or partly answerable questions, by way, and
    `rouge_of_answered` the mean over those of them that ours did not leave unanswered.
    """

    language: str
    asked: Mapping[str, int]
    refused: Mapping[str, int]
    cited: int
    answered: int
    rouge: Mapping[str, tuple[float, float, float]]
    rouge_of_answered: Mapping[str, tuple[float, float, float]]


def ask_book(platform: Platform, folder: Path, language: Language) -> list[Asked]:
    """Ingest the book in one language as a course and ask it, each question in a session of its own."""
    course = Course(
        id=CourseId(f"hello-algo-{language}"),
        name="Hello Algo",
        domains=("Computer Science",),
        language=language,
    )
    platform.stores.courses.add(course)
    ingest(
        [folder / str(language)],
        course=course,
        readers=platform.readers,
        documents=platform.stores.documents,
    )
    platform.knowledge.sync()
    labels = {
        str(row["id"]): str(row["answerable"])
        for row in read_rows(folder / f"qa_labels_{language}.jsonl", ("id", "answerable"))
    }
    rows = read_rows(folder / f"qa_{language}.jsonl", ("id", "question", "answer"))
    return [
        _ask(platform, course, str(row["id"]), str(row["question"]), str(row["answer"]), labels)
        for row in rows
    ]


def _ask(
    platform: Platform, course: Course, id_: str, text: str, reference: str, labels: Mapping[str, str]
) -> Asked:
    answer = asyncio.run(platform.assistant.answer(Question(course_id=course.id, text=text)))
    found = look_up(platform, course, text, top=1).ranking.candidates
    passage = found[0].pair.answer if found else ""
    analyser = Analyser()
    told = {
        "offline teacher": _MARKS.sub("", answer.text),
        "best passage": passage,
        "best three sentences": " ".join(best_sentences(passage, text, analyser, 3)),
    }
    wanted = analyser.segments(reference)
    scores = {way: rouge(analyser.segments(told[way]), wanted) for way in WAYS}
    return Asked(id=id_, label=labels[id_], answer=answer, rouge=scores)


def best_sentences(passage: str, question: str, analyser: Analyser, n: int) -> Sequence[str]:
    """The n sentences of a passage that share most words with a question, in their order."""
    sentences = split_sentences(passage)
    wanted = set(analyser.content_words(question))
    shared = [len(wanted & set(analyser.words(sentence))) for sentence in sentences]
    chosen = sorted(range(len(sentences)), key=lambda i: (-shared[i], i))[:n]
    return [sentences[i] for i in sorted(chosen)]


def measure(asked: Sequence[Asked], language: str) -> OfflineFigures:
    """The figures over these questions."""
    answerable = [each for each in asked if each.label != "no"]
    taught = [each for each in answerable if not each.refused]
    return OfflineFigures(
        language=language,
        asked={label: sum(each.label == label for each in asked) for label in LABELS},
        refused={label: sum(each.label == label and each.refused for each in asked) for label in LABELS},
        cited=sum(bool(each.answer.citations) for each in taught),
        answered=len(taught),
        rouge={way: _mean([each.rouge[way] for each in answerable]) for way in WAYS},
        rouge_of_answered={way: _mean([each.rouge[way] for each in taught]) for way in WAYS},
    )


def _mean(scores: Sequence[Rouge]) -> tuple[float, float, float]:
    n = len(scores)
    return (
        round(sum(each.rouge_1 for each in scores) / n, 4),
        round(sum(each.rouge_2 for each in scores) / n, 4),
        round(sum(each.rouge_l for each in scores) / n, 4),
    )


def run(folder: Path) -> dict[str, Any]:
    """Figures by language and of both together."""
    everything: list[Asked] = []
    results = []
    with tempfile.TemporaryDirectory() as home:
        platform = build_platform(Settings(home=Path(home)))
        for language in Language:
            asked = ask_book(platform, folder, language)
            everything += asked
            results.append(measure(asked, language))
        platform.close()
    results.append(measure(everything, "both"))
    return {
        "results": [
            {
                "language": each.language,
                "asked": each.asked,
                "refused": each.refused,
                "answered_with_citation": f"{each.cited}/{each.answered}",
                "rouge_1_2_l": each.rouge,
                "rouge_1_2_l_of_answered": each.rouge_of_answered,
            }
            for each in results
        ]
    }
