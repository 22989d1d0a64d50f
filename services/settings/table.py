"""The table of settings: every field is a `VTA_*` variable."""

from __future__ import annotations

import os
import re
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from prompts.budget import PROMPT_TOKENS
from services.store.engine import TIMEOUT_S, sqlite_url
from vta.dialogue.small_talk import HELP_LINES
from vta.languages import Language
from vta.types.courses import Thresholds
from vta.types.language_model import ModelUsage

SECRET_FOLDERS = tuple(filter(None, ("/run/secrets", os.environ.get("CREDENTIALS_DIRECTORY"))))
"""The folders into which Docker and Kubernetes, and systemd (`LoadCredential=`), put secrets as files."""
_DEFAULTS = Thresholds()


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
ModelAddress = Annotated[str, AfterValidator(_model_server)]
"""The URL to which an OpenAI client adds its paths."""
ModelServerUrl = Annotated[ModelAddress | None, Field(repr=False)]
ServerUrls = Annotated[Annotated[str, AfterValidator(_http_urls)] | None, Field(repr=False)]
Networks = Annotated[str, AfterValidator(_networks)]
Seconds = Annotated[float, Field(gt=0, le=600)]
Share = Annotated[float, Field(ge=0, le=1)]
_Limit = Annotated[int, Field(ge=0, le=1_000_000)]


class Settings(BaseSettings):
    """A field is the variable `VTA_<FIELD>`, else the content of the file `vta_<field>` among the secrets.

    Its docstring is the description; unset means the embedded default.
    """

    model_config = SettingsConfigDict(
        env_prefix="VTA_",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        allow_inf_nan=False,
        use_attribute_docstrings=True,
        secrets_dir=[folder for folder in SECRET_FOLDERS if Path(folder).is_dir()] or None,
    )

    # Where data lies
    home: Path = Path(".vta")
    """The data folder."""
    backup_folder: Path | None = None
    """A folder, on another disk, into which a server writes a checked backup each day; none when unset."""
    backups_kept: int = Field(default=7, ge=1, le=10_000)
    """How many of these are kept."""
    database_url: str | None = Field(default=None, repr=False)
    """Database of the relational store, as `postgresql+psycopg://USER:PASSWORD@SERVER/NAME`; a SQLite file in
    the data folder when unset."""
    database_timeout_s: Seconds = TIMEOUT_S
    """Timeout of PostgreSQL, in seconds."""
    elasticsearch_url: ServerUrls = None
    """Elasticsearch 9 nodes, separated by commas; a tantivy index in the data folder when unset."""
    elasticsearch_api_key: SecretStr | None = None
    """Elasticsearch API key, if any; user and password can also be part of the URL."""
    elasticsearch_index: str = Field(default="vta", pattern=r"^[a-z0-9][a-z0-9_-]{0,99}$")
    """Alias of this platform's index in Elasticsearch; must differ between platforms."""
    elasticsearch_timeout_s: Seconds = 3.0
    """Timeout of Elasticsearch, in seconds."""

    # The language model
    llm_base_url: ModelServerUrl = None
    """OpenAI-compatible server; the offline teacher answers when unset."""
    llm_api_key: SecretStr | None = None
    """API key of that server, if any."""
    llm_model: str | None = None
    """Model name; required with VTA_LLM_BASE_URL."""
    llm_models: str | None = None
    """Other models of that server that a course may choose in its settings, separated by commas."""
    llm_timeout_s: Seconds = 30.0
    """Longest silence of a language model, in seconds: until the first word or thought, then from each piece
    to the next. A streamed answer may last ten times as long, any other no longer."""
    llm_breaker_failures: int = Field(default=5, ge=1, le=1000)
    """Consecutive failures that open the circuit breaker of a model."""
    llm_max_tokens: int = Field(default=1024, ge=16, le=32_768)
    """Maximum length of a language model answer, in tokens."""
    prompt_tokens: int = Field(default=PROMPT_TOKENS, ge=2048, le=1_000_000)
    """Maximum prompt length, in estimated tokens; whole parts are left out to fit, transcripts are cut."""
    llm_fallback_model: str | None = None
    """Another model on that server, used when the first one fails."""
    llm_course_tokens: int = Field(default=0, ge=0)
    """Tokens of the language model that the answers of a course may use a day (UTC), 0 for any number; beyond
    them they are written without a model. An answer under way counts as the most that it may use. What a
    run reads to build a graph counts too, but is not stopped by it."""
    llm_prompt_price: float = Field(default=0.0, ge=0)
    """Price per million prompt tokens, for `vta usage`."""
    llm_completion_price: float = Field(default=0.0, ge=0)
    """Price per million answer tokens, for `vta usage`."""

    # Search engines and vectors
    search_engine_url: ServerUrl = None
    """SearXNG server to search when the course has no answer; off when unset."""
    academic_url: ServerUrl = None
    """OpenAlex (https://api.openalex.org) or a compatible server; off when unset."""
    academic_api_key: SecretStr | None = None
    """API key of that server, if any."""
    search_timeout_s: float = Field(default=4.0, gt=0, le=60)
    """Timeout of all search engines together, in seconds."""
    embeddings_folder: Path | None = None
    """Folder of a sentence-transformers model exported to ONNX, instead of the encoder that comes with the
    program; `none` turns vectors off."""
    embeddings_base_url: ModelServerUrl = None
    """OpenAI-compatible embeddings server, instead of a folder."""
    embeddings_api_key: SecretStr | None = None
    """API key of that server, if any."""
    embeddings_model: str | None = None
    """Model name at VTA_EMBEDDINGS_BASE_URL; without that, at Hugging Face (needs the extra `vectors`)."""
    embeddings_query_prefix: str | None = None
    """What the model wants before a question, such as `query: `; unset, what its
    `config_sentence_transformers.json` names."""
    embeddings_passage_prefix: str | None = None
    """The same before a passage, such as `passage: `."""
    embeddings_timeout_s: Seconds = 10.0
    """Timeout of that server, in seconds."""
    rerank_url: ServerUrl = None
    """Address of a reranker that orders the best thirty candidates, such as https://api.cohere.com/v2/rerank
    (also Jina, TEI, vLLM, Xinference); off when unset."""
    rerank_api_key: SecretStr | None = None
    """API key of that server, if any."""
    rerank_model: str | None = None
    """Model name for that server, if it wants one."""
    rerank_folder: Path | None = None
    """Folder of a cross-encoder exported to ONNX, instead of a server."""

    # Who comes in and what goes out
    admin_key: SecretStr | None = Field(default=None, min_length=16)
    """Key for creating courses and keys over HTTP; not possible when unset."""
    old_admin_key: SecretStr | None = Field(default=None, min_length=16)
    """The admin key before VTA_ADMIN_KEY; works too while this is set, for a change without a gap."""
    open_sidebar: bool = True
    """Whether students may ask without a visitor's token or a platform's key; set it to `false` when you
    embed the sidebar."""
    retention_days: int | None = Field(default=None, ge=1, le=36_500)
    """Days after which turns are erased: at server start and daily while it runs; kept forever when unset."""
    webhook_private_addresses: bool = False
    """Whether webhooks may use http and private addresses; any instructor can name them."""
    website_private_addresses: bool = False
    """Whether websites that are read may have http and private addresses; any instructor can name them, and
    reads what they show."""
    smtp_url: str | None = Field(default=None, repr=False, pattern=r"^smtps?://[^\s/]+$")
    """Mail server, such as `smtps://user:password@mail.example:465`, for notices of new questions; no e-mail
    when unset."""
    mail_from: str | None = Field(default=None, pattern=r"^[^\r\n]*[^@\s]+@[^@\s]+$")
    """Sender of these e-mails; required with VTA_SMTP_URL."""
    oidc_issuer: HttpUrl | None = None
    """Issuer of the school's OpenID Connect log-in; instructors then log in there, and passwords are off."""
    oidc_client_id: str | None = None
    """Client id that the school gave."""
    oidc_client_secret: SecretStr | None = None
    """Client secret, if any."""
    public_url: HttpUrl | None = None
    """The address at which browsers reach this server, for LTI, links and e-mails; when unset, links are made
    only at this machine's own addresses."""
    lti_private_addresses: bool = False
    """Whether LTI platforms may use http and private addresses."""

    # How much may come at once
    redis_url: str | None = Field(default=None, repr=False, pattern=r"^(rediss?|unix)://")
    """Redis, for limits shared by several machines; the processes of one data folder share them when
    unset."""
    processes: int = Field(default=1, ge=1, le=1000)
    """Number of servers sharing the limits; while Redis is down, each admits its share, and each worker of it
    its own."""
    trusted_proxies: Networks | None = None
    """Addresses or networks of your reverse proxies, separated by commas; X-Forwarded-For and
    X-Forwarded-Proto are trusted only from them."""
    limit_learner: _Limit = 20
    """Questions per minute per learner, or per session without a learner; 0 for no limit."""
    limit_learner_day: _Limit = 0
    """Questions in 24 hours per learner of a course; 0 for no limit."""
    limit_key: _Limit = 600
    """Questions per minute per course key; 0 for no limit."""
    limit_address: _Limit = 600
    """Questions per minute per address without a key (a whole campus may share one); 0 for no limit."""
    limit_course: _Limit = 200
    """Questions of one course in progress at once in a process, queued ones included; 0 for no limit."""
    limit_requests: int = Field(default=6000, ge=0, le=10_000_000)
    """Requests of any kind per minute per address; 0 for no limit."""
    grace_s: Seconds = 10.0
    """Seconds for running requests to finish when the server stops."""

    # How a question is answered
    alpha: Share = _DEFAULTS.alpha
    """A question with h above this is chit-chat."""
    beta: float = Field(default=_DEFAULTS.beta, gt=0)
    """A best pair with S above this answers directly, an FAQ pair with its relevance too."""
    complex_margin: float = Field(default=_DEFAULTS.complex_margin, ge=1)
    """Factor applied to beta for complex questions."""
    floor: float = Field(default=_DEFAULTS.floor, ge=0)
    """Small talk knows no pair with S below this."""
    relevance: Share = _DEFAULTS.relevance
    """Least relevance, the learned probability of answering, of a place that is shown; two thirds of it where
    a concept is named, and then the place "may help"."""
    top_k: int = Field(default=_DEFAULTS.top_k, ge=1, le=100)
    """Pairs ranked per question."""
    help_line_zh: str = Field(default=HELP_LINES[Language.ZH], max_length=300)
    """Help line named in Chinese to a student in distress; put your school's own counselling here."""
    help_line_en: str = Field(default=HELP_LINES[Language.EN], max_length=300)
    """Help line named in English to a student in distress; put your school's own counselling here."""
    intent_model: Path | None = None
    """Folder of your own intent model; the shipped one when unset."""

    @property
    def store_url(self) -> str:
        return self.database_url or sqlite_url((self.home / "vta.db").resolve())

    def cost_of(self, usage: ModelUsage) -> float | None:
        """In the currency of the prices; None where none is set."""
        if not (self.llm_prompt_price or self.llm_completion_price):
            return None
        price = usage.prompt_tokens * self.llm_prompt_price
        return round((price + usage.completion_tokens * self.llm_completion_price) / 1_000_000, 6)

    @property
    def course_models(self) -> tuple[str, ...]:
        """The models that a course may choose, the usual one first; none without a language model."""
        names = (self.llm_model or "", *(self.llm_models or "").split(","))
        return tuple(dict.fromkeys(filter(None, map(str.strip, names)))) if self.llm_base_url else ()

    @property
    def searches_web(self) -> bool:
        """Whether any search engine is switched on."""
        return bool(self.search_engine_url or self.academic_url)

    @property
    def proxy_networks(self) -> tuple[IPv4Network | IPv6Network, ...]:
        parts = (self.trusted_proxies or "").split(",")
        return tuple(ip_network(part.strip(), strict=False) for part in parts if part.strip())

    @property
    def thresholds(self) -> Thresholds:
        return Thresholds(
            alpha=self.alpha,
            beta=self.beta,
            complex_margin=self.complex_margin,
            floor=self.floor,
            top_k=self.top_k,
            relevance=self.relevance,
        )

    @property
    def help_lines(self) -> dict[Language, str]:
        return {Language.ZH: self.help_line_zh, Language.EN: self.help_line_en}
