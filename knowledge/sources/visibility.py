"""When students of the platform that a course was exported from see a part of it; for all readers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import PurePosixPath

from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types.answers import Rejection

ALWAYS = datetime.min.replace(tzinfo=UTC)
NEVER = datetime(9000, 1, 1, tzinfo=UTC)
"""Of what is hidden; no release date is as late."""
_PUBLISHED = ("", "active", "published")
_CLOSED = ("hidden", "locked", "only_visible_to_overrides")


@dataclass(frozen=True, slots=True)
class Unpacked:
    """The files of archives by their path, the dates on which some are released, and what was left out.

    `refused` cannot be read, or is hidden from students; `passed_over` is of kinds that nothing reads.
    """

    files: list[str] = field(default_factory=list)
    release_at: dict[str, datetime] = field(default_factory=dict)
    refused: list[Rejection] = field(default_factory=list)
    passed_over: list[str] = field(default_factory=list)

    def takes(self, path: str, opens: datetime) -> bool:
        """Note the release date of a part that opens at a moment; False, with a rejection, if hidden."""
        try:
            if release_at := release_of(opens, path):
                self.release_at[path] = release_at
        except InvalidInput as hidden:
            self.refused.append(Rejection(path=path, fault=hidden.fault))
            return False
        return True


def moment(written: str | float) -> datetime:
    """A date of ISO 8601 or in seconds; `ALWAYS` for none, `NEVER` for what is no date."""
    try:
        if isinstance(written, str):
            read = datetime.fromisoformat(written.strip().replace(" UTC", "Z")) if written else ALWAYS
        else:
            read = datetime.fromtimestamp(written, UTC)
        return min(read.replace(tzinfo=read.tzinfo or UTC), NEVER)
    except (ValueError, OverflowError, OSError):
        return NEVER


def release_of(opens: datetime, path: str, name: str = "") -> datetime | None:
    """When to release a file, or a part by name, that opens at a moment, None for now.

    `InvalidInput` that names what is hidden.
    """
    if opens >= NEVER:
        raise InvalidInput(Fault("file.not_open_to_all", name=name or PurePosixPath(path).name).at(path))
    return opens if opens > datetime.now(UTC) else None


def canvas_opens(setting: Callable[[str], str]) -> datetime:
    """When what has these settings of Canvas opens: published, for all, unlocked and not locked again."""
    now = datetime.now(UTC)
    publish, locks = moment(setting("publish_at")), setting("lock_at")
    is_published = setting("workflow_state") in _PUBLISHED or publish > now
    is_for_all = all(setting(name) in ("", "false") for name in _CLOSED)
    is_shown = is_published and is_for_all and (not locks or moment(locks) > now)
    return max(publish, moment(setting("unlock_at"))) if is_shown else NEVER
