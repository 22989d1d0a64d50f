"""The compose file and the .env of the operators' page say only what the platform knows."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import threading
import tomllib
from fnmatch import fnmatchcase
from http.server import BaseHTTPRequestHandler, HTTPServer
from ipaddress import ip_network
from pathlib import Path, PurePath
from typing import Any

import pytest
import yaml
from deploy_tools import options_of
from sqlalchemy import make_url

from services.settings import Settings, read_settings

ROOT = Path(__file__).parents[3]
SERVICE_KEYS = {
    "build", "image", "command", "environment", "ports", "volumes", "depends_on", "healthcheck",
    "restart", "logging", "stop_grace_period", "profiles", "deploy",
}  # fmt: skip
HEALTH_KEYS = {"test", "interval", "timeout", "retries"}
NO_SETTINGS = {"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS", "PGPASSWORD"}
DEPLOYMENT = ROOT / "deploy" / "helm" / "vta" / "templates" / "deployment.yaml"
_VARIABLE = re.compile(r"\$\{(\w+):-([^}]*)\}")


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return dict(yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def secrets() -> dict[str, Any]:
    return dict(yaml.safe_load((ROOT / "deploy" / "secrets.yml").read_text(encoding="utf-8")))


def env_of_the_page() -> dict[str, str]:
    page = (ROOT / "deploy" / "README.md").read_text(encoding="utf-8")
    block = re.search(r"```text\n(COMPOSE_PROFILES=.*?)```", page, re.DOTALL)
    assert block is not None
    return dict(line.split("=", 1) for line in block[1].splitlines())


def environment(service: dict[str, Any], env: dict[str, str]) -> dict[str, str]:
    """What a container is given, as compose fills it in from an .env."""
    return {
        name: _VARIABLE.sub(lambda found: env.get(found[1]) or found[2], value)
        for name, value in service["environment"].items()
    }


@pytest.mark.parametrize("file", ["docker-compose.yml", "deploy/secrets.yml"])
def test_the_compose_files_keep_to_their_schema(file):
    """The one of the Compose Specification, which check-jsonschema brings."""
    pytest.importorskip("check_jsonschema", reason="the compose schema is not proven: no check-jsonschema")
    check = ["-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    found = subprocess.run(
        [sys.executable, *check, str(ROOT / file)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout


def test_every_setting_is_handed_on(compose):
    """What is in .env reaches the platform under its own name, and empty, so unset, where it is not there."""
    known = {f"VTA_{name.upper()}" for name in Settings.model_fields} | NO_SETTINGS
    given = compose["services"]["api"]["environment"]
    assert set(given) == set(compose["services"]["replica"]["environment"]) == known
    for name, value in given.items():
        assert name in {"VTA_HOME", "PGPASSWORD"} or value == f"${{{name}:-}}"


def test_the_services_are_whole(compose):
    """Keys that compose knows, pinned images, health checks, volumes and dependencies that are declared."""
    services = compose["services"]
    for name, service in services.items():
        assert set(service) <= SERVICE_KEYS, name
        assert ("build" in service) != ("image" in service)
        assert re.search(r":[\w.-]*\d", service.get("image", ":1")), name
        assert set(service["healthcheck"]) - {"start_period"} == HEALTH_KEYS
        assert (service["logging"], service["restart"]) == ({"driver": "local"}, "unless-stopped")
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


@pytest.mark.parametrize("named", [["api"], []])
def test_one_platform_is_started_and_no_second_one(compose, named):
    """`up api` starts the single server, `up` with the .env of the page what is behind the proxy."""
    profiles = set() if named else {env_of_the_page()["COMPOSE_PROFILES"]}
    services = compose["services"]
    started = named or [
        name
        for name, service in services.items()
        if not service.get("profiles") or profiles & set(service["profiles"])
    ]
    assert [name for name in started if "build" in services[name]] == (["api"] if named else ["replica"])


@pytest.mark.parametrize("served", [False, True])
def test_a_health_check_by_curl_fails_without_the_service_and_not_with_it(compose, served):
    """Run by `sh -c`, as Docker does."""
    if shutil.which("curl") is None:
        pytest.skip("the health checks are not proven: no curl")
    kind, command = compose["services"]["elasticsearch"]["healthcheck"]["test"]
    assert kind == "CMD-SHELL"
    with HTTPServer(("127.0.0.1", 0), _Healthy) as server:
        address = f"127.0.0.1:{server.server_port}"
        if served:
            threading.Thread(target=server.handle_request, daemon=True).start()
        else:
            server.server_close()
        checked = subprocess.run(
            ["sh", "-c", command.replace("127.0.0.1:9200", address)], timeout=30, check=False
        )
    assert (checked.returncode == 0) is served


@pytest.mark.parametrize("service", ["api", "replica"])
def test_any_password_reaches_postgresql_as_it_is(compose, service):
    """Beside the address, since in it "/", "@" and "%" would mean something else."""
    env = {"POSTGRES_PASSWORD": "p@ss/w:rd%41#?", "VTA_DATABASE_URL": "postgresql+psycopg://vta@postgres/vta"}
    given = environment(compose["services"][service], env)
    address = make_url(given["VTA_DATABASE_URL"])
    assert (address.host, address.username, address.password) == ("postgres", "vta", None)
    assert given["PGPASSWORD"] == "p@ss/w:rd%41#?"


def test_postgresql_is_well_once_it_listens(compose):
    """While the image makes the database, a server of its own answers, but on a socket alone."""
    check = compose["services"]["postgres"]["healthcheck"]["test"][1]
    assert "-h 127.0.0.1" in check


def test_a_server_has_as_long_to_start_as_in_kubernetes(compose):
    """An index that is made anew takes minutes, and what waits for the server is not started without it."""
    probe = re.search(
        r"startupProbe:.*?periodSeconds: (\d+).*?failureThreshold: (\d+)", DEPLOYMENT.read_text(), re.DOTALL
    )
    assert probe is not None
    minutes = int(probe[1]) * int(probe[2]) // 60
    for name in ("api", "replica"):
        assert compose["services"][name]["healthcheck"]["start_period"] == f"{minutes}m"


def test_secrets_in_files_are_settings_and_no_variable_goes_before_them(compose, secrets):
    """Each is declared and stands for a variable that is empty without an .env."""
    used = {name for service in secrets["services"].values() for name in service["secrets"]}
    assert used == set(secrets["secrets"])
    assert all(each == {"file": f"./secrets/{name}"} for name, each in secrets["secrets"].items())
    for name in ("api", "replica"):
        service = secrets["services"][name]
        given = environment(compose["services"][name], {}) | service.get("environment", {})
        assert {given[secret.upper()] for secret in service["secrets"]} == {""}
        assert given["PGPASSWORD"] == ""
    database = secrets["services"]["postgres"]
    given = environment(compose["services"]["postgres"], {}) | database["environment"]
    assert given["POSTGRES_PASSWORD"] == ""
    assert given["POSTGRES_PASSWORD_FILE"].removeprefix("/run/secrets/") in database["secrets"]


@pytest.mark.parametrize(
    "path",
    [".env", ".env.production", "services/.env", "models/model.gguf", "services/a.gguf", ".git/config",
     "secrets/vta_admin_key", ".vta/vta.db", "tests/conftest.py", "benchmarks/full_stack.py",
     "docs/images/a.png"],
)  # fmt: skip
def test_secrets_models_and_what_is_not_run_stay_out_of_the_image(path):
    assert not is_sent_to_docker(path)


def test_all_that_the_image_is_built_from_is_sent_to_docker():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    built = {"pyproject.toml", "requirements/run.txt", project["project"]["readme"]}
    built |= set(project["project"]["license-files"])
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    built |= {str(file.relative_to(ROOT)) for name in packages for file in (ROOT / name).rglob("*.toml")}
    assert {path for path in built if not is_sent_to_docker(path)} == set()


def is_sent_to_docker(path: str) -> bool:
    """As .dockerignore says: the last line that fits the path or a folder around it decides."""
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    whole = [PurePath(path), *PurePath(path).parents][:-1]
    sent = True
    for line in (line for line in lines if line and not line.startswith("#")):
        pattern = line.removeprefix("!")
        names = [each.name for each in whole] if pattern.startswith("**/") else [str(each) for each in whole]
        if any(fnmatchcase(name, pattern.removeprefix("**/")) for name in names):
            sent = line.startswith("!")
    return sent


def test_git_leaves_out_the_env_and_the_models():
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert {".env", "/models/", "/secrets/"} <= set(ignored)


class _Healthy(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing."""


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
    assert given["PGPASSWORD"] == env["POSTGRES_PASSWORD"]
    assert settings.processes == services["replica"]["deploy"]["replicas"]
    private = map(ip_network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"))  # whichever Docker takes
    assert set(private) == set(settings.proxy_networks)


@pytest.mark.parametrize(("service", "workers"), [("api", 1), ("replica", 2)])
def test_the_commands_are_those_of_the_command_line(compose, service, workers):
    given = options_of(compose["services"][service]["command"])
    assert given == {"host": "0.0.0.0", "port": 8000, "workers": workers, "home": None}


def test_replicas_share_nothing_but_the_services(compose):
    """No port outside, a data folder of each one's own (an anonymous volume), and the folder of backups."""
    replica = compose["services"]["replica"]
    assert "ports" not in replica
    assert replica["volumes"] == ["/data", "vta-backups:/backups"]
    assert "replica 8000" in (ROOT / "deploy" / "replicas.Caddyfile").read_text(encoding="utf-8")


def test_daily_backups_have_a_volume_that_the_server_may_write(compose):
    """One that the image has with the rights of its user, who is not root."""
    for name in ("api", "replica"):
        assert "vta-backups:/backups" in compose["services"][name]["volumes"]
    assert re.search(r"chown vta .*/backups", (ROOT / "Dockerfile").read_text(encoding="utf-8"))
    assert env_of_the_page()["VTA_BACKUP_FOLDER"] == "/backups"


def test_the_process_has_longer_to_stop_than_its_answers(compose):
    """The container is not killed within the default grace time."""
    for name in ("api", "replica"):
        grace = compose["services"][name]["stop_grace_period"]
        assert int(grace.removesuffix("s")) > Settings.model_fields["grace_s"].default
