"""Citation recall and precision, as in ALCE (Gao et al., EMNLP 2023), of replies that were judged before.

.venv/bin/python benchmarks/model/cited.py OUT/turns.jsonl [OUT/rgb.jsonl]

The judgements (tests/data/citations_judged_1_5b.jsonl) stand to sentences, by a hash of their letters, and to
the pairs that they cited then. So another check of the same model's words can be measured without another
reading; sentences and citations that nobody judged are counted and left out. Intervals are over replies.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from turns import WITH, interval

from vta.dialogue.grounding import cited_numbers, without_marks
from vta.sentences import sentence_spans

JUDGED = Path(__file__).parents[2] / "tests" / "data" / "citations_judged_1_5b.jsonl"

Row = dict[str, Any]


def sentence_key(sentence: str) -> str:
    """What a sentence is known by: its letters and digits, hashed."""
    letters = re.sub(r"\W+", "", without_marks(sentence)).lower()
    return hashlib.sha256(letters.encode()).hexdigest()[:12]


def cited_sentences(text: str, pairs: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Each sentence of a reply with the pairs that it cites; [n] is the n-th of them."""
    sentences = [text[start:end] for start, end in sentence_spans(text)]
    return [(each, [pairs[n - 1] for n in cited_numbers(each) if n <= len(pairs)]) for each in sentences]


def figures(rows: Sequence[Row], judgements: Mapping[str, Mapping[str, Row]]) -> Row:
    """Recall by sentence, precision by citation, and how many right ones are no longer shown."""
    claims: list[Row] = []
    citations: list[Row] = []
    shown, new, lost = 0, 0, 0
    for row in rows:
        known = judgements[f"{row['conversation']}/{row['turn']}"]
        seen = set()
        for sentence, cited in cited_sentences(row["text"], row["pairs"]):
            judged = known.get(sentence_key(sentence))
            if judged is None or judged["sentence"] in seen:  # the course's own words may say it once more
                continue
            seen.add(judged["sentence"])
            verdicts = [judged["citations"].get(pair) for pair in cited]
            new += sum(verdict is None for verdict in verdicts)
            own = [{"conversation": row["conversation"], "right": bool(v)} for v in verdicts if v is not None]
            citations += own
            is_right = judged["supported"] and (any(each["right"] for each in own) or None in verdicts)
            claims.append({"conversation": row["conversation"], "right": is_right})
        shown += len(seen)
        lost += sum(each["supported"] and key not in seen for key, each in known.items())
    return {
        "replies": len(rows),
        "sentences shown": shown,
        "recall": interval(claims, lambda each: each["right"]),
        "citations": len(citations),
        "precision": interval(citations, lambda each: each["right"]),
        "citations of a pair that nobody judged": new,
        "supported sentences that are not shown": lost,
    }


def read_judgements() -> dict[str, dict[str, Row]]:
    """By conversation and turn, then by the sentence's key."""
    rows = [json.loads(line) for line in JUDGED.read_text(encoding="utf-8").splitlines()]
    return {row["id"]: {each["sentence"]: each for each in row["sentences"]} for row in rows}


def main() -> None:
    judgements = read_judgements()
    files = [Path(name) for name in sys.argv[1:]]
    command = " ".join(["benchmarks/model/cited.py", *(f"OUT/{file.name}" for file in files)])
    record: Row = {"command": command}
    for file in files:
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        own = [
            row for row in rows if row["way"] == WITH and f"{row['conversation']}/{row['turn']}" in judgements
        ]
        record[file.stem] = figures(own, judgements)
    print(json.dumps(record, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
