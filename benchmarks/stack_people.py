"""The people of `full_stack.py`: students and instructors, and what is in their courses."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from benchmarks.stack_clients import Client

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


class Student(Client):
    """Asks in one conversation after another, rates some answers, and hands some questions to a TA."""

    def round(self) -> None:
        session: str | None = None
        for _ in range(self._draw.randint(1, 5)):
            question, equal = self._draw.choice(_QUESTIONS), session is None and self._draw.random() < 0.5
            answer = self.ask(question if equal else f"{question} {self.word()}", session)
            if answer is None:
                return
            if equal:
                self._note_equal(answer)
            session, chance = answer["session_id"], self._draw.random()
            if chance < 0.2:
                self.rate(answer)
            elif chance < 0.5:
                self.hand_on(answer)

    def ask(self, question: str, session: str | None) -> Any:
        """The answer to a question of a session, or of a new one; None where none came."""
        body: dict[str, Any] = {"question": question, "stream": self._draw.random() < 0.3}
        if session:
            body["session_id"] = session
        answer = self.send("question", "POST", "dialogue", json=body)
        if answer is not None:
            with self._ledger.lock:
                turns = self._ledger.turns[self._course, answer["session_id"]]
                turns.append((answer["turn_id"], question))
        return answer

    def _note_equal(self, answer: Mapping[str, Any]) -> None:
        """Only the stages of a shared answer take no time at all."""
        end = "worked out" if any(step["ms"] for step in answer["trace"]) else "shared"
        with self._seen.lock:
            self._seen.equal[self._course][end] += 1

    def rate(self, answer: Mapping[str, Any]) -> None:
        """Thumbs for an answer."""
        turn, rating = answer["turn_id"], self._draw.choice(["up", "down"])
        if self.send("rating", "POST", f"turns/{turn}/feedback", json={"rating": rating}) is not None:
            with self._ledger.lock:
                self._ledger.rated[self._course, answer["session_id"], turn] = rating

    def hand_on(self, answer: Mapping[str, Any]) -> None:
        """Hand the question of an answer to a TA."""
        waiting = self.send("question to TA", "POST", f"turns/{answer['turn_id']}/ask-ta")
        if waiting is not None:
            with self._ledger.lock:
                asked = (answer["session_id"], answer["turn_id"])
                self._ledger.asked[self._course, waiting["question_id"]] = asked


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
        self.note_version(entry)
        for _ in range(self._draw.randint(1, 3)):
            self._ask_for(question, entry["answer"])
            etag = {"If-Match": f'"{entry["version"]}"'}
            draft = {"question": question, "answer": self._words()}
            edited = self.send("FAQ edited", "PUT", f"faq/{entry['id']}", json=draft, headers=etag)
            if edited is None:
                return
            entry = edited
            self.note_version(entry)
        self._ask_for(question, entry["answer"])

    def _words(self) -> str:
        return f"The {self._course.capitalize()} calls it {self.word()}."

    def note_version(self, entry: Mapping[str, Any]) -> None:
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
                self.note_version(entry)
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
