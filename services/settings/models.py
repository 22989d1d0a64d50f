"""The language model: where it runs, what it is given, and what its calls cost."""

from __future__ import annotations

from pydantic import Field, SecretStr

from prompts.budget import PROMPT_TOKENS
from services.settings.base import ModelServerUrl, Seconds, SettingsGroup
from vta.types.language_model import ModelUsage


class ModelSettings(SettingsGroup):
    """The language model."""

    llm_base_url: ModelServerUrl = None
    """OpenAI-compatible server; the offline teacher answers when unset."""
    llm_api_key: SecretStr | None = None
    """API key of that server, if any."""
    llm_model: str | None = None
    """Model name; required with VTA_LLM_BASE_URL."""
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
    them they are written without a model. An answer under way counts as the most that it may use."""
    llm_prompt_price: float = Field(default=0.0, ge=0)
    """Price per million prompt tokens, for `vta usage`."""
    llm_completion_price: float = Field(default=0.0, ge=0)
    """Price per million answer tokens, for `vta usage`."""

    def cost_of(self, usage: ModelUsage) -> float | None:
        """In the currency of the prices; None where none is set."""
        if not (self.llm_prompt_price or self.llm_completion_price):
            return None
        price = usage.prompt_tokens * self.llm_prompt_price
        return round((price + usage.completion_tokens * self.llm_completion_price) / 1_000_000, 6)
