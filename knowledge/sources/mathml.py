"""MathML in a page as TeX between dollar signs, as formulas stand in Markdown."""

from __future__ import annotations

from lxml.html import HtmlElement

_OPERATORS = str.maketrans({"−": "-", "\u2061": "", "\u2062": "", "\u2063": "", "\u00a0": " "})
_FORMS = {
    "mfrac": r"\frac{%s}{%s}",
    "msub": "%s_{%s}",
    "munder": "%s_{%s}",
    "msup": "%s^{%s}",
    "mover": "%s^{%s}",
    "msubsup": "%s_{%s}^{%s}",
    "munderover": "%s_{%s}^{%s}",
}


def to_tex(formula: HtmlElement) -> str:
    """The TeX that a `<math>` element brings along, else its elements written as TeX; empty where none is."""
    given = [each.text_content() for each in formula.iter("annotation") if "tex" in each.get("encoding", "")]
    spoken = formula.get("alttext", "")
    tex = given[0] if given else spoken if "\\" in spoken else _written(formula) or spoken
    tex = " ".join(tex.split()).strip("$")
    return f"${tex}$" if tex else ""


def _written(element: HtmlElement) -> str:
    children = [each for each in element if isinstance(each.tag, str) and each.tag != "annotation"]
    parts = [_written(each) for each in children]
    tag = element.tag.removeprefix("m:")
    if tag == "mroot" and len(parts) == 2:
        return rf"\sqrt[{parts[1]}]{{{parts[0]}}}"
    if tag == "msqrt":
        return rf"\sqrt{{{' '.join(parts)}}}"
    if tag in _FORMS and len(parts) == _FORMS[tag].count("%s"):
        return _FORMS[tag] % tuple(parts)
    if tag == "mtable":
        rows = r" \\ ".join(parts)
        return rf"\begin{{matrix}}{rows}\end{{matrix}}"
    if tag in ("mtr", "mlabeledtr"):
        return " & ".join(parts)
    if not parts:
        return (element.text or "").translate(_OPERATORS).strip()
    return " ".join(part for part in parts if part)
