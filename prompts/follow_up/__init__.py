"""Follow-ups made to stand alone: rules, and the prompt for a language model, in Chinese and English."""

from __future__ import annotations

from prompts.follow_up.rules import RuleFollowUp
from prompts.follow_up.standalone import TemplateStandalonePrompt

__all__ = ["RuleFollowUp", "TemplateStandalonePrompt"]
