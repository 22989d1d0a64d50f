"""What one text costs the guard: processor time of one thread, the best of three rounds of each text.

python -m benchmarks guard_speed ../shared/data
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from intent.guard.detector import NgramGuard

_ROUNDS = 3


def measure(guard: NgramGuard, texts: list[str]) -> dict[str, float]:
    """Milliseconds a text, one at a time."""
    times = np.empty((_ROUNDS, len(texts)))
    for round_times in times:
        for n, text in enumerate(texts):
            started = time.thread_time_ns()
            guard.inspect(text)
            round_times[n] = (time.thread_time_ns() - started) / 1e6
    best = times.min(axis=0)
    p50, p99 = np.percentile(best, (50, 99))
    mean = float(best.mean())
    return {"n": len(texts), "mean": round(mean, 4), "p50": round(p50, 4), "p99": round(p99, 4)}


def run(data: Path) -> dict[str, Any]:
    """Milliseconds of processor time by set."""
    guard = NgramGuard.load()
    names = ("benign_student_dev", "injection_zh_dev", "injection_en_dev")
    files = {name: data / "attacks" / f"{name}.jsonl" for name in names}
    figures = {
        name: measure(guard, [json.loads(line)["text"] for line in file.read_text("utf-8").splitlines()])
        for name, file in files.items()
    }
    return {"cpu_ms": figures}
