"""What a release says of itself agrees: version, changelog, tag, and what is installed by role."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from vta import __version__

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
SERVICES = ("postgres", "elasticsearch", "redis", "otel", "s3")
ROLES = {
    "run": SERVICES,
    "test": (*SERVICES, "vectors", "test"),
    "train": (*SERVICES, "vectors", "test", "train", "models", "docs"),
    "docs": ("docs",),
}


def test_the_changelog_begins_with_this_version():
    """By version and day, as Keep a Changelog has it."""
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == "[Unreleased]" or re.fullmatch(
        rf"\[{re.escape(__version__)}\] - \d{{4}}-\d\d-\d\d", headings[0]
    )
    assert any(heading.startswith(f"[{__version__}]") for heading in headings)


def test_a_tag_on_this_commit_is_this_version():
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("the tag is not proven: no git repository")
    tags = subprocess.run(
        [git, "tag", "--points-at", "HEAD", "--list", "v*"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    if not tags:
        pytest.skip("the tag is not proven: this commit has none")
    assert tags == [f"v{__version__}"]


@pytest.mark.parametrize(("role", "extras"), ROLES.items())
def test_a_role_pins_all_that_the_project_needs_with_hashes(role, extras):
    """Run `make pins` where this fails."""
    text = (ROOT / "requirements" / f"{role}.txt").read_text(encoding="utf-8")
    pins: dict[str, str] = {}
    for block in re.split(r"\n(?=\S)", text.strip()):
        pin = re.match(r"(?P<name>[\w.-]+)(?:\[[\w, -]+\])?==(?P<version>[^\s;]+)", block)
        assert pin, block[:80]
        assert "--hash=sha256:" in block, pin["name"]
        pins[canonicalize_name(pin["name"])] = pin["version"]
    assert "://" not in text
    needed = [
        *PROJECT["dependencies"],
        *(one for extra in extras for one in PROJECT["optional-dependencies"][extra]),
    ]
    for line in needed:
        wanted = Requirement(line)
        assert pins[canonicalize_name(wanted.name)] in wanted.specifier, line


def test_the_roles_agree():
    """What two roles have in common is the same version, for the same Pythons."""
    versions: dict[str, set[str]] = {}
    for role in ROLES:
        for name, version, pythons in re.findall(
            r"^([\w.-]+)(?:\[[\w, -]+\])?==([^\s;]+)(.*?) ?\\?$",
            (ROOT / "requirements" / f"{role}.txt").read_text(encoding="utf-8"),
            re.MULTILINE,
        ):
            versions.setdefault(name + pythons, set()).add(version)
    assert {name: found for name, found in versions.items() if len(found) > 1} == {}
