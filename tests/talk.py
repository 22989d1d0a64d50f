"""Questions to the two small courses, with a language model that says what a test scripts or without one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

from scripted_llm import Scene, ScriptedLlm
from small_platform import SmallPlatform, write_files

from vta.types.answers import Answer, Delta, DialogueEvent, Turn
from vta.types.courses import CourseId
from vta.types.questions import Question

Said = str | Scene | Sequence[str | Scene]
"""What the model says: a text, a scene, or several in turn, of which the last is played again and again."""


class Talk:
    """Asks the small platform. Named arguments that a `Question` does not have are the assistant's."""

    def __init__(self, small: SmallPlatform, llm: ScriptedLlm) -> None:
        self.small, self.llm = small, llm

    def assistant(self, says: Said | None = None, *, timeout_s: float = 5.0, **settings: Any) -> Any:
        """An assistant, with a model if that says anything."""
        if says is None:
            return self.small.assistant(**settings)
        scenes = [says] if isinstance(says, str) or callable(says) else says
        self.llm.play(*(self.llm.ok(each) if isinstance(each, str) else each for each in scenes))
        return self.small.assistant(self.small.model(self.llm.base_url, timeout_s=timeout_s), **settings)

    async def ask(
        self, text: str, course: str = "stacks-en", *, says: Said | None = None, **more: Any
    ) -> Answer:
        """The answer to one question; `after` is an earlier answer of the same session."""
        asked, settings = _parted(text, course, **more)
        answer: Answer = await self.assistant(says, **settings).answer(asked)
        return answer

    async def say(self, *texts: str, course: str = "stacks-en", **more: Any) -> list[Answer]:
        """The answers to questions that follow one another in a session."""
        answers: list[Answer] = []
        for text in texts:
            answers.append(await self.ask(text, course, after=answers[-1] if answers else None, **more))
        return answers

    async def events(
        self, text: str, course: str = "stacks-en", *, says: Said | None = None, **more: Any
    ) -> list[DialogueEvent]:
        """All that is told of one question."""
        asked, settings = _parted(text, course, **more)
        async with aclosing(self.assistant(says, **settings).stream(asked)) as events:
            return [event async for event in events]

    async def streamed(self, text: str, course: str = "stacks-en", **more: Any) -> tuple[str, Answer]:
        """The pieces of an answer as one text, and the answer."""
        events = await self.events(text, course, **more)
        answer = events[-1]
        assert isinstance(answer, Answer)
        return "".join(event.text for event in events if isinstance(event, Delta)), answer

    def put(self, files: Mapping[str, str], folder: Path, course: str = "stacks-en") -> None:
        """More material of a course, written into a folder."""
        self.small.put(self.small.courses.course(CourseId(course)), write_files(folder, files))

    def turns(self, answer: Answer) -> tuple[Turn, ...]:
        """The stored turns of an answer's session."""
        return self.small.sessions.turns(answer.course_id, answer.session_id)


def decisions(answer: Answer) -> dict[str, str]:
    """What was decided in each stage."""
    return {step.stage: step.decision for step in answer.trace}


def question(text: str, course: str = "stacks-en", **more: Any) -> Question:
    """One question."""
    return Question(course_id=CourseId(course), text=text, **more)


def _parted(
    text: str, course: str, after: Answer | None = None, **more: Any
) -> tuple[Question, dict[str, Any]]:
    of_question = {name: more.pop(name) for name in Question.__slots__ if name in more}
    asked = question(text, course, **of_question)
    return (replace(asked, session_id=after.session_id) if after else asked), more
