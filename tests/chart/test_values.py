"""The chart's values: which are refused, and that all are documented."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from tests.chart.rendering import CHART, HELMS, run

VALUES: dict[str, Any] = yaml.safe_load((CHART / "values.yaml").read_text())
SCHEMA: dict[str, Any] = json.loads((CHART / "values.schema.json").read_text())

REFUSED = [
    pytest.param("{}", "keys.existingSecret", id="no keys"),
    pytest.param("keys: {existingSecret: k}", "operator.existingSecret", id="no token"),
    pytest.param("store: {url: 'redis://s:1'}", "store: give one", id="two stores"),
    pytest.param(
        "store: {bundled: {enabled: false}}", "store: give one", id="no store"
    ),
    pytest.param(
        "store: {bundled: {enabled: false}, url: 'redis://a:b@s:1'}",
        "store.url",
        id="a password in the open",
    ),
    pytest.param(
        "store: {bundled: {enabled: false}, url: 'redis://s:1?password=b'}",
        "store.url",
        id="a password as an option",
    ),
    pytest.param("store: {key: a/b}", "key", id="no key of a Secret"),
    pytest.param("store: {url: 'http://s'}", "url", id="a store of another kind"),
    pytest.param(
        "archive: {url: 's3://bucket'}", "archive: give one", id="two archives"
    ),
    pytest.param("archive: {url: 's3://a@b'}", "url", id="no name of a bucket"),
    pytest.param("archive: {url: '/tmp'}", "url", id="an archive in a pod"),
    pytest.param(
        "archive: {env: {GINREF_DEV: '1'}}", "GINREF_DEV", id="a setting as variable"
    ),
    pytest.param(
        "tls: {allowPlaintext: false}", "tls: give either", id="no word on TLS"
    ),
    pytest.param("tls: {existingSecret: t}", "tls: give either", id="TLS and none"),
    pytest.param(
        "tls: {clientCertificates: true}", "tls.clientCertificates", id="TLS by half"
    ),
    pytest.param(
        "ingress: {grpc: {enabled: true}}",
        "ingress.grpc.host",
        id="an API without a host",
    ),
    pytest.param("ingress: {keys: {enabled: true}}", "ingress.keys.host", id="no name"),
    pytest.param(
        "{http: {enabled: false}, ingress: {http: {enabled: true, host: a.example}}}",
        "http.enabled",
        id="a way to what is not served",
    ),
    pytest.param(
        "tls: {allowPlaintext: false, existingSecret: t, clientCertificates: true}",
        "http.enabled",
        id="pages for whoever has a certificate",
    ),
    pytest.param("http: {origins: [here]}", "origins", id="no origin"),
    pytest.param("http: {origins: ['https://a@b']}", "origins", id="no such origin"),
    pytest.param("http: {spectators: all}", "spectators", id="spectators in a word"),
    pytest.param("house: {bots: [greedy]}", "bots", id="a bot of somebody else"),
    pytest.param("house: {replicas: 2}", "replicas", id="two houses"),
    pytest.param("log: {format: xml}", "format", id="a log of another form"),
    pytest.param("log: {level: DEBUG}", "level", id="a level in capitals"),
    pytest.param("otel: {endpoint: collector}", "endpoint", id="no URL"),
    pytest.param("otel: {env: {AWS_REGION: x}}", "AWS_REGION", id="another variable"),
    pytest.param("settings: {store: 'redis://s:1'}", "store", id="a setting twice"),
    pytest.param("settings: {rates: 'off'}", "rates", id="no name of a setting"),
    pytest.param("settings: {limits: off}", "limits", id="no limits as no text"),
    pytest.param(
        "autoscaling: {enabled: true, cpuPercent: 0}", "cpuPercent", id="no measure"
    ),
    pytest.param(
        "autoscaling: {enabled: true, minReplicas: 9, maxReplicas: 3}",
        "maxReplicas",
        id="more than the most",
    ),
    pytest.param(
        "podDisruptionBudget: {maxUnavailable: 0%}", "maxUnavailable", id="no leave"
    ),
    pytest.param("serviceMonitor: {interval: 0s}", "interval", id="all the time"),
    pytest.param(
        "referee: {connectionAgeMs: 2147483648}", "connectionAgeMs", id="ages"
    ),
    pytest.param("nameOverride: A_b", "nameOverride", id="no label"),
    pytest.param("fullnameOverride: My_Cards", "fullnameOverride", id="no name of it"),
    pytest.param("image: {tag: 'a b'}", "tag", id="two words for a tag"),
    pytest.param("image: {pullSecrets: [A_b]}", "pullSecrets", id="no Secret"),
    pytest.param("replicas: 3", "replicas", id="a name that is none"),
    pytest.param("referee: {replica: 3}", "replica", id="a misspelt name"),
    pytest.param("referee: {replicas: '3'}", "replicas", id="a number as text"),
    pytest.param("referee: {replicas: 0}", "replicas", id="no referee"),
    pytest.param("image: {digest: 'sha256:1'}", "digest", id="half a digest"),
    pytest.param("image: {pullPolicy: Often}", "pullPolicy", id="a policy of its own"),
    pytest.param("keep: a month", "keep", id="a time in words"),
    pytest.param("keep: 59s", "keep", id="less than a minute"),
    pytest.param("keep: 36501d", "keep", id="more than a century"),
    pytest.param("networkPolicy: {storePorts: [0]}", "storePorts", id="no port"),
    pytest.param(
        "keys: {existingSecret: My_Keys}", "existingSecret", id="a name of another kind"
    ),
    pytest.param(
        "dashboards: {labels: {a: 1}}", "labels", id="a label that is a number"
    ),
]


@pytest.mark.parametrize(("values", "named"), REFUSED)
def test_values_that_cannot_be_meant_are_refused(values: str, named: str) -> None:
    # Each version of helm reads schemas in its own way, and gets half of them.
    helm = HELMS[len(values) % 2]
    before = () if named.endswith(".existingSecret") else ("trial-values.yaml",)
    files = [part for case in before for part in ("--values", str(CHART / "ci" / case))]

    told = run(helm, "template", "play", str(CHART), *files, values=values)

    assert told.returncode != 0
    assert named in told.stderr


def _leaves(
    values: dict[str, Any], schema: dict[str, Any]
) -> Iterator[tuple[str, Any, str]]:
    """Yield each value by its whole name, with its default and what it is for."""
    for name, value in values.items():
        told = schema["properties"][name]
        if "properties" in told:
            assert told["additionalProperties"] is False, name
            for path, default, purpose in _leaves(value, told):
                yield f"{name}.{path}", default, purpose
        else:
            yield name, value, told["description"]
    assert set(schema["properties"]) - set(values) <= {"global"}


def test_every_value_is_documented_and_no_other_is_allowed() -> None:
    readme = (CHART / "README.md").read_text()
    rows = re.findall(r"^\| `([\w.]+)` \| `(.*)` \| (.*) \|$", readme, re.MULTILINE)

    assert SCHEMA["additionalProperties"] is False
    assert [
        (name, json.loads(default), purpose) for name, default, purpose in rows
    ] == [*_leaves(VALUES, SCHEMA)]


def test_every_link_of_the_readme_leads_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)", (CHART / "README.md").read_text())

    assert links
    assert [link for link in links if not (CHART / link).exists()] == []
