"""Places in words, in the language of the reader. The sidebar's `texts.js` writes the same words."""

from __future__ import annotations

from vta.types import Language, Locator, Place

_PAGE = {Language.ZH: "第 {} 页", Language.EN: "Page {}"}
_HEADING_MARK = " › "


def describe_place(place: Place, language: Language) -> str:
    """A place in words: the document, and where in it."""
    return " · ".join(part for part in (place.document, place_name(place.locator, language)) if part)


def place_name(locator: Locator, language: Language) -> str:
    """A locator in words: `Stack › Operations`, `Page 3`, `02:10` or `2:05:10`."""
    if locator.start_s is not None:
        return format_time(locator.start_s)
    if locator.page is not None:
        return _PAGE[language].format(locator.page)
    return _HEADING_MARK.join(locator.heading_path)


def format_time(seconds: float) -> str:
    """Seconds as `mm:ss`, or `h:mm:ss` from one hour on."""
    minutes, second = divmod(max(0, int(seconds)), 60)
    hours, minute = divmod(minutes, 60)
    clock = f"{minute:02d}:{second:02d}"
    return f"{hours}:{clock}" if hours else clock
