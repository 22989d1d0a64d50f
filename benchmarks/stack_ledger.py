"""What the clients of `full_stack.py` were told is written, and whether a replica has it in the end."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import httpx


@dataclass
class Ledger:
    """Acknowledged writes. A write whose reply never came is in none of these and may be there or not."""

    turns: dict[tuple[str, str], list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))
    """Turn ids and questions of each course and session, in the order in which they were acknowledged."""
    rated: dict[tuple[str, str, str], str] = field(default_factory=dict)
    versions: dict[tuple[str, str], dict[int, str]] = field(default_factory=lambda: defaultdict(dict))
    """The answer of each version of an FAQ entry."""
    asked: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    """Session and turn of each question that was handed to a TA."""
    answered: dict[tuple[str, str], str] = field(default_factory=dict)
    files: set[tuple[str, str]] = field(default_factory=set)
    facts: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """The facts of each course as they were put last."""
    told: dict[tuple[str, str, str], str] = field(default_factory=dict)
    """What the asker of a turn read from a TA last."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def counts(self) -> dict[str, int]:
        return {
            "turns": sum(map(len, self.turns.values())),
            "ratings": len(self.rated),
            "faq_versions": sum(map(len, self.versions.values())),
            "questions_to_ta": len(self.asked),
            "answers_of_ta": len(self.answered),
            "files": len(self.files),
            "facts": sum(map(len, self.facts.values())),
            "told": len(self.told),
        }


def losses(
    ledger: Ledger,
    client: httpx.Client,
    keys: Mapping[str, str],
    readers: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[tuple[str, str]]:
    """Every acknowledged write that the server does not have: its kind, and which.

    `readers` are the keys of the courses whose sessions are not open to everybody.
    """

    def read(course: str, path: str, **params: Any) -> dict[str, Any]:
        key = readers.get(course) if path.startswith("sessions/") else keys[course]
        bearer = {"Authorization": f"Bearer {key}"} if key else {}
        reply = client.get(f"/v1/courses/{course}/{path}", headers=bearer, params=params)
        return reply.raise_for_status().json()  # type: ignore[no-any-return]

    for (course, session), turns in ledger.turns.items():
        stored = read(course, f"sessions/{session}")["turns"]
        held = [(each["answer"]["turn_id"], each["question"]) for each in stored]
        yield from (("turns", f"{course} {session} {each}") for each in turns if each not in held)
        if [each for each in held if each in turns] != turns:
            yield "order of turns", f"{course} {session}"
        ratings = {each["answer"]["turn_id"]: each["rating"] for each in stored}
        for (of_course, of_session, turn), rating in ledger.rated.items():
            if (of_course, of_session) == (course, session) and ratings.get(turn) != rating:
                yield "ratings", f"{course} {turn}"
    for (course, session, turn), text in ledger.told.items():
        told = read(course, f"sessions/{session}/ta-answers")["answers"]
        if text not in (each["text"] for each in told if each["turn_id"] == turn):
            yield "told", f"{course} {turn}"
    for course, facts in ledger.facts.items():
        held_facts = read(course, "facts")["facts"]
        yield from (("facts", f"{course} {each}") for each in facts if each not in held_facts)
    for (course, entry), versions in ledger.versions.items():
        history = read(course, f"faq/{entry}/history")["versions"]
        answers = {each["version"]: each["answer"] for each in history}
        yield from (
            ("faq_versions", f"{course} {entry} {number}")
            for number, answer in versions.items()
            if answers.get(number) != answer
        )
    for course in keys:
        questions = {each["id"]: each for each in read(course, "questions")["questions"]}
        for of_course, question in ledger.asked:
            if of_course == course and question not in questions:
                yield "questions_to_ta", f"{course} {question}"
        for (of_course, question), entry in ledger.answered.items():
            if of_course == course and questions.get(question, {}).get("faq_id") != entry:
                yield "answers_of_ta", f"{course} {question}"
        stored_files = {each["path"] for each in read(course, "materials", limit=1000)["documents"]}
        yield from (
            ("files", f"{course} {path}")
            for of_course, path in ledger.files
            if of_course == course and path not in stored_files
        )


def repeated_turns(ledger: Ledger, client: httpx.Client) -> int:
    """Questions, each asked in words of its own, that a session holds more than once."""
    found = 0
    for course, session in ledger.turns:
        reply = client.get(f"/v1/courses/{course}/sessions/{session}").raise_for_status()
        counts = Counter(each["question"] for each in reply.json()["turns"])
        found += sum(count - 1 for count in counts.values())
    return found
