"""Names of concepts: their ids, and the forms in which they stand in a text."""

from __future__ import annotations

import re
from functools import lru_cache
from string import ascii_lowercase

from vta.text import normalise
from vta.types.concepts import Concept
from vta.types.courses import ConceptId, CourseId

_NOT_PLURAL = frozenset({"alias", "atlas", "bias", "canvas", "chaos", "lens", "news", "series", "species"})
_SINGULAR_ENDINGS = ("ss", "us", "is")
_ES_ENDINGS = ("sses", "shes", "xes", "zzes", "tches", "nches", "rches")
_MAYBE_E = ("se", "xe", "ze", "che", "she")
_GREEK = ("theses", "yses", "gnoses", "crises", "geneses")
"""Plurals of words in "-is"."""
_IRREGULAR = {
    "vertices": "vertex",
    "indices": "index",
    "matrices": "matrix",
    "children": "child",
    "leaves": "leaf",
    "halves": "half",
    "criteria": "criterion",
    "axes": "axis",
    "people": "person",
    "men": "man",
    "women": "woman",
}
_IRREGULAR_PLURALS = {one: many for many, one in _IRREGULAR.items()}


def concept_id(course_id: CourseId, name: str) -> ConceptId:
    """The id of a concept of a course: the same for every spelling that `normalise` makes equal."""
    return ConceptId(f"{course_id}:{normalise(name)}")


def singular(name: str) -> str:
    """A normalised name with its last English word in the singular; any other name as it is."""
    word = name[len(name.rstrip(ascii_lowercase)) :]
    if word in _IRREGULAR:
        return name[: -len(word)] + _IRREGULAR[word]
    if not word.endswith("s") or word.endswith(_SINGULAR_ENDINGS) or word in _NOT_PLURAL or len(word) < 4:
        return name
    if word.endswith("ies") and len(word) > 4:
        return name[:-3] + "y"
    if word[:-2] in _NOT_PLURAL:
        return name[:-2]
    if word.endswith(_GREEK):
        return name[:-2] + "is"
    return name[:-2] if word.endswith(_ES_ENDINGS) else name[:-1]


def plural(name: str) -> str:
    """A normalised name with its last English word in the plural; any other name as it is."""
    word = name[len(name.rstrip(ascii_lowercase)) :]
    if len(word) < 2 or singular(name) != name:
        return name
    if word in _IRREGULAR_PLURALS:
        return name[: -len(word)] + _IRREGULAR_PLURALS[word]
    if word.endswith("y") and word[-2] not in "aeiou":
        return name[:-1] + "ies"
    if word.endswith("is") and len(word) > 3:
        return name[:-2] + "es"
    return name + ("es" if word.endswith(("s", "x", "z", "ch", "sh")) else "s")


def respelt(name: str) -> frozenset[str]:
    """Spellings of a normalised English name with a hyphen, with a space and with nothing; none without one.

    "k-means" is "k means" and "kmeans"; "b tree" is "b-tree" and "btree".
    """
    if name.isascii() and name[1:2] == " " and name[0].isalpha() and name.count(" ") == 1 and len(name) > 4:
        name = name.replace(" ", "-")
    if "-" not in name.strip("-") or not name.isascii():
        return frozenset()
    return frozenset({name, name.replace("-", " "), name.replace("-", "")})


@lru_cache(maxsize=4096)
def forms(name: str) -> tuple[str, ...]:
    """A name normalised, and its singular and plural, each once."""
    plain = normalise(name)
    return tuple(dict.fromkeys((plain, singular(plain), plural(singular(plain)))))


def stands_in(name: str, text: str) -> bool:
    """Whether a normalised text holds one of a name's `forms`; one of Latin letters only as whole words."""
    return any(
        form in text
        and (not form.isascii() or re.search(rf"(?<![a-z0-9]){re.escape(form)}(?![a-z0-9])", text))
        for form in forms(name)
        if form
    )


@lru_cache(maxsize=4096)
def name_key(name: str) -> str:
    """What two spellings of one name share: normalised, and in the singular.

    Where "-es" may be of a word with an "e" or of one without ("cases", "viruses"), both are one.
    """
    one = singular(normalise(name))
    return one[:-1] if one.endswith(_MAYBE_E) else one


def surfaces(concept: Concept) -> tuple[str, ...]:
    """The normalised name and aliases of a concept, the name first, each once."""
    forms = (normalise(form) for form in (concept.name, *concept.aliases))
    return tuple(dict.fromkeys(form for form in forms if form))
