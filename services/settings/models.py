"""The language model: where it runs, what it is given, and what its calls cost."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, SecretStr

from prompts.budget import PROMPT_TOKENS
from services.settings.base import Seconds, ServerUrl, SettingsGroup


class ModelSettings(SettingsGroup):
    """The language model."""

    llm_base_url: ServerUrl = None
    """OpenAI-compatible server; the offline teacher answers when unset."""
    llm_api_key: SecretStr | None = None
    """API key of that server, if any."""
    llm_model: str | None = None
    """Model name; required with VTA_LLM_BASE_URL."""
    llm_file: Path | None = None
    """GGUF file to run by llama.cpp in a process of this server's own, instead of VTA_LLM_BASE_URL (needs the
    extra `local`)."""
    llm_timeout_s: Seconds | None = None
    """Timeout of a language model answer, in seconds; 30 when unset, 120 with VTA_LLM_FILE."""
    llm_max_tokens: int = Field(default=1024, ge=16, le=32_768)
    """Maximum length of a language model answer, in tokens."""
    prompt_tokens: int = Field(default=PROMPT_TOKENS, ge=2048, le=1_000_000)
    """Maximum prompt length, in estimated tokens; whole parts are left out to fit."""
    llm_fallback_model: str | None = None
    """Another model on that server, used when the first one fails."""
    llm_context_tokens: int = Field(default=8192, ge=256, le=10_000_000)
    """Context window of the model, in tokens; transcripts are cut to fit."""
    llm_breaker_failures: int = Field(default=5, ge=1, le=1000)
    """Consecutive failures that open the circuit breaker of a model."""
    llm_breaker_cool_down_s: float = Field(default=30.0, gt=0, le=3600)
    """Seconds until a model with an open breaker is tried again."""
    llm_course_tokens: int = Field(default=0, ge=0)
    """Tokens of the language model that the answers of a course may use a day (UTC), 0 for any number; beyond
    them they are written without a model."""
    llm_prompt_price: float = Field(default=0.0, ge=0)
    """Price per million prompt tokens, for `vta usage`."""
    llm_completion_price: float = Field(default=0.0, ge=0)
    """Price per million answer tokens, for `vta usage`."""

    @property
    def model_name(self) -> str | None:
        return self.llm_file.stem if self.llm_file else self.llm_model

    @property
    def answer_timeout_s(self) -> float:
        return self.llm_timeout_s or (120.0 if self.llm_file else 30.0)
