"""What one text costs the guard: processor time of one thread, the best of three rounds of each text.

.venv/bin/python benchmarks/guard_speed.py ../shared/data > docs/runs/guard_speed.json
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import time
from pathlib import Path

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


def main(data: Path) -> None:
    guard = NgramGuard.load()
    names = ("benign_student_dev", "injection_zh_dev", "injection_en_dev")
    files = {name: data / "attacks" / f"{name}.jsonl" for name in names}
    figures = {
        name: measure(guard, [json.loads(line)["text"] for line in file.read_text("utf-8").splitlines()])
        for name, file in files.items()
    }
    commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    machine = f"{platform.machine()}, one thread"
    print(json.dumps({"commit": commit.stdout.strip(), "machine": machine, "cpu_ms": figures}, indent=1))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
