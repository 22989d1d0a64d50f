"""A term of one course in a script: what it answers by, how long its pages take, and that nothing is lost.

    python -m benchmarks term --students 300 --questions 2000
    python -m benchmarks term --questions 50000 --entries 800 --courses 1000 --groups 2

`vta serve` on SQLite with the English sample course; six passes stand for six weeks. In each the instructor
releases two lectures, uploads the next and edits facts, FAQ and concepts; students ask in sessions of up to
five turns, rate answers and hand questions to two TAs, who answer, merge, decline, ask back and take back.
After each week's questions every GET page of the console and every GET operation of the API is loaded
`loads` times, nobody else on the server. At the end the inbox is emptied, the course copied to the next term,
exported and backed up, and every acknowledged write is looked for in the server and in the restored backup.
`cpu` is what the server's processes spent on a page, in ticks of 10 ms, which other work hardly adds to.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
from starlette.routing import Route

from benchmarks.full_stack import requests
from benchmarks.service import processor_s, serve
from benchmarks.stack_clients import Seen
from benchmarks.stack_ledger import Ledger, losses
from benchmarks.term_people import COURSE, FAR_OFF, Assistant, Learner, Questions, Teacher, facts_of
from services.console_routes import PARTS

ADMIN_KEY = "the-admin-key-of-a-term"
PASSWORD = "correct horse battery"  # of every account of the benchmark
AT_ONCE = 4
"""Students who ask at the same time."""
TAS = 2
NEXT = "next-term"
LATER = 26
"""Weeks until the next term."""
SLOW_MS = 300.0
PLATFORM = "courses courses/new account platform-courses platform-people platform-lti platform-log".split()
STUDENT = ("/", "/courses/{course}", "/courses/{course}/search?q=gradient", "/embed/{course}")
NAMED = {
    "/inbox/answer": "?q={question}",
    "/graph/concept": "?name={name}",
    "/graph/picture": "?name={name}",
    "/materials/file": "?path=notes/01-what-is-machine-learning.md",
    "/materials/text": "?path=notes/01-what-is-machine-learning.md",
}
"""What a page is asked for beside its path."""


LISTS = (
    *("inbox?search=permit", "inbox?band=hold&page=2", "inbox?order=newest", "inbox/answered?search=permit"),
    *("faq?order=asked", "faq?order=category&page=2", "faq?search=grade", "faq?show=removed"),
)
"""Lists of the course as they are searched, ordered and turned over."""


def run(
    *,
    students: int = 300,
    questions: int = 2000,
    weeks: int = 6,
    loads: int = 4,
    groups: int = 12,
    entries: int = 0,
    courses: int = 0,
    seed: int = 0,
) -> dict[str, Any]:
    """`weeks` up to 6; `loads` of every page in each week.

    `groups` of the inbox that a TA settles in a week: what is left waits until the end of the term. `entries`
    more in the FAQ and `courses` more on the platform from the start.
    """
    with tempfile.TemporaryDirectory() as place:
        begun, home = time.monotonic(), Path(place) / "home"
        backup, exported = Path(place) / "backup.zip", Path(place) / "course.zip"
        with serve(home, 1, VTA_ADMIN_KEY=ADMIN_KEY, VTA_OPEN_SIDEBAR="true") as (port, pid):
            term = Term(f"http://127.0.0.1:{port}", pid, home, loads)
            term.set_up(students, weeks, seed)
            term.fill(entries, courses)
            by = {week: term.week(week, weeks, questions // weeks, groups) for week in range(1, weeks + 1)}
            figures = term.end()
            copied = term.copy()
            command(home, "backup", str(backup))
            command(home, "course", "export", COURSE, "--out", str(exported))
        restored = Path(place) / "restored"
        command(restored, "restore", str(backup))
        command(restored, "course", "import", str(exported), "--as", "imported")
        with serve(restored, 1, VTA_ADMIN_KEY=ADMIN_KEY) as (port, _):
            figures["lost_in_backup"] = term.lost(f"http://127.0.0.1:{port}")
            figures["lost_in_export"] = term.lost_in_copy(f"http://127.0.0.1:{port}", "imported")
        return {
            "students": students,
            "questions": sum(each.total() for each in by.values()),
            "seconds": round(time.monotonic() - begun),
            "answered_by": shares(by),
            "copy": copied,
            **figures,
        }


def shares(by: Mapping[int, Counter[str]]) -> dict[str, dict[str, float]]:
    """The share of each answerer in the questions of each week, and of all weeks."""
    total: Counter[str] = sum(by.values(), Counter())
    named = {str(week): counts for week, counts in by.items()} | {"all": total}
    return {
        name: {each: round(counts[each] / counts.total(), 3) for each in sorted(total)}
        for name, counts in named.items()
    }


def command(home: Path, *arguments: str) -> Any:
    """What a command of `vta` prints as JSON."""
    line = [sys.executable, "-m", "services.cli", *arguments, "--home", str(home), "--json"]
    done = subprocess.run(line, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(arguments)}: {done.stderr}"
    return json.loads(done.stdout.strip() or "null")


class Term:
    """The course of a term on a server, with the people who use it and the ledger of what they were told."""

    def __init__(self, address: str, pid: int, home: Path, loads: int) -> None:
        self._address, self._pid, self._home, self._loads = address, pid, home, loads
        self._ledger, self._seen, self._stop = Ledger(), Seen(), threading.Event()
        self._pages, self._spent = Seen(), Seen()  # by the clock, and by the processors

    def set_up(self, students: int, weeks: int, seed: int) -> None:
        """The course with its keys, accounts, students' tokens, facts and the files of the first week."""
        course = {"id": COURSE, "name": "Machine Learning Basics", "language": "en"}
        with self._client(ADMIN_KEY) as client:
            _sent(client.post("/v1/courses", json=course | {"domains": ["Machine Learning"]}))
            keys = f"/v1/courses/{COURSE}/keys"
            self._key = _sent(client.post(keys, json={"role": "instructor"}))["key"]
            self._platform = _sent(client.post(keys, json={"role": "platform"}))["key"]
        with self._client(self._platform) as client:
            visitors = f"/v1/courses/{COURSE}/visitors"
            made = [client.post(visitors, json={"learner_id": f"student-{n}"}) for n in range(students)]
            self._tokens = [_sent(each)["token"] for each in made]
            self._learner = _sent(made[0])["learner_id"]
        email = "ann@uni.example"
        link = command(self._home, "people", "add", email, "--name", "Ann Lee", "--admin")["link"]
        self._login = urlsplit(link).path
        self._questions = Questions(weeks, seed)
        self._draw = random.Random(seed)
        shared = (self._address, self._ledger, self._seen, self._stop)
        self._learners = [Learner(n, COURSE, "", *shared) for n in range(AT_ONCE)]
        self._tas = [Assistant(100 + n, COURSE, self._key, *shared) for n in range(TAS)]
        self._teacher = Teacher(200, COURSE, self._key, *shared)
        self._teacher.upload(1, None)
        self._teacher.write_facts(facts_of(weeks))
        self._console = httpx.Client(base_url=self._address, timeout=60, trust_env=False)
        self._press(self._login, {"password": PASSWORD})

    def fill(self, entries: int, courses: int) -> None:
        """More entries in the FAQ, and more courses beside this one."""
        for _ in range(entries):
            self._teacher.write_entry()
        with self._client(ADMIN_KEY) as client:
            for number in range(courses):
                course = {"id": f"course-{number}", "name": f"Course {number}", "language": "en"}
                _sent(client.post("/v1/courses", json=course | {"domains": ["Made up"]}))

    def week(self, week: int, weeks: int, questions: int, groups: int) -> Counter[str]:
        """One week; how many questions each of the answerers answered."""
        self._teacher.release(week, None)
        if week < weeks:
            self._teacher.upload(week + 1, FAR_OFF)
        self._teacher.week(week)
        by: Counter[str] = Counter()
        sessions = [(*each, by) for each in self._sessions(week, questions)]
        _together([partial(each.hold_all, sessions[n::AT_ONCE]) for n, each in enumerate(self._learners)])
        self._look_at_pages()
        _together([partial(each.clear, most=groups) for each in self._tas])
        self._press_undo()
        self._learners[0].read_answers(self._platform)
        return by

    def _sessions(self, week: int, questions: int) -> Iterator[tuple[str, list[str]]]:
        while questions > 0:
            turns = min(self._draw.choice((1, 1, 2, 3, 5)), questions)
            yield self._draw.choice(self._tokens), self._questions.session(week, turns)
            questions -= turns

    def end(self) -> dict[str, Any]:
        """Empty the inbox, and the figures of the term."""
        for last in (False, True):
            _together([partial(each.clear, last=last) for each in self._tas])
            self._learners[0].read_answers(self._platform)
        self._stop.set()
        told = {(session, turn) for _, session, turn in self._ledger.told}
        pages = [
            {"page": page, **requests(self._pages, page)}
            | {f"cpu_{key}": requests(self._spent, page)[key] for key in ("p50_ms", "p95_ms")}
            for page in sorted(self._pages.ms)
        ]
        return {
            "acknowledged": self._ledger.counts(),
            "not_told": [str(each) for each in set(self._ledger.asked.values()) - told],
            "lost": self.lost(self._address),
            "undeclared": self._seen.undeclared[:20],
            "slow_pages": [row["page"] for row in pages if row["p95_ms"] > SLOW_MS],
            "slow_by_processor": [row["page"] for row in pages if row["cpu_p95_ms"] > SLOW_MS],
            "pages": pages,
            "operations": {kind: requests(self._seen, kind) for kind in sorted(self._seen.ends)},
        }

    def copy(self) -> dict[str, Any]:
        """Copy the course to the next term and review what holds a date; what was asked to be reviewed."""
        with self._client(ADMIN_KEY) as client:
            body = {"id": NEXT, "name": "Next term", "weeks": LATER}
            begun = time.perf_counter()
            _sent(client.post(f"/v1/courses/{COURSE}/copy", json=body))
            seconds = round(time.perf_counter() - begun, 2)
            key = _sent(client.post(f"/v1/courses/{NEXT}/keys", json={"role": "instructor"}))["key"]
        with self._client(key) as client:
            facts = _sent(client.get(f"/v1/courses/{NEXT}/facts"))
            to_review = sum(each["review"] for each in facts["facts"])
        token = self._token("facts", NEXT)
        for each in facts["facts"]:
            if each["review"]:
                form = {"csrf": token, "id": each["id"], "action": "reviewed"}
                self._press(f"/console/{NEXT}/facts", form)
        page = self._console.get(f"/console/{NEXT}/facts").raise_for_status()
        return {"seconds": seconds, "to_review": to_review, "facts": len(facts["facts"])} | {
            "lost": self.lost_in_copy(self._address, NEXT),
            "still_to_review": page.text.count('value="reviewed"'),
        }

    def lost(self, address: str) -> list[str]:
        """Acknowledged writes that the server at the address does not have."""
        keys, readers = {COURSE: self._key}, {COURSE: self._platform}
        with self._client("", address) as client:
            return [f"{kind}: {which}" for kind, which in losses(self._ledger, client, keys, readers)]

    def lost_in_copy(self, address: str, course: str) -> list[str]:
        """Files, entries and facts of the term that a course made of it does not have."""
        with self._client(ADMIN_KEY, address) as client:
            key = _sent(client.post(f"/v1/courses/{course}/keys", json={"role": "instructor"}))["key"]
        with self._client(key, address) as client:
            home = f"/v1/courses/{course}"
            documents = _sent(client.get(f"{home}/materials?limit=1000"))["documents"]
            entries = _sent(client.get(f"{home}/faq?limit=1000"))["entries"]
            facts = {each["name"] for each in _sent(client.get(f"{home}/facts"))["facts"]}
        answers = {each["answer"] for each in entries}
        latest = {versions[max(versions)] for versions in self._ledger.versions.values()}
        files = {path for _, path in self._ledger.files} - {each["path"] for each in documents}
        lost_facts = {each["name"] for each in self._ledger.facts[COURSE]} - facts
        return sorted(files | (latest - answers) | lost_facts)

    def _press_undo(self) -> None:
        """Publish the answer to a group on its page, undo that by its button, and leave it waiting."""
        question = self._waiting()
        if not question:
            return
        token = self._token(f"inbox/answer?q={question}")
        form = {"csrf": token, "q": question, "action": "publish"}
        form |= {"question": f"A slip about {question}?", "answer": "Not what was meant."}
        self._press(f"/console/{COURSE}/inbox/answer", form)
        self._press(f"/console/{COURSE}/inbox/undo", {"csrf": token, "undo": question})

    def _press(self, path: str, form: Mapping[str, str], **options: Any) -> httpx.Response:
        """Send a form of the console, which must end in a redirection."""
        reply = self._console.post(path, data=form, **options)
        assert reply.is_redirect, f"{path}: {reply.status_code} {reply.text[:500]}"
        return reply

    def _waiting(self) -> str:
        """A question that waits, or an empty text."""
        path = f"/v1/courses/{COURSE}/questions"
        with self._client(self._key) as client:
            found = _sent(client.get(path, params={"state": "waiting", "limit": 1}))["questions"]
        return found[0]["id"] if found else ""

    def _token(self, page: str, course: str = COURSE) -> str:
        """The token of the instructor's session, from the form of a page."""
        text = self._console.get(f"/console/{course}/{page}").raise_for_status().text
        return text.partition('name="csrf" value="')[2].partition('"')[0]

    def _look_at_pages(self) -> None:
        """Load every page and every operation that reads, `loads` times each."""
        (_, session), turns = next(iter(self._ledger.turns.items()))
        known = {"course": COURSE, "entry": next(iter(self._ledger.versions))[1], "turn": turns[0][0]}
        known |= {"session": session, "question": self._waiting(), "name": quote("gradient descent")}
        known |= {"learner": self._learner, "ingest": self._teacher.job, "job": self._teacher.job}
        known["plan"] = self._plan()
        readers = [(self._console, page) for page in (*_console_pages(), *STUDENT)]
        with ExitStack() as stack:
            keys = {"admin": ADMIN_KEY, "platform": self._platform, "teacher": self._key}
            of = {who: stack.enter_context(self._client(key)) for who, key in keys.items()}
            paths = _sent(of["teacher"].get("/openapi.json"))["paths"]
            readers += [(of[_reader(path)], path) for path in paths if "get" in paths[path]]
            for _ in range(self._loads):
                for client, page in readers:
                    if "{question}" in page and not known["question"]:
                        continue
                    self._load(client, page, page.format(**known))

    def _load(self, client: httpx.Client, page: str, path: str) -> None:
        spent, begun = processor_s(self._pid), time.perf_counter()
        reply = client.get(path)
        taken, spent = time.perf_counter() - begun, processor_s(self._pid) - spent
        for seen, seconds in ((self._pages, taken), (self._spent, spent)):
            seen.ms[page].append(1000 * seconds)
            seen.ends[page][str(reply.status_code)] += 1
        if reply.is_error:
            self._seen.undeclared.append(f"{path}: {reply.status_code} {reply.text[:500]}")

    def _plan(self) -> str:
        """The plan of an upload on the console that replaces a file."""
        form = {"csrf": self._token("materials")}
        files = {"files": ("notes/01-what-is-machine-learning.md", b"# Replaced\n\nBy another text.\n")}
        reply = self._press(f"/console/{COURSE}/materials", form, files=files)
        return urlsplit(reply.headers["location"]).path.rpartition("/")[2]

    def _client(self, key: str, address: str = "") -> httpx.Client:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        base_url = address or self._address
        return httpx.Client(base_url=base_url, headers=headers, timeout=60, trust_env=False)


def _sent(reply: httpx.Response) -> Any:
    return reply.raise_for_status().json()


def _console_pages() -> list[str]:
    """Every GET page of the console that no link of an e-mail or a school's log-in leads to."""
    routes = [route for part in PARTS for pages in part.pages for route in pages.routes]
    paths = [each.path for each in routes if isinstance(each, Route) and "GET" in (each.methods or ())]
    paths = [f"{path}{NAMED.get(path, '')}" for path in paths] + [f"/{each}" for each in LISTS]
    of_course = [f"/console/{{course}}{path}" for path in paths]
    return [*of_course, *(f"/console/-/{page}" for page in PLATFORM), "/console/log-in"]


def _reader(path: str) -> str:
    """Whose key an operation asks for."""
    if path in ("/v1/courses", "/v1/courses/{course}/keys", "/v1/audit-log"):
        return "admin"
    students = ("/sessions", "/concepts", "/models", "/sidebar", "/learners")
    return "platform" if any(part in path for part in students) else "teacher"


def _together(works: Sequence[Callable[[], object]]) -> None:
    """Do works at the same time; the first error of any is raised."""
    with ThreadPoolExecutor(len(works)) as pool:
        for each in [pool.submit(work) for work in works]:
            each.result()
