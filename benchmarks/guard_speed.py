"""What one text costs the guard, in processor time of one thread (other work on the machine does not count).

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

_WARM = 50


def measure(guard: NgramGuard, texts: list[str]) -> dict[str, float]:
    """Milliseconds a text, one at a time."""
    times = []
    for text in [*texts[:_WARM], *texts]:
        started = time.thread_time_ns()
        guard.inspect(text)
        times.append((time.thread_time_ns() - started) / 1e6)
    p50, p99 = np.percentile(times[_WARM:], (50, 99))
    mean = float(np.mean(times[_WARM:]))
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
