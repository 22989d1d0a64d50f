"""Runs of a language model over the sections of a course, from which its graph is built then."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from threading import Lock, Thread
from typing import TYPE_CHECKING

from concept_graph.model_graph import Section, SectionReply, read_reply
from prompts.messages import section_messages
from services.documents.rows import SECTIONS
from services.graph.files import graph_document
from services.graph.service import CourseGraphs
from services.language_model.structured import StructuredAnswers
from services.stores import Stores
from vta.errors import InvalidInput, UpstreamFailed, VtaError
from vta.faults import Fault
from vta.tokens import message_tokens
from vta.types.courses import Course, CourseId
from vta.types.language_model import ModelUsage

if TYPE_CHECKING:
    from services.language_model.client import OpenAiLanguageModel

AT_ONCE = 4
"""Sections that a model reads at the same time; as many failures in a row end a run."""
LONGEST_REPLY = 4_096
"""Tokens that a reply about a section may have at most, as a setting for answers may be too small for it."""
ANSWER_TOKENS = 700
"""Assumed tokens of a reply about a section."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The sections of a course that no model has read, of `total`."""

    course: Course
    unread: tuple[Section, ...]
    total: int

    @property
    def usage(self) -> ModelUsage:
        """An estimate of what a run would use, if no prompt is repeated; it renders all prompts each time."""
        prompts = (section_messages(each.texts, self.course.language) for each in self.unread)
        return ModelUsage(
            course_id=self.course.id,
            model="",
            prompt_tokens=sum(map(message_tokens, prompts)),
            completion_tokens=len(self.unread) * ANSWER_TOKENS,
        )


@dataclass(slots=True, kw_only=True)
class ModelRun:
    """A run over `sections`, as far as it has come.

    `dropped` counts names and quotes that stand in no passage. `failure` is why sections are left, which
    another run asks about, or why there is no graph.
    """

    sections: int = 0
    read: int = 0
    dropped: int = 0
    concepts: int = 0
    edges: int = 0
    failure: VtaError | None = None
    is_over: bool = False


class ModelGraphs:
    """Has a language model read the courses of one platform."""

    def __init__(
        self,
        graphs: CourseGraphs,
        stores: Stores,
        *,
        new_model: Callable[[str | None], OpenAiLanguageModel | None],
        alone: Callable[[str], AbstractContextManager[None]],
    ) -> None:
        """`alone` admits one process at a time under a name.

        `new_model` makes the client of a run, of the model that a course has chosen, None for the usual one.
        """
        self._graphs, self._courses, self._documents = graphs, stores.courses, stores.documents
        self._settings = stores.settings
        self._new_model, self._alone = new_model, alone
        self._runs: dict[CourseId, ModelRun] = {}
        self._lock = Lock()

    def plan(self, course_id: CourseId, *, most: int | None = None) -> Plan:
        """What is left to read of a course, at most `most` sections; `NotFound` for no course."""
        course, sections = self._courses.course(course_id), self._graphs.sections(course_id)
        stored = self._documents.states(course_id)
        unread = [each for each in sections if SECTIONS + each.digest not in stored]
        return Plan(course=course, unread=tuple(unread[:most]), total=len(sections))

    def last_run(self, course_id: CourseId) -> ModelRun | None:
        """The run of this process over a course that is under way or ended last."""
        return self._runs.get(course_id)

    def start(self, course_id: CourseId) -> None:
        """Begin a run in the background, unless one is under way in this process."""
        with self._lock:
            last = self._runs.get(course_id)
            if last is None or last.is_over:
                run = self._runs[course_id] = ModelRun(sections=len(self.plan(course_id).unread))
                Thread(target=self._go, args=(course_id, run), name="model-graph", daemon=True).start()

    def run(
        self,
        course_id: CourseId,
        run: ModelRun | None = None,
        *,
        seeds: Sequence[str] = (),
        most: int | None = None,
        progress: Callable[[int], object] = lambda count: None,
    ) -> ModelRun:
        """Read what is left of a course, store each reply before the next, and build the graph of all.

        `progress` gets 1 after each section. `InvalidInput` without a model, for a course whose
        settings give it no tokens a day, and as for `CourseGraphs.build`.
        """
        run = run or ModelRun()
        with self._alone(f"model-graph-{course_id}"):
            plan = self.plan(course_id, most=most)
            run.sections = len(plan.unread)
            asyncio.run(self._ask(plan, self._model(course_id), run, progress))
            known = {SECTIONS + each.digest for each in self._graphs.sections(course_id)}
            stored = self._documents.states(course_id)
            gone = [path for path in stored if path.startswith(SECTIONS) and path not in known]
            self._documents.apply(course_id, put=(), remove=gone)
            concepts, edges = self._graphs.build(course_id, seeds=seeds)
        run.concepts, run.edges = len(concepts), len(edges)
        return run

    def _go(self, course_id: CourseId, run: ModelRun) -> None:
        try:
            self.run(course_id, run)
        except VtaError as failure:
            run.failure = failure
        except Exception:
            _log.exception("a language model's reading of the course %r failed", course_id)
            run.failure = VtaError(Fault("graph.run_failed"))
        finally:
            run.is_over = True

    def _model(self, course_id: CourseId) -> OpenAiLanguageModel:
        settings = self._settings.settings(course_id)
        if settings.daily_tokens == 0:
            raise InvalidInput(Fault("graph.no_tokens"), field="--model")
        model = self._new_model(settings.model)
        if model is None:
            raise InvalidInput(Fault("setting.no_model"), field="--model")
        return model

    async def _ask(
        self, plan: Plan, model: OpenAiLanguageModel, run: ModelRun, progress: Callable[[int], object]
    ) -> None:
        course, waiting, failed = plan.course, iter(plan.unread), 0
        answers = StructuredAnswers(model, course_id=course.id)

        async def ask_in_turn() -> None:
            nonlocal failed
            for section in waiting:
                messages = section_messages(section.texts, course.language)
                try:
                    reply = await answers.fill(messages, SectionReply, language=course.language)
                except UpstreamFailed as failure:
                    run.failure, failed = failure, failed + 1
                    if failed >= AT_ONCE:
                        return
                    continue
                failed = 0
                (concepts, edges), dropped = read_reply(reply, section, course)
                document = graph_document(SECTIONS + section.digest, concepts, edges)
                await asyncio.to_thread(self._documents.apply, course.id, put=[document])
                run.read, run.dropped = run.read + 1, run.dropped + dropped
                progress(1)

        try:
            await asyncio.gather(*(ask_in_turn() for _ in range(AT_ONCE)))
        finally:
            await model.aclose()
