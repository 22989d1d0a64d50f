"""Every command of the pages is run, block by block; a block that cannot be says why above it, and names only
what exists."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import nullcontext
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import pytest
import typer
from markdown_pages import PAGES, ROOT, blocks, inline
from served_platform import Served, TemplateHomes, served

from services.cli.main import app
from services.settings import Settings
from services.wiring import build_platform
from vta.languages import Language
from vta.types.courses import Course, CourseId, Role

ADMIN_KEY = "the-admin-key-of-the-documents"
LABELS = {"sh", "text", "json", "html", "yaml", "python"}
GO_ON = {"docs/embedding.md", "docs/operations.md"}
"""Pages that take for granted a course `ds`, with a key of the platform whose id is in the file `key-id`."""
SUBSTITUTIONS = {"0123456789ab": "$(cat key-id)", "/var/lib/vta-backups/": ""}
"""Names of the pages, and what stands for them here; addresses of the server are its own."""
SERVER = re.compile(r"https://vta\.example(?:\.org)?")
ROUTE = re.compile(r"\b(GET|POST|PUT|PATCH|DELETE) +(?:https://[\w.]+)?(/v1/[^\s`?),]+)")
FILE = re.compile(r"(?:deploy|docs|benchmarks|tests|services|requirements)/\S|constraints")
SHIM = """#!/usr/bin/env bash
# vta; a server is stopped once it serves
set -euo pipefail
if [ "$1" != serve ]; then exec {python} -m services.cli "$@"; fi
{python} -u -m services.cli "$@" --port 0 > serving & server=$!
until grep -q 'Serving at' serving; do kill -0 $server; sleep 0.1; done
kill -TERM $server
wait $server || [ $? = 143 ]
"""

RUN = {page: [each for each in blocks(page) if each.label == "sh" and not each.why] for page in PAGES}
NOT_RUN = [(page, each) for page in PAGES for each in blocks(page) if each.why]
MAKE_TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]


@pytest.fixture(scope="module")
def empty_home(tmp_path_factory: pytest.TempPathFactory) -> TemplateHomes:
    return TemplateHomes(tmp_path_factory.mktemp("homes"))


@pytest.fixture
def place(tmp_path: Path, empty_home: TemplateHomes) -> Path:
    """A folder to work in: a new data folder, the files of a course, and `vta` as the pages call it."""
    empty_home.copy_empty(tmp_path / ".vta")
    with as_file(files("services.demo") / "courses" / "data-structures-zh" / "material" / "notes") as notes:
        for folder in (tmp_path / "notes", tmp_path / "path" / "to" / "course"):
            shutil.copytree(notes, folder)
    for shim in (tmp_path / "bin" / "vta", tmp_path / ".venv" / "bin" / "vta"):
        shim.parent.mkdir(parents=True)
        shim.write_text(SHIM.format(python=shlex.quote(sys.executable)))
        shim.chmod(0o755)
    return tmp_path


def run(script: str, place: Path, address: str) -> None:
    """Run a block as a reader's shell would, but stop at the first command that fails."""
    for name, stand_in in SUBSTITUTIONS.items():
        script = script.replace(name, stand_in)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("VTA_")}
    environment = clean | {
        "VTA_ADMIN_KEY": ADMIN_KEY,
        "PATH": f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "LC_ALL": "C.UTF-8",
        "no_proxy": "127.0.0.1",
    }
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", SERVER.sub(address, script)],
        cwd=place, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"


def add_course(settings: Settings, place: Path) -> None:
    """What the pages of `GO_ON` take for granted."""
    platform = build_platform(settings)
    course = CourseId("ds")
    platform.stores.courses.add(
        Course(id=course, name="数据结构", domains=("计算机科学",), language=Language.ZH)
    )
    (place / "key-id").write_text(platform.stores.keys.make(course, Role.PLATFORM)[0].split("_")[1])
    platform.close()


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page, found in RUN.items() if found])
def test_the_commands_of_a_page_run_in_order(page: str, place: Path) -> None:
    """In one data folder, beside a server where the page asks one."""
    settings = Settings.model_validate({"home": place / ".vta", "admin_key": ADMIN_KEY})
    if page in GO_ON:
        add_course(settings, place)
    asks = any("curl" in block.body for block in RUN[page])
    with served(build_platform(settings)) if asks else nullcontext() as server:
        address = server.address if server else "http://127.0.0.1:9"
        for block in RUN[page]:
            run(block.body, place, address)


def test_a_block_that_fails_is_told(place: Path) -> None:
    """A command that does not exist, and one that fails before another one."""
    for script in ("vta nothing", "false\ntrue", "curl --fail --silent https://vta.example/none | cat"):
        with pytest.raises(AssertionError):
            run(script, place, "http://127.0.0.1:9")


def test_every_block_is_run_or_says_why_not() -> None:
    """Every block has a label, commands have one alone, and only commands say that they are not run."""
    labels = {(page, each.label) for page in PAGES for each in blocks(page) if each.label not in LABELS}
    assert labels == set()
    assert all(block.label == "sh" for _, block in NOT_RUN)
    count = sum(map(len, RUN.values()))
    print(f"{count} blocks of commands are run, {len(NOT_RUN)} are not:")
    for page, block in NOT_RUN:
        print(f"  {page}: {block.why}")
    assert count > len(NOT_RUN)


def commands(script: str) -> Iterator[list[str]]:
    """The commands of a block as words, without comments, variables and `sudo`."""
    for line in script.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        while words and (words[0] == "sudo" or re.match(r"\w+=", words[0])):
            words = words[1:]
        if words:
            yield words


def unknown(words: list[str]) -> list[str]:
    """What of a command does not exist: of `vta` or its options, a target of make, an extra, a file."""
    found = [each for each in words if FILE.match(each)]
    missing = [each for each in found if not (ROOT / each).exists()]
    missing += [
        each
        for each in words
        if "[" in each and not set(re.findall(r"vta-platform\[(\w+)\]", each)) <= set(EXTRAS)
    ]
    if words[0] == "make":
        missing += [each for each in words[1:] if re.fullmatch(r"[a-z-]+", each) and each not in MAKE_TARGETS]
    if words[0].rpartition("/")[2] == "vta":
        missing += unknown_of_vta(words[1:])
    return missing


def unknown_of_vta(words: list[str]) -> list[str]:
    """What of the words after `vta` is no command or option of it."""
    command: Any = typer.main.get_command(app)
    while words and hasattr(command, "get_command") and re.fullmatch(r"[a-z]+", words[0]):
        name, *words = words
        command = command.get_command(None, name)
        if command is None:
            return [name]
        if hasattr(command, "get_command"):  # `vta faq COURSE list`
            words = words[sum(each.param_type_name == "argument" for each in command.params) :]
    known = {"--help"} | {option for each in command.params for option in (*each.opts, *each.secondary_opts)}
    return [each for each in words if re.match(r"--?[a-z]", each) and each.partition("=")[0] not in known]


@pytest.mark.parametrize(("page", "block"), NOT_RUN)
def test_what_is_not_run_names_what_exists(page: str, block: Any) -> None:
    assert [missing for words in commands(block.body) for missing in unknown(words)] == []


@pytest.mark.parametrize("page", [page for page in PAGES if page != "CHANGELOG.md"])
def test_commands_in_sentences_exist(page: str) -> None:
    """`vta ...` and `make ...` between backticks; where they name several, as in `vta a | b`, the first."""
    spans = [token.content for token in inline(page) if token.type == "code_inline"]
    named = [re.split(r"\s[|/]\s|[\[\]…]", span)[0].split() for span in spans]
    named = [words for words in named if words and words[0].rpartition("/")[2] in ("vta", "make")]
    assert [(words, missing) for words in named if (missing := unknown(words))] == []


def test_routes_in_pages_exist(api: Served) -> None:
    """As in `GET /v1/courses/{course}/graph`, with any course's id."""
    known = [
        (method.upper(), re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path)))
        for path, operations in api.client.get("/openapi.json").json()["paths"].items()
        for method in operations
    ]
    named = [
        (page, *found)
        for page in PAGES
        for found in ROUTE.findall((ROOT / page).read_text(encoding="utf-8"))
        if page != "CHANGELOG.md"
    ]
    assert len(named) > 30
    assert [
        (page, method, path)
        for page, method, path in named
        if not any(method == each and re.fullmatch(pattern, path.rstrip(".")) for each, pattern in known)
    ] == []


@pytest.mark.parametrize(
    ("command", "missing"),
    [
        ("vta serve --workers 4", []), ("vta serve --threads 4", ["--threads"]), ("vta enrich", ["enrich"]),
        ("vta faq ds list --json", []), ("vta faq ds lists", ["lists"]),
        ("vta course nothing", ["nothing"]), ("make test", []), ("make nothing", ["nothing"]),
        ("pip install 'vta-platform[none]'", ["vta-platform[none]"]),
        ("cp deploy/none.service x", ["deploy/none.service"]),
    ],
)  # fmt: skip
def test_what_does_not_exist_is_found(command: str, missing: list[str]) -> None:
    assert [each for words in commands(command) for each in unknown(words)] == missing
