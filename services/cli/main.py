"""`vta`: one command for everything that the shell does. A command's module is imported when it is called."""

from __future__ import annotations

import gc
import sys
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from vta import __version__
from vta.errors import Conflict, InvalidInput, NotFound, VtaError
from vta.patterns import read_table

_EXTENSION = "lab.cli"
"""The package that adds commands in a source checkout; an installation does not have it."""


class LazyGroup(TyperGroup):
    """A group that lists its commands from a table and imports only the one that is called."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self._table = _commands(attributes["name"])
        self.commands = {
            name: TyperCommand(name, help=row["help"], rich_markup_mode=None)
            for name, row in self._table.items()
        }
        self._loaded: dict[str, Any] = {}

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command itself, or None for a name that is not in the table."""
        if cmd_name in self._table and cmd_name not in self._loaded:
            self._loaded[cmd_name] = _load(cmd_name, self._table[cmd_name]["from"])
        return self._loaded.get(cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The table, with nothing imported."""
        widest = formatter.width - 6 - max(map(len, self.commands))
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, each.get_short_help_str(widest)) for name, each in self.commands.items()]
            )


app = typer.Typer(
    name="vta",
    cls=LazyGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
intent_app = typer.Typer(
    name="intent",
    cls=LazyGroup,
    help='The intent classifier. Example: echo \'{"question": "什么是栈？"}\' | vta intent predict',
    no_args_is_help=True,
    rich_markup_mode=None,
)


def _commands(group: str) -> Mapping[str, Mapping[str, str]]:
    """`from`, as `module:attribute`, and `help` of the commands of a group, by their names."""
    found = dict(read_table("services.cli", "commands.toml")[group])
    with suppress(ModuleNotFoundError):
        found |= read_table(_EXTENSION, "commands.toml")[group]
    return found


def _load(name: str, target: str) -> Any:
    """The command, or group of commands, that a table names."""
    module, _, attribute = target.partition(":")
    gc.disable()  # what modules are made of stays: to look through it as it grows is a seventh of the start
    try:
        found = getattr(import_module(module), attribute)
    finally:
        gc.freeze()
        gc.enable()
    if not isinstance(found, typer.Typer):
        single = typer.Typer(add_completion=False, rich_markup_mode=None)
        single.command(name)(found)
        return typer.main.get_command(single)
    found.rich_markup_mode = None
    group = typer.main.get_group(found)
    group.name = name
    return group


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"vta {__version__}")
        raise typer.Exit


@app.callback()
def about(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """A virtual teaching assistant for online courses. Example: `vta demo`."""


def main() -> None:
    """Run the command line; faults are one line on stderr, exit 2 for bad input, 1 otherwise.

    The line is in the language of the locale.
    """
    try:
        app()
    except VtaError as error:
        from services.settings import terminal_language

        sys.stderr.write(f"vta: {error.fault.text(terminal_language())}\n")
        sys.exit(2 if isinstance(error, InvalidInput | NotFound | Conflict) else 1)
