"""The Helm chart: what it makes is valid, and says what the platform knows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from deploy_tools import options_of, run, tool

from services.settings import Settings

ROOT = Path(__file__).parents[2]
CHART = ROOT / "deploy" / "helm" / "vta"
KUBERNETES = ("1.27", "1.33")
SECRETS = {
    "VTA_DATABASE_URL": "postgresql://vta@postgres/vta",
    "VTA_ELASTICSEARCH_URL": "http://search:9200",
    "VTA_REDIS_URL": "redis://redis:6379/0",
}
EVERYTHING: dict[str, Any] = {
    "secret": SECRETS,
    "elasticsearch": True,
    "autoscaling": {"enabled": True},
    "workers": 2,
    "strategy": "RollingUpdate",
    "config": {"VTA_TRUSTED_PROXIES": "10.0.0.0/8"},
    "image": {"pullSecrets": [{"name": "registry"}]},
    "ingress": {"enabled": True, "className": "nginx", "tlsSecret": "certificate"},
    "nodeSelector": {"kubernetes.io/os": "linux"},
    "tolerations": [{"key": "teaching", "operator": "Exists"}],
}
LITTLE: dict[str, Any] = {"existingSecret": "vta"}


def template(values: dict[str, Any], kubernetes: str = KUBERNETES[-1]) -> str:
    options = ["--kube-version", f"{kubernetes}.0", "--values", "-"]
    return run("helm", "template", "school", CHART, *options, given=yaml.safe_dump(values))


def objects(values: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What the chart makes, by kind."""
    found = [each for each in yaml.safe_load_all(template(values)) if each]
    assert len({each["kind"] for each in found}) == len(found)
    return {each["kind"]: each for each in found}


@pytest.mark.parametrize("values", [EVERYTHING, LITTLE], ids=["everything", "little"])
def test_helm_finds_no_fault(values):
    run("helm", "lint", CHART, "--strict", "--values", "-", given=yaml.safe_dump(values))


@pytest.mark.parametrize("kubernetes", KUBERNETES)
@pytest.mark.parametrize("values", [EVERYTHING, LITTLE], ids=["everything", "little"])
def test_what_it_makes_keeps_to_the_schemas_of_kubernetes(values, kubernetes):
    """Strictly: a field that Kubernetes does not know is a fault."""
    schemas = pytest.importorskip("kubernetes_validate", reason="not proven: make deploy-tools")
    made = [each for each in yaml.safe_load_all(template(values, kubernetes)) if each]
    assert [schemas.validate(each, kubernetes, strict=True) for each in made] == [kubernetes] * len(made)


def test_the_pod_has_longer_to_stop_than_its_answers():
    """Its grace is that of the settings, with the time before it in which proxies learn that it goes."""
    made = objects(LITTLE | {"graceSeconds": 90})
    assert made["ConfigMap"]["data"]["VTA_GRACE_S"] == "90"
    assert made["Deployment"]["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] == 110


def test_the_pod_may_write_its_data_alone_and_is_nobody_s_root():
    pod = objects(LITTLE)["Deployment"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"]
    assert container["securityContext"]["readOnlyRootFilesystem"]
    assert {each["mountPath"] for each in container["volumeMounts"]} == {"/data", "/tmp"}
    assert str(pod["securityContext"]["runAsUser"]) in (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_daily_backups_go_to_the_claim_that_is_named():
    made = objects(LITTLE | {"backupClaim": "vta-backups"})
    pod = made["Deployment"]["spec"]["template"]["spec"]
    claims = [
        each["persistentVolumeClaim"]["claimName"] for each in pod["volumes"] if each["name"] == "backups"
    ]
    mounted = [
        each["mountPath"] for each in pod["containers"][0]["volumeMounts"] if each["name"] == "backups"
    ]
    assert [claims, mounted] == [["vta-backups"], [made["ConfigMap"]["data"]["VTA_BACKUP_FOLDER"]]]


def test_what_the_chart_sets_itself_is_no_setting_of_config():
    """Else it would be there twice."""
    made = objects(LITTLE | {"backupClaim": "vta-backups"})["ConfigMap"]["data"]
    names = json.loads((CHART / "values.schema.json").read_text())["properties"]["config"]["propertyNames"]
    assert set(names["not"]["enum"]) == set(made)


def test_the_command_is_one_of_the_command_line():
    for values, workers in ((EVERYTHING, 2), (LITTLE, 1)):
        (container,) = objects(values)["Deployment"]["spec"]["template"]["spec"]["containers"]
        assert options_of(container["args"])["workers"] == workers


def test_the_probes_ask_what_the_server_answers(serve):
    """And a server that is up answers all of them with 200. What all pods share takes no pod out."""
    api = serve()
    (container,) = objects(LITTLE)["Deployment"]["spec"]["template"]["spec"]["containers"]
    kinds = ("startup", "readiness", "liveness")
    paths = [container[f"{kind}Probe"]["httpGet"]["path"] for kind in kinds]
    assert paths == ["/readyz", "/healthz", "/healthz"]
    assert all(api.client.get(path).status_code == 200 for path in paths)


def test_the_autoscaler_asks_for_a_metric_that_is_exposed(serve):
    shown = serve().client.get("/metrics").text
    asked = objects(EVERYTHING)["HorizontalPodAutoscaler"]["spec"]["metrics"]
    (pods,) = [each["pods"]["metric"]["name"] for each in asked if each["type"] == "Pods"]
    assert re.search(rf"^{pods} ", shown, re.MULTILINE)
    assert pods in (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")


def test_settings_of_the_chart_are_settings_of_the_platform():
    """Servers are counted at their most, so that limits hold without Redis."""
    known = {f"VTA_{name.upper()}" for name in Settings.model_fields}
    made = objects(EVERYTHING)
    assert set(made["ConfigMap"]["data"]) | set(made["Secret"]["stringData"]) <= known
    assert made["ConfigMap"]["data"]["VTA_PROCESSES"] == "10"


@pytest.mark.parametrize(
    ("values", "needed"), [(LITTLE, ["VTA_DATABASE_URL"]), (LITTLE | {"elasticsearch": True}, [*SECRETS])]
)
def test_a_pod_does_not_start_without_the_services_that_keep_its_data(values, needed):
    """Their addresses are named one by one, so a Secret that lacks one holds the pod back."""
    (container,) = objects(values)["Deployment"]["spec"]["template"]["spec"]["containers"]
    keys = [each["valueFrom"]["secretKeyRef"] for each in container["env"]]
    assert keys == [{"name": "vta", "key": name} for name in needed]


def test_a_chart_without_elasticsearch_is_one_pod_on_postgresql():
    """It has no address of another service, and no autoscaler."""
    made = objects({"secret": {"VTA_DATABASE_URL": SECRETS["VTA_DATABASE_URL"]}})
    assert made["Secret"]["stringData"].keys() == {"VTA_DATABASE_URL"}
    assert [made["Deployment"]["spec"]["replicas"], "HorizontalPodAutoscaler" in made] == [1, False]
    assert made["ConfigMap"]["data"]["VTA_PROCESSES"] == "1"


@pytest.mark.parametrize(
    ("values", "refusal"),
    [
        ({}, r"secret.VTA_DATABASE_URL is needed"),
        ({"elasticsearch": True, "secret": {"VTA_DATABASE_URL": "x"}}, r"secret.VTA_ELASTICSEARCH_URL is"),
        (LITTLE | {"replicas": 2}, "several pods need elasticsearch: true"),
        (LITTLE | {"autoscaling": {"enabled": True}}, "several pods need elasticsearch: true"),
        (LITTLE | {"config": {"VTA_GRACE_S": "60"}}, "invalid propertyName 'VTA_GRACE_S'"),
    ],
)
def test_a_chart_that_could_not_work_is_refused_in_words(values, refusal):
    """It could not keep its data, or a variable would be there twice and the pod be killed over answers."""
    tool("helm")
    with pytest.raises(AssertionError, match=refusal):
        template(values)
