"""The files around a server name metrics and settings that there are."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

DEPLOY = Path(__file__).parents[3] / "deploy"
OF_PROMETHEUS = {"up"}
_NAME = re.compile(r"(?<![\w:{\"])(?:vta|process|up)\w*(?=[\s{\[)=><]|$)")
_QUOTED = re.compile(r'"[^"]*"')


def expressions() -> list[str]:
    """All that alerts and dashboard ask Prometheus."""
    rules = yaml.safe_load((DEPLOY / "alerts.yml").read_text())["groups"][0]["rules"]
    panels = json.loads((DEPLOY / "grafana.json").read_text())["panels"]
    return [rule["expr"] for rule in rules] + [t["expr"] for panel in panels for t in panel["targets"]]


@pytest.fixture(scope="module")
def exposed(tmp_path_factory) -> set[str]:
    """The names of all samples that a server could show, labelled ones included."""
    from services.http.metrics import Metrics
    from services.settings import Settings
    from services.wiring import build_platform
    from vta.types import CourseId, ModelUsage

    platform = build_platform(Settings(home=tmp_path_factory.mktemp("home")))
    used = {"calls": 1, "uncounted": 0, "prompt_tokens": 7, "completion_tokens": 3}
    platform.stores.usage.record(ModelUsage(course_id=CourseId("c"), model="m", **used))
    metrics = Metrics(platform)
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


def test_the_proxies_take_uploads_as_large_as_the_server_does():
    """And hide the metrics, and let answers stream."""
    nginx, caddy = (DEPLOY / "nginx.conf").read_text(), (DEPLOY / "Caddyfile").read_text()
    assert "client_max_body_size 201m" in nginx
    assert "max_size 201MB" in caddy
    assert "proxy_buffering off" in nginx
    assert all("/metrics" in text for text in (nginx, caddy))
