"""The settings as they hold, and where each comes from."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import SecretStr

from services.http.request_log import Redaction, secrets_of
from services.settings import Settings

From = Literal["environment", "option", "default"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectiveSetting:
    """A setting by its variable; secrets and passwords in addresses are blacked out."""

    variable: str
    value: str | None
    source: From


def effective_settings(
    settings: Settings, environ: Mapping[str, str], options: Collection[str] = ()
) -> tuple[EffectiveSetting, ...]:
    """All of them in the order of the documentation; `options` are the fields that the command line gave."""
    set_ones = {name.upper() for name, value in environ.items() if value}
    redact = Redaction(secrets_of(settings))

    def shown(name: str) -> str | None:
        value = getattr(settings, name)
        if value is None:
            return None
        return "[secret]" if isinstance(value, SecretStr) else redact(str(value))

    def source(name: str) -> From:
        if name in options:
            return "option"
        return "environment" if f"VTA_{name.upper()}" in set_ones else "default"

    return tuple(
        EffectiveSetting(variable=f"VTA_{name.upper()}", value=shown(name), source=source(name))
        for name in type(settings).model_fields
    )
