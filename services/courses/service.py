"""Whole courses: making, importing, copying, changing, archiving and removing them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from services.courses.copies import clean_name, copy_content
from services.courses.settings_store import CourseSettings
from services.courses.transfer import CourseContent
from services.indexing.stored_knowledge import StoredKnowledge, sync_index
from services.settings import Settings
from services.store.audit_log import Event
from services.stores import Stores
from services.webhooks.worker import check_address, new_secret
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types.courses import Course, CourseId

MOST_WEEKS = 520
"""By which a copied course may be later."""
SHOWN_DAYS = 7
"""Whose tokens are shown."""
_COURSE_ID = re.compile(r"\w[\w.@-]{0,63}")


class CourseService:
    def __init__(self, stores: Stores, knowledge: StoredKnowledge) -> None:
        self._courses, self._transfer, self._releases = stores.courses, stores.transfer, stores.releases
        self._knowledge = knowledge

    def add(self, course: Course) -> Course:
        """Make a course. `InvalidInput` for what it cannot be called, `Conflict` for a known id."""
        check_course_id(course.id, "id")
        name, domains = clean_name(course.name, course.domains)
        added = replace(course, name=name, domains=domains)
        self._courses.add(added)
        return added

    def edit(
        self, course_id: CourseId, *, name: str | None = None, domains: Sequence[str] | None = None
    ) -> None:
        """Give a course another name or other domains; None leaves what it has."""
        found = self._courses.course(course_id)
        new_name, new_domains = clean_name(
            found.name if name is None else name, found.domains if domains is None else domains
        )
        self._courses.edit(course_id, name=new_name, domains=new_domains)
        sync_index(self._knowledge)

    def take_in(self, content: CourseContent, *, editor: str) -> None:
        """Store a course from a file, whole or not at all, and index it. `Conflict` for a known id."""
        self._transfer.add(content, editor=editor)
        self._answer()

    def _answer(self) -> None:
        self._releases.release_due()
        sync_index(self._knowledge)

    def copy(
        self, course_id: CourseId, *, as_id: CourseId, name: str, later: timedelta, editor: str
    ) -> Course:
        """Copy a course without the data of people, with later release dates, and index the copy.

        `InvalidInput` for what it cannot be called, `Conflict` for a known id, `NotFound` for no course.
        """
        check_course_id(as_id, "id")
        with self._transfer.reading(course_id) as content:
            copied = copy_content(content, as_id=as_id, name=name, later=later)
            self._transfer.add(copied, editor=editor, event=Event.COURSE_COPIED)
        self._answer()
        return self._courses.course(as_id)

    def remove(self, course_id: CourseId) -> Course:
        """Remove a course with everything in it, and return what it was; `NotFound` for none."""
        course = self._courses.course(course_id)
        self._courses.remove(course.id)
        sync_index(self._knowledge)
        return course


def check_course_id(text: str, name: str) -> None:
    """`InvalidInput` that names the argument where a new course cannot be called so."""
    if not _COURSE_ID.fullmatch(text):
        raise InvalidInput(Fault("option.name", name=name, text=text))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUse:
    """The models that a course may choose, its tokens a day (None: any number), and its last days in UTC."""

    models: tuple[str, ...]
    most: int | None
    days: tuple[tuple[date, int], ...]

    @property
    def left(self) -> int | None:
        return None if self.most is None else max(0, self.most - self.days[0][1])


Edit = Callable[[CourseSettings], CourseSettings]


class CourseSettingsService:
    """The settings and webhook secrets of all courses."""

    def __init__(self, stores: Stores, platform: Settings) -> None:
        """`platform` says which addresses, models and tokens a course may set."""
        self._platform = platform
        self._settings, self._webhooks, self._usage = stores.settings, stores.webhooks, stores.usage

    def change(self, course_id: CourseId, edit: Edit, *, expected: str | None = None) -> CourseSettings:
        """Put what `edit` makes of the settings in their place.

        `InvalidInput` names the field that cannot be used; `Conflict` where the settings have not the `mark`
        expected.
        """
        return self._settings.change(course_id, lambda found: self._checked(found, edit), expected=expected)

    def model_use(self, course_id: CourseId) -> ModelUse:
        """What the language model of a course may be and use, and used; `NotFound` for an unknown course."""
        _, most = self._settings.settings(course_id).terms(self._platform.llm_course_tokens)
        days = self._usage.tokens_by_day(course_id, days=SHOWN_DAYS)
        return ModelUse(models=self._platform.course_models, most=most, days=days)

    def make_webhook_secret(self, course_id: CourseId) -> str:
        """Sign with another secret from now on; it is shown once. `InvalidInput` without a webhook."""
        secret = new_secret()
        self._webhooks.keep_secret(course_id, secret)
        return secret

    def _checked(self, found: CourseSettings, edit: Edit) -> CourseSettings:
        changed = edit(found)
        model, tokens, url = changed.model, changed.daily_tokens, changed.webhook_url
        offered, most = self._platform.course_models, self._platform.llm_course_tokens
        if model and model != found.model and model not in offered:
            fault = Fault("setting.model", model=model, offered=", ".join(offered) or "-")
            raise InvalidInput(fault, field="model")
        if most and tokens and tokens != found.daily_tokens and tokens > most:
            raise InvalidInput(Fault("setting.tokens", most=most), field="daily_tokens")
        if not url or url == found.webhook_url:
            return replace(changed, webhook_url=url or None)
        private = self._platform.webhook_private_addresses
        return replace(changed, webhook_url=check_address(url, private=private))
