"""The settings that the child gives to llama-cpp-python's server."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ServerSettings:
    api_key: str
    interrupt_requests: bool


@dataclass(frozen=True)
class ModelSettings:
    model: str
    model_alias: str
    n_ctx: int
    logits_all: bool
    verbose: bool
    cache: bool
