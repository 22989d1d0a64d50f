"""The clients of `full_stack.py`: students and instructors of several courses, who write down what they were
told is written and whatever should not have come back."""

from __future__ import annotations

import itertools
import json
import random
import threading
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx
from stack_ledger import Ledger

ANIMALS = ("Kestrel", "Marmot", "Osprey", "Tapir")
"""One for each course; every text of a course names its own, and no question names any."""
TRIES = 8
"""How often a write is sent under one Idempotency-Key until a reply comes."""
_PAUSE_S = 0.05
_PATIENCE_S = 0.5
"""Before a request is sent again."""
_TIMEOUT_S = 60.0
_DECLARED = ("upstream_failed", "not_ready")
_QUESTIONS = (
    "What is a stack?",
    "How does a queue differ from a stack?",
    "When is the homework due?",
    "Why do editors undo with a stack?",
    "Why?",
    "thanks!",
    "When does the moon rise?",
)


def course_files(animal: str) -> Mapping[str, str]:
    """The same headings and questions in each course, with its own animal in every answer."""
    return {
        "notes/stack.md": f"# Stacks\n\nA stack is changed at one end only, as the {animal} lands on the top "
        "of the pole. Push and pop take constant time.\n\n## Undo\n\nEditors undo with a stack: the last "
        f"command of the {animal} lies on top and is undone first.\n",
        "notes/queue.md": f"# Queues\n\nA queue grows at the rear and shrinks at the front, so the first "
        f"{animal} in the line is the first {animal} to be served.\n",
        "faq.csv": "question,answer\n"
        f"When is the homework due?,Homework of the {animal} course is due on Sunday.\n"
        f"How do I get a certificate?,The {animal} course asks for 60 points.\n",
    }


@dataclass
class Seen:
    """How requests ended, and what must not happen."""

    ends: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    ms: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    undeclared: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    stale: Counter[str] = field(default_factory=Counter)
    """Answers straight after an acknowledged edit: `new`, `old but declared`, `old`."""
    lock: threading.Lock = field(default_factory=threading.Lock)


class Client:
    """Speaks to the platform for one person of one course until it is told to stop."""

    def __init__(
        self,
        number: int,
        course: str,
        key: str,
        address: str,
        ledger: Ledger,
        seen: Seen,
        stop: threading.Event,
    ) -> None:
        self._draw = random.Random(number)
        self._number, self._course, self._key = number, course, key
        self._ledger, self._seen, self._stop = ledger, seen, stop
        self._others = tuple(each for each in ANIMALS if each.lower() != course)
        self._serial = itertools.count()
        # one connection a request, so that the balancer spreads them over the replicas
        self._http = httpx.Client(
            base_url=address,
            timeout=_TIMEOUT_S,
            trust_env=False,
            limits=httpx.Limits(max_keepalive_connections=0),
        )

    def run(self) -> None:
        with self._http:
            while not self._stop.is_set():
                self.round()

    def round(self) -> None:
        raise NotImplementedError

    def word(self) -> str:
        """A word that nobody else has written."""
        return f"zq{self._number}x{next(self._serial)}"

    def send(self, kind: str, method: str, path: str, *, own: bool = True, **options: Any) -> Any:
        """The reply's JSON, `{}` for 204, or None where there was none of 2xx; what came is counted.

        With `own` a POST is repeated under its Idempotency-Key until a reply comes that is no failure.
        """
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        headers |= options.pop("headers", {})
        tries = TRIES if method == "POST" and own else 1
        if tries > 1:
            headers["Idempotency-Key"] = uuid.uuid4().hex
        for number in range(tries):
            if self._stop.wait(_PATIENCE_S if number else _PAUSE_S):
                return None
            begun = time.monotonic()
            end, found = self._once(method, f"/v1/courses/{self._course}/{path}", headers, options)
            with self._seen.lock:
                self._seen.ends[kind][end] += 1
                self._seen.ms[kind].append(1000 * (time.monotonic() - begun))
            if end.startswith("2"):
                return found
            if end not in ("broken", "declared 503", "409 in_progress"):
                return None
        return None

    def _once(
        self, method: str, path: str, headers: Mapping[str, str], options: Mapping[str, Any]
    ) -> tuple[str, Any]:
        try:
            reply = self._http.request(method, path, headers=headers, **options)
        except httpx.TimeoutException:
            return "timed out", None
        except httpx.TransportError:
            return "broken", None
        self._look_for_others(reply.text)
        if reply.headers.get("content-type", "").startswith("text/event-stream"):
            return self._end_of_stream(reply.text)
        found = reply.json() if reply.content else {}
        if reply.status_code == 503 and found.get("code") in _DECLARED:
            return "declared 503", None
        if reply.status_code == 409 and found.get("code") == "request_in_progress":
            return "409 in_progress", None
        if reply.status_code >= 500:
            with self._seen.lock:
                self._seen.undeclared.append(f"{method} {path}: {reply.status_code} {reply.text[:300]}")
        return str(reply.status_code), found if reply.is_success else None

    def _end_of_stream(self, text: str) -> tuple[str, Any]:
        """A stream ends with the answer, with a declared error, or it was broken off."""
        last = text.replace("\r\n", "\n").strip().rpartition("\n\n")[2]
        event, _, data = last.partition("\n")
        if event == "event: done":
            return "200 stream", json.loads(data.removeprefix("data:"))
        if event == "event: error" and any(f'"{code}"' in data for code in _DECLARED):
            return "declared 503", None
        if event != "event: error":
            return "broken", None
        with self._seen.lock:
            self._seen.undeclared.append(f"stream: {data[:300]}")
        return "error", None

    def _look_for_others(self, text: str) -> None:
        for animal in self._others:
            if animal in text:
                place = text.index(animal)
                with self._seen.lock:
                    self._seen.foreign.append(f"{self._course}: {text[max(place - 100, 0) : place + 100]}")


class Student(Client):
    """Asks in one conversation after another, rates some answers, and hands some questions to a TA."""

    def round(self) -> None:
        session: str | None = None
        for _ in range(self._draw.randint(1, 5)):
            question = f"{self._draw.choice(_QUESTIONS)} {self.word()}"
            body: dict[str, Any] = {"question": question, "stream": self._draw.random() < 0.3}
            if session:
                body["session_id"] = session
            answer = self.send("question", "POST", "dialogue", json=body)
            if answer is None:
                return
            session, turn = answer["session_id"], answer["turn_id"]
            with self._ledger.lock:
                self._ledger.turns[self._course, session].append((turn, question))
            self._after(session, turn)

    def _after(self, session: str, turn: str) -> None:
        chance = self._draw.random()
        if chance < 0.2:
            rating = self._draw.choice(["up", "down"])
            if self.send("rating", "POST", f"turns/{turn}/feedback", json={"rating": rating}) is not None:
                with self._ledger.lock:
                    self._ledger.rated[self._course, session, turn] = rating
        elif chance < 0.5:
            waiting = self.send("question to TA", "POST", f"turns/{turn}/ask-ta")
            if waiting is not None:
                with self._ledger.lock:
                    self._ledger.asked.add((self._course, waiting["question_id"]))


class Instructor(Client):
    """Adds and edits FAQ entries, asks for them at once, answers waiting questions, uploads files."""

    def round(self) -> None:
        for work in (self._write_entry, self._answer_question, self._write_entry, self._upload):
            work()

    def _write_entry(self) -> None:
        question = f"What does {self.word()} mean here?"
        draft = {"question": question, "answer": self._words()}
        entry = self.send("FAQ added", "POST", "faq", json=draft)
        if entry is None:
            return
        self._note_version(entry)
        for _ in range(self._draw.randint(1, 3)):
            self._ask_for(question, entry["answer"])
            etag = {"If-Match": f'"{entry["version"]}"'}
            draft = {"question": question, "answer": self._words()}
            edited = self.send("FAQ edited", "PUT", f"faq/{entry['id']}", json=draft, headers=etag)
            if edited is None:
                return
            entry = edited
            self._note_version(entry)
        self._ask_for(question, entry["answer"])

    def _words(self) -> str:
        return f"The {self._course.capitalize()} calls it {self.word()}."

    def _note_version(self, entry: Mapping[str, Any]) -> None:
        with self._ledger.lock:
            self._ledger.versions[self._course, entry["id"]][entry["version"]] = entry["answer"]

    def _ask_for(self, question: str, answer: str) -> None:
        """Whether the next student reads what was acknowledged just now."""
        key, self._key = self._key, ""
        reply = self.send("question after edit", "POST", "dialogue", json={"question": question})
        self._key = key
        if reply is not None:
            end = "new" if answer in reply["text"] else "old but declared" if reply["degraded"] else "old"
            with self._seen.lock:
                self._seen.stale[end] += 1

    def _answer_question(self) -> None:
        found = self.send("inbox", "GET", "questions", params={"state": "waiting", "limit": 5})
        for waiting in (found or {"questions": []})["questions"][:2]:
            draft = {"question": waiting["question"], "answer": self._words()}
            body = {"questions": [waiting["id"]], "entry": draft}
            entry = self.send("answer of TA", "POST", "questions/answer", json=body)
            if entry is not None:
                self._note_version(entry)
                with self._ledger.lock:
                    self._ledger.answered[self._course, waiting["id"]] = entry["id"]

    def _upload(self) -> None:
        """A file counts as written once it is in the list of documents."""
        path = f"{self.word()}.md"
        text = f"# {self.word()}\n\nThe {self._course.capitalize()} keeps {self.word()} in its nest.\n"
        files = {"files": (path, text.encode(), "text/markdown")}
        if self.send("upload", "POST", "materials", own=False, files=files) is None:
            return
        until = time.monotonic() + 20.0
        while time.monotonic() < until and not self._stop.wait(0.3):
            found = self.send("list of files", "GET", "materials", params={"search": path})
            if found is not None and found["total"]:
                with self._ledger.lock:
                    self._ledger.files.add((self._course, path))
                return
        with self._seen.lock:
            self._seen.ends["upload"]["taken, not listed in 20 s"] += 1
