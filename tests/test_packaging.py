"""What is shipped beside the code: compose file, image, lock, layers."""

import itertools
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pyspark
import pytest
import yaml

from streaming.embedded.broker import KAFKA_VERSION
from streaming.settings.loading import load_settings

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent
COMPOSE = ROOT / "docker-compose.yml"
DOCKERFILE = (ROOT / "conf" / "docker" / "Dockerfile").read_text()


def services() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(COMPOSE.read_text())["services"]
    return loaded


def test_the_compose_file_keeps_to_its_schema() -> None:
    answer = subprocess.run(
        [BIN / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", COMPOSE],
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stdout


@pytest.mark.parametrize("name", ["kafka", "monitor", "dashboard"])
def test_services_are_pinned_and_watched(name: str) -> None:
    service = services()[name]
    assert re.search(r":\d+\.\d+\.\d+$", service["image"])
    assert service["healthcheck"]["test"]
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])


def test_compose_and_embedded_broker_are_the_same_kafka() -> None:
    assert services()["kafka"]["image"] == f"apache/kafka:{KAFKA_VERSION}"


def test_what_the_image_and_the_services_set_is_configuration() -> None:
    in_image = dict(re.findall(r"(REBALANCE_MONITOR__\w+)=(\S+)", DOCKERFILE))
    for service in services().values():
        env = {
            name: text
            for name, text in {**in_image, **service.get("environment", {})}.items()
            if name.startswith("REBALANCE_MONITOR__")
        }
        assert load_settings(ROOT / "conf" / "monitor.toml", env=env).query.tables == "/data/tables"


def test_what_the_image_copies_is_there() -> None:
    copied = re.findall(r"^COPY --chown=monitor (.*) \S+$", DOCKERFILE, flags=re.MULTILINE)
    for path in " ".join(copied).split():
        assert (ROOT / path).exists(), path


def test_the_lock_holds_what_the_project_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lists = [project["dependencies"], *project["optional-dependencies"].values()]
    lock = (ROOT / "requirements.lock").read_text()
    for requirement in itertools.chain(*lists):
        name = re.match(r"[\w.-]+", requirement)
        assert name
        assert re.search(rf"^{name[0].lower()}==", lock, flags=re.MULTILINE), requirement
    assert f"pyspark=={pyspark.__version__} " in lock
    assert "--hash=sha256:" in lock


def test_the_scripts_are_sound_shell() -> None:
    shell = shutil.which("sh")
    assert shell
    for script in ("run", "packages"):
        subprocess.run([shell, "-n", ROOT / ".ci" / script], check=True)


def test_the_wheel_holds_every_file_of_the_packages(tmp_path: Path) -> None:
    for name in ("assignors", "streaming", "pyproject.toml", "README.md", "LICENSE"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tmp_path / name)
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", tmp_path)
    subprocess.run([BIN / "pip", "wheel", *options, tmp_path], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    for package in ("assignors", "streaming"):
        ours = (path for path in (ROOT / package).rglob("*") if path.is_file())
        wanted = {str(path.relative_to(ROOT)) for path in ours if path.suffix != ".pyc"}
        assert wanted <= held
