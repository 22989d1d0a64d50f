"""The people of `term.py`: students who ask in sessions, TAs, and an instructor with the materials."""

from __future__ import annotations

import csv
import json
import random
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.stack_people import Instructor, Student
from services.demo import sample_courses

COURSE = "machine-learning-en"
FAR_OFF = "2099-01-01T08:00:00Z"
"""The release of files of a later week."""
SPEND_S = 60.0
"""The longest that an upload may take."""

_MATERIAL = Path(sample_courses.__file__).parent / "courses" / COURSE / "material"
_ASKED = (
    "What is {}?",
    "what does {} mean",
    "Why do we need {}?",
    "How does {} work?",
    "Can you explain {} in simple words?",
    "I do not understand {} at all",
    "Where in the lecture is {} explained?",
    "What is the difference between {} and {other}?",
)
_FOLLOWED = (
    "Why?",
    "Can you give an example?",
    "How does that differ from {other}?",
    "What should I know before that?",
    "I still don't get it",
    "And how is it computed?",
)
_CHAT = ("thanks!", "hello", "ok great, thank you", "you are really helpful")
_THINGS = (
    "a parking permit, the wifi password of the library, my student card, a seminar room for our group, "
    "a laptop from the department, a tutor for next week, the recording of the guest talk, the mailing list, "
    "a copy of last year's exam, the discussion forum, a certificate for my employer, a study partner, "
    "the bus to the other campus, a refund of the fee, the server for the programming assignment"
).split(", ")
_WANTED = ("How do I get {}?", "where can I find {}", "Who do I ask about {}?", "I need {}, what do I do?")
_OPENINGS = ("{}", "Hi, {}", "quick question: {}", "{} please help")
WEIGHTS = {"concept": 45, "faq": 15, "facts": 20, "other": 14, "chat": 6}
"""Per cent of the first questions of a session."""


def facts_of(weeks: int) -> list[dict[str, Any]]:
    """What an instructor writes down on how the course is run."""
    rows: list[dict[str, Any]] = [
        {"kind": "deadline", "name": f"Homework {week}", "begins": f"2026-12-{3 + 4 * week:02}T23:59"}
        for week in range(1, weeks + 1)
    ]
    return [
        *rows,
        {"kind": "exam", "name": "Final exam", "begins": "2027-02-15T10:00", "place": "Hall 3"},
        {"kind": "lecture", "name": "Lecture", "weekday": 2, "begins": "14:00", "place": "Hall 1"},
        {"kind": "office_hour", "name": "Office hour", "weekday": 4, "begins": "10:00", "place": "Room 12"},
        {"kind": "person", "name": "Dr. Ann Lee", "note": "Lecturer, ann@uni.example"},
        {"kind": "grading", "name": "Grading", "note": "Homework counts 40 %, the exam 60 %."},
        {"kind": "late", "name": "Late work", "note": "Each day late takes off 10 % of the points."},
        {"kind": "collaboration_ai", "name": "AI", "note": "You may ask an AI, and say which one."},
    ]


def _fact_questions(weeks: int) -> Iterator[str]:
    for week in range(1, weeks + 1):
        yield f"When is homework {week} due?"
        yield f"what's the deadline for hw {week}"
    yield from ("When is the final exam?", "where does the exam take place", "When are office hours?")
    yield from ("Who teaches this course?", "How is the final grade computed?", "What if I hand in late?")
    yield from ("May I use ChatGPT for the homework?", "Where is the lecture?")


def files_of(week: int) -> dict[str, bytes]:
    """The files of a week, two lectures each; with the first come the FAQ and the concepts."""
    found = {
        str(file.relative_to(_MATERIAL)): file for file in sorted(_MATERIAL.rglob("*")) if file.is_file()
    }
    numbers = (f"{2 * week - 1:02}-", f"{2 * week:02}-")
    of_week = {path for path in found if path.rpartition("/")[2].startswith(numbers)}
    of_week |= {path for path in found if "/" not in path} if week == 1 else set()
    return {path: found[path].read_bytes() for path in sorted(of_week)}


def _rows(name: str) -> list[str]:
    return [row["question"] for row in csv.DictReader((_MATERIAL / name).read_text("utf-8").splitlines())]


class Questions:
    """What students ask in a week, drawn by chance: most of it on that week, some on those before."""

    def __init__(self, weeks: int, seed: int) -> None:
        self._draw = random.Random(seed)
        concepts = json.loads((_MATERIAL / "concepts.json").read_text("utf-8"))["concepts"]
        names = [each["name"] for each in concepts]
        self._concepts = {}
        for week in range(1, weeks + 1):
            text = b" ".join(files_of(week).values()).decode().lower() if week > 1 else ""
            notes = " ".join(file.decode().lower() for path, file in files_of(week).items() if "/" in path)
            found = [name for name in names if re.search(rf"\b{re.escape(name)}\b", text or notes)]
            self._concepts[week] = found or names
        self._lists = {
            "faq": [*_rows("faq.csv"), *_rows("platform_faq.csv")],
            "facts": list(_fact_questions(weeks)),
            "chat": list(_CHAT),
        }

    def session(self, week: int, turns: int) -> list[str]:
        """The questions of one session: a first one and what follows it, or else another one."""
        names = self._concepts[week if self._draw.random() < 0.7 else self._draw.randint(1, week)]
        name, other = self._draw.choice(names), self._draw.choice(names)
        kind = self._draw.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        if kind == "concept":
            first = self._draw.choice(_ASKED).format(name, other=other)
        elif kind == "other":
            first = self._draw.choice(_WANTED).format(self._draw.choice(_THINGS))
        else:
            first = self._draw.choice(self._lists[kind])
        first = self._draw.choice(_OPENINGS).format(first) if kind != "chat" else first
        if turns == 1:
            return [first]
        if kind not in ("concept", "faq"):
            return [first, *self.session(week, turns - 1)]
        return [first, *(self._draw.choice(_FOLLOWED).format(other=other) for _ in range(turns - 1))]


class Learner(Student):
    """Students of one thread, each with a token of the course's platform."""

    def hold_all(self, sessions: Sequence[tuple[str, list[str], Counter[str]]]) -> None:
        """Hold sessions: a student's token, the questions, and the counts of what answered them."""
        for token, questions, by in sessions:
            self._key, session = token, None
            for question in questions:
                answer = self.ask(question, session)
                if answer is None:
                    break
                session, route = answer["session_id"], answer["route"]
                with self._ledger.lock:
                    by[answered_by(answer)] += 1
                if self._draw.random() < 0.2:
                    self.rate(answer)
                if self._draw.random() < {"unanswered": 0.6, "chit_chat": 0.0}.get(route, 0.04):
                    self.hand_on(answer)

    def read_answers(self, platform_key: str) -> int:
        """Look for what TAs wrote in each session that waits, reply where asked back; how many were told."""
        self._key, told = platform_key, 0
        for session in sorted({session for session, _ in self._ledger.asked.values()}):
            found = self.send("GET ta-answers", "GET", f"sessions/{session}/ta-answers")
            for answer in (found or {"answers": []})["answers"]:
                if answer["asks_back"]:
                    text = {"text": f"I mean what the course says of it. {self.word()}"}
                    self.send("POST ta-reply", "POST", f"turns/{answer['turn_id']}/ta-reply", json=text)
                else:
                    told += not answer["seen"]
                    self._ledger.told[self._course, session, answer["turn_id"]] = answer["text"]
            self.send("POST ta-answers/seen", "POST", f"sessions/{session}/ta-answers/seen")
        return told


def answered_by(answer: Mapping[str, Any]) -> str:
    """What answered: `chat`, `nobody`, `refused`, `model`, `facts`, or the source of the first citation."""
    route, cited = answer["route"], answer["citations"]
    if route in ("chit_chat", "refused", "unanswered"):
        return {"chit_chat": "chat", "unanswered": "nobody"}.get(route, route)
    if route == "chain_of_teach" and answer["degraded"] is None:
        return "model"
    if not cited:
        return "graph" if answer["concepts"] else "nobody"
    if any(each["stage"] == "facts" for each in answer["trace"]):
        return "facts"
    return {"concept": "graph"}.get(cited[0]["source"], cited[0]["source"])


class Assistant(Instructor):
    """A TA: goes through the groups of the inbox, most asked first, and does with each what a TA does."""

    def clear(self, *, most: int = 1000, last: bool = False) -> None:
        """Settle groups until none is left, or `most` of them; with `last` ask nobody back any more."""
        for _ in range(most):
            found = self.send("GET questions/groups", "GET", "questions/groups", params={"size": 5})
            groups = (found or {"groups": []})["groups"]
            if not groups or self._stop.is_set():
                return
            self._settle(self._draw.choice(groups), last=last)

    def _settle(self, group: Mapping[str, Any], *, last: bool) -> None:
        ids = [each["id"] for each in group["questions"]]
        first, draft, body = group["questions"][0], group["draft"], {"questions": ids}
        self.send("GET question", "GET", f"questions/{ids[0]}")
        chance = self._draw.random()
        if chance < 0.1:
            self._post("note", body | {"text": f"Looked at {self.word()}"})
            self._post("assign", body | {"name": f"TA {self._number}"})
        if chance < 0.15:
            self._post("reject", body | {"reason": "This is not a question on the course."})
        elif chance < 0.22 and not last:
            self._post("reply", body | {"text": f"Which one, {self.word()}?", "asks_back": True})
        elif chance < 0.3 or first["standalone_question"]:  # its words say nothing without the conversation
            self._post("reply", body | {"text": f"See the notes, {self.word()}."})
        elif chance < 0.45 and draft and draft["faq_id"]:
            self._note(ids, self._post("merge", body | {"faq_id": draft["faq_id"]}))
        else:
            answer = f"The course office knows, desk {self.word()}."
            entry = self._post("answer", body | {"entry": {"question": first["question"], "answer": answer}})
            self._note(ids, entry)
            if entry is None:  # settled by the other TA, or an entry asks the same
                self._post("reply", body | {"text": answer})
            elif chance > 0.95:  # by mistake: it waits again, and is answered anew
                self._reopen(ids)

    def _reopen(self, ids: Sequence[str]) -> None:
        if self._post("reopen", {"questions": ids}) is not None:
            with self._ledger.lock:
                for id in ids:
                    self._ledger.answered.pop((self._course, id), None)

    def _post(self, what: str, body: Mapping[str, Any]) -> Any:
        return self.send(f"POST questions/{what}", "POST", f"questions/{what}", json=body)

    def _note(self, ids: Sequence[str], entry: Mapping[str, Any] | None) -> None:
        if entry is not None:
            self.note_version(entry)
            with self._ledger.lock:
                self._ledger.answered |= {(self._course, id): entry["id"] for id in ids}


class Teacher(Instructor):
    """The instructor: uploads and releases files, keeps facts and FAQ, and edits concepts."""

    def upload(self, week: int, release_at: str | None) -> None:
        """Upload the files of a week with their moment of release; each of them must be read."""
        given = [("files", (path, content)) for path, content in files_of(week).items()]
        job = self.send("POST materials", "POST", "materials", own=False, files=given)
        until = time.monotonic() + SPEND_S
        while job["state"] != "done":
            assert time.monotonic() < until, job
            time.sleep(0.2)
            job = self.send("GET ingest", "GET", f"materials/ingests/{job['id']}")
        assert not job["report"]["rejected"], job["report"]
        self.release(week, release_at)
        self.job = job["id"]
        with self._ledger.lock:
            self._ledger.files |= {(self._course, path) for path in files_of(week)}

    def release(self, week: int, at: str | None) -> None:
        """Let students see the files of a week from a moment on, or at once."""
        body = {"paths": [*files_of(week)], "release_at": at}
        self.send("PUT release", "PUT", "materials/release", json=body)

    def write_facts(self, facts: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Put these in the place of all facts; what the server holds then."""
        body = {"time_zone": "Europe/Berlin", "facts": facts}
        kept: list[dict[str, Any]] = self.send("PUT facts", "PUT", "facts", json=body)["facts"]
        self._ledger.facts[self._course] = kept
        return kept

    def week(self, week: int) -> None:
        """Edit a fact, an entry of the FAQ, a concept and an edge, and take the edge back."""
        facts = [dict(each) for each in self._ledger.facts[self._course]]
        facts[week - 1]["note"] = f"Hand in by the form, {self.word()}."
        self.write_facts(facts)
        self.write_entry(edits=2)
        self.send("GET faq", "GET", "faq", params={"limit": 100})
        graph = self.send("GET graph", "GET", "graph")
        name, other = self._draw.sample([each["name"] for each in graph["concepts"]], 2)
        explained = {"kind": "explain", "concept": name, "definition": f"In short: {self.word()}."}
        self.send("POST graph/edits", "POST", "graph/edits", json=explained)
        link = {"kind": "link", "prerequisite": other, "concept": name, "evidence": "said in class"}
        if self.send("POST graph/edits", "POST", "graph/edits", json=link):
            self.send("POST graph/undo", "POST", "graph/undo")

    def write_entry(self, *, edits: int = 0) -> None:
        """Add an entry to the FAQ, and edit it so many times."""
        draft = {"question": f"Does {self.word()} count for the grade?", "answer": f"No, {self.word()}."}
        entry = self.send("POST faq", "POST", "faq", json=draft)
        for _ in range(edits):
            self.note_version(entry)
            etag = {"If-Match": f'"{entry["version"]}"'}
            draft["answer"] = f"Yes, since this week: {self.word()}."
            entry = self.send("PUT faq", "PUT", f"faq/{entry['id']}", json=draft, headers=etag)
        self.note_version(entry)
