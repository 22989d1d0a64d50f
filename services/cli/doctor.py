"""`vta doctor`: how the parts are, the settings that hold, and what may go wrong."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import typer
from pydantic import SecretStr

from knowledge.search.http_client import HttpClient
from services.archive.backups import last_backup
from services.archive.daily import BACKUP_AGE, LATE, last_daily_backup
from services.cli.output import Home, Json, platform, run, show, show_json
from services.indexing.index_sync import examine_index, revisions_behind
from services.language_model.checkup import Checked
from services.lti.platform_keys import check_platform
from services.settings import Settings, secret_files, unknown_variables
from services.store.engine import deleted_files
from services.store.schema import missing_parts, schema_version
from services.store.transactions import reading
from services.web.counters import open_counters
from services.web.request_log import Redaction, secrets_of
from services.wiring import Platform
from vta.errors import UpstreamFailed
from vta.faults import Fault
from vta.patterns import read_table
from vta.ports import Embedder

LEAST_FREE, LEAST_SHARE = 1_000_000_000, 0.05
"""Bytes and share of a disk below which it is nearly full."""
UNGROUNDED = "answered a tiny question wrongly or without its source"
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


def doctor(home: Home = None, as_json: Json = False) -> None:
    """Check back ends, show the settings that hold and where they come from, and tell risks and remedies.

    Exit 1 where a back end fails; a risk alone is exit 0. Example: vta doctor
    """
    with platform(home) as vta:
        disk = shutil.disk_usage(vta.settings.home)
        states = run(_examine(vta, disk.free), vta.model)
        risks = risks_of(_facts(vta, states, free=disk.free, total=disk.total))
        options = () if home is None else ("home",)
        settings = effective_settings(vta.settings, os.environ, options, secret_files())
    if as_json:
        show_json({**states, "settings": settings, "risks": [asdict(each) for each in risks]})
    else:
        _show(states, settings, risks)
    if any(state.startswith("failed") for state in states.values()):
        raise typer.Exit(1)


def _show(
    states: dict[str, str], settings: dict[str, dict[str, str | None]], risks: tuple[Risk, ...]
) -> None:
    for name, state in states.items():
        show(f"{name}: {state}")
    given = {variable: each for variable, each in settings.items() if each["from"] != "default"}
    show(f"\nsettings ({len(settings) - len(given)} more at their defaults, see --json):")
    for variable, each in given.items():
        show(f"  {variable} = {each['value']} ({each['from']})")
    show("\nrisks:" if risks else "\nrisks: none known")
    for risk in risks:
        show(f"  {risk.name}: {risk.text}. To do: {risk.remedy}")


def _facts(vta: Platform, states: dict[str, str], *, free: int, total: int) -> Facts:
    return Facts(
        settings=vta.settings,
        database=vta.stores.engine.dialect.name,
        states=states,
        revisions_behind=revisions_behind(vta.index, vta.stores.documents),
        free_bytes=free,
        disk_bytes=total,
        courses=len(vta.stores.courses.courses()),
        last_backup=last_backup(vta.settings.home),
        last_daily_backup=last_daily_backup(folder) if (folder := vta.settings.backup_folder) else None,
        now=datetime.now(UTC),
        unknown_variables=tuple(name for name, _ in unknown_variables({*os.environ, *secret_files()})),
    )


async def _examine(vta: Platform, free: int) -> dict[str, str]:
    with reading(vta.stores.engine) as connection:
        schema, missing = schema_version(connection), missing_parts(connection)
    revision = vta.stores.documents.revision()
    rows = {
        "store": f"{vta.stores.engine.dialect.name}, revision {revision}, schema {schema}",
        "search": examine_index(vta.index, vta.stores.documents),
        "disk": f"{free / 1e9:.1f} GB free at {vta.settings.home.resolve()}",
        "intent": f"{vta.settings.intent_model or 'shipped model'}",
        "language_model": "not configured; the offline teacher answers",
    }
    wrong = _examine_log(vta) or (Fault("store.incomplete", missing=", ".join(missing)) if missing else None)
    if wrong is not None:
        rows["store"] = f"failed: {wrong.text()}"
    counters = open_counters(vta.settings)
    if (redis := await counters.state()) is not None:
        rows["redis"] = redis
    await counters.aclose()
    if vta.model is not None:
        try:
            rows["language_model"] = _state_of(await vta.model.check(), vta.settings.llm_model or "")
        except UpstreamFailed as failure:
            rows["language_model"] = f"failed: {failure.message}"
    if vta.mail_worker.can_send:
        fault = await asyncio.to_thread(vta.mail_worker.fault)
        rows["mail"] = f"failed: {fault}" if fault else "reachable"
    rows |= await _examine_lti(vta)
    if vta.embedder is not None:
        rows["embeddings"] = await asyncio.to_thread(_examine_embedder, vta.embedder)
    return rows


def _state_of(checked: Checked, model: str) -> str:
    state = f"reachable, {model}"
    if not checked.lists(model):
        state += f", which is not among the models that the server lists ({', '.join(checked.models[:5])})"
    return state if checked.is_grounded else f"{state}, {UNGROUNDED}"


def _examine_log(vta: Platform) -> Fault | None:
    """The fault of the log of a SQLite store, as another process sees it."""
    engine = vta.stores.engine
    if engine.dialect.name == "sqlite" and (writers := deleted_files(Path(engine.url.database or ""))):
        return Fault("store.log_deleted", process=writers[0])
    return None


async def _examine_lti(vta: Platform) -> dict[str, str]:
    """The state of the keys of registered platforms, and of the settings behind a proxy."""
    known = await asyncio.to_thread(vta.stores.lti_platforms.platforms)
    if not known:
        return {}
    needed = {"VTA_PUBLIC_URL": vta.settings.public_url, "VTA_TRUSTED_PROXIES": vta.settings.trusted_proxies}
    unset = " and ".join(name for name, value in needed.items() if not value)
    rows = {"lti": f"{unset} not set: needed behind a proxy" if unset else "set for a proxy"}
    outgoing = HttpClient(private_addresses=vta.settings.lti_private_addresses)
    for each in known:
        try:
            rows[f"lti {each.id}"] = f"{await check_platform(each, outgoing)} keys at {each.jwks_url}"
        except UpstreamFailed as failure:
            rows[f"lti {each.id}"] = f"failed: {failure.message}"
    return rows


def _examine_embedder(embedder: Embedder) -> str:
    try:
        (row,) = embedder.embed(["?"])
    except UpstreamFailed as failure:
        return f"failed: {failure.message}"
    return f"{embedder.name}, {len(row)} dimensions"


def effective_settings(
    settings: Settings,
    environ: Mapping[str, str],
    options: Collection[str] = (),
    files: Collection[str] = (),
) -> dict[str, dict[str, str | None]]:
    """`value` and origin (`from`) of each setting by its variable, without secrets, in the order of the docs.

    `options` are the fields that the command line gave, `files` the variables for which a secret file stands.
    """
    given = {name.upper() for name, value in environ.items() if value}
    redact = Redaction(secrets_of(settings))

    def shown(name: str) -> str | None:
        value = getattr(settings, name)
        if value is None:
            return None
        return "[secret]" if isinstance(value, SecretStr) else redact(str(value))

    def origin(name: str) -> str:
        if name in options:
            return "option"
        variable = f"VTA_{name.upper()}"
        return "environment" if variable in given else "file" if variable in files else "default"

    return {
        f"VTA_{name.upper()}": {"value": shown(name), "from": origin(name)}
        for name in type(settings).model_fields
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Facts about a platform; the state of an unusable part begins with "failed"."""

    settings: Settings
    database: str
    states: Mapping[str, str]
    revisions_behind: int
    free_bytes: int
    disk_bytes: int
    courses: int
    last_backup: datetime | None
    last_daily_backup: datetime | None
    now: datetime
    unknown_variables: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk:
    name: str
    text: str
    remedy: str


def risks_of(facts: Facts) -> tuple[Risk, ...]:
    """The gravest first: what fails now, what may be lost, who may come in, what is slow."""
    words = read_table("services.cli", "risks.toml")
    failing = [
        Risk(name=name, text=state.removeprefix("failed: "), remedy="mend it, then ask vta doctor again")
        for name, state in facts.states.items()
        if state.startswith("failed")
    ]
    others = [
        Risk(
            name=words[key].get("name", key),
            text=words[key]["text"].format_map(values),
            remedy=words[key]["remedy"],
        )
        for key, values in (*_losses(facts), *_openings(facts.settings), *_servers(facts))
    ]
    return (*failing, *others)


_Found = Iterator[tuple[str, Mapping[str, object]]]
"""Keys of `risks.toml`, with the values of the text."""


def _losses(facts: Facts) -> _Found:
    if facts.free_bytes < max(LEAST_FREE, LEAST_SHARE * facts.disk_bytes):
        yield "disk", {"free": f"{facts.free_bytes / 1e9:.1f} GB"}
    if facts.revisions_behind > 0:
        yield "index", {"behind": facts.revisions_behind}
    if (folder := facts.settings.backup_folder) is not None:
        last = facts.last_daily_backup
        if last is None or facts.now - last > LATE:
            yield "daily_backup", {"folder": folder}
    elif facts.courses and facts.last_backup is None:
        yield "no_backup", {}
    elif facts.last_backup is not None and (age := facts.now - facts.last_backup) > BACKUP_AGE:
        yield "backup", {"days": age.days}


def _openings(settings: Settings) -> _Found:
    url = urlsplit(settings.public_url or "")
    conditions = {
        "open_sidebar": settings.open_sidebar,
        "admin_key": settings.admin_key is None,
        "https": url.scheme == "http" and url.hostname not in _LOCAL,
        "proxy": settings.public_url and not settings.trusted_proxies,
        "public_url": not settings.public_url,
        "private_addresses": settings.webhook_private_addresses
        or settings.website_private_addresses
        or settings.lti_private_addresses,
        "retention": settings.retention_days is None,
    }
    yield from ((key, {}) for key, holds in conditions.items() if holds)


def _servers(facts: Facts) -> _Found:
    if facts.settings.processes > 1 and facts.database == "sqlite":
        yield "sqlite", {}
    if facts.settings.processes > 1 and facts.settings.redis_url is None:
        yield "limits", {}
    if facts.states.get("language_model", "").endswith(UNGROUNDED):
        yield "small_model", {}
    for name in facts.unknown_variables:
        yield "variable", {"variable": name}
