"""The API as one page without scripts, made of the OpenAPI document."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from services.rendering.templates import template_environment


def api_page(document: Mapping[str, Any]) -> str:
    """The operations by tag, each with its parameters, body and replies."""
    tags = defaultdict[str, list[tuple[str, str, Any]]](list)
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            tags[operation.get("tags", ["other"])[0]].append((method.upper(), path, operation))

    def whole(schema: Mapping[str, Any]) -> Any:
        """The schema that a reference names."""
        name = schema.get("$ref", "").rpartition("/")[2]
        return document["components"]["schemas"][name] if name else schema

    template = template_environment("services.web").get_template("api.html")
    return template.render(document=document, tags=sorted(tags.items()), whole=whole)
