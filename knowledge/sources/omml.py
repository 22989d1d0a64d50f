"""Equations of Word and PowerPoint (OMML) as TeX between dollar signs."""

from __future__ import annotations

from collections.abc import Iterable

from lxml.etree import _Element

MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_FORMS = {
    "f": (r"\frac{%s}{%s}", "num den"),
    "sSup": ("%s^{%s}", "e sup"),
    "sSub": ("%s_{%s}", "e sub"),
    "sSubSup": ("%s_{%s}^{%s}", "e sub sup"),
    "sPre": ("{}_{%s}^{%s}%s", "sub sup e"),
    "limLow": ("%s_{%s}", "e lim"),
    "limUpp": ("%s^{%s}", "e lim"),
    "func": ("%s %s", "fName e"),
}
_SIGNS = {"∑": r"\sum", "∏": r"\prod", "∫": r"\int"}
_ACCENTS = dict(
    zip(
        "\u0302\u0303\u0304\u0305\u20d7\u0307\u0308\u030c",
        r"\hat \tilde \bar \overline \vec \dot \ddot \check".split(),
        strict=True,
    )
)
_NAMES = frozenset(
    "arccos arcsin arctan arg cos cosh cot det exp lim ln log max min sin sinh tan tanh".split()
)
_SPECIAL = str.maketrans({c: f"\\{c}" for c in "{}%#&$_"} | {"−": "-", "\u00a0": " ", "\u2061": ""})


def to_tex(formula: _Element) -> str:
    """An `oMath` in its line, or an `oMathPara` by itself; empty where nothing is in it."""
    tex = " ".join(_children(formula).split())
    mark = "$$" if formula.tag == f"{MATH}oMathPara" else "$"
    return f"{mark}{tex}{mark}" if tex else ""


def _children(element: _Element) -> str:
    return " ".join(filter(None, map(_written, element.iterchildren("{*}*"))))


def _written(element: _Element) -> str:
    tag = str(element.tag).rpartition("}")[2]
    if tag.endswith("Pr") or tag in ("del", "moveFrom"):
        return ""
    if tag == "f" and _property(element, "type") == "noBar":
        return rf"{{{_part(element, 'num')} \atop {_part(element, 'den')}}}"
    if tag in _FORMS:
        form, parts = _FORMS[tag]
        return form % tuple(_part(element, part) for part in parts.split())
    match tag:
        case "t":
            return _text(element.text or "")
        case "rad":
            degree = _part(element, "deg")
            return rf"\sqrt{f'[{degree}]' if degree else ''}{{{_part(element, 'e')}}}"
        case "nary":
            sign = _property(element, "chr", "∫")
            below, above = _part(element, "sub"), _part(element, "sup")
            limits = (f"_{{{below}}}" if below else "") + (f"^{{{above}}}" if above else "")
            return f"{_SIGNS.get(sign, sign)}{limits} {_part(element, 'e')}"
        case "d":
            inside = [_children(each) for each in element.iterchildren(f"{MATH}e")]
            opening, closing = _property(element, "begChr", "("), _property(element, "endChr", ")")
            return rf"\left{_fence(opening)} {' | '.join(inside)} \right{_fence(closing)}"
        case "acc":
            accent = _ACCENTS.get(_property(element, "chr", "\u0302"))
            return f"{accent}{{{_part(element, 'e')}}}" if accent else _part(element, "e")
        case "bar":
            over = _property(element, "pos") == "top"
            return rf"\{'over' if over else 'under'}line{{{_part(element, 'e')}}}"
        case "m":
            rows = element.iterchildren(f"{MATH}mr")
            return _lines("matrix", (" & ".join(map(_children, row)) for row in rows))
        case "eqArr":
            return _lines("aligned", map(_children, element.iterchildren(f"{MATH}e")))
    return _children(element)


def _lines(name: str, lines: Iterable[str]) -> str:
    return rf"\begin{{{name}}}" + r" \\ ".join(lines) + rf"\end{{{name}}}"


def _part(element: _Element, name: str) -> str:
    found = element.find(f"{MATH}{name}")
    return "" if found is None else _children(found)


def _property(element: _Element, name: str, default: str = "") -> str:
    found = element.find(f"{MATH}{str(element.tag).rpartition('}')[2]}Pr/{MATH}{name}")
    return default if found is None else found.get(f"{MATH}val", "")


def _fence(sign: str) -> str:
    return f"\\{sign}" if sign in ("{", "}") else sign or "."


def _text(text: str) -> str:
    return f"\\{text.strip()}" if text.strip() in _NAMES else text.translate(_SPECIAL)
