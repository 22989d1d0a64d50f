"""The compose file and the .env of the operators' page say only what the platform knows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from services.settings import Settings, read_settings

ROOT = Path(__file__).parents[3]
SERVICE_KEYS = {
    "build", "image", "command", "environment", "ports", "volumes", "depends_on", "healthcheck",
    "restart", "stop_grace_period", "profiles",
}  # fmt: skip


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return dict(yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8")))


def env_of_the_page() -> dict[str, str]:
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    block = re.search(r"```\n(COMPOSE_PROFILES=.*?)```", page, re.DOTALL)
    assert block is not None
    return dict(line.split("=", 1) for line in block[1].splitlines())


def test_every_setting_is_handed_on(compose):
    """What is in .env reaches the platform under its own name, and empty, so unset, where it is not there."""
    known = {f"VTA_{name.upper()}" for name in Settings.model_fields}
    given = compose["services"]["api"]["environment"]
    assert set(given) == known
    for name, value in given.items():
        assert name == "VTA_HOME" or value == f"${{{name}:-}}"


def test_the_services_are_whole(compose):
    """Keys that compose knows, pinned images, health checks, volumes and dependencies that are declared."""
    services = compose["services"]
    for name, service in services.items():
        assert set(service) <= SERVICE_KEYS, name
        assert ("build" in service) != ("image" in service)
        assert re.search(r":[\w.-]*\d", service.get("image", ":1")), name
        assert {"test", "interval", "timeout", "retries"} == set(service["healthcheck"])
        named = [volume.split(":")[0] for volume in service.get("volumes", [])]
        assert {volume for volume in named if not volume.startswith(".")} <= set(compose["volumes"])
        assert all(isinstance(value, str) for value in service.get("environment", {}).values())
        assert set(service.get("depends_on", {})) <= set(services)
    for name, condition in services["api"]["depends_on"].items():
        assert condition["required"] is False, "the platform starts alone, too"
        assert services[name]["profiles"] == [name]


def test_no_variable_must_be_set(compose):
    """Compose reads the whole file also to start one service, so no variable may be required."""
    assert ":?" not in (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    assert "profiles" not in compose["services"]["api"]


def test_the_env_of_the_operators_page_starts_all_of_it(compose, monkeypatch):
    """Its profiles exist, its hosts are services, and its settings are accepted."""
    env = env_of_the_page()
    services = compose["services"]
    assert set(env["COMPOSE_PROFILES"].split(",")) <= set(services)
    assert {name for name in env if name.startswith("VTA_")} <= set(services["api"]["environment"])
    for name, value in env.items():
        host = re.search(r"//(?:[^@/]*@)?([\w-]+)", value)
        assert host is None or host[1] in services, name
        if name.startswith("VTA_"):
            monkeypatch.setenv(name, value)
    settings = read_settings()
    assert env["POSTGRES_PASSWORD"] in (settings.database_url or "")
    assert settings.store_url == env["VTA_DATABASE_URL"]


def test_the_process_has_longer_to_stop_than_its_answers(compose):
    """The container is not killed within the default grace time."""
    grace = compose["services"]["api"]["stop_grace_period"]
    assert int(grace.removesuffix("s")) > Settings.model_fields["grace_s"].default
