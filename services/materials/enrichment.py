"""What a language model is asked about the passages of a course, by which they are found from then on."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from threading import Event
from typing import TYPE_CHECKING

from prompts.messages import ENRICHMENT_PROMPT, enrichment_messages
from services.indexing.stored_knowledge import StoredKnowledge, sync_index
from services.language_model.structured import StructuredAnswers
from services.materials.enrichment_reply import AskedPassage, EnrichmentForm, ReadReply, ReplyCheck
from services.materials.enrichment_store import Enrichment
from services.materials.ingest_store import IngestState, Job
from services.materials.ingests import IngestLog, IngestQueue, Task
from services.materials.rows import text_digest
from services.stores import Stores
from vta.errors import AnswerCutShort, InvalidInput, UpstreamFailed, VtaError
from vta.faults import Fault
from vta.languages import Language
from vta.ports import Guard
from vta.text import Analyser
from vta.tokens import message_tokens
from vta.types.courses import Course, CourseId
from vta.types.language_model import ChatMessage, ModelUsage
from vta.types.pairs import QAPair, Source

if TYPE_CHECKING:
    from services.language_model.client import OpenAiLanguageModel

OUTAGES = 3
"""Passages in a row without an answer after which the rest is left for another run."""
INDEXED_EVERY = 100
"""Passages asked about after which those so far are searchable by it."""
ANSWER_TOKENS = 60
"""What a model is taken to write of a passage: its summary, and as much again for each language."""
LONGEST_PASSAGE = 2_400
"""Characters of a passage in a prompt; what stands behind is not shown."""
_CHARACTERS_A_PROMPT_TOKEN = 3
"""By which a passage is cut where the model has little room; half of it is left free."""
_JOIN_S = 2.0
"""How long the end of the process waits for a run that keeps what it has."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedPassage:
    """A passage that is to be asked about, by the digest of its text, with its prompt."""

    digest: str
    pair: QAPair
    messages: tuple[ChatMessage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrichmentPlan:
    """What a run asks about a course; `enriched` of its `total` passages were asked about before."""

    passages: tuple[PlannedPassage, ...]
    languages: tuple[Language, ...]
    enriched: int
    total: int

    @property
    def usage(self) -> ModelUsage:
        """The tokens of the run as they are estimated, if nothing has to be repeated."""
        return ModelUsage(
            course_id=None,
            model="",
            prompt_tokens=sum(message_tokens(each.messages) for each in self.passages),
            completion_tokens=len(self.passages) * ANSWER_TOKENS * (1 + len(self.languages)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrichmentRun:
    """What came of a run; `failure` is why passages were `left`, which another run asks about."""

    asked: int = 0
    questions: int = 0
    dropped: int = 0
    left: int = 0
    failure: UpstreamFailed | None = None


class CourseEnrichment:
    """The enrichments of all courses of one platform, and the runs of this process in the background."""

    def __init__(
        self,
        *,
        stores: Stores,
        knowledge: StoredKnowledge,
        guard: Guard,
        new_model: Callable[[], OpenAiLanguageModel | None],
        model_name: str | None,
        room: int,
    ) -> None:
        """Each run makes a model of its own; `room` is what it holds beside its answer, in tokens."""
        self._courses, self._documents, self._enrichments = (
            stores.courses,
            stores.documents,
            stores.enrichments,
        )
        self._knowledge, self._guard, self._room = knowledge, guard, room
        self._new_model, self._model_name = new_model, model_name
        self._queue, self._log, self._closed = IngestQueue(), IngestLog(stores.ingests), Event()
        self._jobs: dict[CourseId, Job] = {}
        """The last of each course."""

    @property
    def has_model(self) -> bool:
        """Whether there is a language model to ask."""
        return self._model_name is not None

    def require_model(self) -> None:
        """`InvalidInput` names the settings where there is no language model."""
        if not self.has_model:
            raise _no_model()

    def count(self, course_id: CourseId) -> int:
        """How many passages were asked about."""
        return self._enrichments.count(course_id)

    def plan(self, course_id: CourseId, *, languages: Sequence[Language] = ()) -> EnrichmentPlan:
        """What is to be asked: the passages that were not asked about in these languages before.

        Without `languages` it is that of the course. Passages of the same text are one.
        """
        course = self._courses.course(course_id)
        wanted = tuple(dict.fromkeys(languages)) or (course.language,)
        kept = self._enrichments.enrichments(course_id)
        done = {
            digest
            for digest, each in kept.items()
            if each.prompt == ENRICHMENT_PROMPT and set(wanted) <= set(each.languages)
        }
        found: dict[str, QAPair] = {}
        for pair in self._documents.pairs(course_id):
            if pair.source is Source.MATERIAL:
                found.setdefault(text_digest(pair.answer), pair)
        left = [digest for digest in found if digest not in done]
        return EnrichmentPlan(
            passages=tuple(self._planned(digest, found[digest], wanted, course) for digest in left),
            languages=wanted,
            enriched=len(found) - len(left),
            total=len(found),
        )

    def ask(
        self, course_id: CourseId, plan: EnrichmentPlan, *, told: Callable[[int], object] = lambda _: None
    ) -> EnrichmentRun:
        """Ask about each passage of a plan, and keep what holds of a reply before the next prompt.

        Broken off in whatever way, what is kept is searchable, and the next plan goes on. A prompt that
        fails is left for another run, and after `OUTAGES` in a row, cut answers aside, so is the rest. `told`
        is given the number of passages after each prompt that did not fail. `InvalidInput` where there is no
        model.
        """
        course = self._courses.course(course_id)
        if (model := self._new_model()) is None:
            raise _no_model()
        return asyncio.run(self._ask(course, plan, model, told))

    def begin(self, course_id: CourseId, plan: EnrichmentPlan) -> Job:
        """Ask about a plan in the background; where a run of the course is under way, it is that one.

        `LimitExceeded` where much of the course is being read.
        """
        self.require_model()
        under_way = self._jobs.get(course_id)
        if under_way and under_way.running:
            return under_way
        job = Job(id=secrets.token_hex(8), course_id=course_id, total=len(plan.passages))
        self._log.begin(job)
        self._jobs[course_id] = job
        self._queue.add(Task(job=job, run=lambda: self._run(job, plan), drop=lambda: self._log.end(job)))
        return job

    def remove(self, course_id: CourseId) -> None:
        """Forget all that was asked about a course; its passages are found as before."""
        self._enrichments.remove(course_id)
        sync_index(self._knowledge)

    def close(self) -> None:
        """End what is under way after the passage that is being asked about."""
        self._closed.set()
        self._queue.stop()
        self._queue.join(_JOIN_S)
        self._log.close()

    def _planned(
        self, digest: str, pair: QAPair, languages: Sequence[Language], course: Course
    ) -> PlannedPassage:
        longest = min(LONGEST_PASSAGE, max(1, self._room // _CHARACTERS_A_PROMPT_TOKEN))
        text = f"{pair.question}\n{pair.answer}"[:longest]
        return PlannedPassage(
            digest=digest, pair=pair, messages=enrichment_messages(text, languages, course.language)
        )

    async def _ask(
        self,
        course: Course,
        plan: EnrichmentPlan,
        model: OpenAiLanguageModel,
        told: Callable[[int], object],
    ) -> EnrichmentRun:
        answers = StructuredAnswers(model, course_id=course.id)
        check = ReplyCheck(Analyser(), self._guard)
        run, failed = EnrichmentRun(left=len(plan.passages)), 0
        try:
            for each in plan.passages:
                if failed == OUTAGES or self._closed.is_set():
                    break
                try:
                    reply = await answers.fill(each.messages, EnrichmentForm, language=course.language)
                except UpstreamFailed as failure:
                    run = replace(run, failure=failure)
                    failed += not isinstance(failure, AnswerCutShort)  # a small model runs on
                    continue
                failed = 0
                held = check.read(reply, _asked(each, plan, course))
                self._keep(course.id, plan, each.digest, held)
                run = replace(
                    run,
                    asked=run.asked + 1,
                    questions=run.questions + len(held.questions),
                    dropped=run.dropped + held.dropped,
                    left=run.left - 1,
                )
                told(1)
                if run.asked % INDEXED_EVERY == 0:
                    self._index(course.id)
        finally:
            self._index(course.id)
            await model.aclose()
        return run

    def _keep(self, course_id: CourseId, plan: EnrichmentPlan, digest: str, held: ReadReply) -> None:
        enrichment = Enrichment(
            digest=digest,
            questions=held.questions,
            summary=held.summary,
            languages=plan.languages,
            model=self._model_name or "",
            prompt=ENRICHMENT_PROMPT,
        )
        self._enrichments.keep(course_id, enrichment)

    def _index(self, course_id: CourseId) -> None:
        self._enrichments.apply(course_id)
        sync_index(self._knowledge)

    def _run(self, job: Job, plan: EnrichmentPlan) -> None:
        def told(count: int) -> None:
            job.done += count

        try:
            job.state = IngestState.READING
            run = self.ask(job.course_id, plan, told=told)
            job.fault = run.failure.fault if run.failure else None
            job.state = IngestState.FAILED if run.failure else IngestState.DONE
        except VtaError as failure:
            job.fault, job.state = failure.fault, IngestState.FAILED
        except Exception:
            _log.exception("a run of the enrichment failed")
            job.fault, job.state = Fault("upload.failed"), IngestState.FAILED
        finally:
            self._log.end(job)


def _no_model() -> InvalidInput:
    return InvalidInput(Fault("setting.no_model"))


def _asked(each: PlannedPassage, plan: EnrichmentPlan, course: Course) -> AskedPassage:
    system, user = each.messages
    return AskedPassage(
        text=each.pair.answer,
        heading=each.pair.question,
        prompt=f"{system.content}\n{user.content.rpartition('</document>')[2]}",
        languages=plan.languages,
        language=course.language,
    )
