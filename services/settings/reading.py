"""Reading the settings of a process from its environment, once."""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import SecretStr, ValidationError

from services.settings.table import SECRET_FOLDERS, Settings
from vta.errors import InvalidInput, VtaError
from vta.faults import Fault
from vta.languages import Language

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_log = logging.getLogger(__name__)


def reveal(secret: SecretStr | None) -> str:
    """A secret in plain, empty where none is set."""
    return secret.get_secret_value() if secret else ""


def terminal_language() -> Language:
    """The language of messages in a terminal: Chinese where the locale begins with zh, else English."""
    locale = next(filter(None, (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    return Language.ZH if locale.lower().startswith("zh") else Language.EN


def unknown_variables(names: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The variables that look like settings and are none, each with the settings that may be meant."""
    known = [f"VTA_{name.upper()}" for name in Settings.model_fields]
    for name in sorted(names):
        if name.startswith("VTA_") and not name.startswith("VTA_TEST_") and name not in known:
            yield name, tuple(get_close_matches(name, known, n=2, cutoff=0.8))


def secret_files() -> dict[str, Path]:
    """The files among the secrets that stand for a variable, by its name.

    `InvalidInput` names a folder that cannot be listed.
    """
    found: dict[str, Path] = {}
    for folder in map(Path, SECRET_FOLDERS):
        try:
            files = sorted(folder.iterdir()) if folder.is_dir() else []
        except OSError as error:
            reason = error.strerror or ""
            raise InvalidInput(Fault("setting.secret_file", file=str(folder), reason=reason)) from error
        found |= {file.name.upper(): file for file in files if file.name.upper().startswith("VTA_")}
    return found


def _check_secret_files(found: Mapping[str, Path]) -> None:
    """`InvalidInput` names a file that is a setting and is empty or cannot be read."""
    for name, file in found.items():
        if name.removeprefix("VTA_").lower() in Settings.model_fields:
            try:
                reason = None if file.read_text("utf-8").strip() else "it is empty"
            except OSError as error:
                reason = error.strerror or ""
            except UnicodeDecodeError:
                reason = "not UTF-8"
            if reason is not None:
                raise InvalidInput(Fault("setting.secret_file", file=str(file), reason=reason), field=name)


def _warn_of_unknown_variables(files: Iterable[str]) -> None:
    """A misspelt variable or file does nothing, and would say nothing."""
    names = {name for name, value in os.environ.items() if value}
    for name, near in unknown_variables(names.union(files)):
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        _log.warning("%s is no setting%s", name, hint)


def read_settings(home: Path | None = None) -> Settings:
    """The settings of this process. Raises `InvalidInput` that names every wrong variable.

    What is given rules over its variable.

    Variables that begin with VTA_ and are no setting are logged.
    """
    files = secret_files()
    _warn_of_unknown_variables(files)
    _check_secret_files(files)
    try:
        settings = Settings() if home is None else Settings(home=home)
    except ValidationError as error:
        faults = [(f"VTA_{'_'.join(map(str, e['loc'])).upper()}", _reason(e)) for e in error.errors()]
        message = "; ".join(f"{variable}: {fault}" for variable, fault in faults)
        raise InvalidInput(Fault("setting.wrong", reasons=message), field=faults[0][0]) from None
    _check_together(settings)
    return settings


def _reason(error: ErrorDetails) -> str:
    """What is wrong with a value; a secret that is too short has characters, where pydantic counts items."""
    return (
        f"write at least {error['ctx']['min_length']} characters"
        if error["type"] == "too_short"
        else error["msg"]
    )


def _check_together(settings: Settings) -> None:
    """`InvalidInput` names the variable of a setting that conflicts with others."""
    if settings.llm_base_url and not settings.llm_model:
        raise InvalidInput(Fault("setting.model_name"), field="VTA_LLM_MODEL")
    if settings.intent_model and not settings.intent_model.is_dir():
        reason = os.strerror(errno.ENOENT)
        fault = Fault("intent.model_unusable", path=str(settings.intent_model), reason=reason)
        raise InvalidInput(fault, field="VTA_INTENT_MODEL")
    if settings.smtp_url and not settings.mail_from:
        raise InvalidInput(Fault("setting.mail_from"), field="VTA_MAIL_FROM")
    if settings.oidc_issuer and not settings.oidc_client_id:
        raise InvalidInput(Fault("setting.oidc_client"), field="VTA_OIDC_CLIENT_ID")
    if settings.embeddings_base_url and not settings.embeddings_model:
        raise InvalidInput(Fault("setting.embeddings_model"), field="VTA_EMBEDDINGS_MODEL")
    if settings.rerank_folder and settings.rerank_url:
        raise InvalidInput(Fault("setting.rerank_once"), field="VTA_RERANK_FOLDER")
    if settings.embeddings_folder and (settings.embeddings_base_url or settings.embeddings_model):
        raise InvalidInput(Fault("setting.embeddings_once"), field="VTA_EMBEDDINGS_FOLDER")


def make_home(settings: Settings) -> None:
    """Make the data folder where it is missing."""
    try:
        settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise VtaError(
            Fault("setting.home", folder=str(settings.home), reason=error.strerror or "")
        ) from error
