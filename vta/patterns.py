"""Word lists, weights and regular expressions in TOML files of the packages."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def read_table(package: str, file: str) -> Mapping[str, Any]:
    """The content of a TOML file of a package, read once."""
    return tomllib.loads(files(package).joinpath(file).read_text(encoding="utf-8"))


@cache
def read_patterns(
    package: str, file: str, table: str = "", *, flags: re.RegexFlag = re.NOFLAG
) -> Mapping[str, re.Pattern[str]]:
    """The patterns of a file, or of one table of it, in their order; line breaks in them do not count."""
    found = read_table(package, file)
    return {name: pattern(text, flags) for name, text in (found[table] if table else found).items()}


def pattern(text: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """A regular expression as it is written in such a file."""
    return re.compile(text.replace("\n", ""), flags)
