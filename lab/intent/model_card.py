"""MODEL_CARD.md, written from the report of the training run it describes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path

from intent.wide import LABELS
from lab.intent.evaluation import Evaluation
from lab.intent.labels import LabelledData
from lab.intent.report import TrainingReport

CARD_FILE = "MODEL_CARD.md"
_TEMPLATE = "model_card.template.md"
_SHOWN_LOSSES = (0.005, 0.01, 0.02, 0.03, 0.05, 0.1)

_COLUMNS = (
    *("held-out rows", "model", "n", "six-way accuracy", "macro-F1", "ECE"),
    *("chit-chat n", "F1", "precision", "recall", "ROC-AUC", "accuracy", "ECE of h"),
)


def write_model_card(report: TrainingReport, out: Path) -> None:
    """Write MODEL_CARD.md into `out`."""
    (out / CARD_FILE).write_text(render_model_card(report), encoding="utf-8")


def render_model_card(report: TrainingReport) -> str:
    """The card as Markdown."""
    template = (files("lab.intent") / _TEMPLATE).read_text(encoding="utf-8")
    first = report.comparisons[0]
    confusion = first.model.confusion
    return template.format(
        report=report,
        labels=", ".join(label.value for label in LABELS),
        start=_tell_start(report),
        kind="int8" if report.quantised else "fp32",
        accuracy_lost=100 * report.accuracy_lost,
        chit_chat_lost=100 * report.chit_chat_lost,
        sources=tabulate(
            ("file", "sha256", "rows", "sessions", "blank, left out", *(label.value for label in LABELS)),
            [_row_of_source(source) for source in report.sources],
        ),
        figures=tabulate(
            _COLUMNS,
            [
                _row_of_figures(group.name, model, figures)
                for group in report.comparisons
                for model, figures in (
                    ("model", group.model),
                    ("its ALBERT alone", group.albert),
                )
            ],
        ),
        first=first.name,
        confusion=tabulate(
            ("", *(label.value for label in LABELS)),
            [[true.value, *(str(confusion[true][other]) for other in LABELS)] for true in LABELS],
        ),
        curve=tabulate(("alpha", "questions lost", "chit-chat caught"), _rows_of_curve(report)),
        settings=", ".join(f"{name} {value}" for name, value in asdict(report.settings).items()),
    )


def _tell_start(report: TrainingReport) -> str:
    if not report.corpus:
        return "Started from random weights, without pre-training on unlabelled text."
    names = ", ".join(f"{text.name} `{text.sha256[:12]}`" for text in report.corpus[:12])
    more = f" and {len(report.corpus) - 12} more" if len(report.corpus) > 12 else ""
    return (
        f"Started from random weights, pre-trained on {sum(text.characters for text in report.corpus):,} "
        f"characters of unlabelled text in {len(report.corpus)} files ({names}{more}), none of it a row "
        "of the labelled files unless such a file was given."
    )


def tabulate(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _row_of_source(source: LabelledData) -> list[str]:
    counts = Counter(row.label for row in source.rows)
    sessions = len({row.session_id for row in source.rows})
    numbers = [len(source.rows), sessions, len(source.blank_lines), *(counts[label] for label in LABELS)]
    return [source.name, f"`{source.sha256}`", *map(str, numbers)]


def _row_of_figures(name: str, model: str, figures: Evaluation) -> list[str]:
    chat = figures.chit_chat
    rates = (chat.f1, chat.precision, chat.recall, chat.auc, chat.accuracy, chat.ece)
    six = (figures.accuracy, figures.macro_f1, figures.ece)
    return [name, model, str(figures.n), *map(_show, six), str(chat.n), *map(_show, rates)]


def _rows_of_curve(report: TrainingReport) -> list[list[str]]:
    """For each of a few shares of lost questions, the least alpha that loses no more."""
    rows = []
    for most in _SHOWN_LOSSES:
        point = next(point for point in report.alpha.curve if point.lost <= most)
        rows.append([f"{point.alpha:.2f}", f"{point.lost:.3f}", f"{point.caught:.3f}"])
    return rows


def _show(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"
