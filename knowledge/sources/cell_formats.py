"""Values of a spreadsheet as its number formats show them."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal

_SECTION = re.compile(r'(?:"[^"]*"|\\.|[^;"])+')
_TOKEN = re.compile(
    r'"[^"]{0,99}"|\\.|\[[^\]]{0,99}\]|[_*].|AM/PM|A/P|上午/下午|e[+-]|y+|m+|d+|h+|s+|a{3,}|.', re.IGNORECASE
)
_CURRENCY = re.compile(r"\[\$([^-\]]*)")
_HALF_DAYS = {"am/pm": ("AM", "PM"), "a/p": ("A", "P"), "上午/下午": ("上午", "下午")}
_DIGIT = frozenset("0#?")
_WEEKDAYS = "一二三四五六日"
_OF_THE_READER = {"mm-dd-yy": "yyyy-mm-dd", "m/d/yy h:mm": "yyyy-mm-dd hh:mm"}
"""Formats that each country shows in its own way."""


def shown(value: object, number_format: str) -> str:
    """The value of a cell as text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        return _number(value, number_format)
    if isinstance(value, timedelta):
        minutes, seconds = divmod(int(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}" + (f":{seconds:02}" if "s" in number_format else "")
    if isinstance(value, time):
        value = datetime.combine(date(1900, 1, 1), value)
    if isinstance(value, datetime):
        return _moment(value, _OF_THE_READER.get(number_format, number_format))
    return str(value)


def _moment(moment: datetime, number_format: str) -> str:
    """A date or a time of day; of a date at midnight the date alone."""
    tokens = _date_tokens(number_format)
    hours = next((n for n, token in enumerate(tokens) if token in ("h", "hh")), 0)
    if moment.time() == time() and any(token[0] in "yd" for token in tokens[:hours]):
        tokens = tokens[:hours]
    halves = next((_HALF_DAYS[token] for token in tokens if token in _HALF_DAYS), None)
    hour = (moment.hour + 11) % 12 + 1 if halves else moment.hour
    numbers = {"m": moment.month, "d": moment.day, "h": hour, "i": moment.minute, "s": moment.second}
    text = ""
    for token in tokens:
        size = len(token)
        if halves and token in _HALF_DAYS:
            text += halves[moment.hour >= 12]
        elif token.startswith("aaa"):
            text += "星期" * (size > 3) + _WEEKDAYS[moment.weekday()]
        elif token[0] == "y":
            text += f"{moment.year:04}"[-2 if size < 3 else 0 :]
        elif token[0] not in numbers:
            text += _literal(token)
        elif token[0] in "md" and size > 2:
            name = moment.strftime("%B" if token[0] == "m" else "%A")
            text += name if size > 3 else name[:3]
        else:
            text += f"{numbers[token[0]]:0{size}}"
    return text.strip()


def _date_tokens(number_format: str) -> list[str]:
    """The parts of a format; minutes, which are written as months are, become `i`."""
    sections = _SECTION.findall(number_format)
    tokens = [each.lower() for each in _TOKEN.findall(sections[0])] if sections else []
    codes = [n for n, token in enumerate(tokens) if token[0] in "ymdhs"]
    for at, n in enumerate(codes):
        before = tokens[codes[at - 1]][0] if at else ""
        after = tokens[codes[at + 1]][0] if at + 1 < len(codes) else ""
        if tokens[n] in ("m", "mm") and (before == "h" or after == "s"):
            tokens[n] = "i" * len(tokens[n])
    return tokens


def _literal(token: str) -> str:
    """The text that a part of a format shows if it is no place of a digit."""
    if token[0] == "[":
        currency = _CURRENCY.match(token)
        return currency[1] if currency else ""
    if token[0] in "_*":
        return ""
    return token[1:] if token[0] == "\\" else token.strip('"')


def _number(value: float, number_format: str) -> str:
    sections = _SECTION.findall(number_format)
    if len(sections) > 1 and value < 0:
        section, value = sections[1], -value
    else:
        section = sections[2] if len(sections) > 2 and value == 0 else sections[0] if sections else ""
    tokens = _TOKEN.findall(section)
    places = [n for n, token in enumerate(tokens) if token in _DIGIT]
    inside = tokens[places[0] : places[-1] + 1] if places else []
    is_scaled = tokens[places[-1] + 1 :][:1] == [","] if places else False
    if not places or is_scaled or not abs(value) < 1e15 or not {"/", "E+", "E-"}.isdisjoint(tokens):
        return _general(value)
    point = inside.index(".") if "." in inside else len(inside)
    decimals = sum(token in _DIGIT for token in inside[point:])
    exact = Decimal(repr(value)) * 100 ** tokens.count("%")
    whole, _, fraction = f"{abs(exact).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP):f}".partition(
        "."
    )
    fraction = fraction[: inside[point:].count("0")] + fraction[inside[point:].count("0") :].rstrip("0")
    digits = _filled(inside[:point], whole.lstrip("0")) + ("." + fraction if fraction else "")
    before = "".join(map(_literal, tokens[: places[0]]))
    after = "".join(map(_literal, tokens[places[-1] + 1 :]))
    return f"{'-' if exact < 0 else ''}{before}{digits}{after}".strip()


def _filled(places: list[str], digits: str) -> str:
    """The digits in the places before the point, from the right; the first place has all that are left."""
    first = next((n for n, token in enumerate(places) if token in _DIGIT), -1)
    text = ""
    for n in range(len(places) - 1, -1, -1):
        if places[n] == "," or (places[n] in "#?" and not digits):
            continue
        if places[n] not in _DIGIT:
            text = _literal(places[n]) + text
        else:
            here, digits = (digits, "") if n == first else (digits[-1:], digits[:-1])
            text = (here or "0") + text
    return f"{int(text):,}" if "," in places and text.isdecimal() else text


def _general(value: float) -> str:
    """As in a cell without a format: whole numbers in full, others without what their binary form adds."""
    return str(value) if isinstance(value, int) else f"{value:.15g}"
