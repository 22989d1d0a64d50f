"""What continuous integration calls exists, and nothing that it uses can change under it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
STEPS: list[dict[str, Any]] = [
    step
    for path in WORKFLOWS
    for job in yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values()
    for step in job["steps"]
]
SCRIPTS = [*(step["run"] for step in STEPS if "run" in step), (ROOT / ".ci/run").read_text(encoding="utf-8")]
TARGETS = sorted({target for script in SCRIPTS for call in re.findall(r"\bmake ([\w./ -]+)", script)
                  for target in call.split()})  # fmt: skip


def exit_status(*arguments: str) -> int:
    """The exit status of make, which runs nothing."""
    return subprocess.run(
        ["make", "--dry-run", *arguments], cwd=ROOT, capture_output=True, check=False
    ).returncode


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_of_make_exists(target):
    assert exit_status("--always-make", target) == 0


def test_a_target_that_does_not_exist_is_found():
    assert exit_status("nothing") == 2


def test_every_script_that_is_called_can_run():
    called = {script for script in SCRIPTS if script.startswith(".")}
    assert called == {".ci/run"}
    assert all((ROOT / script).stat().st_mode & 0o111 for script in called)


def test_actions_are_pinned_by_commit():
    used = [step["uses"] for step in STEPS if "uses" in step]
    assert used
    assert [each for each in used if not re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", each)] == []


def test_the_quick_tests_run_on_every_python_that_is_promised():
    """The bounds of pyproject.toml are those of the matrix."""
    quick = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))["jobs"]["quick"]
    versions = quick["strategy"]["matrix"]["python"]
    last = f"3.{int(versions[-1].partition('.')[2]) + 1}"
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'requires-python = ">={versions[0]},<{last}"' in project
