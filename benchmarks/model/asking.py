"""Who is asked: the platform with and without the model, plain retrieval on its passages, the bare model."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kept import KeptModel

from services.language_model.client import OpenAiLanguageModel
from services.rendering.answer_json import citation_to_json
from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.dialogue.grounding import bind_citations
from vta.errors import UpstreamFailed
from vta.languages import Language
from vta.text import detect_language
from vta.types.answers import Answer, Citation, Route
from vta.types.courses import CourseId
from vta.types.language_model import ChatMessage
from vta.types.pairs import Candidate
from vta.types.questions import Question

REPLY_TOKENS = 400
"""The most that any of them may say."""

HEDGES = ("This may help", "这里可能有帮助")
"""How the platform begins what only comes close."""

_PLAIN = {
    Language.EN: (
        "You answer a student's question from the numbered documents below, and from nothing else. Answer "
        "in at most three sentences and put the number of the document, as in [1], behind each sentence that "
        "rests on it. If the documents do not hold the answer, say: I do not know, the documents do not say."
    ),
    Language.ZH: (
        "请只根据下面带编号的资料回答学生的问题，不要使用资料以外的内容。"
        "最多三句话，每句后面用 [1] 这样的编号标出依据。"
        "如果资料里没有答案，就说：资料里没有提到，我不知道。"
    ),
}
_BARE = {
    Language.EN: "You are a teaching assistant. Answer the student in at most three sentences.",
    Language.ZH: "你是一名助教。请用最多三句话回答学生的问题。",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a student reads, in the dialogue API's fields that are judged; `calls` are keys of the record."""

    way: str
    route: str
    text: str
    citations: list[dict[str, Any]]
    marked: bool
    standalone: str = ""
    calls: list[str] = field(default_factory=list)


class Ways:
    """The platform twice over one data folder, plain retrieval and the bare model over one record."""

    def __init__(self, home: Path, base_url: str, model: str, kept: KeptModel, **settings: Any) -> None:
        """`settings` are further ones of the platform with the model."""
        self._runner = asyncio.Runner()
        self._kept = kept
        self.without = build_platform(Settings(home=home))
        self.platform = build_platform(
            Settings(
                home=home,
                llm_base_url=base_url,
                llm_model=model,
                llm_timeout_s=600.0,
                llm_max_tokens=REPLY_TOKENS,
                **settings,
            )
        )
        self._model = OpenAiLanguageModel(
            base_url=base_url,
            api_key="",
            model=model,
            timeout_s=600.0,
            max_tokens=REPLY_TOKENS,
            max_retries=0,
        )

    def close(self) -> None:
        self.platform.close()
        self.without.close()
        self._runner.close()

    def ask(self, vta: Platform, way: str, question: Question) -> tuple[Reply, Answer]:
        """One question to a platform, in the session that it names."""
        before = len(self._kept.asked)
        answer = self._runner.run(vta.assistant.answer(question))
        return _reply(way, answer, self._kept.asked[before:]), answer

    def is_taught(self, course: CourseId, question: str) -> bool:
        """Whether the platform explains with concepts of the question."""
        answer = self._runner.run(self.without.assistant.answer(Question(course_id=course, text=question)))
        return answer.route is Route.CHAIN_OF_TEACH and bool(answer.concepts)

    def passages(self, course: CourseId, standalone: str) -> tuple[Candidate, ...]:
        """What the platform ranks first for a question that stands alone."""
        known = self.platform.knowledge.current()
        whole = self.platform.stores.courses.course(course)
        found = known.ranker.rank(
            standalone,
            course=whole,
            mentions=known.linker.link(standalone, course=whole),
            chit_chat=0.0,
            top=self.platform.settings.top_k,
        )
        return found.candidates

    def plain_retrieval(
        self, question: str, passages: Sequence[Candidate], history: Sequence[tuple[str, str]]
    ) -> Reply:
        """The passages, the dialogue and the question in one prompt."""
        language = detect_language(question, Language.EN)
        documents = "\n\n".join(
            f"[{n}] {each.pair.question}\n{each.pair.answer}" for n, each in enumerate(passages, start=1)
        )
        text, calls = self._complete(_PLAIN[language] + "\n\n" + documents, question, history)
        cited = bind_citations(text, passages)[1]
        return _said("plain retrieval", text, calls, cited)

    def bare_model(self, question: str, history: Sequence[tuple[str, str]]) -> Reply:
        """The model with nothing but the dialogue."""
        text, calls = self._complete(_BARE[detect_language(question, Language.EN)], question, history)
        return _said("bare model", text, calls, ())

    def _complete(
        self, system: str, question: str, history: Sequence[tuple[str, str]]
    ) -> tuple[str, list[str]]:
        messages = [ChatMessage(role="system", content=system)]
        for asked, answered in history[-2:]:
            messages += [
                ChatMessage(role="user", content=asked),
                ChatMessage(role="assistant", content=answered),
            ]
        messages.append(ChatMessage(role="user", content=question))
        before = len(self._kept.asked)
        try:
            text = self._runner.run(self._model.complete(messages)).text.strip()
        except UpstreamFailed as failure:
            text = f"({failure.message})"
        return text, self._kept.asked[before:]


def _reply(way: str, answer: Answer, calls: list[str]) -> Reply:
    """`marked`: the student is told that something of it is not sure."""
    return Reply(
        way=way,
        route=str(answer.route),
        text=answer.text,
        citations=list(map(citation_to_json, answer.citations)),
        marked=answer.degraded is not None
        or answer.route is Route.UNANSWERED
        or any(mark in answer.text for mark in HEDGES),
        standalone=answer.standalone_question,
        calls=calls,
    )


def _said(way: str, text: str, calls: list[str], citations: Sequence[Citation]) -> Reply:
    cited = list(map(citation_to_json, citations))
    return Reply(way=way, route="chain_of_teach", text=text, citations=cited, marked=False, calls=calls)
