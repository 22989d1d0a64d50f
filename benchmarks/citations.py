"""Citation recall and precision of a model's replies, as in ALCE (Gao et al., EMNLP 2023).

.venv/bin/python benchmarks/citations.py tests/data/replies_judged.jsonl > docs/runs/citations.json

A row is a reply: `question`, `reply` (the model's own words with its marks), `passages` (title and
text; [n] is the n-th), `definitions`, and in `claims` the `sentence` of each claim with its `support`: the
smallest sets of passages that a reader found to support it in full, none where nothing does. So judgements do
not depend on what is cited, and hold for any rule that sets marks.

Recall is the share of claims whose cited passages together support them. Precision is the share of citations
that count: those of a claim with recall, unless the passage does not support it alone and the others do
without it. `model` are the marks that the model set, `platform` those of `SupportCheck`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from knowledge.vectors.token_table import shipped_encoder
from lab.evaluation.rows import data_hash
from services.labelled_rows import Row, read_rows
from vta.dialogue.grounding import cited_numbers, without_marks
from vta.dialogue.support import SupportCheck
from vta.text import Analyser
from vta.types.concepts import Concept
from vta.types.courses import ConceptId, CourseId, PairId
from vta.types.language_model import TeachStep
from vta.types.pairs import Candidate, QAPair, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """A claim with what it cites and the sets of passages that support it; `marked` as without support."""

    cited: tuple[int, ...]
    support: tuple[frozenset[int], ...]
    marked: bool = False


def is_recalled(cited: Collection[int], support: Sequence[frozenset[int]]) -> bool:
    """Whether the passages together support the claim."""
    return any(each <= set(cited) for each in support)


def counts(number: int, claim: Cited) -> bool:
    """Whether a citation is precise: needed, or enough alone, for a claim with recall."""
    others = [n for n in claim.cited if n != number]
    is_irrelevant = not is_recalled([number], claim.support) and is_recalled(others, claim.support)
    return is_recalled(claim.cited, claim.support) and not is_irrelevant


def measure(claims: Sequence[Cited]) -> dict[str, object]:
    """ALCE's two measures, and how the marks of missing support agree with the reader."""
    citations = [counts(n, claim) for claim in claims for n in claim.cited]
    shown = [claim for claim in claims if not claim.marked]
    without = [claim for claim in claims if not claim.support]
    return {
        "claims": len(claims),
        "with_support": len(claims) - len(without),
        "citations": len(citations),
        "recall": _share(is_recalled(claim.cited, claim.support) for claim in claims),
        "recall_of_those_with_support": _share(
            is_recalled(claim.cited, claim.support) for claim in claims if claim.support
        ),
        "recall_of_those_not_marked": _share(is_recalled(claim.cited, claim.support) for claim in shown),
        "precision": _share(citations),
        "marked_without_support": f"{sum(claim.marked for claim in without)} of {len(without)}",
        "marked_with_support": sum(claim.marked and bool(claim.support) for claim in claims),
    }


def _share(found: Iterable[bool]) -> float | None:
    held = list(found)
    return round(sum(held) / len(held), 3) if held else None


def judged_claims(row: Row) -> tuple[list[Cited], list[Cited]]:
    """The claims of a reply as the model cited them, and as the platform does."""
    texts: Sequence[Mapping[str, str]] = row["passages"]  # type: ignore[assignment]
    named: Sequence[Mapping[str, str]] = row.get("definitions", ())  # type: ignore[assignment]
    claims: Sequence[Mapping[str, object]] = row["claims"]  # type: ignore[assignment]
    reply = str(row["reply"])
    support = {str(c["sentence"]): tuple(map(frozenset, c["support"])) for c in claims}  # type: ignore[call-overload]
    found = SupportCheck(Analyser(), embedder=shipped_encoder()).attribute(
        reply,
        candidates=[_candidate(n, text) for n, text in enumerate(texts, start=1)],
        steps=[_step(each) for each in named],
        question=str(row["question"]),
    )
    model, platform = [], []
    for start, end, attribution in found:
        sentence = without_marks(reply[start:end])
        if sentence in support:
            cited = tuple(n for n in cited_numbers(reply[start:end]) if 1 <= n <= len(texts))
            model.append(Cited(cited=cited, support=support[sentence]))
            platform.append(
                Cited(
                    cited=attribution.sources,
                    support=support[sentence],
                    marked=attribution.supported is False,
                )
            )
    return model, platform


def _candidate(n: int, passage: Mapping[str, str]) -> Candidate:
    pair = QAPair(
        id=PairId(str(n)),
        course_id=CourseId("c"),
        source=Source.MATERIAL,
        question=passage["title"],
        answer=passage["text"],
    )
    return Candidate(pair=pair, bm25=1.0, weight=1.0, score=1.0)


def _step(definition: Mapping[str, str]) -> TeachStep:
    name = definition["name"]
    return TeachStep(
        concept=Concept(id=ConceptId(name), name=name, definition=definition["definition"]), prerequisites=()
    )


def main() -> None:
    file = Path(sys.argv[1])
    rows = read_rows(file, ("question", "reply", "passages", "claims"))
    pairs = [judged_claims(row) for row in rows]
    record = {
        "command": f"benchmarks/citations.py {file}",
        "replies": len(rows),
        "data_sha256": data_hash([file]),
        "model": measure([claim for model, _ in pairs for claim in model]),
        "platform": measure([claim for _, platform in pairs for claim in platform]),
    }
    print(json.dumps(record, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
