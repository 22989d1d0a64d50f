"""Texts for people in both languages, as data: rows `key = {en = "...", zh = "..."}` of TOML files."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files

from vta.languages import Language

_VALUE = re.compile(r"\{\w*\}")


class Texts(dict[str, str]):
    """Texts of one language by key; `KeyError` names a key that no file has."""

    def __missing__(self, key: str) -> str:
        raise KeyError(f"there is no text {key!r}")


def read_texts(package: str, path: str) -> Mapping[Language, Texts]:
    """The texts of a TOML file in a package, or of all TOML files in a folder of it, by language.

    `ValueError` names the file and key of a row that lacks a language or has an empty text, whose texts name
    different values, or whose key is another row's or a method of a dict, which templates would find instead.
    """
    place = files(package) / path
    tables = sorted(place.iterdir(), key=lambda each: each.name) if place.is_dir() else [place]
    texts = {language: Texts() for language in Language}
    for table in tables:
        for key, row in tomllib.loads(table.read_text(encoding="utf-8")).items():
            if key in texts[Language.EN] or hasattr(dict, key):
                raise ValueError(f"{table.name}: the key {key!r} is taken")
            if set(row) != set(Language) or not all(row.values()):
                raise ValueError(f"{table.name}: {key} needs one text in each language")
            if len({frozenset(_VALUE.findall(text)) for text in row.values()}) > 1:
                raise ValueError(f"{table.name}: the texts of {key} name different values")
            for language in Language:
                texts[language][key] = row[language]
    return texts
