"""The sidebar's scripts under `node --test`, and their types against the OpenAPI document."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from openapi_types import declarations

from services.app import create_app
from services.settings import Settings
from services.wiring import build_platform

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "tests" / "javascript"
TSC = ROOT / ".venv" / "npm" / "node_modules" / "typescript" / "bin" / "tsc"
OLDEST_NODE = (20, 19)
"""From here on node tells by itself that a script is a module."""


@pytest.fixture(scope="module")
def node() -> str:
    found = shutil.which("node")
    if found is None:
        pytest.skip("the sidebar's scripts are not proven: node is not installed")
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout
    if tuple(map(int, version.strip().lstrip("v").split(".")[:2])) < OLDEST_NODE:
        pytest.skip(f"the sidebar's scripts are not proven: node {version.strip()} is older than 20.19")
    return found


def test_the_scripts_pass_their_own_tests(node: str) -> None:
    tests = [str(file) for file in sorted(SCRIPTS.glob("*.test.mjs"))]
    assert tests
    command = [node, "--test", *tests]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stdout


def check_types(node: str, folder: Path, document: dict[str, object]) -> subprocess.CompletedProcess[str]:
    """What the compiler says of the scripts beside the types of an OpenAPI document."""
    (folder / "api.d.ts").write_text(declarations(document), encoding="utf-8")
    options = SCRIPTS / "tsconfig.json"
    named = json.loads(options.read_text(encoding="utf-8"))
    include, exclude = (
        [str((SCRIPTS / each).resolve()) for each in named[kind]] for kind in ("include", "exclude")
    )
    config = {"extends": str(options), "include": ["api.d.ts", *include], "exclude": exclude}
    (folder / "tsconfig.json").write_text(json.dumps(config), encoding="utf-8")
    command = [node, str(TSC), "--project", str(folder)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=ROOT)


@pytest.mark.slow
def test_the_scripts_use_the_api_as_it_is_documented(node: str, tmp_path: Path) -> None:
    """They pass the type check; with a renamed field of a citation they do not."""
    if not TSC.exists():
        pytest.skip("the types of the sidebar's scripts are not proven: typescript is not installed (make)")
    platform = build_platform(Settings(home=tmp_path / "home"))
    try:
        document = create_app(platform).openapi()
    finally:
        platform.close()
    checked = check_types(node, tmp_path, document)
    assert checked.returncode == 0, checked.stdout
    renamed = json.loads(json.dumps(document).replace('"passage_html"', '"passage_markup"'))
    broken = check_types(node, tmp_path, renamed)
    assert broken.returncode != 0
    assert "passage_html" in broken.stdout
