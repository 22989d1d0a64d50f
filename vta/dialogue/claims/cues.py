"""The cue words by which sentences are read, from cues.toml."""

from __future__ import annotations

from vta.patterns import pattern, read_table

_TABLE = read_table("vta.dialogue.claims", "cues.toml")

CUES = {name: pattern(text) for name, text in _TABLE.items() if isinstance(text, str)}
"""By name, in both languages: what splits clauses, denies, sets a condition, says yes or no."""
OPPOSITES = tuple((pattern(each["plus"]), pattern(each["minus"])) for each in _TABLE["opposites"])
"""Words of which one turns round what the other says."""
RELATIONS = tuple((each["family"], each["sign"], pattern(each["pattern"])) for each in _TABLE["relations"])
"""What stands on two sides of a word: (family, sign, pattern)."""
