"""The built wheel, installed where no repository is on the path."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("vta", "intent", "knowledge", "concept_graph", "prompts", "services")


@dataclass(frozen=True)
class Installed:
    """An environment that holds the wheel, and a folder to work in."""

    wheel: Path
    programs: Path
    work: Path

    def run(self, *command: str, stdin: str = "") -> str:
        """What a program of the environment prints; it must succeed."""
        done = self.attempt(*command, stdin=stdin)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def attempt(self, *command: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """How a program of the environment ends."""
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("VTA_", "PYTHON"))
        }
        return subprocess.run(
            [str(self.programs / command[0]), *command[1:]],
            input=stdin,
            capture_output=True,
            text=True,
            cwd=self.work,
            env=environment,
            check=False,
        )

    def evaluate(self, code: str) -> object:
        """The JSON that a Python program of the environment prints."""
        return json.loads(self.run("python", "-I", "-c", code))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel in a fresh environment, which borrows the third-party packages of this one.

    They are put on the path without reading their .pth files, so an editable install does not bring the
    repository along.
    """
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder / "env", with_pip=False)
    programs = folder / "env" / "bin"
    pip = [sys.executable, "-m", "pip", "--python", str(programs / "python"), "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", str(wheel)], check=True, cwd=folder)
    (site,) = (folder / "env" / "lib").glob("python*/site-packages")
    (site / "third_party.pth").write_text(sysconfig.get_path("purelib") + "\n")
    (folder / "work").mkdir()
    return Installed(wheel, programs, folder / "work")


def test_the_wheel_holds_every_file_of_the_rooms_and_no_other(installed: Installed) -> None:
    """What git has in the six folders is what is shipped; tests and documents are not."""
    tracked = subprocess.run(
        ["git", "ls-files", *ROOMS], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split()
    names = zipfile.ZipFile(installed.wheel).namelist()
    shipped = {name for name in names if not name.split("/")[0].endswith(".dist-info")}
    assert set(tracked) <= shipped
    assert {name.split("/")[0] for name in shipped} == set(ROOMS)
    licences = {name.rsplit("/", 1)[1] for name in names if "/licenses/" in name}
    assert licences == {"LICENSE", "NOTICE"}


def test_the_installed_program_answers_a_question_in_both_languages(installed: Installed) -> None:
    """From the wheel alone, in a folder elsewhere: course, ingest, answer with a citation."""
    for course, language, note, question, said in (
        ("ds", "zh", "# 栈\n\n栈是一种后进先出的线性表，只在栈顶插入和删除。\n", "什么是栈？", "后进先出"),
        (
            "en",
            "en",
            "# Stack\n\nA stack is a list that is last in, first out.\n",
            "What is a stack?",
            "last",
        ),
    ):
        (installed.work / f"{course}.md").write_text(note, encoding="utf-8")
        installed.run(
            "vta", "course", "add", course, "--name", course, "--domain", "x", "--language", language
        )
        installed.run("vta", "ingest", course, f"{course}.md")
        answer = json.loads(installed.run("vta", "ask", course, question, "--json"))
        assert said in answer["text"]
        assert answer["citations"][0]["document"] == f"{course}.md"


def test_the_installed_rooms_come_from_the_wheel(installed: Installed) -> None:
    """No room is imported from the repository, and none is shared with another distribution."""
    code = (
        "import sys, json, importlib, importlib.metadata as m\n"
        f"rooms = {ROOMS!r}\n"
        "places = [importlib.import_module(room).__file__ for room in rooms]\n"
        "owners = m.packages_distributions()\n"
        "print(json.dumps([sys.path, places, {room: sorted(set(owners[room])) for room in rooms}]))\n"
    )
    paths, places, owners = installed.evaluate(code)  # type: ignore[misc]
    assert str(ROOT) not in paths
    assert all(Path(place).is_relative_to(installed.programs.parent) for place in places)
    assert owners == {room: ["vta-platform"] for room in ROOMS}


@pytest.mark.parametrize("command", [("evaluate", "retrieval"), ("intent", "train"), ("calibrate", "ds")])
def test_the_wheel_has_no_command_of_the_lab(installed: Installed, command: tuple[str, ...]) -> None:
    """It holds no training and no evaluation."""
    done = installed.attempt("vta", *command)
    assert (done.returncode, done.stdout) == (2, "")
    assert "No such command" in done.stderr


def test_the_sample_courses_are_made_from_the_wheel(installed: Installed) -> None:
    """What `vta demo` serves needs no file of the repository."""
    code = (
        "import json, asyncio\n"
        "from pathlib import Path\n"
        "from services.demo.sample_courses import DEMO_QUESTION, create_demo_courses\n"
        "from services.settings import Settings\n"
        "from services.wiring import build_platform\n"
        "vta = build_platform(Settings(home=Path('demo')))\n"
        "lines = list(create_demo_courses(vta))\n"
        "answer = asyncio.run(vta.assistant.answer(DEMO_QUESTION))\n"
        "print(json.dumps([lines, answer.route, len(answer.citations)]))\n"
    )
    lines, route, citations = installed.evaluate(code)  # type: ignore[misc]
    assert len(lines) == 2
    assert route == "direct"
    assert citations > 0


def test_serving_loads_neither_torch_nor_transformers(installed: Installed) -> None:
    """What only training needs is not imported, so it need not be installed."""
    code = (
        "import sys, json\n"
        "import services.wiring, services.cli.main, services.app\n"
        "heavy = {'torch', 'transformers', 'sklearn', 'onnx', 'onnxscript'}\n"
        "heavy |= {'elasticsearch', 'redis', 'psycopg'}\n"
        "print(json.dumps(sorted(heavy & {name.split('.')[0] for name in sys.modules})))\n"
    )
    assert installed.evaluate(code) == []
