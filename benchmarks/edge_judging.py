"""What a language model's judgement of unsure prerequisites adds to their score, and what it costs.

.venv/bin/python benchmarks/edge_judging.py ../shared/data OUT --base-url URL --model NAME
    [--pairs 40] [--minutes 60]

Of the labelled pairs of a geometry book, those with a line that names both, half of them prerequisites and
half not, nearest to where our score says yes. They are put to the model as `vta graph judge` does. "with"
adds to a pair's log odds what its verdict was worth on the other four fifths of the pairs. OUT keeps what was
answered, so a run that was cut off goes on.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from concept_graph.prerequisites import score_pairs
from concept_graph.prerequisites.evidence import Quotations
from concept_graph.prerequisites.model import THRESHOLD
from concept_graph.prerequisites.occurrences import find, forms, read
from knowledge.vectors.token_table import shipped_encoder
from services.language_model.client import OpenAiLanguageModel
from services.language_model.counting import CountingModel
from services.language_model.structured import StructuredAnswers
from services.use_cases.edge_judging import EdgeJudge
from services.use_cases.judgement_file import JudgementFile
from vta.evaluation.judged_pairs import best_f1
from vta.evaluation.metrics import roc_auc
from vta.types import (
    Concept,
    ConceptEdge,
    ConceptId,
    CourseId,
    EdgeVerdict,
    Language,
    Locator,
    PairId,
    QAPair,
    Source,
)

FOLDS = 5
CONCEPTS = 500
EDGES_A_CONCEPT = 221 / 746
"""Of the graph built of Dive into Deep Learning."""


def draw(data: Path, count: int) -> list[tuple[ConceptEdge, bool]]:
    """Half prerequisites and half not, each with its score and the line that names both."""
    folder = data / "fresh/concepts/geometry_textbook_en"
    passages = [_passage(json.loads(line)) for line in (folder / "sections.jsonl").read_text().splitlines()]
    rows = [json.loads(line) for line in (folder / "pairs.jsonl").read_text().splitlines()]
    pairs = [(row["prerequisite"], row["target"]) for row in rows]
    scores = score_pairs(passages, pairs, encoder=shipped_encoder())
    names = sorted({name for pair in pairs for name in pair})
    text = read(passages)
    found = dict(zip(names, find(text, [forms(name) for name in names]), strict=True))
    quotations = Quotations(text)
    chosen: dict[bool, list[tuple[ConceptEdge, bool]]] = {True: [], False: []}
    order = sorted(
        range(len(rows)), key=lambda n: abs((scores[n] if scores[n] is not None else 9) - THRESHOLD)
    )
    for n in order:
        (a, b), score, label = pairs[n], scores[n], rows[n]["label"] == 1
        line = quotations.quote(found[a], found[b], [b]) if score is not None else None
        if score is None or line is None or len(chosen[label]) == count // 2:
            continue
        edge = ConceptEdge(prerequisite=ConceptId(a), concept=ConceptId(b), score=score, evidence=(line,))
        chosen[label].append((edge, label))
    return [*chosen[True], *chosen[False]]


def _passage(row: Mapping[str, str]) -> QAPair:
    return QAPair(
        id=PairId(row["_id"]),
        course_id=CourseId("book"),
        source=Source.MATERIAL,
        question=row["title"],
        answer=row["text"],
        document=f"{row['_id']}.md",
        locator=Locator(heading_path=(row["title"],)),
    )


def worth(verdicts: Sequence[EdgeVerdict], labels: Sequence[bool]) -> dict[EdgeVerdict, float]:
    """The log likelihood ratio of each verdict, one added to every count."""
    yes, no = (
        Counter(each for each, label in zip(verdicts, labels, strict=True) if label is wanted)
        for wanted in (True, False)
    )
    kinds = len(EdgeVerdict)
    return {
        each: math.log((yes[each] + 1) / (yes.total() + kinds) * (no.total() + kinds) / (no[each] + 1))
        for each in EdgeVerdict
    }


def measure(rows: Sequence[tuple[ConceptEdge, bool]]) -> dict[str, object]:
    """AUC and best F1 without and with the verdicts."""
    judged = [(edge, label) for edge, label in rows if edge.judgement]
    verdicts = [edge.judgement.verdict for edge, _ in judged if edge.judgement]
    found = [edge.judgement.unjudged for edge, _ in judged if edge.judgement]
    labels = [label for _, label in judged]
    fold = np.random.default_rng(0).permutation(len(judged)) % FOLDS
    odds = []
    for n, (verdict, score) in enumerate(zip(verdicts, found, strict=True)):
        rest = [m for m in range(len(judged)) if fold[m] != fold[n]]
        weights = worth([verdicts[m] for m in rest], [labels[m] for m in rest])
        odds.append(math.log(score / (1 - score)) + weights[verdict])
    truth = np.array(labels)
    return {
        "judged": len(judged),
        "verdicts": {
            name: {
                each.value: sum(v is each and y is wanted for v, y in zip(verdicts, labels, strict=True))
                for each in EdgeVerdict
            }
            for name, wanted in (("prerequisites", True), ("others", False))
        },
        "worth": {each.value: round(value, 2) for each, value in worth(verdicts, labels).items()},
        "without": {"auc": roc_auc(truth, np.array(found)), "f1_best": best_f1(np.array(found), truth)},
        "with": {"auc": roc_auc(truth, np.array(odds)), "f1_best": best_f1(np.array(odds), truth)},
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--minutes", type=float, default=60, help="when to stop asking")
    given = parser.parse_args()
    rows = draw(given.data, given.pairs)
    edges = [edge for edge, _ in rows]
    ends = {end for edge in edges for end in (edge.prerequisite, edge.concept)}
    judge = EdgeJudge(
        [Concept(id=end, name=str(end)) for end in ends],
        JudgementFile(given.out / "judgements.jsonl"),
        model=given.model,
        language=Language.EN,
    )
    open_ = np.random.default_rng(0).permutation(len(edges))
    unjudged = judge.unjudged([edges[n] for n in open_])
    asked, cost = [0], dict[str, object]()
    expected = judge.cost(unjudged, known=len(edges) - len(unjudged))

    async def ask() -> CountingModel:
        client = OpenAiLanguageModel(base_url=given.base_url, api_key="", model=given.model, timeout_s=600)
        counting = CountingModel(client)
        try:
            model = StructuredAnswers(counting)
            async with asyncio.timeout(60 * given.minutes):
                await judge.judge(unjudged, model, told=asked.append)
        except TimeoutError:
            print("stopped", flush=True)
        finally:
            await client.aclose()
        return counting

    if unjudged:
        began = time.perf_counter()
        counting = asyncio.run(ask())
        seconds = time.perf_counter() - began
        edges_asked = EDGES_A_CONCEPT * CONCEPTS
        cost = {
            "pairs": asked[-1],
            "calls": counting.calls,
            "prompt_tokens": counting.prompt_tokens,
            "completion_tokens": counting.completion_tokens,
            "estimated": [expected.calls, expected.prompt_tokens, expected.completion_tokens],
            "seconds": round(seconds, 1),
            "edges_of_500_concepts": round(edges_asked),
            "minutes_for_500_concepts": round(seconds / asked[-1] * edges_asked / 60, 1),
        }
    judged = judge.judged(edges)
    figures = measure([(edge, label) for edge, (_, label) in zip(judged, rows, strict=True)])
    record = {"model": given.model, **figures, "cost": cost}
    (given.out / "edge_judging.json").write_text(json.dumps(record, indent=1) + "\n")
    print(json.dumps(record, indent=1))


if __name__ == "__main__":
    main()
