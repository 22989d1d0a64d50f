"""The shapes of the OpenAPI document as TypeScript declarations, against which scripts are checked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Schema = Mapping[str, Any]
_NAMED = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def declarations(document: Schema) -> str:
    """A global namespace `Api` with one type for each schema of the document."""
    schemas: Mapping[str, Schema] = document["components"]["schemas"]
    types = "\n".join(f"  type {_name(name)} = {_type(schema)};" for name, schema in sorted(schemas.items()))
    return f"declare namespace Api {{\n{types}\n}}\n"


def _name(schema: str) -> str:
    return schema.replace("-", "_")


def _type(schema: Schema) -> str:
    if "$ref" in schema:
        return _name(schema["$ref"].rpartition("/")[2])
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return _union(json.dumps(value) for value in schema["enum"])
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            return _union(map(_type, schema[choice]))
    if "allOf" in schema:
        return " & ".join(map(_type, schema["allOf"]))
    kind = schema.get("type")
    if kind == "array":
        return f"Array<{_type(schema.get('items', {}))}>"
    if kind == "object":
        return _object(schema)
    return _NAMED.get(str(kind), "unknown")


def _object(schema: Schema) -> str:
    """An object with its fields, or one of any keys where it names none."""
    fields: Mapping[str, Schema] = schema.get("properties", {})
    if not fields:
        more = schema.get("additionalProperties", {})
        return f"Record<string, {_type(more) if isinstance(more, Mapping) else 'unknown'}>"
    required: Sequence[str] = schema.get("required", ())
    said = (f"{name}{'' if name in required else '?'}: {_type(field)}" for name, field in fields.items())
    return f"{{ {'; '.join(said)} }}"


def _union(types: Iterator[str]) -> str:
    return " | ".join(dict.fromkeys(types))
