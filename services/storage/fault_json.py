"""Faults as JSON: without their words, which each reader has in their language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from vta.faults import Fault, Place
from vta.types import Rejection


def fault_to_json(fault: Fault) -> dict[str, Any]:
    """Code, values and place; a value that is a fault itself is an object again."""
    params = {
        name: fault_to_json(value) if isinstance(value, Fault) else value
        for name, value in fault.params.items()
    }
    return {"code": fault.code, "params": params, "place": asdict(fault.place) if fault.place else None}


def fault_from_json(kept: Mapping[str, Any]) -> Fault:
    """What `fault_to_json` was given."""
    params = {
        name: fault_from_json(value) if isinstance(value, dict) else value
        for name, value in kept["params"].items()
    }
    return Fault.kept(kept["code"], params, Place(**kept["place"]) if kept["place"] else None)


def rejection_to_json(rejection: Rejection) -> dict[str, Any]:
    """A file that was left out, and why."""
    return {"path": rejection.path, "line": rejection.line, "fault": fault_to_json(rejection.fault)}


def rejection_from_json(kept: Mapping[str, Any]) -> Rejection:
    """What `rejection_to_json` was given."""
    return Rejection(path=kept["path"], line=kept["line"], fault=fault_from_json(kept["fault"]))
