"""What may go wrong with a platform as it is set up, in plain words, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from services.settings import Settings

BACKUP_AGE = timedelta(days=7)
LEAST_FREE, LEAST_SHARE = 1_000_000_000, 0.05
"""Bytes and share of a disk below which it is nearly full."""
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known of a platform; a state of a part begins with failed where the part cannot be used."""

    settings: Settings
    database: str
    states: Mapping[str, str]
    revisions_behind: int
    free_bytes: int
    disk_bytes: int
    courses: int
    last_backup: datetime | None
    now: datetime
    unknown_variables: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk:
    """What may go wrong, and what to do."""

    name: str
    text: str
    remedy: str


def risks_of(facts: Facts) -> tuple[Risk, ...]:
    """The gravest first: what fails now, what may be lost, who may come in, what is slow."""
    found = (
        *_failures(facts.states),
        *_losses(facts),
        *_openings(facts.settings),
        *_servers(facts),
        *_variables(facts),
    )
    return tuple(Risk(name=name, text=text, remedy=remedy) for name, text, remedy in found)


_Told = Iterator[tuple[str, str, str]]


def _failures(states: Mapping[str, str]) -> _Told:
    for name, state in states.items():
        if state.startswith("failed"):
            yield name, state.removeprefix("failed: "), "mend it, then ask vta doctor again"


def _losses(facts: Facts) -> _Told:
    if facts.free_bytes < max(LEAST_FREE, LEAST_SHARE * facts.disk_bytes):
        free = f"{facts.free_bytes / 1e9:.1f} GB"
        yield "disk", f"only {free} are free where the data lie", "make room, or move VTA_HOME"
    if facts.revisions_behind > 0:
        behind = f"{facts.revisions_behind} changes are not found by searches yet"
        yield "index", behind, "vta reindex, if it stays so while the server runs"
    if facts.courses and facts.last_backup is None:
        yield (
            "backup",
            "no vta backup of this data folder is known",
            "vta backup FILE, if nothing else does it",
        )
    elif facts.last_backup is not None and (age := facts.now - facts.last_backup) > BACKUP_AGE:
        yield "backup", f"the last vta backup is {age.days} days old", "vta backup FILE"


def _openings(settings: Settings) -> _Told:
    if settings.open_sidebar:
        yield (
            "open_sidebar",
            "whoever reaches the server may ask, without a token or key",
            "VTA_OPEN_SIDEBAR=false where you embed the sidebar",
        )
    if settings.admin_key is None:
        yield (
            "admin_key",
            "none is set, so courses and keys cannot be made over HTTP",
            "VTA_ADMIN_KEY if another system shall do so; the command line needs none",
        )
    url = urlsplit(settings.public_url or "")
    if url.scheme == "http" and url.hostname not in _LOCAL:
        yield (
            "https",
            "browsers reach the server by http",
            "a proxy with https, and VTA_PUBLIC_URL",
        )
    if settings.public_url and not settings.trusted_proxies:
        yield (
            "proxy",
            "no proxy is trusted: behind one, all students share the limits of its address",
            "VTA_TRUSTED_PROXIES, if there is a proxy",
        )
    if not settings.public_url:
        yield (
            "public_url",
            "links, the school's log-in and LTI work only at this machine's own addresses",
            "VTA_PUBLIC_URL, the address at which browsers reach the server",
        )
    if settings.webhook_private_addresses or settings.lti_private_addresses:
        yield (
            "private_addresses",
            "instructors or platforms can make the server call addresses inside your network",
            "leave VTA_WEBHOOK_PRIVATE_ADDRESSES and VTA_LTI_PRIVATE_ADDRESSES unset",
        )
    if settings.retention_days is None:
        yield "retention", "conversations are kept forever", "VTA_RETENTION_DAYS, as your rules say"


def _servers(facts: Facts) -> _Told:
    if facts.settings.processes == 1:
        return
    if facts.database == "sqlite":
        yield (
            "sqlite",
            "several servers share a SQLite file: one writes at a time, and only on one machine",
            "PostgreSQL by VTA_DATABASE_URL; vta backup and vta restore move everything",
        )
    if facts.settings.redis_url is None:
        yield "limits", "servers on several machines count limits apart", "VTA_REDIS_URL"


def _variables(facts: Facts) -> _Told:
    for name in facts.unknown_variables:
        yield "variable", f"{name} is no setting and does nothing", "correct or remove it (docs/settings.md)"
