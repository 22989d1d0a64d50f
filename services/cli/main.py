"""`vta`: one command for everything that the shell does. A command's module is imported when it is called."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Annotated, Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

from vta import __version__
from vta.errors import Conflict, InvalidInput, NotFound, VtaError
from vta.faults import Fault

_LAB = "lab"
"""The package that only a source checkout has."""
_ANYTHING = {"allow_extra_args": True, "ignore_unknown_options": True}


class LazyGroup(TyperGroup):
    """A group that lists its commands from a table and imports only the one that is called."""

    table: ClassVar[Mapping[str, tuple[str, str]]] = {}
    """`module:attribute` and the first line of the help, by the name of the command."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = {
            name: TyperCommand(name, help=line, rich_markup_mode=None)
            for name, (_, line) in self.table.items()
        }
        self._loaded: dict[str, Any] = {}

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command itself, or None for a name that is not in the table."""
        if cmd_name in self.table and cmd_name not in self._loaded:
            self._loaded[cmd_name] = _load(cmd_name, self.table[cmd_name][0])
        return self._loaded.get(cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The table, with nothing imported."""
        widest = formatter.width - 6 - max(map(len, self.commands))
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, each.get_short_help_str(widest)) for name, each in self.commands.items()]
            )


class VtaGroup(LazyGroup):
    """The commands of `vta`, as its help lists them."""

    table: ClassVar = {
        "demo": (
            "services.cli.serving:demo",
            "Create the two sample courses, answer one question, and serve the sidebar.",
        ),
        "serve": ("services.cli.serving:serve", "Serve the dialogue API, the sidebar and the console."),
        "doctor": (
            "services.cli.doctor:doctor",
            "Check back ends, show the settings that hold and where they come from, and tell risks and "
            "remedies.",
        ),
        "course": ("services.cli.courses:course_app", "Courses."),
        "ingest": ("services.cli.courses:ingest", "Read files and folders into a course."),
        "reindex": ("services.cli.courses:reindex", "Rebuild the search index and swap it in."),
        "questions": (
            "services.cli.courses:questions",
            "List the questions handed to a TA with what became of them, oldest first.",
        ),
        "faq": ("services.cli.faq:faq_app", "FAQ entries."),
        "ask": ("services.cli.dialogue:ask", "Ask a course a question through the whole pipeline."),
        "search": (
            "services.cli.dialogue:search",
            "Rank a course's pairs for a question without answering it.",
        ),
        "prompt": (
            "services.cli.dialogue:prompt",
            "Show the Chain of Teach prompt for a question without calling a language model.",
        ),
        "calibrate": (
            "services.cli.dialogue:calibrate",
            "Learn a course's alpha and beta from labelled questions and store them.",
        ),
        "graph": ("services.cli.graph:graph_app", "The concept graph."),
        "intent": ("services.cli.main:intent_app", "The intent classifier."),
        "guard": ("services.cli.classifiers:guard_app", "The guard."),
        "evaluate": ("lab.cli.evaluation:evaluate_app", "Evaluate on your data."),
        "transcript": ("services.cli.transcripts:transcript_app", "Transcripts."),
        "usage": (
            "services.cli.records:usage",
            "Show language model calls, tokens and, where prices are set, cost, by course and model.",
        ),
        "privacy": ("services.cli.records:privacy_app", "Learner data: export and erase."),
        "lti": ("services.cli.lti:lti_app", "LTI 1.3 platforms."),
        "backup": (
            "services.cli.records:backup",
            "Save everything in the store as one file, also while the platform is serving.",
        ),
        "restore": (
            "services.cli.records:restore",
            "Put a backup into an empty store of either kind, or the course of one into any store, and "
            "index it.",
        ),
        "people": ("services.cli.people:people_app", "Accounts of those who teach."),
    }


class IntentGroup(LazyGroup):
    """The commands of `vta intent`; all but the first are the lab's."""

    table: ClassVar = {
        "predict": (
            "services.cli.classifiers:predict_intents",
            'Predict intents: JSON Lines {"question", "previous", "course"} on stdin, one prediction per '
            "line.",
        ),
        "train": (
            "lab.cli.intent:train_model",
            "Train ALBERT: measure on session-wise folds, fit on all rows, export; prints the figures of the "
            "folds.",
        ),
        "calibrate": (
            "lab.cli.intent:calibrate_model",
            "Find the lowest alpha that loses few real questions, on labelled rows not used for training.",
        ),
        "evaluate": ("lab.cli.intent:evaluate_model", "Measure a model on labelled questions."),
    }


app = typer.Typer(
    name="vta",
    cls=VtaGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
intent_app = typer.Typer(
    cls=IntentGroup,
    help='The intent classifier. Example: echo \'{"question": "什么是栈？"}\' | vta intent predict',
    no_args_is_help=True,
    rich_markup_mode=None,
)


def _load(name: str, target: str) -> Any:
    """The command, or group of commands, that a table names; the lab's, where it is missing, refuses."""
    module, _, attribute = target.partition(":")
    try:
        found = getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != _LAB:
            raise
        found = _refuse
    if not isinstance(found, typer.Typer):
        single = typer.Typer(add_completion=False, rich_markup_mode=None)
        settings = _ANYTHING if found is _refuse else None
        single.command(name, context_settings=settings)(found)
        return typer.main.get_command(single)
    found.rich_markup_mode = None
    group = typer.main.get_group(found)
    group.name = name
    return group


def _refuse() -> None:
    """Only in a source checkout."""
    raise InvalidInput(Fault("option.lab"))


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
    """A virtual teaching assistant for online courses. Example: vta demo"""


def main() -> None:
    """Run the command line; faults are one line on stderr, exit 2 for bad input, 1 otherwise.

    The line is in the language of the locale.
    """
    try:
        app()
    except VtaError as error:
        from services.settings import terminal_language

        sys.stderr.write(f"vta: {error.text(terminal_language())}\n")
        sys.exit(2 if isinstance(error, InvalidInput | NotFound | Conflict) else 1)
