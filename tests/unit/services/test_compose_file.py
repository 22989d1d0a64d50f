"""The compose file and the .env of the operators' page say only what the platform knows."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from deploy_tools import options_of

from services.settings import Settings, read_settings

ROOT = Path(__file__).parents[3]
SERVICE_KEYS = {
    "build", "image", "command", "environment", "ports", "volumes", "depends_on", "healthcheck",
    "restart", "stop_grace_period", "profiles", "deploy",
}  # fmt: skip
OF_TRACES = {"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS"}
_VARIABLE = re.compile(r"\$\{(\w+):-([^}]*)\}")


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return dict(yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8")))


def env_of_the_page() -> dict[str, str]:
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    block = re.search(r"```\n(COMPOSE_PROFILES=.*?)```", page, re.DOTALL)
    assert block is not None
    return dict(line.split("=", 1) for line in block[1].splitlines())


def environment(service: dict[str, Any], env: dict[str, str]) -> dict[str, str]:
    """What a container is given, as compose fills it in from an .env."""
    return {
        name: _VARIABLE.sub(lambda found: env.get(found[1]) or found[2], value)
        for name, value in service["environment"].items()
    }


def test_the_compose_file_keeps_to_its_schema():
    """The one of the Compose Specification, which check-jsonschema brings."""
    pytest.importorskip("check_jsonschema", reason="the compose schema is not proven: no check-jsonschema")
    check = ["-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    found = subprocess.run(
        [sys.executable, *check, str(ROOT / "docker-compose.yml")], capture_output=True, text=True
    )
    assert found.returncode == 0, found.stdout


def test_every_setting_is_handed_on(compose):
    """What is in .env reaches the platform under its own name, and empty, so unset, where it is not there."""
    known = {f"VTA_{name.upper()}" for name in Settings.model_fields} | OF_TRACES
    given = compose["services"]["api"]["environment"]
    assert set(given) == set(compose["services"]["replica"]["environment"]) == known
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
        named = [volume.split(":")[0] for volume in service.get("volumes", []) if ":" in volume]
        assert {volume for volume in named if not volume.startswith(".")} <= set(compose["volumes"])
        assert all(isinstance(value, str) for value in service.get("environment", {}).values())
        assert set(service.get("depends_on", {})) <= set(services)
    for name, condition in services["api"]["depends_on"].items():
        assert condition["required"] is False, "the platform starts alone, too"
        assert name in services[name]["profiles"]


def test_no_variable_must_be_set(compose):
    """Compose reads the whole file also to start one service, so no variable may be required."""
    assert ":?" not in (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    assert "profiles" not in compose["services"]["api"]


def test_the_env_of_the_operators_page_starts_all_of_it(compose, monkeypatch):
    """Two replicas behind the proxy: their profile is on, hosts are services, settings are accepted."""
    env, services = env_of_the_page(), compose["services"]
    assert {name for name in env if name.startswith("VTA_")} <= set(services["replica"]["environment"])
    needed, given = {"proxy"}, environment(services["replica"], env)
    while more := {each for name in needed for each in services[name].get("depends_on", {})} - needed:
        needed |= more
    assert needed == {"proxy", "replica", "postgres", "elasticsearch", "redis"}
    assert all(env["COMPOSE_PROFILES"] in services[name]["profiles"] for name in needed)
    for name, value in given.items():
        host = re.search(r"//(?:[^@/]*@)?([\w-]+)", value)
        assert host is None or name == "VTA_PUBLIC_URL" or host[1] in needed, name
        monkeypatch.setenv(name, value)
    settings = read_settings()
    assert env["POSTGRES_PASSWORD"] in settings.store_url
    assert settings.processes == services["replica"]["deploy"]["replicas"]
    assert settings.proxy_networks


@pytest.mark.parametrize(("service", "workers"), [("api", 1), ("replica", 2)])
def test_the_commands_are_those_of_the_command_line(compose, service, workers):
    given = options_of(compose["services"][service]["command"])
    assert given == {"host": "0.0.0.0", "port": 8000, "workers": workers, "home": None}


def test_replicas_share_nothing_but_the_services(compose):
    """No port outside, and a data folder of each one's own: an anonymous volume."""
    replica = compose["services"]["replica"]
    assert "ports" not in replica
    assert replica["volumes"] == ["/data"]
    assert "replica 8000" in (ROOT / "deploy" / "replicas.Caddyfile").read_text(encoding="utf-8")


def test_the_process_has_longer_to_stop_than_its_answers(compose):
    """The container is not killed within the default grace time."""
    for name in ("api", "replica"):
        grace = compose["services"][name]["stop_grace_period"]
        assert int(grace.removesuffix("s")) > Settings.model_fields["grace_s"].default
