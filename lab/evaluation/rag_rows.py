"""The answers of a course, and what was retrieved for them, under the four measures of RAGAS."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lab.evaluation.asking import Asked, at_once, mean_json
from lab.evaluation.faq_folds import UNANSWERABLE
from lab.evaluation.rag_judges import RagJudge
from lab.evaluation.rows import AskedText, OptionalText, read_rows
from lab.measures.rag import context_precision, share_supported
from services.dialogue.lookup import look_up
from services.wiring import Platform
from vta.errors import UpstreamFailed
from vta.types.courses import Course

MEASURES = ("faithfulness", "answer_relevancy", "context_precision", "context_recall")


@dataclass(frozen=True, slots=True, kw_only=True)
class RagRow:
    """A question with its reference answer, which may be called `answer`; None where there is none."""

    question: AskedText
    reference: OptionalText = None
    answer: OptionalText = None


def read_rag(file: Path) -> list[RagRow]:
    """JSON Lines {question, reference?}; an `answer` is the reference where none is named so.

    `cannot_answer` is no reference. Faults name the line.
    """
    found = []
    for row in read_rows(file, RagRow):
        reference = row.reference or row.answer or None
        found.append(replace(row, reference=None if reference == UNANSWERABLE else reference))
    return found


def retrieved(vta: Platform, course: Course, question: str) -> list[str]:
    """The passages that the course's answer to a question is made from, best first.

    A language model reads all that were ranked, whatever their relevance.
    """
    found = look_up(vta, course, question, top=vta.settings.top_k)
    known = found.ranking.candidates if vta.model else found.decide().known
    return [f"{each.pair.question}\n{each.pair.answer}" for each in known]


async def measure_rag(
    rows: Sequence[RagRow],
    asked: Sequence[Asked],
    passages: Sequence[Sequence[str]],
    judge: RagJudge,
    *,
    seed: int,
) -> dict[str, object]:
    """The four means, each with its interval and number of rows.

    Faithfulness is of the answers that the course gave, against the passages, cited sources and explained
    concepts; relevancy is of all, 0 for a refusal; context precision and recall are of rows with a reference.
    Where the judge fails, the row is left out of that measure, and counted as failed.
    """
    given = list(zip(rows, asked, passages, strict=True))
    values: dict[str, list[float]] = {}
    failed = 0
    for name in MEASURES:
        found = await at_once(_value_or_fault(name, *each, judge) for each in given)
        values[name] = [value for value in found if isinstance(value, float)]
        failed += sum(isinstance(value, UpstreamFailed) for value in found)
    return {
        **judge.told,
        **{name: mean_json(values[name], seed) for name in MEASURES},
        "failed": failed,
        "routes": dict(sorted(Counter(str(each.answer.route) for each in asked).items())),
    }


async def _value_or_fault(
    name: str, row: RagRow, asked: Asked, passages: Sequence[str], judge: RagJudge
) -> float | UpstreamFailed | None:
    try:
        return await _value(name, row, asked, passages, judge)
    except UpstreamFailed as fault:
        return fault


async def _value(
    name: str, row: RagRow, asked: Asked, passages: Sequence[str], judge: RagJudge
) -> float | None:
    """One measure of one row; None where it has no value."""
    if name == "faithfulness":
        if not asked.answered:
            return None
        evidence = list(dict.fromkeys((*passages, *_evidence(asked))))
        return share_supported(await judge.supported(row.question, asked.answer.text, evidence))
    if name == "answer_relevancy":
        return await judge.relevancy(row.question, asked.answer.text) if asked.answered else 0.0
    if row.reference is None:
        return None
    if name == "context_precision":
        return context_precision(await judge.useful(row.question, row.reference, passages))
    return share_supported(await judge.supported(row.question, row.reference, passages))


def _evidence(asked: Asked) -> list[str]:
    """What an answer tells besides what was ranked: its sources, and the concepts on its cards."""
    cited = [f"{each.title}\n{each.passage}" for each in asked.answer.citations]
    cards = asked.answer.concepts
    told = [(card.name, card.definition) for card in cards]
    told += [(before.name, before.definition) for card in cards for before in card.prerequisites]
    return cited + [f"{name}: {definition}" for name, definition in told if definition]
