"""What people do with whole courses: make one, take one in from a file, change, archive or remove it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from services.courses.course_file import open_course, save_course
from services.courses.settings_store import CourseSettings, Embedding
from services.courses.transfer import CourseContent, KeptEntry
from services.indexing.stored_knowledge import StoredKnowledge, sync_index
from services.materials.releases import a_moment
from services.people.key_store import REPLACED_LASTS
from services.store.audit_log import Event
from services.store.process_locks import ProcessFolders
from services.stores import Stores
from services.webhooks.sending import check_address
from services.webhooks.worker import new_secret
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types.concepts import RecordedEdit
from vta.types.courses import LONGEST_COURSE_NAME, Course, CourseId, CourseKey, KeyId, Role
from vta.types.documents import CourseDocument

MOST_DOMAINS = 20
MOST_WEEKS = 520
"""By which a copied course may be later."""
_COURSE_ID = re.compile(r"\w[\w.@-]{0,63}")


class CourseCatalogue:
    """The courses of one platform."""

    def __init__(self, stores: Stores, knowledge: StoredKnowledge, folders: ProcessFolders) -> None:
        self._courses, self._transfer, self._releases = stores.courses, stores.transfer, stores.releases
        self._knowledge = knowledge
        self._folders = folders

    def add(self, course: Course) -> Course:
        """Make a course. `InvalidInput` for what it cannot be called, `Conflict` for a known id."""
        check_course_id(course.id, "id")
        name, domains = _cleaned(course.name, course.domains)
        added = replace(course, name=name, domains=domains)
        self._courses.add(added)
        return added

    def edit(
        self, course_id: CourseId, *, name: str | None = None, domains: Sequence[str] | None = None
    ) -> Course:
        """Give a course another name or other domains; None leaves what it has."""
        found = self._courses.course(course_id)
        new_name, new_domains = _cleaned(
            found.name if name is None else name, found.domains if domains is None else domains
        )
        self._courses.edit(course_id, name=new_name, domains=new_domains)
        sync_index(self._knowledge)
        return self._courses.course(course_id)

    def archive(self, course_id: CourseId, archived: bool) -> Course:
        """Close a course for students and for changes, or open it again."""
        self._courses.set_archived(course_id, archived)
        return self._courses.course(course_id)

    def take_in(self, content: CourseContent, *, editor: str, event: Event = Event.COURSE_IMPORTED) -> None:
        """Store a course from a file, whole or not at all; it answers then. `Conflict` for a known id."""
        self._transfer.add(content, editor=editor, event=event)
        self._releases.release_due()
        sync_index(self._knowledge)

    def copy(
        self, course_id: CourseId, *, as_id: CourseId, name: str, later: timedelta, editor: str
    ) -> Course:
        """Make a course of all in another one that is no person's, released so much later; it answers then.

        `InvalidInput` for what it cannot be called, `Conflict` for a known id, `NotFound` for no course.
        """
        check_course_id(as_id, "id")
        with TemporaryDirectory(dir=self._folders.own()) as folder:
            file = Path(folder, "course.zip")
            with self._transfer.reading(course_id) as content:
                name, _ = _cleaned(name, content.course.domains)
                save_course(content, file)
            with open_course(file, as_id=as_id) as content:
                copied = _NextTerm(content, name, later)
                self.take_in(copied, editor=editor, event=Event.COURSE_COPIED)
        return self._courses.course(as_id)

    def remove(self, course_id: CourseId) -> Course:
        """Remove a course with everything in it, and return what it was; `NotFound` for none."""
        course = self._courses.course(course_id)
        self._courses.remove(course.id)
        sync_index(self._knowledge)
        return course


@dataclass(frozen=True, slots=True)
class _NextTerm:
    """A course under another name, what is released in it so much later."""

    _content: CourseContent
    _name: str
    _later: timedelta

    @property
    def course(self) -> Course:
        return replace(self._content.course, name=self._name)

    @property
    def embedding(self) -> Embedding:
        return self._content.embedding

    def documents(self) -> Iterator[CourseDocument]:
        for each in self._content.documents():
            try:
                moved = each.release_at and a_moment.validate_python(each.release_at + self._later)
            except (ValueError, OverflowError) as error:
                raise InvalidInput(Fault("course.moved_too_far", path=each.path), field="weeks") from error
            yield replace(each, release_at=moved)

    def entries(self) -> Iterator[KeptEntry]:
        return self._content.entries()

    def edits(self) -> Iterator[RecordedEdit]:
        return self._content.edits()


def check_course_id(text: str, name: str) -> None:
    """`InvalidInput` that names the argument where a new course cannot be called so."""
    if not _COURSE_ID.fullmatch(text):
        raise InvalidInput(Fault("option.name", name=name, text=text))


def _cleaned(name: str, domains: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """A name on one line, and domains without empty or double ones."""
    name = " ".join(name.split())
    if not 0 < len(name) <= LONGEST_COURSE_NAME:
        raise InvalidInput(Fault("course.name_length", most=LONGEST_COURSE_NAME), field="name")
    kept = tuple(dict.fromkeys(" ".join(each.split()) for each in domains if each.strip()))
    if not 0 < len(kept) <= MOST_DOMAINS:
        raise InvalidInput(Fault("course.no_domain", most=MOST_DOMAINS), field="domains")
    return name, kept


Edit = Callable[[CourseSettings], CourseSettings]


class CourseSettingsService:
    """The settings, webhook secrets and instructors' keys of all courses."""

    def __init__(self, stores: Stores, *, private_webhooks: bool) -> None:
        """`private_webhooks` as in `check_address`."""
        self._settings, self._keys, self._webhooks = stores.settings, stores.keys, stores.webhooks
        self._private_webhooks = private_webhooks

    def change(self, course_id: CourseId, edit: Edit, *, expected: str | None = None) -> CourseSettings:
        """Put what `edit` makes of the settings in their place.

        `InvalidInput` names the field that cannot be used; `Conflict` where the settings have not the `mark`
        expected.
        """
        return self._settings.change(course_id, lambda found: self._checked(found, edit), expected=expected)

    def make_webhook_secret(self, course_id: CourseId) -> str:
        """Sign with another secret from now on; it is shown once. `InvalidInput` without a webhook."""
        secret = new_secret()
        self._webhooks.keep_secret(course_id, secret)
        return secret

    def needs_webhook_secret(self, course_id: CourseId) -> bool:
        """Whether there is an address that nothing can be signed for yet."""
        found = self._settings.settings(course_id)
        return found.webhook_url is not None and not self._webhooks.has_secret(course_id)

    def make_key(
        self, course_id: CourseId, *, replaces: KeyId | None = None, lasts: timedelta = REPLACED_LASTS
    ) -> tuple[str, CourseKey]:
        """A new instructor's key: its text, which is shown once, and the key. Only the admin makes others.

        One that it `replaces` works on for so long.
        """
        return self._keys.make(course_id, Role.INSTRUCTOR, replaces=replaces, lasts=lasts)

    def revoke_key(self, course_id: CourseId, key_id: KeyId) -> None:
        """Refuse an instructor's key from now on; `NotFound` for any other."""
        self._keys.revoke(course_id, key_id, role=Role.INSTRUCTOR)

    def _checked(self, found: CourseSettings, edit: Edit) -> CourseSettings:
        changed = edit(found)
        url = changed.webhook_url
        if not url or url == found.webhook_url:
            return replace(changed, webhook_url=url or None)
        return replace(changed, webhook_url=check_address(url, private=self._private_webhooks))
