"""What the memory of a server does under a mixed load of people who write as much as they ask.

    .venv/bin/python benchmarks/memory.py --minutes 10 [--shared --students 32]

`vta serve` over two courses with SQLite and the embedded index. Twelve students and four instructors, those
of `full_stack.py`, ask, rate, hand questions to a TA, write and edit FAQ entries, answer and upload without a
pause. With --shared by two workers with PostgreSQL and Redis. Writes docs/runs/memory.json, or
memory_shared.json; the exit status is 1 where a reply was a 5xx or a course told another's text.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from full_stack import START_S, requests
from stack_clients import ANIMALS, Client, Seen
from stack_ledger import Ledger
from stack_people import Instructor, Student
from stack_servers import ROOT, Replica
from stack_setup import ADMIN_KEY, UNLIMITED, make_courses, stores

STUDENTS, INSTRUCTORS = 6, 2
"""Of each course."""
SETTLED_S = 120.0
"""After so long the memory is compared with that of the end."""
EVERY_S = 10.0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--folder", type=Path, help="for data and log of the server, to be kept")
    parser.add_argument("--students", type=int, default=STUDENTS, help="of each course")
    parser.add_argument("--shared", action="store_true")
    options = parser.parse_args()
    out = ROOT / "docs" / "runs" / ("memory_shared.json" if options.shared else "memory.json")
    ledger, seen, stop = Ledger(), Seen(), threading.Event()
    with ExitStack() as stack:
        folder = options.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        settings = UNLIMITED | {"VTA_ADMIN_KEY": ADMIN_KEY} | (stores(stack) if options.shared else {})
        server = Replica("server", folder, settings, workers=1 + options.shared)
        stack.callback(server.close)
        server.wait_ready(START_S)
        keys = make_courses(server.address, ANIMALS[:2])
        shared = (server.address, ledger, seen, stop)
        clients: list[Client] = []
        for course, key in keys.items():
            clients += [Student(len(clients) + n, course, "", *shared) for n in range(options.students)]
            clients += [Instructor(len(clients) + n, course, key, *shared) for n in range(INSTRUCTORS)]
        threads = [threading.Thread(target=each.run) for each in clients]
        memory = [server.memory_mb()]
        begun = time.monotonic()
        for each in threads:
            each.start()
        while not stop.wait(EVERY_S):
            memory.append(server.memory_mb())
            print(f"{time.monotonic() - begun:.0f} s: {memory[-1]} MB", file=sys.stderr, flush=True)
            if time.monotonic() - begun >= 60 * options.minutes:
                stop.set()
        for each in threads:
            each.join()
    settled = memory[min(round(SETTLED_S / EVERY_S), len(memory) - 1)]
    record = {
        "command": "benchmarks/memory.py " + " ".join(sys.argv[1:]),
        "commit": subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=ROOT
        ).stdout.strip(),
        "machine": f"{os.cpu_count()} cores, load average {os.getloadavg()[1]:.1f} over 5 minutes",
        "seconds": round(time.monotonic() - begun),
        "clients": len(clients),
        "memory_mb": memory,
        "every_s": EVERY_S,
        "end_over_minute_two": round(memory[-1] / settled, 3),
        "acknowledged": ledger.counts(),
        "undeclared": seen.undeclared[:20],
        "foreign": seen.foreign[:20],
        "after_an_edit": dict(seen.stale),
        "requests": {kind: requests(seen, kind) for kind in sorted(seen.ends)},
    }
    text = json.dumps(record, indent=1, ensure_ascii=False)
    out.write_text(text + "\n", encoding="utf-8")
    print(text)
    sys.exit(any(record[name] for name in ("undeclared", "foreign")))


if __name__ == "__main__":
    main()
