"""Follow-ups of two public sets made to stand alone: by the rules, or by a model, beside copying.

.venv/bin/python benchmarks/rewriting.py ../shared/data [--base-url URL --model NAME] [--replies FILE]
    [--json FILE] [--show N]
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

from model.kept import serve_kept

from prompts.follow_up import RuleFollowUp, TemplateStandalonePrompt
from services.language_model.client import OpenAiLanguageModel
from vta.dialogue.standing_alone import find_fault
from vta.errors import UpstreamFailed
from vta.evaluation.rouge import rouge
from vta.text import Analyser, normalise
from vta.types import Language, PastTurn, Route

FILES = {"zh": "fresh/rewrite/rewrite_zh.jsonl", "en": "fresh/rewrite/cast_en.jsonl"}
CHINESE_ROWS = 300
Rewrite = Callable[["Row"], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A question after the turns before it, and the form in which a person made it stand alone."""

    id: str
    language: Language
    history: tuple[PastTurn, ...]
    question: str
    wanted: str

    @property
    def is_finished(self) -> bool:
        return _plain(self.question) == _plain(self.wanted)


@dataclass(frozen=True, slots=True, kw_only=True)
class RewritingFigures:
    """Exact matches (letters alone) and mean ROUGE-L F1 of follow-ups; finished questions left alone."""

    set: str
    way: str
    follow_ups: int
    exact: float
    rouge_l: float
    finished: int
    left_alone: float | None


def read_rows(data: Path) -> dict[str, tuple[Row, ...]]:
    """The rows with a history: in Chinese two people speak in turn; CAsT has earlier questions alone."""
    sets: dict[str, tuple[Row, ...]] = {}
    for language, name in FILES.items():
        lines = (data / name).read_text(encoding="utf-8").splitlines()
        raw = [json.loads(line) for line in (lines[:CHINESE_ROWS] if language == "zh" else lines)]
        sets[language] = tuple(
            Row(
                id=row["id"],
                language=Language(language),
                history=_history(row["history"], language),
                question=row["question"],
                wanted=row["rewrite"],
            )
            for row in raw
            if row["history"]
        )
    return sets


def _history(said: Sequence[str], language: str) -> tuple[PastTurn, ...]:
    if language == "zh":
        return (_turn(said[0], said[0], said[1] if len(said) > 1 else ""),)
    turns: list[PastTurn] = []
    for question in said:  # each as the rules left it, as the assistant would
        alone = RuleFollowUp().rewrite(question, history=turns, mentions=())
        turns.append(_turn(question, alone, ""))
    return tuple(turns)


def _turn(question: str, standalone: str, answer: str) -> PastTurn:
    return PastTurn(
        question=question,
        standalone_question=standalone,
        answer=answer,
        route=Route.CHAIN_OF_TEACH,
        concepts=(),
        flagged=False,
    )


def by_copying(row: Row) -> str:
    """The question as it is."""
    return row.question


def by_rules(row: Row) -> str:
    """The rules alone: no concept is known."""
    return RuleFollowUp().rewrite(row.question, history=row.history, mentions=())


def by_model(model: OpenAiLanguageModel, runner: asyncio.Runner) -> Rewrite:
    """The model's words where the rules find a follow-up, as the assistant asks it and with its checks.

    No concept is known, so the checks of concepts never fire.
    """
    analyser = Analyser()

    def rewrite(row: Row) -> str:
        rules = by_rules(row)
        if rules == row.question:
            return rules
        messages = TemplateStandalonePrompt().build(row.question, history=row.history, language=row.language)
        try:
            reply = runner.run(model.complete(messages)).text.strip()
        except UpstreamFailed as failure:
            print(f"{row.id}: {failure.message}", file=sys.stderr)
            return rules
        said = [text for turn in row.history for text in (turn.question, turn.answer)]
        fault = find_fault(
            reply,
            question=row.question,
            by_rules=rules,
            said=said,
            link=lambda text: frozenset(),
            analyser=analyser,
        )
        return rules if fault else reply

    return rewrite


def measure(name: str, rows: Sequence[Row], way: str, rewrite: Rewrite) -> RewritingFigures:
    """The figures of one way on one set."""
    made = [(row, rewrite(row)) for row in rows]
    changed = [(row, text) for row, text in made if not row.is_finished]
    finished = [_plain(text) == _plain(row.question) for row, text in made if row.is_finished]
    return RewritingFigures(
        set=name,
        way=way,
        follow_ups=len(changed),
        exact=sum(_plain(text) == _plain(row.wanted) for row, text in changed) / len(changed),
        rouge_l=sum(rouge_l(text, row.wanted) for row, text in changed) / len(changed),
        finished=len(finished),
        left_alone=sum(finished) / len(finished) if finished else None,
    )


def rouge_l(text: str, wanted: str) -> float:
    """F1 of the longest common subsequence: of characters in Chinese, of words in English."""
    return rouge(_tokens(text), _tokens(wanted)).rouge_l


def _tokens(text: str) -> list[str]:
    plain = normalise(text)
    if any("\u4e00" <= letter <= "\u9fff" for letter in plain):
        return [letter for letter in plain if letter.isalnum()]
    return "".join(c if c.isalnum() else " " for c in plain).split()


def _plain(text: str) -> str:
    return " ".join(_tokens(text))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--base-url", help="an OpenAI-compatible server to rewrite too")
    parser.add_argument("--model", default="model")
    parser.add_argument("--replies", type=Path, help="keep the model's calls here, to go on from")
    parser.add_argument("--json", type=Path, help="write the record here")
    parser.add_argument("--show", type=int, default=0, help="print so many of the rules' forms a set")
    given = parser.parse_args()
    ways: dict[str, Rewrite] = {"copying": by_copying, "rules": by_rules}
    sets = read_rows(given.data)
    with ExitStack() as stack:
        if url := given.base_url:
            if given.replies:
                url, _ = stack.enter_context(serve_kept(url, given.replies))
            model = OpenAiLanguageModel(
                base_url=url, api_key="", model=given.model, timeout_s=60.0, max_retries=0
            )
            ways[given.model] = by_model(model, stack.enter_context(asyncio.Runner()))
        figures = [
            measure(name, rows, way, rewrite) for name, rows in sets.items() for way, rewrite in ways.items()
        ]
    for each in figures:
        alone = "" if each.left_alone is None else f"  left alone {each.left_alone:.3f} of {each.finished}"
        scores = f"exact {each.exact:.3f}  ROUGE-L {each.rouge_l:.3f} of {each.follow_ups}"
        print(f"{each.set} {each.way:10} {scores}{alone}")
    for rows in sets.values():
        for row in [row for row in rows if by_rules(row) != row.wanted][: given.show]:
            print(f"{row.id}: {row.question!r} -> {by_rules(row)!r}, wanted {row.wanted!r}")
    if given.json:
        data = b"".join((given.data / name).read_bytes() for name in FILES.values())
        record = {
            "command": "benchmarks/rewriting.py ../shared/data",
            "data_sha256": hashlib.sha256(data).hexdigest()[:16],
            "figures": [asdict(each) for each in figures],
        }
        given.json.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
