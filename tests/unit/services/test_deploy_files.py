"""The files around a server name metrics and settings that there are."""

from __future__ import annotations

import json
import re
import socket
import subprocess
from pathlib import Path

import httpx
import pytest
import yaml
from deploy_tools import run, tool
from prometheus_client.parser import text_string_to_metric_families

from services.web.problems import Problem

DEPLOY = Path(__file__).parents[3] / "deploy"
OF_PROMETHEUS = {"up"}
_NAME = re.compile(r"(?<![\w:{\"])(?:vta|process|up)\w*(?=[\s{\[)=><]|$)")
_QUOTED = re.compile(r'"[^"]*"')


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def expressions() -> list[str]:
    """All that alerts and dashboard ask Prometheus."""
    rules = yaml.safe_load((DEPLOY / "alerts.yml").read_text())["groups"][0]["rules"]
    panels = json.loads((DEPLOY / "grafana.json").read_text())["panels"]
    return [rule["expr"] for rule in rules] + [t["expr"] for panel in panels for t in panel["targets"]]


@pytest.fixture(scope="module")
def exposed(tmp_path_factory) -> set[str]:
    """The names of all samples that a server could show, labelled ones included."""
    from services.settings import Settings
    from services.store_metrics import open_metrics
    from services.web.fair_threads import FairThreads
    from services.wiring import build_platform
    from vta.types.courses import CourseId
    from vta.types.language_model import ModelUsage

    home = tmp_path_factory.mktemp("home")
    platform = build_platform(Settings(home=home, backup_folder=home, llm_prompt_price=1.0))
    used = {"calls": 1, "uncounted": 0, "prompt_tokens": 7, "completion_tokens": 3}
    platform.stores.usage.record(ModelUsage(course_id=CourseId("c"), model="m", **used))
    metrics = open_metrics(platform)
    metrics.load.watch_threads(FairThreads())
    families = list(text_string_to_metric_families(metrics.expose().decode()))
    platform.close()
    counted = {f"{family.name}_total" for family in families if family.type == "counter"}
    buckets = {f"{family.name}_bucket" for family in families if family.type == "histogram"}
    return counted | buckets | {family.name for family in families}


def test_every_metric_that_is_asked_for_is_exposed(exposed):
    asked = {name for expr in expressions() for name in _NAME.findall(_QUOTED.sub('""', expr))}
    assert len(asked) > 10
    assert asked - exposed - OF_PROMETHEUS == set()


def test_every_alert_says_what_it_means():
    rules = yaml.safe_load((DEPLOY / "alerts.yml").read_text())["groups"][0]["rules"]
    assert all(rule["annotations"]["summary"].endswith(".") and rule["for"] for rule in rules)
    assert len({rule["alert"] for rule in rules}) == len(rules)


def test_prometheus_takes_the_rules():
    run("promtool", "check", "rules", DEPLOY / "alerts.yml")


@pytest.mark.parametrize("file", ["Caddyfile", "replicas.Caddyfile"])
def test_caddy_takes_its_files(file, monkeypatch):
    monkeypatch.setenv("SITE_ADDRESS", ":80")
    run("caddy", "validate", "--adapter", "caddyfile", "--config", DEPLOY / file)


def test_nginx_takes_its_file(tmp_path):
    """With a certificate made for the test."""
    tool("nginx")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = ["-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=vta.example.org"]
    run("openssl", "req", *made, "-keyout", key, "-out", certificate)
    site = (DEPLOY / "nginx.conf").read_text()
    for name, file in (("vta.example.org.pem", certificate), ("vta.example.org.key", key)):
        site = site.replace(f"/etc/ssl/{name}", str(file))
    whole = tmp_path / "nginx.conf"
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    folders = "".join(f"{kind}_temp_path {tmp_path / kind};\n" for kind in kinds)
    whole.write_text(f"pid {tmp_path}/pid;\nevents {{}}\nhttp {{\naccess_log off;\n{folders}{site}}}\n")
    run("nginx", "-t", "-q", "-p", tmp_path, "-e", tmp_path / "log", "-c", whole)


def test_a_proxy_without_replicas_gives_a_declared_503(tmp_path):
    """As the platform itself does while a part is away; /metrics is not there."""
    caddy = tool("caddy")
    proxy, replica = free_port(), free_port()
    text = (DEPLOY / "replicas.Caddyfile").read_text().replace("replica 8000", f"localhost {replica}")
    (tmp_path / "Caddyfile").write_text("{\n\tadmin off\n}\n" + text.replace("duration 5s", "duration 0s"))
    command = [caddy, "run", "--adapter", "caddyfile", "--config", str(tmp_path / "Caddyfile")]
    with subprocess.Popen(
        command,
        env={"SITE_ADDRESS": f"http://127.0.0.1:{proxy}", "HOME": str(tmp_path)},
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            transport = httpx.HTTPTransport(retries=6)  # until it listens
            base = f"http://127.0.0.1:{proxy}"
            with httpx.Client(base_url=base, transport=transport, timeout=30.0) as client:
                away = client.get("/readyz")
                assert client.get("/metrics").status_code == 404
        finally:
            process.terminate()
    assert (away.status_code, away.headers["content-type"]) == (503, "application/problem+json")
    assert Problem.model_validate(away.json()).code == "not_ready"
    assert away.headers["retry-after"] == "5"


def test_the_proxies_take_uploads_as_large_as_the_server_does():
    """And hide the metrics, and let answers stream."""
    nginx = (DEPLOY / "nginx.conf").read_text()
    caddies = [(DEPLOY / name).read_text() for name in ("Caddyfile", "replicas.Caddyfile")]
    assert "client_max_body_size 201m" in nginx
    assert "proxy_buffering off" in nginx
    assert all("max_size 201MB" in caddy and "flush_interval -1" in caddy for caddy in caddies)
    assert all("/metrics" in text for text in (nginx, *caddies))
