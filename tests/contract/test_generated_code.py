"""The generated code, and what it demands of the packages beneath it."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GENERATED = ROOT / "service" / "ginref" / "v1"
PROTO = ROOT / "proto" / "ginref" / "v1"


def versions_in_headers(pattern: str, files: str) -> set[str]:
    """The distinct versions which the generated files name."""
    found = {
        path.name: re.findall(pattern, path.read_text(encoding="utf-8"))
        for path in GENERATED.glob(files)
    }
    assert found, f"no {files} was generated"
    assert all(found.values()), f"no version in {found}"
    return {version for versions in found.values() for version in versions}


def floor(package: str) -> str:
    """The oldest release of a package that the distribution accepts."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    requirement = re.compile(rf"{re.escape(package)}>=([0-9.]+)")
    (match,) = filter(None, map(requirement.match, project["project"]["dependencies"]))
    return match[1]


@pytest.mark.parametrize(
    ("package", "files", "pattern"),
    [
        pytest.param(
            "protobuf", "*_pb2.py", r"Protobuf Python Version: ([0-9.]+)", id="protobuf"
        ),
        pytest.param(
            "grpcio",
            "*_pb2_grpc.py",
            r"GRPC_GENERATED_VERSION = '([0-9.]+)'",
            id="grpcio",
        ),
    ],
)
def test_the_dependency_floor_is_what_the_generated_code_demands(
    package: str, files: str, pattern: str
) -> None:
    assert versions_in_headers(pattern, files) == {floor(package)}


def test_every_proto_file_has_its_module_and_its_stub() -> None:
    expected = {f"{path.stem}_pb2" for path in PROTO.glob("*.proto")} | {
        f"{path.stem}_pb2_grpc" for path in PROTO.glob("*_service.proto")
    }

    assert {path.stem for path in GENERATED.glob("*_pb2*.py")} == expected
    assert {path.stem for path in GENERATED.glob("*_pb2*.pyi")} == expected
