"""The settings: one table of `VTA_*` environment variables, read once by the wiring."""

from __future__ import annotations

import errno
import logging
import os
import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from prompts.budget import PROMPT_TOKENS, PromptForm
from services.storage.engine import TIMEOUT_S, sqlite_url
from vta.dialogue.small_talk import HELP_LINES
from vta.errors import InvalidInput, VtaError
from vta.faults import Fault
from vta.types import Language, Thresholds, Unsupported


def _http_url(value: str) -> str:
    if not re.match(r"https?://[^/\s]", value):
        raise ValueError("must start with http:// or https:// and name a server")
    return value.rstrip("/")


def _http_urls(value: str) -> str:
    return ",".join(_http_url(url.strip()) for url in value.split(","))


def _networks(value: str) -> str:
    for part in value.split(","):
        ip_network(part.strip(), strict=False)
    return value


HttpUrl = Annotated[str, AfterValidator(_http_url)]
HttpUrls = Annotated[str, AfterValidator(_http_urls)]
Networks = Annotated[str, AfterValidator(_networks)]

_DEFAULTS = Thresholds()

_log = logging.getLogger(__name__)


class Settings(BaseSettings):
    """Unset means the embedded default. Every field is the variable `VTA_<FIELD>`.

    The URLs stay out of the repr, since they may hold a password.
    """

    model_config = SettingsConfigDict(
        env_prefix="VTA_", env_ignore_empty=True, extra="ignore", frozen=True, allow_inf_nan=False
    )

    home: Path = Field(default=Path(".vta"), description="The data folder.")
    database_url: str | None = Field(
        default=None,
        repr=False,
        description="Database URL of the relational store; a SQLite file in the data folder when unset.",
    )
    database_timeout_s: float = Field(
        default=TIMEOUT_S, gt=0, le=600, description="Timeout of PostgreSQL, in seconds."
    )
    elasticsearch_url: HttpUrls | None = Field(
        default=None,
        repr=False,
        description="Elasticsearch 9 nodes, separated by commas; a tantivy index in the data folder "
        "when unset.",
    )
    elasticsearch_api_key: SecretStr | None = Field(
        default=None,
        description="Elasticsearch API key, if any; user and password can also be part of the URL.",
    )
    elasticsearch_index: str = Field(
        default="vta",
        pattern=r"^[a-z0-9][a-z0-9_-]{0,99}$",
        description="Alias of this platform's index in Elasticsearch; must differ between platforms.",
    )
    elasticsearch_timeout_s: float = Field(
        default=3.0, gt=0, le=600, description="Timeout of Elasticsearch, in seconds."
    )
    llm_base_url: HttpUrl | None = Field(
        default=None,
        repr=False,
        description="OpenAI-compatible server; the offline teacher answers when unset.",
    )
    llm_api_key: SecretStr | None = Field(default=None, description="API key of that server, if any.")
    llm_model: str | None = Field(default=None, description="Model name; required with VTA_LLM_BASE_URL.")
    llm_file: Path | None = Field(
        default=None,
        description="GGUF file to run by llama.cpp in a process of this server's own, instead of "
        "VTA_LLM_BASE_URL (needs the extra `local`).",
    )
    llm_timeout_s: float | None = Field(
        default=None,
        gt=0,
        le=600,
        description="Timeout of a language model answer, in seconds; 30 when unset, 120 with VTA_LLM_FILE.",
    )
    llm_max_tokens: int = Field(
        default=1024, ge=16, le=32_768, description="Maximum length of a language model answer, in tokens."
    )
    unsupported: Unsupported | None = Field(
        default=None,
        description="Model sentences that the course does not support: keep, mark or remove; mark when "
        "unset, remove with the short prompt.",
    )
    prompt_tokens: int = Field(
        default=PROMPT_TOKENS,
        ge=2048,
        le=1_000_000,
        description="Maximum prompt length, in estimated tokens; whole parts are left out to fit.",
    )
    prompt: PromptForm | None = Field(
        default=None,
        description="Form of the prompt that teaches: full, or short (under 900 tokens) for models of up to "
        "about 4 billion parameters; full when unset, short with VTA_LLM_FILE.",
    )
    llm_fallback_model: str | None = Field(
        default=None, description="Another model on that server, used when the first one fails."
    )
    llm_context_tokens: int = Field(
        default=8192,
        ge=256,
        le=10_000_000,
        description="Context window of the model, in tokens; transcripts are cut to fit.",
    )
    llm_breaker_failures: int = Field(
        default=5, ge=1, le=1000, description="Consecutive failures that open the circuit breaker of a model."
    )
    llm_breaker_cool_down_s: float = Field(
        default=30.0, gt=0, le=3600, description="Seconds until a model with an open breaker is tried again."
    )
    llm_prompt_price: float = Field(
        default=0.0, ge=0, description="Price per million prompt tokens, for `vta usage`."
    )
    llm_completion_price: float = Field(
        default=0.0, ge=0, description="Price per million answer tokens, for `vta usage`."
    )
    search_engine_url: HttpUrl | None = Field(
        default=None,
        repr=False,
        description="SearXNG server to search when the course has no answer; off when unset.",
    )
    academic_url: HttpUrl | None = Field(
        default=None,
        repr=False,
        description="OpenAlex (https://api.openalex.org) or a compatible server; off when unset.",
    )
    academic_api_key: SecretStr | None = Field(default=None, description="API key of that server, if any.")
    aminer_url: HttpUrl | None = Field(
        default=None,
        repr=False,
        description="AMiner (https://datacenter.aminer.cn/gateway/open_platform) or a compatible server; "
        "off when unset.",
    )
    aminer_api_key: SecretStr | None = Field(default=None, description="API key of that server, if any.")
    search_timeout_s: float = Field(
        default=4.0, gt=0, le=60, description="Timeout of all search engines together, in seconds."
    )
    search_results: int = Field(default=5, ge=1, le=20, description="Search results ranked per question.")
    search_cache_hours: float = Field(
        default=24.0,
        gt=0,
        le=8760,
        description="Hours for which search results are cached in the data folder.",
    )
    embeddings_folder: Path | None = Field(
        default=None,
        description="Folder of a sentence-transformers model exported to ONNX, instead of the encoder that "
        "comes with the program; `none` turns vectors off.",
    )
    embeddings_base_url: HttpUrl | None = Field(
        default=None,
        repr=False,
        description="OpenAI-compatible embeddings server, instead of a folder.",
    )
    embeddings_api_key: SecretStr | None = Field(default=None, description="API key of that server, if any.")
    embeddings_model: str | None = Field(
        default=None,
        description="Model name at VTA_EMBEDDINGS_BASE_URL; without that, at Hugging Face (needs the extra "
        "`vectors`).",
    )
    embeddings_query_prefix: str | None = Field(
        default=None,
        description="What the model wants before a question, such as `query: `; unset, what its "
        "`config_sentence_transformers.json` names.",
    )
    embeddings_passage_prefix: str | None = Field(
        default=None, description="The same before a passage, such as `passage: `."
    )
    embeddings_timeout_s: float = Field(
        default=10.0, gt=0, le=600, description="Timeout of that server, in seconds."
    )
    admin_key: SecretStr | None = Field(
        default=None,
        min_length=16,
        description="Key for creating courses and keys over HTTP; not possible when unset.",
    )
    open_sidebar: bool = Field(
        default=True,
        description="Whether students may ask without a visitor's token or a platform's key; set it to "
        "`false` when you embed the sidebar.",
    )
    retention_days: int | None = Field(
        default=None,
        ge=1,
        le=36_500,
        description="Days after which turns are erased: at server start and daily while it "
        "runs; kept forever when unset.",
    )
    webhook_private_addresses: bool = Field(
        default=False,
        description="Whether webhooks may use http and private addresses; any instructor can set a webhook.",
    )
    smtp_url: str | None = Field(
        default=None,
        repr=False,
        pattern=r"^smtps?://[^\s/]+$",
        description="Mail server, such as `smtps://user:password@mail.example:465`, for notices of new "
        "questions; no e-mail when unset.",
    )
    mail_from: str | None = Field(
        default=None,
        pattern=r"^[^\r\n]*[^@\s]+@[^@\s]+$",
        description="Sender of these e-mails; required with VTA_SMTP_URL.",
    )
    oidc_issuer: HttpUrl | None = Field(
        default=None,
        description="Issuer of the school's OpenID Connect log-in; instructors then log in there, and "
        "passwords are off.",
    )
    oidc_client_id: str | None = Field(default=None, description="Client id that the school gave.")
    oidc_client_secret: SecretStr | None = Field(default=None, description="Client secret, if any.")
    redis_url: str | None = Field(
        default=None,
        repr=False,
        pattern=r"^(rediss?|unix)://",
        description="Redis, for limits shared by several machines; the processes of one data folder share "
        "them when unset.",
    )
    processes: int = Field(
        default=1,
        ge=1,
        le=1000,
        description="Number of servers sharing the limits; while Redis is down, each admits its share, and "
        "each worker of it its own.",
    )
    trusted_proxies: Networks | None = Field(
        default=None,
        description="Addresses or networks of your reverse proxies, separated by commas; X-Forwarded-For "
        "and X-Forwarded-Proto are trusted only from them.",
    )
    limit_learner: int = Field(
        default=20,
        ge=0,
        le=1_000_000,
        description="Questions per minute per learner, or per session without a learner; 0 for no limit.",
    )
    limit_key: int = Field(
        default=600,
        ge=0,
        le=1_000_000,
        description="Questions per minute per course key; 0 for no limit.",
    )
    limit_address: int = Field(
        default=600,
        ge=0,
        le=1_000_000,
        description="Questions per minute per address without a key (a whole campus may share one); "
        "0 for no limit.",
    )
    limit_course: int = Field(
        default=200,
        ge=0,
        le=1_000_000,
        description="Questions of one course in progress at once in a process, queued ones included; "
        "0 for no limit.",
    )
    limit_requests: int = Field(
        default=6000,
        ge=0,
        le=10_000_000,
        description="Requests of any kind per minute per address; 0 for no limit.",
    )
    grace_s: float = Field(
        default=10.0,
        gt=0,
        le=600,
        description="Seconds for running requests to finish when the server stops.",
    )
    public_url: HttpUrl | None = Field(
        default=None,
        description="The address at which browsers reach this server, for LTI, links and e-mails; "
        "when unset, links are made only at this machine's own addresses.",
    )
    lti_private_addresses: bool = Field(
        default=False,
        description="Whether LTI platforms may use http and private addresses.",
    )
    alpha: float = Field(
        default=_DEFAULTS.alpha, ge=0, le=1, description="A question with h above this is chit-chat."
    )
    beta: float = Field(
        default=_DEFAULTS.beta,
        gt=0,
        description="A best pair with S above this answers directly, an FAQ pair with its relevance too.",
    )
    complex_margin: float = Field(
        default=_DEFAULTS.complex_margin, ge=1, description="Factor applied to beta for complex questions."
    )
    floor: float = Field(
        default=_DEFAULTS.floor, ge=0, description="Small talk knows no pair with S below this."
    )
    relevance: float = Field(
        default=_DEFAULTS.relevance,
        ge=0,
        le=1,
        description="Least relevance, the learned probability of answering, of what is taught from.",
    )
    near: float = Field(
        default=_DEFAULTS.near,
        ge=0,
        le=1,
        description="Least chance of an answer of what is offered as coming close; below it nothing answers.",
    )
    top_k: int = Field(default=_DEFAULTS.top_k, ge=1, le=100, description="Pairs ranked per question.")
    help_line_zh: str = Field(
        default=HELP_LINES[Language.ZH],
        max_length=300,
        description="Help line named in Chinese to a student in distress; put your school's own counselling "
        "here.",
    )
    help_line_en: str = Field(
        default=HELP_LINES[Language.EN],
        max_length=300,
        description="Help line named in English to a student in distress; put your school's own counselling "
        "here.",
    )
    intent_model: Path | None = Field(
        default=None, description="Folder of your own intent model; the shipped one when unset."
    )

    @property
    def thresholds(self) -> Thresholds:
        return Thresholds(
            alpha=self.alpha,
            beta=self.beta,
            complex_margin=self.complex_margin,
            floor=self.floor,
            top_k=self.top_k,
            relevance=self.relevance,
            near=self.near,
        )

    @property
    def help_lines(self) -> dict[Language, str]:
        return {Language.ZH: self.help_line_zh, Language.EN: self.help_line_en}

    @property
    def unsupported_sentences(self) -> Unsupported:
        """What happens to model sentences that the course does not support."""
        by_form = Unsupported.REMOVE if self.prompt_form is PromptForm.SHORT else Unsupported.MARK
        return self.unsupported or by_form

    @property
    def prompt_form(self) -> PromptForm:
        return self.prompt or (PromptForm.SHORT if self.llm_file else PromptForm.FULL)

    @property
    def model_name(self) -> str | None:
        return self.llm_file.stem if self.llm_file else self.llm_model

    @property
    def searches_web(self) -> bool:
        """Whether any search engine is switched on."""
        return any((self.search_engine_url, self.academic_url, self.aminer_url))

    @property
    def keeps_all_here(self) -> bool:
        """Whether nearly all of an answer is the interpreter's work: no other server and no large encoder."""
        away = (self.elasticsearch_url, self.embeddings_base_url, self.embeddings_folder)
        return self.store_url.startswith("sqlite") and not any(away)

    @property
    def answer_timeout_s(self) -> float:
        return self.llm_timeout_s or (120.0 if self.llm_file else 30.0)

    @property
    def proxy_networks(self) -> tuple[IPv4Network | IPv6Network, ...]:
        parts = (self.trusted_proxies or "").split(",")
        return tuple(ip_network(part.strip(), strict=False) for part in parts if part.strip())

    @property
    def store_url(self) -> str:
        return self.database_url or sqlite_url((self.home / "vta.db").resolve())


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


_REMOVED = {
    "VTA_LEND_CONCEPTS": "each course shares and takes concepts by settings of its own, on its settings page"
}
"""What took the place of a variable that was one."""


def _warn_of_unknown_variables() -> None:
    """A misspelt variable does nothing, and would say nothing."""
    for name, near in unknown_variables(name for name, value in os.environ.items() if value):
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        hint = f"; {_REMOVED[name]}" if name in _REMOVED else hint
        _log.warning("%s is no setting%s", name, hint)


def read_settings(home: Path | None = None, llm_file: Path | None = None) -> Settings:
    """The settings of this process. Raises `InvalidInput` that names every wrong variable.

    What is given rules over its variable.

    Variables that begin with VTA_ and are no setting are logged.
    """
    _warn_of_unknown_variables()
    try:
        given = {"home": home, "llm_file": llm_file}
        settings = Settings(**{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]
    except ValidationError as error:
        faults = [(f"VTA_{'_'.join(map(str, e['loc'])).upper()}", e["msg"]) for e in error.errors()]
        message = "; ".join(f"{variable}: {fault}" for variable, fault in faults)
        raise InvalidInput(Fault("setting.wrong", reasons=message), field=faults[0][0]) from None
    if settings.llm_base_url and not settings.llm_model:
        raise InvalidInput(Fault("setting.model_name"), field="VTA_LLM_MODEL")
    if settings.llm_file and settings.llm_base_url:
        raise InvalidInput(Fault("setting.model_once"), field="VTA_LLM_FILE")
    if settings.intent_model and not settings.intent_model.is_dir():
        fault = Fault(
            "intent.model_unusable", path=str(settings.intent_model), reason=os.strerror(errno.ENOENT)
        )
        raise InvalidInput(fault, field="VTA_INTENT_MODEL")
    if settings.smtp_url and not settings.mail_from:
        raise InvalidInput(Fault("setting.mail_from"), field="VTA_MAIL_FROM")
    if settings.oidc_issuer and not settings.oidc_client_id:
        raise InvalidInput(Fault("setting.oidc_client"), field="VTA_OIDC_CLIENT_ID")
    if settings.embeddings_base_url and not settings.embeddings_model:
        raise InvalidInput(Fault("setting.embeddings_model"), field="VTA_EMBEDDINGS_MODEL")
    if settings.embeddings_folder and (settings.embeddings_base_url or settings.embeddings_model):
        raise InvalidInput(Fault("setting.embeddings_once"), field="VTA_EMBEDDINGS_FOLDER")
    return settings


def make_home(settings: Settings) -> None:
    """Make the data folder where it is missing."""
    try:
        settings.home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise VtaError(
            Fault("setting.home", folder=str(settings.home), reason=error.strerror or "")
        ) from error
