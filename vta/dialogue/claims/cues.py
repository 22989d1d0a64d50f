"""The cue words by which sentences are read, from cues.toml."""

from __future__ import annotations

import importlib.resources
import re
import tomllib
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True, kw_only=True)
class Cues:
    """The table of cues.toml, compiled."""

    split: re.Pattern[str]
    negation: re.Pattern[str]
    condition: re.Pattern[str]
    condition_end: re.Pattern[str]
    premise: re.Pattern[str]
    example: re.Pattern[str]
    yes: re.Pattern[str]
    no: re.Pattern[str]
    opposites: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]
    relations: tuple[tuple[str, int, re.Pattern[str]], ...]


@cache
def cues() -> Cues:
    """The cue words, read once."""
    text = (
        importlib.resources.files("vta")
        .joinpath("dialogue", "claims", "cues.toml")
        .read_text(encoding="utf-8")
    )
    table = tomllib.loads(text)
    single = {key: _compile(value) for key, value in table.items() if isinstance(value, str)}
    return Cues(
        **single,
        opposites=tuple((_compile(each["plus"]), _compile(each["minus"])) for each in table["opposites"]),
        relations=tuple((r["family"], r["sign"], _compile(r["pattern"])) for r in table["relations"]),
    )


def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile("".join(pattern.split("\n")))
