"""How a question is answered: thresholds, help lines and the intent model."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from services.settings.base import SettingsGroup, Share
from vta.dialogue.small_talk import HELP_LINES
from vta.languages import Language
from vta.types.courses import Thresholds

_DEFAULTS = Thresholds()


class AnswerSettings(SettingsGroup):
    """How a question is answered."""

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
