"""First questions of a course, searched before and after a model said what its passages are asked as.

.venv/bin/python benchmarks/enrichment.py HOME ../shared/data COURSE... [--price P C] [--json FILE]

HOME is a data folder with the courses of students/, their graphs built; VTA_LLM_BASE_URL and VTA_LLM_MODEL
name the model. A run that was broken off goes on. hit@k is the share of first questions all of whose facts
stand in the first k passages; before is the same folder without what the model said. Tokens as the model's
server counts them, money at P and C for a million tokens of prompts and replies; `passages` were asked about.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from student_turns import interval, read_turns

from services.dialogue.model_cost import total_of
from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.types.courses import CourseId

HITS = (1, 5)


def enrich(platform: Platform, course: CourseId) -> dict[str, int]:
    """Ask about the passages that were not asked about yet; what there is then."""
    print(course, platform.enrichment.ask(course, platform.enrichment.plan(course)), flush=True)
    asked_as = [pair.asked_as for pair in platform.stores.documents.pairs(course)]
    return {"passages": platform.enrichment.count(course), "lines": sum(map(len, asked_as))}


def hits(platform: Platform, course_id: CourseId, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """hit@k with its interval, and by row."""
    import score  # beside the data

    course, knowledge = platform.stores.courses.course(course_id), platform.knowledge.current()
    found: dict[int, list[float]] = {most: [] for most in HITS}
    for row in rows:
        mentions = knowledge.linker.link(row["question"], course=course)
        ranked = knowledge.ranker.rank(
            row["question"], course=course, mentions=mentions, chit_chat=0.0, top=max(HITS)
        )
        for most in HITS:
            said = score.norm(
                "\n".join(f"{c.pair.question}\n{c.pair.answer}" for c in ranked.candidates[:most])
            )
            found[most].append(float(all(any(score.found(p, said) for p in fact) for fact in row["must"])))
    return {f"hit@{most}": {"of": interval(found[most]), "rows": found[most]} for most in HITS}


def measure(home: Path, course: CourseId, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Both searches, and what the model cost."""
    platform = build_platform(Settings(home=home))
    made = enrich(platform, course)
    after = hits(platform, course, rows)
    platform.close()
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder) / "home"
        shutil.copytree(home, bare)
        platform = build_platform(Settings(home=bare))
        usage = total_of([each for each in platform.stores.usage.totals() if each.course_id == course])
        platform.enrichment.remove(course)
        before = hits(platform, course, rows)
        platform.close()
    tokens = {"prompt": usage.prompt_tokens, "completion": usage.completion_tokens}
    return {"n": len(rows), "made": made, "tokens": tokens, "before": before, "after": after}


def main() -> None:
    """Measure each course and print, or write the record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("home", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("courses", nargs="+", type=CourseId)
    parser.add_argument("--price", nargs=2, type=float, default=(0.15, 0.60))
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    turns, _ = read_turns(given.data)
    record = {}
    for course in given.courses:
        rows = [r for r in turns if r["course"] == course and r["turn"] == 0 and r["answerable"] is True]
        found = measure(given.home, course, rows)
        tokens = found["tokens"]
        found["money"] = round(
            (tokens["prompt"] * given.price[0] + tokens["completion"] * given.price[1]) / 1e6, 4
        )
        record[course] = found
        for when in ("before", "after"):
            print(course, when, *(f"{name} {each['of']}" for name, each in found[when].items()))
    command = f"benchmarks/enrichment.py HOME ../shared/data {' '.join(given.courses)}"
    text = json.dumps({"command": command, "courses": record}, indent=1)
    if given.json:
        given.json.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
