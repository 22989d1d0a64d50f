"""MODEL_CARD.md, written from the report of the training run it describes."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path

from intent.evaluation import Evaluation
from intent.labels import LABELS, LabelledData
from intent.report import Comparison, TrainingReport

CARD_FILE = "MODEL_CARD.md"

_COLUMNS = (
    *("rows", "model", "n", "six-way accuracy", "macro-F1", "ECE"),
    *("chit-chat n", "F1", "precision", "recall", "ROC-AUC", "accuracy", "ECE of h"),
)

_TEMPLATE = """# Model card: intent classifier

A small ALBERT trained from scratch by `vta intent train`, which also wrote this file. Input:
d = [CLS] x_{{t-1}}, c [SEP] q_t [SEP], with x_{{t-1}} the question before,
c the course name, q_t the question.
Output: softmax(logits / T) over {labels}; h is the probability of general plus emotional chit-chat.
{parameters:,} parameters, {bytes:,} bytes as fp32 ONNX, T = {temperature:.3f}, seed {seed}.
Torch and ONNX logits differ by at most {difference:.1e} on 256 rows of the training data.

## Data

| file | sha256 | rows | sessions | left out (blank question) | {labels_row} |
|---|---|---|---|---|{labels_rule}|
{sources}

Where a row has no `previous`, it is the question before in the same session.

## Figures

Measured on a model that never saw the held-out sessions ({share:.0%} of the sessions of each file, drawn
by the seed), nor used their words for its vocabulary; the weights shipped were then refitted on all
sessions and are not measured by these figures. The n-gram logistic regression (character 1- to 4-grams of
the question, 1- to 2-grams of the turn before) was fitted on the same {trained_on:,} rows. Chit-chat figures
are at h > 0.5 and leave class `other` out. Each half of the held-out sessions of the first file uses the
temperature of the other half. One seed and one split: differences of a few points are within chance.

{figures_head}
{figures_rule}
{figures}

{standing}

Confusion of the ALBERT on the held-out sessions of {first} (row: true, column: predicted):

| | {labels_row} |
|---|{labels_rule}|
{confusion}

## Known weaknesses

- Trained from scratch on few texts: an unfamiliar word is read by its neighbours alone, and knowledge of the
  world ("is this a term or a name?") is missing. Bare terms fall between `simple` and `other`.
- The utterances in the package were written by one hand, English and mixed sessions in short, well-ordered
  groups. Their held-out groups come from the same hand, so those figures are kinder than real English
  questions will be.
- Rows of the training data repeat (many sessions ask "什么是…" of the same concepts): compare the rows
  "text not in training part".
- Labels of the training data are noisy; the border of `complex` to `simple` is the weakest.
- Course names are lent at random in training so that they carry no class; the model does not use them much.
- Traditional characters, pinyin and emoji are hardly represented.
- The weights use the temperature fitted on the held-out run; their own calibration is not measured.

## Licences

The utterances of the package are Apache-2.0, as the project. The VTA questions are published by THU-KEG for
developing and evaluating such systems, without a licence file; they are not part of the package, whose
vocabulary keeps single characters and word pieces of them only. Whoever needs weights free of that open
point can train on other data with the same command.

## Settings

{settings}. Trained in {seconds:.0f} s in all.
"""


def write_model_card(report: TrainingReport, out: Path) -> None:
    """Write MODEL_CARD.md into `out`."""
    (out / CARD_FILE).write_text(render_model_card(report), encoding="utf-8")


def render_model_card(report: TrainingReport) -> str:
    """The card as Markdown."""
    first = report.sources[0].name
    compared: list[tuple[str, Comparison | None]] = [
        (f"{first}, held-out sessions", report.held_out),
        (f"{first}, held-out, text not in training part", report.unseen),
        ("utterances of the package, held-out sessions", report.utterances),
    ]
    confusion = report.held_out.albert.confusion
    return _TEMPLATE.format(
        labels=", ".join(label.value for label in LABELS),
        labels_row=" | ".join(label.value for label in LABELS),
        labels_rule="|".join("---" for _ in LABELS),
        parameters=report.parameters,
        bytes=report.model_bytes,
        temperature=report.temperature,
        seed=report.seed,
        difference=report.difference,
        sources="\n".join(_row_of_source(source) for source in report.sources),
        share=report.settings.held_out,
        trained_on=report.trained_on,
        figures_head="| " + " | ".join(_COLUMNS) + " |",
        figures_rule="|---" * len(_COLUMNS) + "|",
        figures="\n".join(
            _row_of_figures(name, model, figures)
            for name, both in compared
            if both is not None
            for model, figures in (("ALBERT", both.albert), ("regression", both.regression))
        ),
        standing=_tell_standing(report.held_out),
        first=first,
        confusion="\n".join(
            f"| {true.value} | " + " | ".join(str(confusion[true][other]) for other in LABELS) + " |"
            for true in LABELS
        ),
        settings=", ".join(f"{name} {value}" for name, value in asdict(report.settings).items()),
        seconds=report.seconds,
    )


def _row_of_source(source: LabelledData) -> str:
    counts = Counter(row.label for row in source.rows)
    cells = [
        source.name,
        f"`{source.sha256}`",
        len(source.rows),
        len({row.session_id for row in source.rows}),
        len(source.blank_lines),
        *(counts[label] for label in LABELS),
    ]
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def _tell_standing(both: Comparison) -> str:
    """One sentence on where the ALBERT stands beside the regression, computed and never assumed."""
    albert, regression = both.albert.chit_chat.f1, both.regression.chit_chat.f1
    if albert is None or regression is None:
        return "Chit-chat F1 is undefined on the held-out sessions, so the two models are not compared."
    points = 100 * (albert - regression)
    side = "above" if points >= 0 else "below"
    return (
        f"On the held-out sessions the ALBERT's chit-chat F1 is {abs(points):.1f} points {side} the "
        f"regression's; its six-way accuracy differs by "
        f"{100 * (both.albert.accuracy - both.regression.accuracy):+.1f} points. No interval was computed."
    )


def _row_of_figures(name: str, model: str, figures: Evaluation) -> str:
    chat = figures.chit_chat
    rates = (chat.f1, chat.precision, chat.recall, chat.auc, chat.accuracy, chat.ece)
    six = (figures.accuracy, figures.macro_f1, figures.ece)
    cells = [name, model, str(figures.n), *map(_show, six), str(chat.n), *map(_show, rates)]
    return "| " + " | ".join(cells) + " |"


def _show(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"
