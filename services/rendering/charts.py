"""Plots as SVG, drawn on the server: one colour, the page's own, so they hold in light and dark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

WIDTH = 640
ROW = 26
LABELS = 200
HEIGHT = 180
LONGEST_LABEL = 26


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A bar of a plot: its length is `value` (None: hidden), and the text `told` stands beside it."""

    label: str
    value: float | None
    told: str


def row_chart(name: str, title: str, description: str, bars: Sequence[Bar]) -> Markup:
    """Horizontal bars under each other, each with its label and figure. `name` is unique on the page."""
    most = max((bar.value or 0.0 for bar in bars), default=0.0)
    parts = [
        Markup('<text x="{}" y="{}" text-anchor="end">{}</text>{}<text x="{}" y="{}">{}</text>').format(
            LABELS - 8,
            n * ROW + 17,
            _shortened(bar.label),
            _rectangle(LABELS, n * ROW + 5, _length(bar, most, WIDTH - LABELS - 80), ROW - 10),
            round(LABELS + _length(bar, most, WIDTH - LABELS - 80) + 6, 1),
            n * ROW + 17,
            bar.told,
        )
        for n, bar in enumerate(bars)
    ]
    return _svg(name, title, description, max(1, len(bars)) * ROW, parts)


def column_chart(name: str, title: str, description: str, bars: Sequence[Bar]) -> Markup:
    """Upright bars beside each other; the first, the middle and the last carry their label."""
    most = max((bar.value or 0.0 for bar in bars), default=0.0)
    step = WIDTH / max(1, len(bars))
    parts = []
    for n, bar in enumerate(bars):
        length = _length(bar, most, HEIGHT - 40)
        parts.append(_rectangle(round(n * step, 1), HEIGHT - 20 - length, max(step - 2, 1), length))
    marked = {0: "start", len(bars) // 2: "middle", len(bars) - 1: "end"} if len(bars) > 2 else {0: "start"}
    for n, anchor in marked.items() if bars else ():
        x = {"start": 0.0, "middle": (n + 0.5) * step, "end": float(WIDTH)}[anchor]
        label = Markup('<text x="{}" y="{}" text-anchor="{}">{}</text>')
        parts.append(label.format(round(x, 1), HEIGHT - 4, anchor, bars[n].label))
    top = Markup('<text x="{}" y="14" text-anchor="end">{}</text>').format(WIDTH, f"{most:g}")
    return _svg(name, title, description, HEIGHT, [*parts, top])


def _svg(name: str, title: str, description: str, height: int, parts: Sequence[Markup]) -> Markup:
    return Markup(
        '<svg role="img" viewBox="0 0 {} {}" width="100%" font-size="13" fill="currentColor" '
        'aria-labelledby="{}-title {}-desc"><title id="{}-title">{}</title>'
        '<desc id="{}-desc">{}</desc><g aria-hidden="true">{}</g></svg>'
    ).format(WIDTH, height, name, name, name, title, name, description, Markup("").join(parts))


def _rectangle(x: float, y: float, width: float, height: float) -> Markup:
    box = (round(x, 1), round(y, 1), round(width, 1), round(height, 1))
    return Markup('<rect x="{}" y="{}" width="{}" height="{}" rx="2" fill-opacity="0.55"/>').format(*box)


def _length(bar: Bar, most: float, room: float) -> float:
    return round((bar.value or 0.0) / most * room, 1) if most else 0.0


def _shortened(label: str) -> str:
    """A label that fits its room; Chinese characters take two places."""
    width, kept = 0, ""
    for character in label:
        width += 2 if ord(character) > 0x2E7F else 1
        if width > LONGEST_LABEL:
            return f"{kept}…"
        kept += character
    return label
