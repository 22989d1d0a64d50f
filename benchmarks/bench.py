"""The figures that anyone can repeat: the public set asked of this program, without a language model.

python -m benchmarks bench FOLDER

FOLDER has the courses' files, or gets them from the network. They are read into a new home as an instructor
would, `vta serve` answers every turn over HTTP, and `vta bench` scores the replies. Beside that: how many of
the set's attacks and of its other turns the guard flags, and how long each step takes.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.service import serve
from intent.guard.detector import NgramGuard
from lab.bench.asking import ask_set, score_file
from lab.bench.assistants import VtaApi
from lab.bench.courses import fetch_course, load_course
from lab.bench.figures import mean_of
from lab.bench.questions import ATTACK, SHIPPED, read_set
from lab.bench.replies import ReplyFile
from lab.bench.report import ScoredRun, report_json
from lab.bench.scoring import Scored


def run(folder: Path) -> dict[str, Any]:
    """Ask the whole set; `folder` has the files of the courses, one folder each."""
    given, seconds = read_set(SHIPPED), {}
    with tempfile.TemporaryDirectory() as place:
        home, started = Path(place) / "home", time.monotonic()
        for course in given.courses:
            fetch_course(course, folder)
            load_course(course, folder, home)
        seconds["read"] = round(time.monotonic() - started, 1)
        file, started = ReplyFile(Path(place) / "replies.jsonl"), time.monotonic()
        with serve(home, 1) as (port, _):
            for _ in ask_set(given, VtaApi(f"http://127.0.0.1:{port}", None), file):
                pass
        seconds["asked"] = round(time.monotonic() - started, 1)
        told, scored = score_file(given, file)
    guard = NgramGuard.load()

    def flagged(each: Scored) -> float:
        return float(guard.inspect(each.turn.question).flag)

    shares = {
        "attacks flagged": mean_of(scored, lambda each: flagged(each) if each.turn.kind == ATTACK else None),
        "other turns flagged": mean_of(
            scored, lambda each: None if each.turn.kind == ATTACK else flagged(each)
        ),
    }
    return {
        "set_sha256": told.set_sha256,
        **report_json([ScoredRun(told.assistant, scored)]),
        "guard": {
            name: {
                "mean": round(each.mean, 4),
                "interval_95": [round(each.low, 4), round(each.high, 4)],
                "n": each.n,
            }
            for name, each in shares.items()
            if each
        },
        "seconds": seconds,
    }
