"""Pages that are written from the program: its commands and its routes."""

from __future__ import annotations

import json
import logging
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from services.app import create_app
from services.settings import Settings
from services.wiring import build_platform

ROOT = Path(__file__).parents[1]


def command_pages() -> str:
    """All commands with their options, as Typer documents them, below a page's title."""
    command = [sys.executable, "-m", "typer", "services.cli.main", "utils", "docs", "--name", "vta"]
    written = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout  # noqa: S603
    return re.sub(r"^#", "##", written, flags=re.MULTILINE)


def route_pages() -> str:
    """All routes of the OpenAPI document by their first tag."""
    logging.getLogger("alembic").setLevel(logging.WARNING)
    with TemporaryDirectory() as home:
        platform = build_platform(Settings(home=Path(home)))
        document = create_app(platform).openapi()
        platform.close()
    schemas = document["components"]["schemas"]
    routes = [
        (f"{method.upper()} {path}", operation)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    ]
    replies = Counter(reply for _, operation in routes for reply in _replies(operation))
    common = sorted(reply for reply, count in replies.items() if count > len(routes) / 2)
    by_tag = defaultdict(list)
    for address, operation in routes:
        by_tag[operation["tags"][0]].append(_route(address, operation, schemas, set(common)))
    parts = [f"## {tag}\n\n{''.join(written)}" for tag, written in by_tag.items()]
    return "\n".join(["## Replies of most routes\n", *_table("status | meaning", common), "", *parts])


def _replies(operation: dict[str, Any]) -> list[tuple[str, str]]:
    return [(status, _cell(reply["description"])) for status, reply in sorted(operation["responses"].items())]


def _table(head: str, rows: list[tuple[str, ...]]) -> list[str]:
    return [f"| {head} |", "|---" * len(head.split(" | ")) + "|", *(f"| {' | '.join(row)} |" for row in rows)]


def _route(
    address: str, operation: dict[str, Any], schemas: dict[str, Any], common: set[tuple[str, str]]
) -> str:
    lines = [f"### `{address}`", operation.get("description") or operation["summary"] + "."]
    rows = [
        (f"`{each['name']}`", each["in"] + (", required" if each.get("required") else ""), _meaning(each))
        for each in operation.get("parameters", [])
    ]
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        body = _resolved(content["schema"], schemas)
        required = body.get("required", [])
        rows += [
            (f"`{name}`", "body, required" if name in required else "body", _meaning(field))
            for name, field in body.get("properties", {}).items()
        ]
        if kind == "application/json":
            lines += ["Request:", _json(body, schemas)]
    if rows:
        lines.insert(2, "\n".join(_table("name | in | meaning", rows)))
    for status, reply in sorted(operation["responses"].items()):
        for kind, content in reply.get("content", {}).items():
            if status < "300" and kind == "application/json" and content.get("schema"):
                lines += [f"Reply {status}:", _json(content["schema"], schemas)]
    told = [each for each in _replies(operation) if each not in common]
    if told:
        lines.append("\n".join(_table("status | meaning", told)))
    return "\n\n".join(lines) + "\n\n"


def _meaning(given: dict[str, Any]) -> str:
    """The description of a parameter or field, with the limits of its schema."""
    schema = given.get("schema", given)
    said = given.get("description") or schema.get("description")
    limits = [schema["type"]] if "type" in schema else []
    limits += [
        f"{key} {schema[key]}" for key in ("default", "minimum", "maximum", "maxLength") if key in schema
    ]
    if "enum" in schema:
        limits.append(" or ".join(map(str, schema["enum"])))
    return _cell(" ".join(filter(None, [said, f"({', '.join(limits)})" if limits else ""])))


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _json(schema: dict[str, Any], schemas: dict[str, Any]) -> str:
    return f"```json\n{json.dumps(_sample(schema, schemas, 0), ensure_ascii=False, indent=2)}\n```"


def _resolved(schema: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    """The schema behind references; the first of several that are allowed."""
    while "$ref" in schema or "anyOf" in schema or "oneOf" in schema or "allOf" in schema:
        one = (schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf") or [schema])[0]
        schema = schemas[one["$ref"].rpartition("/")[2]] if "$ref" in one else one
    return schema


def _sample(schema: dict[str, Any], schemas: dict[str, Any], depth: int) -> Any:
    """A value that the schema allows, from its examples and defaults first; nesting ends at five objects."""
    if schema.get("examples"):
        return schema["examples"][0]
    if schema.get("default") is not None:
        return schema["default"]
    schema = _resolved(schema, schemas)
    if schema.get("examples"):
        return schema["examples"][0]
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    match schema.get("type"):
        case "object" if depth < 5:
            fields = schema.get("properties", {})
            return {name: _sample(field, schemas, depth + 1) for name, field in fields.items()}
        case "array":
            return [_sample(schema["items"], schemas, depth + 1)] if depth < 4 and "items" in schema else []
        case "integer":
            return int(schema.get("minimum", 1))
        case "number":
            return float(schema.get("minimum", 0.5))
        case "boolean":
            return True
        case "string":
            return "2026-03-01T08:00:00Z" if schema.get("format") == "date-time" else "..."
    return {} if schema.get("type") == "object" else None
