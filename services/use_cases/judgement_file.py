"""What language models said of the edges of a course, kept so that nothing is asked twice."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from vta.types import EdgeVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptJudgement:
    """What `model` said of a pair, which is the digest of both names and the evidence."""

    pair: str
    verdict: EdgeVerdict
    reason: str
    model: str


_LINE = TypeAdapter(KeptJudgement)


class JudgementFile:
    """The judgements of one course, a line of JSON each; a line that was cut off is passed over."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> dict[str, KeptJudgement]:
        """The latest judgement of each pair."""
        try:
            lines = self._path.read_bytes().splitlines()
        except FileNotFoundError:
            return {}
        found: dict[str, KeptJudgement] = {}
        for line in lines:
            try:
                kept = _LINE.validate_json(line)
            except ValidationError:
                continue
            found[kept.pair] = kept
        return found

    def add(self, judgements: Iterable[KeptJudgement]) -> None:
        """Keep some more; they are there when this returns."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        lines = [json.dumps(asdict(each), ensure_ascii=False) for each in judgements]
        with self._path.open("a", encoding="utf-8") as file:
            file.write("".join(f"\n{line}" for line in lines))  # a line that was cut off ends here
