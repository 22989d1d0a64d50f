"""What the groups of settings have in common: how they are read, and the kinds of their values."""

from __future__ import annotations

import os
import re
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_settings import BaseSettings, SettingsConfigDict

_SECRETS = ("/run/secrets", os.environ.get("CREDENTIALS_DIRECTORY", ""))
"""Where Docker and Kubernetes, and systemd (`LoadCredential=`), put secrets as files."""


class SettingsGroup(BaseSettings):
    """Settings of one subject: every field is the variable `VTA_<FIELD>`, its docstring the description.

    Without the variable it is the content of the file `vta_<field>` among the secrets.
    """

    model_config = SettingsConfigDict(
        env_prefix="VTA_",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        allow_inf_nan=False,
        use_attribute_docstrings=True,
        secrets_dir=[folder for folder in _SECRETS if folder and Path(folder).is_dir()] or None,
    )


def _http_url(value: str) -> str:
    if not re.match(r"https?://[^/\s]", value):
        raise ValueError("must start with http:// or https:// and name a server")
    return value.rstrip("/")


def _model_server(value: str) -> str:
    if re.search(r"[?#]|/(?:completions|embeddings)$", url := _http_url(value)):
        raise ValueError("must be the address before /chat/completions, without a query, as https://host/v1")
    return url


def _http_urls(value: str) -> str:
    return ",".join(_http_url(url.strip()) for url in value.split(","))


def _networks(value: str) -> str:
    for part in value.split(","):
        ip_network(part.strip(), strict=False)
    return value


HttpUrl = Annotated[str, AfterValidator(_http_url)]
ServerUrl = Annotated[HttpUrl | None, Field(repr=False)]
"""The URL of another server, which may hold a password and so stays out of the repr; None for no server."""
ModelServerUrl = Annotated[Annotated[str, AfterValidator(_model_server)] | None, Field(repr=False)]
"""The URL to which an OpenAI client adds its paths."""
ServerUrls = Annotated[Annotated[str, AfterValidator(_http_urls)] | None, Field(repr=False)]
Networks = Annotated[str, AfterValidator(_networks)]
Seconds = Annotated[float, Field(gt=0, le=600)]
Share = Annotated[float, Field(ge=0, le=1)]
