"""Write docs/measured.md and docs/runs/README.md from docs/measured.toml and the records in docs/runs.

python -m benchmarks.measured [--check]

With `--check` nothing is written: it exits 1 where a page is not what the records say.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent.parent / "docs"

TODAY = {"memory_shared": "memory", "service_memory": "service"} | dict.fromkeys(
    ("console", "faq_lists", "inbox", "platform_pages"), "term"
)
"""Benchmarks of records that are not called as they."""

MEASURED = """# Measured

Written by `benchmarks/measured.py` from [measured.toml](measured.toml) and the [records](runs/README.md),
which name the command of each; do not edit. In brackets 95 % intervals. "Left out": the course, field or
fold was not fitted to; "known": something was chosen while looking at these; "new": seen once, at the end.
The data is in `../shared/data` and no part of the project. What was tried and is not in the program:
[tried.md](tried.md).
"""

RECORDS = """# Records

Written by `benchmarks/measured.py`; do not edit. What [measured.md](../measured.md) was read from.

The command is that of the commit which it was run at; `python -m benchmarks` lists those of today.

| record | command | today |
|---|---|---|
"""


def pages() -> dict[Path, str]:
    """The text of each page. ValueError names the figure whose record or path is not there."""
    table = tomllib.loads((DOCS / "measured.toml").read_text(encoding="utf-8"))
    records = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in DOCS.glob("runs/*.json")}
    lines = [MEASURED]
    for section in table["section"]:
        lines += [f"## {section['title']}", "", *([section["note"], ""] if "note" in section else [])]
        lines += ["| what | figure | n | how | goal | record |", "|---|---|---|---|---|---|"]
        lines += [_row(figure, records) for figure in section["figures"]]
        lines.append("")
    rows = [_command(name, record, table["commands"]) for name, record in sorted(records.items())]
    return {
        DOCS / "measured.md": "\n".join(lines).rstrip() + "\n",
        DOCS / "runs" / "README.md": RECORDS + "\n".join(rows) + "\n",
    }


def _command(name: str, record: dict[str, Any], commands: dict[str, str]) -> str:
    command = record["command"] if "command" in record else commands[name]
    made_of = f", commit {record['commit'][:7]}" if "commit" in record else ""
    today = TODAY.get(name, name)
    now = f"`python -m benchmarks {today}`" if (Path(__file__).parent / f"{today}.py").exists() else ""
    return f"| [{name}]({name}.json) | `{str(command).replace('|', '/')}`{made_of} | {now} |"


def _row(figure: dict[str, Any], records: dict[str, dict[str, Any]]) -> str:
    name = figure["record"]
    try:
        value, interval = _value(figure, records[name])
        n = figure.get("n", "")
        n = _at(records[name], n) if isinstance(n, list) else n
    except (KeyError, IndexError, TypeError, StopIteration) as error:
        raise ValueError(f"measured.toml, {figure['what']!r}: not in {name}.json ({error!r})") from error
    shown = _shown(value, figure["show"])
    if interval:
        shown += f" [{', '.join(_shown(end, figure['show']) for end in interval)}]"
    cells = [figure["what"], shown, f"{n:,}" if n else "", figure.get("how", ""), _goal(figure, value)]
    return f"| {' | '.join(cells)} | [{name}](runs/{name}.json) |"


def _value(figure: dict[str, Any], record: dict[str, Any]) -> tuple[float, list[float]]:
    """The figure and its 95 % interval, or none."""
    if "size" in figure:
        return len(_at(record, figure["size"])), []
    if "largest" in figure:
        rows, key = figure["largest"]
        return max(row[key] for row in record[rows]), []
    if "mean" in figure:
        part, key = figure["mean"]
        values = [row[key] for name, row in record[part].items() if re.match(figure["of"], name)]
        if len(values) != figure["n"]:
            raise ValueError(f"measured.toml, {figure['what']!r}: {len(values)} rows, not {figure['n']}")
        return sum(values) / len(values), []
    found = _at(record, figure["at"])
    if isinstance(found, list):
        return found[0], found[1:]
    if isinstance(found, dict):
        return next(found[key] for key in ("value", "mean", "hit@1") if key in found), found["interval_95"]
    return found, _at(record, figure["interval"]) if "interval" in figure else []


def _at(record: Any, path: list[Any]) -> Any:
    for step in path:
        if isinstance(step, dict):
            record = next(row for row in record if step.items() <= row.items())
        else:
            record = record[step]
    return record


def _shown(value: float, show: str) -> str:
    match show:
        case "share":
            return f"{value:.4f}" if 0 < value < 0.005 else f"{value:.3f}"
        case "count":
            return f"{value:,}"
        case "x":
            return f"{value:.2f} times"
        case "ms" | "s" | "MB" | "us" | "":
            return (f"{value:,.0f}" if value >= 100 else f"{value:.3g}") + f" {show}".rstrip()
    raise ValueError(f"measured.toml: show = {show!r} is none of share, count, x, ms, s, MB, us and empty")


def _goal(figure: dict[str, Any], value: float) -> str:
    if "least" in figure:
        word, goal, is_met = "at least", figure["least"], value >= figure["least"]
    elif "most" in figure:
        word, goal, is_met = "at most", figure["most"], value <= figure["most"]
    else:
        return ""
    return f"{word} {goal:,g}: {'met' if is_met else '**missed**'}"


def main() -> None:
    """Write the pages, or with `--check` exit 1 where one is not what the records say."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--check", action="store_true")
    checks = options.parse_args().check
    for page, text in pages().items():
        if not checks:
            page.write_text(text, encoding="utf-8")
        elif page.read_text(encoding="utf-8") != text:
            sys.exit(f"{page} is not what measured.toml and the records say: run make measured")


if __name__ == "__main__":
    main()
