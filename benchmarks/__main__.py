"""Run one benchmark and write its record: `python -m benchmarks [--out FILE] NAME ARGUMENTS...`.

A benchmark is a module of this folder with a function `run`, whose parameters are the arguments and options
of the command and whose result are the figures. The record is docs/runs/NAME.json if `--out` names no other
file. Without a name the benchmarks are listed; `NAME --help` shows the arguments of one.
"""

from __future__ import annotations

import argparse
import ast
import functools
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import typer

from benchmarks.record import ROOT, FilesRead, make_record

RUNS = ROOT / "docs" / "runs"


def list_benchmarks() -> dict[str, str]:
    """The name of each benchmark with the first line of its docstring."""
    found = {}
    for file in sorted(Path(__file__).parent.glob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        if any(isinstance(node, ast.FunctionDef) and node.name == "run" for node in tree.body):
            found[file.stem] = (ast.get_docstring(tree) or "").partition("\n")[0]
    return found


def run_benchmark(name: str, arguments: list[str]) -> dict[str, Any]:
    """The record of a benchmark that is called with these arguments."""
    function = import_module(f"benchmarks.{name}").run
    called: dict[str, Any] = {}

    @functools.wraps(function)
    def call(**options: Any) -> dict[str, Any]:
        called.update(options)
        files = FilesRead([each for each in options.values() if isinstance(each, Path)])
        figures: dict[str, Any] = function(**options)
        return make_record(f"{name} {' '.join(arguments)}".strip(), figures, called, files)

    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command(help=sys.modules[function.__module__].__doc__)(call)
    result = app(arguments, prog_name=f"python -m benchmarks {name}", standalone_mode=False)
    if not isinstance(result, dict):  # the exit status of --help
        sys.exit(result)
    return result


def main() -> None:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, help="file of the record")
    parser.add_argument("name", nargs="?")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    benchmarks = list_benchmarks()
    if given.name not in benchmarks:
        print(*(f"{name:24} {line}" for name, line in benchmarks.items()), sep="\n")
        sys.exit(0 if given.name is None else 2)
    sys.path.append(str(ROOT / "tests"))  # servers and proxies that tests use too
    record = json.dumps(run_benchmark(given.name, given.arguments), indent=1, ensure_ascii=False)
    (given.out or RUNS / f"{given.name}.json").write_text(record + "\n", encoding="utf-8")
    print(record)


if __name__ == "__main__":
    main()
