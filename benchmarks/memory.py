"""What the memory of a server does under a mixed load of people who write as much as they ask.

    python -m benchmarks memory --minutes 10 [--shared --students 32]

`vta serve` over two courses with SQLite and the embedded index. Twelve students and four instructors, those
of `full_stack.py`, ask, rate, hand questions to a TA, write and edit FAQ entries, answer and upload without a
pause. With --shared by two workers with PostgreSQL and Redis. Writes docs/runs/memory.json, or
memory_shared.json; the exit status is 1 where a reply was a 5xx or a course told another's text.
"""

from __future__ import annotations

import tempfile
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.full_stack import START_S, requests
from benchmarks.stack_clients import ANIMALS, Client, Seen
from benchmarks.stack_ledger import Ledger
from benchmarks.stack_people import Instructor, Student
from benchmarks.stack_servers import Replica
from benchmarks.stack_setup import ADMIN_KEY, UNLIMITED, make_courses, stores

STUDENTS, INSTRUCTORS = 6, 2
"""Of each course."""
SETTLED_S = 120.0
"""After so long the memory is compared with that of the end."""
EVERY_S = 10.0


def run(
    *, minutes: float = 10.0, folder: Path | None = None, students: int = STUDENTS, shared: bool = False
) -> dict[str, Any]:
    """`students` of each course; `folder` for data and log of the server, which stays.

    With `shared` two workers with PostgreSQL and Redis; that record is memory_shared.json.
    """
    ledger, seen, stop = Ledger(), Seen(), threading.Event()
    with ExitStack() as stack:
        place = folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        settings = UNLIMITED | {"VTA_ADMIN_KEY": ADMIN_KEY} | (stores(stack) if shared else {})
        server = Replica("server", place, settings, workers=1 + shared)
        stack.callback(server.close)
        server.wait_ready(START_S)
        given = (server.address, ledger, seen, stop)
        clients: list[Client] = []
        for course, key in make_courses(server.address, ANIMALS[:2]).items():
            clients += [Student(len(clients) + n, course, "", *given) for n in range(students)]
            clients += [Instructor(len(clients) + n, course, key, *given) for n in range(INSTRUCTORS)]
        threads = [threading.Thread(target=each.run) for each in clients]
        memory = [server.memory_mb()]
        begun = time.monotonic()
        for each in threads:
            each.start()
        while not stop.wait(EVERY_S):
            memory.append(server.memory_mb())
            if time.monotonic() - begun >= 60 * minutes:
                stop.set()
        for each in threads:
            each.join()
    settled = memory[min(round(SETTLED_S / EVERY_S), len(memory) - 1)]
    return {
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
