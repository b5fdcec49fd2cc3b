"""The chart: what it renders, what it refuses, and what clusters think of it."""

import json
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import kubernetes_validate
import pytest
import yaml
from tests.chart.rendering import (
    CHART,
    ROOT,
    Object,
    each_case,
    each_helm,
    only,
    pods,
    rendered,
    run,
)

from ginref import __version__
from ginref.cli.setting_option import settle
from ginref.setting_kind import Part

OLDEST, NEWEST = "1.31", "1.37"
CUSTOM = "monitoring.coreos.com/v1"
"""API of objects that only an operator of Prometheus knows."""

CASE = ("--values", str(CHART / "ci/production-values.yaml"))


@each_helm
@each_case
def test_nothing_in_the_chart_is_worth_a_warning(case: str, helm: str) -> None:
    values = str(CHART / "ci" / case)

    told = run(helm, "lint", "--strict", str(CHART), "--values", values)

    assert told.returncode == 0, told.stdout
    assert "[WARNING]" not in told.stdout


@each_case
def test_both_helms_render_the_same(case: str) -> None:
    def comparable(helm: str) -> list[str]:
        objects = [one for one in rendered(case, helm) if one["kind"] != "Secret"]
        return sorted(json.dumps(one, sort_keys=True) for one in objects)

    assert comparable("helm3") == comparable("helm4")


@each_case
@pytest.mark.parametrize("version", [OLDEST, NEWEST])
def test_clusters_old_and_new_accept_every_object(case: str, version: str) -> None:
    for one in rendered(case):
        if one["apiVersion"] != CUSTOM:
            kubernetes_validate.validate(one, version, strict=True)


def test_a_wrong_object_would_be_noticed() -> None:
    service = json.loads(
        json.dumps(only(rendered("bare-values.yaml"), "Service", "admin"))
    )
    service["spec"]["ports"][0]["port"] = "seventy"

    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(service, NEWEST, strict=True)


def test_the_chart_is_for_this_version_and_for_these_clusters() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())

    assert chart["appVersion"] == chart["version"] == __version__
    assert chart["kubeVersion"] == f">={OLDEST}.0-0"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert chart["description"] == project["description"]


@each_helm
def test_a_packaged_chart_is_whole(helm: str, tmp_path: Path) -> None:
    """Rules and dashboards are links to what is elsewhere in the repository."""
    program = str(ROOT / "build/helm" / helm)
    told = run(helm, "template", "play", str(CHART), *CASE)
    subprocess.run(
        [program, "package", str(CHART), "--destination", str(tmp_path)],
        check=True,
        capture_output=True,
    )
    (package,) = tmp_path.glob("*.tgz")

    again = run(helm, "template", "play", str(package), *CASE)

    assert "PrometheusRule" in told.stdout
    assert again.stdout == told.stdout


def _breaches(pod: Object) -> Iterator[str]:
    """Yield what the restricted standard for pods finds wrong with one."""
    spec = pod["spec"]
    kinds = {kind for volume in spec.get("volumes", ()) for kind in volume} - {"name"}
    allowed = {"configMap", "emptyDir", "persistentVolumeClaim", "projected", "secret"}
    if kinds - allowed:
        yield f"volumes {kinds - allowed}"
    if {"hostNetwork", "hostPID", "hostIPC", "initContainers"} & set(spec):
        yield "the host's namespaces, or containers that are not looked at"
    security = spec.get("securityContext", {})
    if security.get("seccompProfile") != {"type": "RuntimeDefault"}:
        yield "seccomp"
    if security.get("runAsNonRoot") is not True or not security.get("runAsUser"):
        yield "root"
    for container in spec["containers"]:
        wanted = {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        }
        if container.get("securityContext") != wanted:
            yield f"{container['name']}: rights"
        if any("hostPort" in port for port in container.get("ports", ())):
            yield f"{container['name']}: ports of the host"


@each_case
def test_every_pod_is_restricted_and_knows_nothing_of_the_cluster(case: str) -> None:
    found = list(pods(rendered(case)))

    assert len(found) >= 4
    for name, pod in found:
        assert [*_breaches(pod)] == [], name
        assert pod["spec"]["automountServiceAccountToken"] is False
        # A Service `ginref` would become a setting GINREF_SERVICE_HOST.
        assert pod["spec"]["enableServiceLinks"] is False


@each_case
def test_every_role_is_played_and_every_pod_is_one_process(case: str) -> None:
    roles: set[str] = set()
    for name, pod in pods(rendered(case)):
        for container in pod["spec"]["containers"]:
            for word in container.get("args", ()):
                assert not word.startswith("--workers"), name
                if word.startswith("--roles="):
                    roles |= set(word.partition("=")[2].split(","))

    assert roles == set(Part)


def _selects(selector: Object, labels: Object) -> bool:
    return selector["matchLabels"].items() <= labels.items() and all(
        labels.get(rule["key"]) in rule["values"]
        for rule in selector.get("matchExpressions", ())
    )


@each_case
def test_services_and_policies_select_what_they_are_for(case: str) -> None:
    objects = rendered(case)
    labels = {
        pod["metadata"]["labels"]["app.kubernetes.io/component"]: pod["metadata"][
            "labels"
        ]
        for _, pod in pods(objects)
    }
    for one in objects:
        spec = one.get("spec", {})
        named = one["metadata"]["name"]
        if one["kind"] == "Deployment":
            component = spec["template"]["metadata"]["labels"][
                "app.kubernetes.io/component"
            ]
            chosen = {
                part for part in labels if _selects(spec["selector"], labels[part])
            }
            assert chosen == {component}, named
        if one["kind"] == "Service" and named.endswith("-admin"):
            assert {"referee", "runner", "signer"} <= {
                part
                for part in labels
                if _selects({"matchLabels": spec["selector"]}, labels[part])
            }
        if one["kind"] == "NetworkPolicy":
            chosen = {
                part for part in labels if _selects(spec["podSelector"], labels[part])
            }
            store = {"store"} if named.endswith("-store") else set()
            assert chosen == (store or labels.keys() - {"store", "test"}), named
        if one["kind"] == "PodDisruptionBudget":
            chosen = {
                part for part in labels if _selects(spec["selector"], labels[part])
            }
            assert len(chosen) == 1, named


@each_case
def test_the_test_of_a_release_gets_through_its_policy(case: str) -> None:
    objects = rendered(case)
    labels = only(objects, "Pod", "-test")["metadata"]["labels"]
    for one in objects:
        if one["kind"] == "NetworkPolicy" and not one["metadata"]["name"].endswith(
            "-store"
        ):
            reached = {
                port["port"]
                for way in one["spec"]["ingress"]
                if "from" not in way
                or any(
                    _selects({"matchLabels": {}, **peer["podSelector"]}, labels)
                    for peer in way["from"]
                    if "podSelector" in peer
                )
                for port in way["ports"]
            }
            assert {"grpc", "admin"} <= reached


def test_production_has_all_that_watches_and_scales() -> None:
    objects = rendered("production-values.yaml")

    kinds = {one["kind"] for one in objects}
    assert {
        *("HorizontalPodAutoscaler", "PodDisruptionBudget", "NetworkPolicy"),
        *("ServiceMonitor", "PrometheusRule", "ConfigMap", "Ingress"),
    } <= kinds
    referee = only(objects, "Deployment", "-referee")
    assert "replicas" not in referee["spec"]
    scaler = only(objects, "HorizontalPodAutoscaler")
    assert scaler["spec"]["scaleTargetRef"]["name"] == referee["metadata"]["name"]
    assert len(scaler["spec"]["metrics"]) == 2
    paths = {
        (
            one["metadata"]["name"].rpartition("-")[2],
            path["path"],
            path["backend"]["service"]["port"]["name"],
        )
        for one in objects
        if one["kind"] == "Ingress"
        for rule in one["spec"]["rules"]
        for path in rule["http"]["paths"]
    }
    assert paths == {
        ("grpc", "/", "grpc"),
        ("http", "/", "http"),
        ("keys", "/.well-known/jwks.json", "admin"),
        ("keys", "/.well-known/jwks.pem", "admin"),
    }


@each_case
def test_every_way_in_leads_to_a_port_that_is_open(case: str) -> None:
    objects = rendered(case)
    kept = [(pod["metadata"]["labels"], pod["spec"]) for _, pod in pods(objects)]
    services = {
        one["metadata"]["name"]: one["spec"]
        for one in objects
        if one["kind"] == "Service"
    }
    for named, service in services.items():
        # A pod that has no port of that name is passed over.
        behind = {
            port["name"]
            for labels, spec in kept
            if _selects({"matchLabels": service["selector"]}, labels)
            for container in spec["containers"]
            for port in container.get("ports", ())
        }
        assert {port["targetPort"] for port in service["ports"]} <= behind, named
    for one in objects:
        for rule in one["spec"]["rules"] if one["kind"] == "Ingress" else ():
            for path in rule["http"]["paths"]:
                service = path["backend"]["service"]
                ports = {port["name"] for port in services[service["name"]]["ports"]}
                assert service["port"]["name"] in ports
        if one["kind"] == "NetworkPolicy":
            held = {
                port["name"]
                for _, spec in kept
                for container in spec["containers"]
                for port in container.get("ports", ())
            }
            for way in one["spec"]["ingress"]:
                assert {port["port"] for port in way["ports"]} <= {*held, 6379}


@each_case
def test_what_a_pod_is_told_are_settings(case: str, tmp_path: Path) -> None:
    """A misspelt option would only be noticed where pods start."""
    objects = rendered(case)
    for name, pod in pods(objects):
        for container in pod["spec"]["containers"]:
            if container.get("args", [""])[0] != "serve":
                continue
            words = [word.partition("=") for word in container["args"][1:]]
            given: dict[str, str | bool | None] = {
                option.removeprefix("--").replace("-", "_"): value or True
                for option, _, value in words
            }
            # What files hold is there in a cluster only.
            if "config" in given:
                file = tmp_path / "settings.yaml"
                file.write_text(only(objects, "ConfigMap", "ginref")["data"][file.name])
                given["config"] = str(file)
            if str(given["store"]).startswith("file:"):
                given["store"] = "redis://store"
            config = settle(given, {}).config
            assert config.admin == "0.0.0.0:7879", name
            assert config.log_format == ("text" if "bare" in case else "json")


def test_the_rules_and_dashboards_are_those_of_the_repository() -> None:
    objects = rendered("production-values.yaml")

    groups = [
        group
        for name in ("recording", "alerts")
        for group in yaml.safe_load(
            (ROOT / f"deploy/prometheus/{name}.yaml")
            .read_text()
            .replace("docs/runbook.md", "https://referee.example/runbook")
        )["groups"]
    ]
    assert only(objects, "PrometheusRule")["spec"]["groups"] == groups
    shown = {
        name.removeprefix("ginref-"): json.loads(text)
        for one in objects
        if one["kind"] == "ConfigMap"
        for name, text in one["data"].items()
        if name.endswith(".json")
    }
    assert shown == {
        path.name: json.loads(path.read_text())
        for path in (ROOT / "deploy/grafana/dashboards").glob("*.json")
    }
    assert shown
