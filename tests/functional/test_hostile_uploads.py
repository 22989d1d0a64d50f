"""Uploads that were made to hurt: refused within bounds, while other courses and the server go on."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path

import httpx
import pytest
from hostile_files import NASTIEST, write_hostile
from served_platform import Served
from uploading import ended, upload

from services.materials.ingest_store import MOST_WAITING, Job
from services.materials.ingests import IngestQueue, Task
from services.materials.uploads import UploadFolders
from services.reading.given_files import MOST_FILES, GivenFile
from services.reading.pool import ReaderPool
from vta.errors import NotReady
from vta.faults import Fault
from vta.types.courses import CourseId

COURSE, OTHER = CourseId("stacks-en"), CourseId("stacks-zh")
NOTE = b"# Zoo example\n\nThe giraffe in our zoo example is five metres tall.\n"
SLOW = ("<p " + " ".join(f"a{n}='x'" for n in range(60_000)) + ">x</p>").encode()
"""Twenty seconds of a quiet processor, for the reader of HTML."""


def peak_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1000


@pytest.mark.slow
def test_the_nastiest_files_take_bounded_memory_and_time(api: Served, tmp_path: Path) -> None:
    """Each is read or refused with a reason that names it; a note of another course is read meanwhile."""
    if not Path("/proc/self/status").exists():
        pytest.skip("memory not proven: the system has no /proc")
    files = [write_hostile(name, tmp_path) for name in NASTIEST]
    given = [(file.name, file.read_bytes()) for file in files]
    before = peak_mb(os.getpid())
    started = upload(api, COURSE, *given)
    beside = ended(api, OTHER, upload(api, OTHER, ("zoo.md", NOTE)), within_s=30)
    assert beside["report"]["added"] == ["zoo.md"]
    report = ended(api, COURSE, started, within_s=500)["report"]
    refused = {each["path"] for each in report["rejected"]}
    assert refused | set(report["added"]) == set(NASTIEST)
    assert refused >= set(NASTIEST) - {"wide.csv"}, "only its first columns are read"
    reasons = {each["path"]: each["reason"] for each in report["rejected"]}
    assert reasons["stream.pdf"] == "stream.pdf: needs more than 1 GB of memory to read"
    assert peak_mb(os.getpid()) - before < 500


def test_a_slow_file_holds_up_no_other_course(api: Served) -> None:
    """Uploads of another course are neither kept waiting nor refused, however many of one course wait."""
    started = [upload(api, COURSE, ("slow.html", SLOW)) for _ in range(MOST_WAITING)]
    assert [each.status_code for each in started] == [202] * MOST_WAITING
    refusal = upload(api, COURSE, ("zoo.md", NOTE))
    assert refusal.status_code == 429
    assert (
        refusal.json()["detail"]
        == f"{MOST_WAITING} uploads of this course wait to be read already; try again soon"
    )
    assert ended(api, OTHER, upload(api, OTHER, ("zoo.md", NOTE)), within_s=30)["report"]["pairs"] == 1
    first = api.client.get(started[0].headers["location"], headers=api.bearer()).json()
    assert first["state"] == "reading"


def test_more_than_a_thousand_files_are_refused_in_words(api: Served) -> None:
    """The API says how many came and how many may; a form with very many more says the limit alone."""
    many = [(f"{n}.md", NOTE) for n in range(MOST_FILES + 1)]
    reply = upload(api, COURSE, *many)
    assert (reply.status_code, reply.json()["code"]) == (400, "bad_request")
    assert reply.json()["detail"] == "1001 files are too many; at most 1000 can be uploaded at a time"
    reply = upload(api, COURSE, *((f"{n}.md", b"x") for n in range(5001)))
    assert (reply.status_code, "at most 1000 files" in reply.json()["detail"]) == (400, True)


def test_files_in_zips_count_among_the_thousand(api: Served) -> None:
    """They are counted before any is unpacked; what nothing reads does not count."""
    broken = zip_of(601).replace(NOTE, NOTE[::-1], 1)
    reply = upload(api, COURSE, ("a.zip", broken), ("b.zip", zip_of(399)), ("c.md", NOTE))
    assert (reply.status_code, reply.json()["code"]) == (400, "bad_request")
    assert reply.json()["detail"] == "1001 files are too many; at most 1000 can be uploaded at a time"
    reply = upload(api, COURSE, ("a.zip", zip_of(1001, kind="exe", more=5)))
    assert ended(api, COURSE, reply, within_s=30)["report"]["pairs"] == 5


def zip_of(count: int, kind: str = "md", more: int = 0) -> bytes:
    """A ZIP with so many files of a kind, and some notes, not compressed."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in [*(f"page{n}.{kind}" for n in range(count)), *(f"more/{n}.md" for n in range(more))]:
            archive.writestr(name, NOTE + name.encode())
    return file.getvalue()


@pytest.mark.slow
def test_a_stuck_ingest_does_not_hold_up_the_end_of_the_server(tmp_path: Path) -> None:
    """SIGTERM ends the process and its child within the grace, and nothing of the upload stays."""
    home = tmp_path / "home"
    environment = {**os.environ, "VTA_GRACE_S": "3"}
    vta = [sys.executable, "-m", "services.cli"]

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [*vta, *arguments, "--home", str(home)], env=environment, capture_output=True, check=True
        )
        return done.stdout.decode().strip()

    run("course", "add", "ds", "--name", "DS", "--domain", "x")
    key = {"Authorization": f"Bearer {run('course', 'key', 'ds', '--role', 'instructor')}"}
    with subprocess.Popen(
        [*vta, "serve", "--port", "0", "--home", str(home)], env=environment, stdout=subprocess.PIPE
    ) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().decode().split()[2].rstrip(";")
            with httpx.Client(base_url=address, trust_env=False, timeout=60) as client:
                given = {"files": ("slow.html", SLOW * 3)}
                assert client.post("/v1/courses/ds/materials", files=given, headers=key).status_code == 202
            assert list((home / "ingests").glob("*/*/slow.html"))
            begun = time.monotonic()
            server.send_signal(signal.SIGTERM)
            server.wait(timeout=60)
            assert time.monotonic() - begun < 30  # the grace, and the time of a busy machine
        finally:
            server.kill()
    assert list((home / "ingests").iterdir()) == []


@pytest.mark.fault(case="T151")
def test_what_a_killed_process_left_is_swept_and_no_more(tmp_path: Path) -> None:
    """The folder of a process that lives stays, that of one that was killed goes with its lock."""
    script = (
        "import io, os, sys\n"
        "from pathlib import Path\n"
        "from services.materials.uploads import GivenFile\n"
        "from services.materials.uploads import UploadFolders\n"
        "from services.reading.pool import ReaderPool\n"
        "folders = UploadFolders(Path(sys.argv[1]), ReaderPool())\n"
        "folders.store([GivenFile(name='a.md', file=io.BytesIO(b'x'))])\n"
        "os.kill(os.getpid(), 9)\n"
    )
    killed = subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert len(list(tmp_path.glob("*/*/a.md"))) == 1
    alive = UploadFolders(tmp_path, ReaderPool())
    with (tmp_path / "b.md").open("w+b") as file:
        kept = alive.store([GivenFile(name="b.md", file=file)])
    (tmp_path / "b.md").unlink()
    UploadFolders(tmp_path, ReaderPool()).sweep()
    assert [file.name for file in tmp_path.glob("*/*/*")] == ["b.md"]
    assert kept.files[0].exists()
    alive.close()
    assert list(tmp_path.iterdir()) == []


def test_ingests_of_two_courses_take_turns() -> None:
    """A course's ingests run one after another and in order; another course's begins beside them."""
    queue, done, goes_on = IngestQueue(), [], threading.Event()

    def task(course: CourseId, name: str, waits: bool) -> Task:
        def run() -> None:
            assert not waits or goes_on.wait(30)
            done.append(name)

        return Task(job=Job(id=name, course_id=course, total=1), run=run, drop=lambda: None)

    for n in range(3):
        queue.add(task(COURSE, f"first {n}", waits=True))
    queue.add(task(OTHER, "second", waits=False))
    while "second" not in done:
        threading.Event().wait(0.01)
    assert done == ["second"]
    goes_on.set()
    while len(done) < 4:
        threading.Event().wait(0.01)
    queue.join(30)
    assert done == ["second", "first 0", "first 1", "first 2"]


def test_the_end_drops_what_waits() -> None:
    """Each with the reason, and nothing is taken any more."""
    queue, dropped, goes_on = IngestQueue(), [], threading.Event()

    def task(job: Job) -> Task:
        return Task(job=job, run=lambda: goes_on.wait(30), drop=lambda: dropped.append(job.id))

    jobs = [Job(id=str(n), course_id=COURSE, total=1) for n in range(MOST_WAITING)]
    for job in jobs:
        queue.add(task(job))
    queue.stop()
    assert set(dropped) >= {job.id for job in jobs[1:]}
    assert all(job.fault == Fault("reading.closed") for job in jobs[1:])
    with pytest.raises(NotReady):
        queue.add(task(jobs[0]))
    goes_on.set()
    queue.join(30)
