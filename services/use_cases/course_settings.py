"""What instructors set in a course and which keys they make, whichever way they come.

Settings hold from the next question on and change nothing that is searched; whose concepts are lent is looked
up with the store's revision.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from services.storage.course_settings import CourseSettings, SqlCourseSettings
from services.storage.keys import SqlKeys
from services.storage.webhooks import SqlWebhooks
from services.webhooks.courier import new_secret
from services.webhooks.sending import check_address
from vta.types import CourseId, CourseKey, KeyId, Role

Edit = Callable[[CourseSettings], CourseSettings]


class CourseSettingsService:
    """The settings, webhook secrets and instructors' keys of all courses."""

    def __init__(
        self,
        *,
        settings: SqlCourseSettings,
        keys: SqlKeys,
        webhooks: SqlWebhooks,
        private_webhooks: bool,
    ) -> None:
        """`private_webhooks` as in `check_address`."""
        self._settings = settings
        self._keys = keys
        self._webhooks = webhooks
        self._private_webhooks = private_webhooks

    def settings(self, course_id: CourseId) -> CourseSettings:
        """What is set; `NotFound` for an unknown course."""
        return self._settings.settings(course_id)

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

    def keys(self, course_id: CourseId) -> tuple[CourseKey, ...]:
        """All keys of a course without their secrets, revoked ones too, oldest first."""
        return self._keys.keys(course_id)

    def make_key(self, course_id: CourseId) -> tuple[str, CourseKey]:
        """A new instructor's key: its text, which is shown once, and the key. Only the admin makes others."""
        return self._keys.make(course_id, Role.INSTRUCTOR)

    def revoke_key(self, course_id: CourseId, key_id: KeyId) -> None:
        """Refuse an instructor's key from now on; `NotFound` for any other."""
        self._keys.revoke(course_id, key_id, role=Role.INSTRUCTOR)

    def _checked(self, found: CourseSettings, edit: Edit) -> CourseSettings:
        changed = edit(found)
        url = changed.webhook_url
        if not url or url == found.webhook_url:
            return replace(changed, webhook_url=url or None)
        return replace(changed, webhook_url=check_address(url, private=self._private_webhooks))
