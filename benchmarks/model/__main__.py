"""All figures that need a real language model, by one command that may be cut off and started again.

.venv/bin/python benchmarks/model ../shared/data OUT --base-url URL --model NAME
    [--parts turns,rgb,teaching,attacks,syllabi,boolq,whole_syllabi,references] [--share F]

OUT holds calls.jsonl (every prompt and reply, with tokens and seconds; what is there is not asked again), and
of each part PART.md (every reply, to read) and PART.json (the figures). Rows are drawn with seed 0 before the
first is asked; the model is asked at temperature 0. `--share` asks every n-th of each part's rows, n its
inverse.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any

import attacks
import documents
import references
import teaching
import turns
import yes_no
from asking import Reply, Ways
from kept import KeptModel, serve_kept

from lab.evaluation.transcript_sets import Judged
from services.demo.sample_courses import create_demo_courses
from services.settings import Settings
from services.wiring import build_platform
from vta.ingest.pipeline import ingest
from vta.languages import Language
from vta.types.courses import Course, CourseId

PARTS = ("turns", "rgb", "teaching", "attacks", "syllabi", "boolq", "whole_syllabi", "references")
RGB_EACH, RGB_FALSE, SYLLABI = 60, 30, 100


class Run:
    """One run over one record of calls."""

    def __init__(self, data: Path, out: Path, base_url: str, kept: KeptModel, given: argparse.Namespace):
        self.data, self.out, self.base_url, self.kept, self.given = data, out, base_url, kept, given
        self.scorer = turns.read_scorer(data)
        self.read: list[str] = []

    def part(self, rows: Sequence[Any]) -> Sequence[Any]:
        return rows[:: max(1, round(1 / self.given.share))]

    def turns(self) -> dict[str, Any]:
        conversations = self.part(turns.draw_conversations(self.data))
        with tempfile.TemporaryDirectory() as home:
            _fill_turns(Path(home), self.data)
            ways = self._ways(Path(home))
            held = [
                self._told(turns.hold(ways, each, peers=n % turns.EVERY_PEERS == 0), each)
                for n, each in enumerate(conversations)
            ]
            ways.close()
        judged = turns.judge(self.scorer, conversations, held)
        _write_lines(self.out / "turns.jsonl", judged)
        return {**turns.figures(judged), "cost": self._cost(judged)}

    def _told(
        self, replies: list[dict[str, Reply]], rows: Sequence[Mapping[str, Any]]
    ) -> list[dict[str, Reply]]:
        for row, ways in zip(rows, replies, strict=True):
            self._show(f"{row['conversation']} {row['turn']}", row["question"], ways)
        return replies

    def rgb(self) -> dict[str, Any]:
        rows = self.part(documents.draw_rgb(self.data, RGB_EACH, RGB_FALSE))
        asked = self._ask_all(rows, lambda vta: documents.put_rgb(vta, rows), ("id", "query"))
        _write_lines(self.out / "rgb.jsonl", documents.cited_rows(rows, asked))
        return documents.rgb_figures(self.scorer, rows, asked)

    def syllabi(self) -> dict[str, Any]:
        rows = self.part(documents.draw_syllabi(self.data, SYLLABI))
        asked = self._ask_all(
            rows, lambda vta: documents.put_syllabi(vta, self.data), ("course_id", "question"), plain=True
        )
        return documents.syllabus_figures(self.scorer, rows, asked)

    def teaching(self) -> dict[str, Any]:
        """Writes the pairs to read blindly, and their key, beside the replies."""
        with tempfile.TemporaryDirectory() as home:
            _fill_turns(Path(home), self.data)
            ways = self._ways(Path(home))
            rows = self.part(teaching.draw_taught(self.data, ways, teaching.TURNS))
            asked = []
            for row in rows:
                asked.append(teaching.compare(ways, self.kept, row))
                self._show(row["conversation"], row["question"], asked[-1])
            ways.close()
        pairs, key = teaching.blind_pairs(rows, asked)
        (self.out / "teaching_pairs.md").write_text("\n".join(pairs), encoding="utf-8")
        _write_lines(self.out / "teaching_key.jsonl", key)
        judged = turns.judge(self.scorer, [[row] for row in rows], [[replies] for replies in asked])
        _write_lines(self.out / "teaching.jsonl", judged)
        return turns.figures(judged)

    def attacks(self) -> Mapping[str, Any]:
        """Third by third, each with courses of its own."""
        drawn = attacks.draw_attacks(self.data)
        rows: list[Any] = []
        replies: list[Reply] = []
        for third in range(max(1, round(3 * self.given.share))):
            own = drawn[third::3]
            with tempfile.TemporaryDirectory() as home:
                platform = build_platform(Settings(home=Path(home)))
                attacks.put_attacks(platform, own)
                platform.close()
                ways = self._ways(Path(home), llm_api_key=attacks.KEY)
                for row, reply in zip(own, attacks.ask_all(ways, own), strict=True):
                    self._show(str(len(rows)), row["text"], {turns.WITH: reply})
                    rows.append(row)
                    replies.append(reply)
                ways.close()
        return attacks.figures(rows, replies, self.kept)

    def references(self) -> dict[str, Any]:
        rows = self.part(references.draw_questions(self.data))
        with tempfile.TemporaryDirectory() as home:
            platform = build_platform(Settings(home=Path(home)))
            references.put_book(platform, self.data)
            platform.close()
            ways = self._ways(Path(home))
            asked = []
            for row in rows:
                asked.append(references.ask(ways, row))
                self._show(f"{row['id']}: {row['answer']}", row["question"], asked[-1])
            ways.close()
        return references.figures(rows, asked)

    def boolq(self) -> dict[str, Any]:
        return self._yes_or_no(self.part(yes_no.draw_passages(self.data)))

    def whole_syllabi(self) -> dict[str, Any]:
        return self._yes_or_no(self.part(yes_no.draw_whole_syllabi(self.data)))

    def _yes_or_no(self, rows: Sequence[Judged]) -> dict[str, Any]:
        def show(row: Judged, answers: yes_no.Answers) -> None:
            self.read.append(f"## {row.question} ({'yes' if row.yes else 'no'})\n\n{row.passage[:1500]}\n")
            for method, said in answers.items():
                quotes = "\n".join(f"    > {quote.text}" for quote in said.quotes)
                self.read.append(f"**{method}**: {said.answer}\n\n    {said.explanation}\n{quotes}\n")
            print(row.question, row.yes, *(said.answer for said in answers.values()), flush=True)

        asked = yes_no.ask_all(rows, self.base_url, self.given.model, show)
        return yes_no.figures(rows, asked)

    def _ask_all(
        self,
        rows: Sequence[Mapping[str, Any]],
        fill: Callable[[Any], None],
        names: tuple[str, str],
        *,
        plain: bool = False,
    ) -> list[dict[str, Reply]]:
        course, question = names
        with tempfile.TemporaryDirectory() as home:
            platform = build_platform(Settings(home=Path(home)))
            fill(platform)
            platform.close()
            ways = self._ways(Path(home))
            asked = []
            for row in rows:
                asked.append(documents.ask(ways, row[course], row[question], plain=plain))
                self._show(str(row["id"]), row[question], asked[-1])
            ways.close()
        return asked

    def _ways(self, home: Path, **settings: Any) -> Ways:
        return Ways(home, self.base_url, self.given.model, self.kept, **settings)

    def _show(self, name: str, question: str, replies: Mapping[str, Reply]) -> None:
        self.read.append(f"## {name}\n\n> {question}\n")
        for way, reply in replies.items():
            shown = reply.text.replace("\n", "\n    ")
            self.read.append(
                f"**{way}** ({reply.route}{', marked' if reply.marked else ''})\n\n    {shown}\n"
            )
        print(
            name, *(f"{self.kept.call(key)['seconds']:.0f}s" for key in replies[turns.WITH].calls), flush=True
        )

    def _cost(self, judged: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Tokens and seconds a turn by way; share of a prompt that begins the platform's last one too."""
        cost: dict[str, Any] = {}
        for way in dict.fromkeys(row["way"] for row in judged):
            calls = [[self.kept.call(key) for key in row["calls"]] for row in judged if row["way"] == way]
            flat = [call for row in calls for call in row]
            if not flat:
                continue
            answers = [row[-1] for row in calls if row]
            texts = ["".join(f"{m['role']}\n{m['content']}\n" for m in call["messages"]) for call in answers]
            same = [
                sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
                / len(other)
                for one, other in pairwise(texts)
            ]
            cost[way] = {
                "calls_a_turn": round(len(flat) / len(calls), 2),
                "prompt_tokens_a_turn": round(sum(call["prompt_tokens"] for call in flat) / len(calls)),
                "answer_tokens_a_turn": round(sum(call["completion_tokens"] for call in flat) / len(calls)),
                "median_first_word_s": sorted(call["first_word_s"] for call in answers)[len(answers) // 2],
                "prompt_same_as_before": round(sum(same) / len(same), 3) if same else None,
            }
        return cost


def _fill_turns(home: Path, data: Path) -> None:
    """The sample courses and those of ../shared/data/students, with their graphs built."""
    platform = build_platform(Settings(home=home))
    for _ in create_demo_courses(platform):
        pass
    named = json.loads((data / "students" / "courses.json").read_text(encoding="utf-8"))
    for folder in sorted((data / "students").glob("*_material")):
        name = folder.name.removesuffix("_material")
        about = named[name]
        course = Course(
            id=CourseId(name),
            name=about["name"],
            domains=tuple(about["domains"]),
            language=Language(about["language"]),
        )
        platform.stores.courses.add(course)
        ingest([folder], course=course, readers=platform.readers, documents=platform.stores.documents)
        platform.graphs.build(course.id)
    platform.close()


def _write_lines(file: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--share", type=float, default=1.0)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout
    with serve_kept(given.base_url, given.out / "calls.jsonl") as (base_url, kept):
        for part in given.parts.split(","):
            run = Run(given.data, given.out, base_url, kept, given)
            began = time.monotonic()
            figures = getattr(run, part)()
            record = {
                "command": f"benchmarks/model ../shared/data OUT --model {given.model} --parts {part}",
                "commit": commit.strip(),
                "model": given.model,
                "temperature": 0,
                "share_of_rows": given.share,
                "seconds": round(time.monotonic() - began),
                "figures": figures,
            }
            text = json.dumps(record, indent=2, ensure_ascii=False)
            (given.out / f"{part}.json").write_text(text + "\n", encoding="utf-8")
            (given.out / f"{part}.md").write_text("\n".join(run.read), encoding="utf-8")
            print(text)


if __name__ == "__main__":
    main()
