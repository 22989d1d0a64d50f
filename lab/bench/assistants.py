"""Who can be asked: the dialogue API of this project, an OpenAI-compatible chat endpoint, and a command."""

from __future__ import annotations

import json
import shlex
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import httpx2
import openai

from lab.bench.passages import Passage, PassageSearch
from lab.bench.questions import BenchTurn
from lab.bench.replies import Cited, Reply
from vta.dialogue.grounding import cited_numbers
from vta.errors import InvalidInput, UpstreamFailed
from vta.faults import Fault
from vta.languages import Language

Dialogue = Sequence[tuple[BenchTurn, Reply]]
"""What was asked and replied in the conversation before."""
_PATIENCE_S = 600.0
_ROUNDS = 8
_REFUSED = frozenset({"unanswered", "refused"})
_BARE = {
    Language.EN: "You are a teaching assistant of the course {course!r}. Answer the student briefly.",
    Language.ZH: "你是课程“{course}”的助教。请简短地回答学生。",
}
_PLAIN = {
    Language.EN: "You are a teaching assistant of the course {course!r}. Answer the student briefly, from "
    "these passages of the course alone, and cite them like [1]. If they do not answer the question, say so.",
    Language.ZH: "你是课程“{course}”的助教。请只根据下面的课程片段简短地回答学生，并以 [1] 的形式注明出处。"
    "如果这些片段没有回答问题，请直说。",
}


class Assistant(Protocol):
    """Whoever is asked. `name` says who, and with what, in the report."""

    name: str

    def ask(self, turn: BenchTurn, course: str, language: Language, before: Dialogue) -> Reply:
        """The reply to one turn, `course` being the course's name; `UpstreamFailed` where none comes."""
        ...

    def close(self) -> None:
        """Nothing is asked any more."""
        ...


class VtaApi:
    """A server of this project: each conversation is a session of the dialogue API."""

    def __init__(self, address: str, key: str | None) -> None:
        self.name = "VTA"
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._http = httpx2.Client(base_url=address.rstrip("/"), headers=headers, timeout=_PATIENCE_S)
        self._session: tuple[str, str] = ("", "")

    def ask(self, turn: BenchTurn, course: str, language: Language, before: Dialogue) -> Reply:
        """Waits where the server says that it is asked too often."""
        conversation, session = self._session
        given = {"question": turn.question}
        if before and conversation == turn.conversation:
            given["session_id"] = session
        start = time.perf_counter()
        reply = self._post(f"/v1/courses/{turn.course}/dialogue", given)
        ms = (time.perf_counter() - start) * 1000
        self._session = turn.conversation, reply["session_id"]
        return Reply(
            text=reply["text"],
            citations=tuple(map(_cited, reply["citations"])),
            refused=reply["route"] in _REFUSED,
            is_chat=reply["route"] == "chit_chat",
            ms=round(ms, 1),
        )

    def close(self) -> None:
        self._http.close()

    def _post(self, path: str, given: Mapping[str, str]) -> dict[str, Any]:
        for _ in range(_ROUNDS):
            try:
                reply = self._http.post(path, json=given)
            except httpx2.HTTPError as error:
                raise UpstreamFailed(
                    Fault("bench.no_reply", assistant=self.name, reason=str(error))
                ) from error
            if reply.status_code != 429:
                break
            time.sleep(float(reply.headers.get("Retry-After", 10)))
        if reply.status_code != 200:
            raise UpstreamFailed(Fault("bench.no_reply", assistant=self.name, reason=reply.text[:300]))
        return dict(reply.json())


class ChatEndpoint:
    """A model behind an OpenAI-compatible endpoint: bare, or with what plain retrieval finds in the course.

    Plain retrieval looks for the conversation's first question and this one together.
    """

    def __init__(self, address: str, model: str, key: str | None, search: PassageSearch | None) -> None:
        self.name = f"{model}, {'plain retrieval' if search else 'bare'}"
        self._model, self._search = model, search
        self._client = openai.OpenAI(base_url=address, api_key=key or "none", timeout=_PATIENCE_S)

    def ask(self, turn: BenchTurn, course: str, language: Language, before: Dialogue) -> Reply:
        """Temperature 0; the whole dialogue goes along."""
        start = time.perf_counter()
        found: Sequence[Passage] = ()
        system = _BARE[language].format(course=course)
        if self._search is not None:
            first = before[0][0].question + " " if before else ""
            found = self._search.find(turn.course, first + turn.question)
            texts = (f"[{n}] {each.title}\n{each.text}" for n, each in enumerate(found, start=1))
            system = "\n\n".join((_PLAIN[language].format(course=course), *texts))
        said: list[Any] = [{"role": "system", "content": system}]
        for asked, replied in before:
            said += [
                {"role": "user", "content": asked.question},
                {"role": "assistant", "content": replied.text},
            ]
        said.append({"role": "user", "content": turn.question})
        try:
            reply = self._client.chat.completions.create(
                model=self._model, messages=said, temperature=0, max_tokens=300, seed=0
            )
        except openai.OpenAIError as error:
            raise UpstreamFailed(Fault("bench.no_reply", assistant=self.name, reason=str(error))) from error
        text, usage = reply.choices[0].message.content or "", reply.usage
        return Reply(
            text=text,
            citations=tuple(
                Cited(title=each.title, document=each.file, passage=each.text)
                for n in cited_numbers(text)
                if n <= len(found)
                for each in (found[n - 1],)
            ),
            ms=round((time.perf_counter() - start) * 1000, 1),
            tokens=(usage.prompt_tokens, usage.completion_tokens) if usage else None,
        )

    def close(self) -> None:
        self._client.close()


class Command:
    """A program that is given a JSON object a line and prints one for each.

    In: course, conversation, turn, question, and `before` with the questions and replies so far. Out: text,
    and as far as it knows them citations ({title, document, headings, passage}), refused, is_chat, tokens.
    """

    def __init__(self, command: str) -> None:
        self.name = command
        self._process = subprocess.Popen(  # noqa: S603 - whoever measures names the program
            shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def ask(self, turn: BenchTurn, course: str, language: Language, before: Dialogue) -> Reply:
        """`UpstreamFailed` where the program ends, or prints something else."""
        given = {
            "course": turn.course,
            "conversation": turn.conversation,
            "turn": turn.turn,
            "question": turn.question,
            "before": [{"question": asked.question, "reply": reply.text} for asked, reply in before],
        }
        start = time.perf_counter()
        try:
            row = json.loads(self._exchange(json.dumps(given, ensure_ascii=False)))
            return Reply(
                text=row["text"],
                citations=tuple(map(_cited, row.get("citations", ()))),
                refused=bool(row.get("refused")),
                is_chat=bool(row.get("is_chat")),
                ms=round((time.perf_counter() - start) * 1000, 1),
                tokens=tuple(row["tokens"]) if row.get("tokens") else None,
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise UpstreamFailed(Fault("bench.no_reply", assistant=self.name, reason=repr(error))) from error

    def close(self) -> None:
        """The program ends when its input does."""
        self._process.communicate()

    def _exchange(self, line: str) -> str:
        process = self._process
        if process.stdin is None or process.stdout is None:
            raise OSError("no pipe")
        process.stdin.write(line + "\n")
        process.stdin.flush()
        return process.stdout.readline()


def find_assistant(
    *,
    vta: str | None,
    chat: str | None,
    command: str | None,
    model: str | None,
    key: str | None,
    search: PassageSearch | None,
) -> Assistant:
    """The one assistant that the options name."""
    match vta, chat, command:
        case str(), None, None:
            return VtaApi(vta, key)
        case None, str(), None if model:
            return ChatEndpoint(chat, model, key, search)
        case None, None, str():
            return Command(command)
    raise InvalidInput(Fault("bench.whom"), field="vta")


def _cited(row: Mapping[str, Any]) -> Cited:
    """A citation of the dialogue API, or one of the same fields with `headings`."""
    locator = row.get("locator") or {}
    return Cited(
        title=row.get("title") or "",
        document=row.get("document") or "",
        headings=tuple(row.get("headings") or locator.get("heading_path") or ()),
        passage=row.get("passage") or "",
    )
