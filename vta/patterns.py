"""Regular expressions kept as data: named patterns of a TOML file, whose line breaks do not count."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def read_patterns(package: str, file: str, table: str = "") -> Mapping[str, re.Pattern[str]]:
    """The patterns of a file of a package, or of one table of it, in their order."""
    found = tomllib.loads(files(package).joinpath(file).read_text(encoding="utf-8"))
    listed = found[table] if table else found
    return {name: re.compile(pattern.replace("\n", "")) for name, pattern in listed.items()}
