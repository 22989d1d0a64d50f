"""Ask the written dialogues: is a follow-up's concept recovered, is a question that stands alone left so?

.venv/bin/python benchmarks/follow_ups.py [--half odd|even|all] [--show] [--json FILE]
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from concept_graph.mentions import DictionaryLinker
from prompts.follow_up import RuleFollowUp
from vta.ports import ConceptLinker, FollowUpRewriter
from vta.text import normalise
from vta.types import (
    Concept,
    ConceptId,
    Course,
    CourseId,
    Language,
    PastTurn,
    Route,
)

DIALOGUES = Path(__file__).parents[1] / "tests" / "data" / "follow_ups.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    """A written dialogue. `wanted` are the concepts of its stand-alone form; none where it stands alone.

    `history` holds each earlier question, and whether it was small talk.
    """

    id: str
    language: Language
    dictionary: tuple[str, ...]
    history: tuple[tuple[str, bool], ...]
    question: str
    wanted: tuple[str, ...]

    @property
    def half(self) -> str:
        return "odd" if int(self.id.rsplit("-", 1)[1]) % 2 else "even"


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUpFigures:
    """How many of the follow-ups were recovered, and of the others left unchanged."""

    language: str
    half: str
    follow_ups: int
    recovered: int
    stand_alone: int
    unchanged: int

    @property
    def recovered_share(self) -> float:
        return self.recovered / self.follow_ups

    @property
    def unchanged_share(self) -> float:
        return self.unchanged / self.stand_alone


def read_dialogues(file: Path = DIALOGUES) -> tuple[Dialogue, ...]:
    """The dialogues of the file in their order."""
    rows = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return tuple(
        Dialogue(
            id=row["id"],
            language=Language(row["id"][:2]),
            dictionary=tuple(row["dictionary"]),
            history=tuple((turn["question"], turn.get("small_talk", False)) for turn in row["history"]),
            question=row["question"],
            wanted=tuple(row.get("concepts", ())),
        )
        for row in rows
    )


def rewrite_dialogue(dialogue: Dialogue, rewriter: FollowUpRewriter) -> str:
    """The last question as it comes out, every question before it rewritten in its turn."""
    course = Course(
        id=CourseId("dialogue"), name="Dialogue", domains=("Dialogue",), language=dialogue.language
    )
    linker = DictionaryLinker(
        Concept(id=ConceptId(name), name=name, domains=course.domains, courses=(course.id,))
        for name in dialogue.dictionary
    )
    history: list[PastTurn] = []
    for question, is_small_talk in dialogue.history:
        standalone = _rewrite(question, history, course, linker, rewriter)
        route = Route.CHIT_CHAT if is_small_talk else Route.CHAIN_OF_TEACH
        history.append(_turn(question, standalone, route, course, linker))
    return _rewrite(dialogue.question, history, course, linker, rewriter)


def is_right(dialogue: Dialogue, standalone: str) -> bool:
    """All wanted concepts named; where none is wanted, the question unchanged."""
    if not dialogue.wanted:
        return standalone == dialogue.question
    return all(normalise(concept) in normalise(standalone) for concept in dialogue.wanted)


def measure(
    dialogues: Iterable[Dialogue], rewriter: FollowUpRewriter, *, language: str, half: str
) -> FollowUpFigures:
    """The figures over the dialogues of a language ("both") and a half ("all")."""
    chosen = [d for d in dialogues if language in ("both", d.language) and half in ("all", d.half)]
    rights = [(bool(d.wanted), is_right(d, rewrite_dialogue(d, rewriter))) for d in chosen]
    return FollowUpFigures(
        language=language,
        half=half,
        follow_ups=sum(wanted for wanted, _ in rights),
        recovered=sum(wanted and right for wanted, right in rights),
        stand_alone=sum(not wanted for wanted, _ in rights),
        unchanged=sum(right and not wanted for wanted, right in rights),
    )


def _rewrite(
    question: str,
    history: Sequence[PastTurn],
    course: Course,
    linker: ConceptLinker,
    rewriter: FollowUpRewriter,
) -> str:
    mentions = linker.link(question, course=course)
    return rewriter.rewrite(question, history=history, mentions=mentions)


def _turn(question: str, standalone: str, route: Route, course: Course, linker: ConceptLinker) -> PastTurn:
    return PastTurn(
        question=question,
        standalone_question=standalone,
        answer="",
        route=route,
        concepts=tuple(mention.concept.name for mention in linker.link(standalone, course=course)),
        flagged=False,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=("odd", "even", "all"), default="all")
    parser.add_argument("--show", action="store_true", help="print the dialogues that came out wrong")
    parser.add_argument("--json", type=Path, help="write the record here")
    given = parser.parse_args()
    dialogues, rewriter = read_dialogues(), RuleFollowUp()
    halves = ("odd", "even", "all") if given.half == "all" else (given.half,)
    figures = [
        measure(dialogues, rewriter, language=language, half=half)
        for half in halves
        for language in (*Language, "both")
    ]
    for each in figures:
        print(
            f"{each.half:5}{each.language:6}recovered {each.recovered}/{each.follow_ups} = "
            f"{each.recovered_share:.3f}  unchanged {each.unchanged}/{each.stand_alone} = "
            f"{each.unchanged_share:.3f}"
        )
    if given.show:
        for dialogue in (d for d in dialogues if d.half in halves):
            if not is_right(dialogue, standalone := rewrite_dialogue(dialogue, rewriter)):
                print(f"{dialogue.id}: {dialogue.question!r} -> {standalone!r}, wanted {dialogue.wanted}")
    if given.json:
        record = {
            "command": "benchmarks/follow_ups.py",
            "seed": 0,
            "data_sha256": hashlib.sha256(DIALOGUES.read_bytes()).hexdigest()[:16],
            "figures": [asdict(each) for each in figures],
        }
        given.json.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
