"""What files take that were made to bring down their reader (tests/hostile_files.py writes them).

    python -m benchmarks hostile_files [NAME ...]

Each is uploaded through the use case that the API and the console call, in a process of its own: its seconds
until the report, the peak memory (resident) of that process and of its children, and how long the one-line
note of another course took that was uploaded right after it.
"""

from __future__ import annotations

import io
import os
import resource
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import typer
from hostile_files import HOSTILE, write_hostile

from benchmarks.record import in_own_process
from services.materials.ingests import Job
from services.reading.given_files import GivenFile
from services.settings import Settings
from services.wiring import build_platform
from vta.languages import Language
from vta.types.courses import Course, CourseId

MEGABYTE = 1_000_000
MOST_MB, MOST_S = 1000, 20
NOTE = b"# Zoo example\n\nThe giraffe in our zoo example is five metres tall.\n"
COURSE = Course(id=CourseId("hostile"), name="Hostile", domains=("x",), language=Language.EN)
OTHER = Course(id=CourseId("other"), name="Other", domains=("x",), language=Language.EN)


class ChildWatch(threading.Thread):
    """The greatest memory and processor time of any child of this process."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.peak_mb = 0.0
        self.start()

    def run(self) -> None:
        me = os.getpid()
        while True:
            for task in Path(f"/proc/{me}/task").iterdir():
                for child in _read(task / "children").split():
                    self.peak_mb = max(self.peak_mb, _peak_mb(int(child)))
            time.sleep(0.02)


def take_in(file: Path, home: Path) -> dict[str, object]:
    """Upload one file, and a note of another course beside it."""
    vta = build_platform(Settings(home=home))
    for course in (COURSE, OTHER):
        vta.stores.courses.add(course)
    vta.knowledge.current()
    before, watch = _peak_mb(os.getpid()), ChildWatch()
    start = time.perf_counter()
    with file.open("rb") as given:
        job = vta.materials.begin(COURSE, [GivenFile(name=file.name, file=given)])
    beside_start = time.perf_counter()
    note = vta.materials.begin(OTHER, [GivenFile(name="zoo.md", file=io.BytesIO(NOTE))])
    beside_s = _ended(note) - beside_start
    seconds = _ended(job) - start
    report = job.report
    outcome = "failed: " + job.fault if report is None else f"read, {report.pairs} passages"
    if report is not None and report.rejected:
        outcome = report.rejected[0].reason
    peak_mb = _peak_mb(os.getpid())
    vta.close()
    processor = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "outcome": outcome,
        "seconds": round(seconds, 1),
        "processor_s": round(processor.ru_utime + processor.ru_stime, 1),
        "beside_s": round(beside_s, 2),
        "parent_before_mb": round(before),
        "parent_peak_mb": round(peak_mb),
        "child_peak_mb": round(watch.peak_mb),
    }


def measure(name: str) -> dict[str, object]:
    """One file, written and taken in by a process of its own."""
    with tempfile.TemporaryDirectory() as place:
        in_own_process(write_hostile, name, Path(place))
        file = Path(place, name)
        found = in_own_process(take_in, file, Path(place, "home"))
        size = file.stat().st_size
    return {"file": name, "megabytes": round(size / MEGABYTE, 1), **found}


def _ended(job: Job) -> float:
    while job.running:
        time.sleep(0.01)
    return time.perf_counter()


def _peak_mb(pid: int) -> float:
    lines = [line for line in _read(Path(f"/proc/{pid}/status")).splitlines() if line.startswith("VmHWM")]
    return int(lines[0].split()[1]) * 1024 / MEGABYTE if lines else 0.0


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError:
        return ""


def run(names: list[str] = typer.Argument(None)) -> dict[str, Any]:
    """`names`: the files that are measured; all where none is named."""
    rows = [measure(name) for name in names or HOSTILE]
    return {
        "largest": {
            key: max(float(str(row[key])) for row in rows)
            for key in ("seconds", "processor_s", "beside_s", "parent_peak_mb", "child_peak_mb")
        },
        "over": [
            row["file"]
            for row in rows
            if float(str(row["seconds"])) > MOST_S
            or max(float(str(row["parent_peak_mb"])), float(str(row["child_peak_mb"]))) > MOST_MB
        ],
        "files": rows,
    }
