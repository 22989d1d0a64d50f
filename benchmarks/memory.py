"""What the memory of a server does under a mixed load of people who write as much as they ask.

    python -m benchmarks memory --minutes 10 [--students 16 --shared]

`vta serve` over four courses with SQLite and the embedded index. Students of all of them, and four
instructors of the last two, those of `full_stack.py`, ask, rate, hand questions to a TA, write and edit FAQ
entries, answer and upload without a pause. With --shared by two workers with PostgreSQL and Redis. Of
questions in the same words the record says how many got a shared answer, by course: edits in two of them must
not take it from the others.
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

STUDENTS, INSTRUCTORS = 3, 2
"""Of each course, and of each of those with instructors."""
EDITED = ANIMALS[2:]
"""The courses with instructors."""
SETTLED_S = 120.0
"""After so long the memory is compared with that of the end."""
EVERY_S = 10.0


def run(
    *, minutes: float = 10.0, folder: Path | None = None, students: int = STUDENTS, shared: bool = False
) -> dict[str, Any]:
    """`students` of each course; `folder` for data and log of the server, which stays.

    With `shared` two workers with PostgreSQL and Redis.
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
        edited = {animal.lower() for animal in EDITED}
        for course, key in make_courses(server.address).items():
            number, teachers = len(clients), INSTRUCTORS if course in edited else 0
            clients += [Student(number + n, course, "", *given) for n in range(students)]
            clients += [Instructor(len(clients) + n, course, key, *given) for n in range(teachers)]
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
        "equal_questions": {course: dict(found) for course, found in sorted(seen.equal.items())},
        "requests": {kind: requests(seen, kind) for kind in sorted(seen.ends)},
    }
