"""Follow-ups: rules that make a question stand alone, in Chinese and English."""

from __future__ import annotations

from prompts.follow_up.rules import RuleFollowUp

__all__ = ["RuleFollowUp"]
