"""What the prompts of a dialogue hold: tokens, and the share that a server's prefix cache already has.

.venv/bin/python benchmarks/prompt_tokens.py CONVERSATIONS.jsonl MODEL.gguf [--home FOLDER] [--json FILE]

The conversations are played through the whole assistant; in place of a language model stands one that keeps
what it is sent and then fails, so that the next turn remembers the offline answer. Rows of courses that the
data folder lacks are left out; without `--home` that folder is a new one with the sample courses. The tokens
are those of the GGUF file's vocabulary (extra `local`), the messages set as ChatML.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import shutil
import tempfile
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import mean, median
from typing import Any
from unittest.mock import patch

from llama_cpp import Llama

from lab.judging import JudgingTemplates
from prompts.budget import PromptForm
from services import wiring
from services.demo.sample_courses import create_demo_courses
from services.dialogue.transcripts import transcript_messages
from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.errors import UpstreamFailed
from vta.faults import Fault
from vta.languages import Language
from vta.text import detect_language
from vta.types.courses import CourseId
from vta.types.language_model import ChatMessage, Completion
from vta.types.questions import Question

Count = Callable[[str], list[int]]
Row = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """One prompt, in the order in which a server would have received them."""

    conversation: str
    function: str
    language: str
    tokens: list[int]
    holds: bool | None
    """Whether all that a right answer must say stands in it, told by the row's patterns."""


class RecordingModel:
    """Keeps what it is sent and fails."""

    failing = False

    def __init__(self) -> None:
        self.sent: list[tuple[ChatMessage, ...]] = []

    async def complete(
        self, messages: Sequence[ChatMessage], *, course_id: CourseId | None = None, schema: object = None
    ) -> Completion:
        self.sent.append(tuple(messages))
        raise UpstreamFailed(Fault("model.empty", server=Fault("name.language_model")))

    async def stream(
        self, messages: Sequence[ChatMessage], *, course_id: CourseId | None = None
    ) -> AsyncGenerator[str, None]:
        self.sent.append(tuple(messages))
        raise UpstreamFailed(Fault("model.empty", server=Fault("name.language_model")))
        yield ""

    async def aclose(self) -> None:
        """Nothing is open."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("conversations", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    llama = Llama(str(options.model), vocab_only=True, verbose=False)
    rows = [json.loads(line) for line in options.conversations.read_text(encoding="utf-8").splitlines()]

    def encode(text: str) -> list[int]:
        return list(llama.tokenize(text.encode(), add_bos=False, special=True))

    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        if options.home:
            shutil.copytree(options.home, home)
        record = {
            "command": "benchmarks/prompt_tokens.py",
            "vocabulary": options.model.name,
            "alone": alone([row["question"] for row in rows], encode),
            **{form: summary(asyncio.run(play(home, form, rows, encode))) for form in PromptForm},
        }
    text = json.dumps(record, indent=1)
    if options.json:
        options.json.write_text(f"{text}\n", encoding="utf-8")
    print(text)


async def play(home: Path, form: PromptForm, rows: Sequence[Row], encode: Count) -> list[Sent]:
    """Every prompt of the conversations in this form."""
    model = RecordingModel()
    with patch.object(wiring, "build_model", lambda *_: model):
        platform = build_platform(Settings(home=home, prompt=form))
    sent: list[Sent] = []
    sessions: dict[str, object] = {}
    try:
        courses = known_courses(platform)
        for row in rows:
            if row["course"] not in courses:
                continue
            asked = Question(
                course_id=CourseId(row["course"]),
                text=row["question"],
                session_id=sessions.get(row["conversation"]),
            )
            answer = await platform.assistant.answer(asked)
            sessions[row["conversation"]] = answer.session_id
            for messages in model.sent:
                sent.append(
                    Sent(
                        conversation=row["conversation"],
                        function=function_of(messages, len(answer.concepts)),
                        language=courses[row["course"]],
                        tokens=encode(chat_ml(messages)),
                        holds=holds(messages, row),
                    )
                )
            model.sent.clear()
    finally:
        platform.close()
    return sent


def alone(questions: Sequence[str], encode: Count) -> dict[str, float]:
    """Median tokens of prompts that need no course, over these questions; what is read or judged is empty."""
    judging = JudgingTemplates()
    prompts: dict[str, Callable[[str, Language], tuple[ChatMessage, ...]]] = {
        "transcript, naive, a chunk": lambda text, language: transcript_messages(
            "find", text, [""], language
        ),
        "transcript, explain, a chunk": lambda text, language: transcript_messages(
            "explain", text, [""], language
        ),
        "transcript, conclude": lambda text, language: transcript_messages("conclude", text, (), language),
        "judging, statements": lambda text, language: judging.statements(text, "", language),
        "judging, verdicts": lambda text, language: judging.verdicts((), (), language),
    }
    return {
        f"{name} {language}": median(
            len(encode(chat_ml(build(text, language))))
            for text in questions
            if detect_language(text, Language.EN) is language
        )
        for name, build in prompts.items()
        for language in Language
    }


def known_courses(platform: Platform) -> dict[str, str]:
    """The language of each course; the sample courses are made where there are none."""
    if not platform.stores.courses.courses():
        list(create_demo_courses(platform))
    return {str(course.id): str(course.language) for course in platform.stores.courses.courses()}


def function_of(messages: Sequence[ChatMessage], concepts: int) -> str:
    """What a prompt was for, told by its templates."""
    first = messages[0]
    if first.role == "user":
        return "rewriting"
    return "small talk" if "[n]" not in first.content else f"teaching, {min(concepts, 3)} concepts"


def holds(messages: Sequence[ChatMessage], row: Row) -> bool | None:
    """None for a question without an answer in the course; the question itself does not count."""
    if row["answerable"] is not True or not row["must"]:
        return None
    given = re.split(r"^## (?:Question|问题)$", messages[-1].content, flags=re.MULTILINE)[0]
    return all(any(re.search(each, given, re.I | re.S) for each in one) for one in row["must"])


def chat_ml(messages: Sequence[ChatMessage]) -> str:
    said = (f"<|im_start|>{m.role}\n{m.content}<|im_end|>\n" for m in messages)
    return "".join(said) + "<|im_start|>assistant\n"


def summary(sent: Sequence[Sent]) -> dict[str, object]:
    """Tokens by function; the share of answering prompts that begins as the one before did."""
    by: dict[str, list[int]] = defaultdict(list)
    for each in sent:
        by[f"{each.function} {each.language}"].append(len(each.tokens))
    answers = [each for each in sent if each.function.startswith("teaching")]
    later = [(a, b) for a, b in pairwise(answers) if a.conversation == b.conversation]
    others = [(a, b) for a, b in pairwise(answers) if a.language == b.language]
    served = [(a, b) for a, b in pairwise(sent) if b.function.startswith("teaching")]
    judged = [each.holds for each in answers if each.holds is not None]
    return {
        "holds what a right answer must say": {"prompts": len(judged), "share": round(mean(judged), 3)},
        "tokens": {
            name: {"prompts": len(n), "median": median(n), "mean": round(mean(n)), "most": max(n)}
            for name, n in sorted(by.items())
        },
        "same from turn to turn": share(later),
        "same as the answering prompt before, whatever conversation": share(others),
        "same as the prompt before, whatever function (one slot)": share(served),
    }


def share(pairs: Sequence[tuple[Sent, Sent]]) -> dict[str, object]:
    shares = [common(a.tokens, b.tokens) / len(b.tokens) for a, b in pairs]
    anew = [len(b.tokens) - common(a.tokens, b.tokens) for a, b in pairs]
    return {
        "pairs": len(pairs),
        "mean": round(mean(shares), 3),
        "median": round(median(shares), 3),
        "tokens_read_anew": round(mean(anew)),
    }


def common(a: Sequence[int], b: Sequence[int]) -> int:
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


if __name__ == "__main__":
    main()
