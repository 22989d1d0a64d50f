"""The section of the intent model's card on its refitted wide layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lab.intent.model_card import tabulate

_FIGURES = {
    "chit_chat_f1": "F1",
    "chit_chat_auc": "ROC-AUC",
    "chit_chat_accuracy": "accuracy",
    "chit_chat_ece": "ECE of h",
    "accuracy": "six-way accuracy",
    "macro_f1": "macro-F1",
}
_REFIT = "## The wide layer, refitted on the open sets"


def tell_refit(card: str, record: Mapping[str, Any]) -> str:
    """The card with a section on the refitted wide layer, from a record of benchmarks/intent_on_open_sets.py;
    an older such section is replaced.
    """
    before, after = record["before"], record["after"]
    lines = [
        [
            name,
            str(after[name]["n"]),
            _show_share(before[name]["small_talk"]),
            _show_share(after[name]["small_talk"]),
            _show_share(after[name]["other_task"]),
            _show_points(record["after_minus_before"][name]),
        ]
        for name in after
    ]
    told = [
        tabulate(
            ("rows held out", "n", "small talk before", "now", "other task", "either, now - before"), lines
        )
    ]
    differences = {
        "model, its ALBERT had seen the rows": "intent_dev_after_minus_before",
        "wide layers alone": "intent_dev_after_minus_before_wide_layers_alone",
    }
    told.append(
        tabulate(
            ("intent_dev by session, now - before", *_FIGURES.values()),
            [
                [name, *(_show_points(record[key][each]) for each in _FIGURES)]
                for name, key in differences.items()
            ],
        )
    )
    if "without" in record:
        sets = (
            "small talk, en",
            "small talk, zh",
            "other tasks, en",
            "other tasks, zh",
            "course questions, en",
            "cs1qa",
        )
        rows = {
            "all sources": after,
            **{f"without {name}": found for name, found in record["without"].items()},
        }
        told.append(
            "What each source brings: share taken for small talk, for tasks share recognised.\n\n"
            + tabulate(
                ("trained on", *sets),
                [
                    [
                        name,
                        *(f"{found[s]['other_task' if 'tasks' in s else 'small_talk'][0]:.3f}" for s in sets),
                    ]
                    for name, found in rows.items()
                ],
            )
        )
    section = _REFIT_TEXT.format(
        head=_REFIT, share=record["share_of_the_wide_layer"], folds=record["folds"], tables="\n\n".join(told)
    )
    start = card.partition(_REFIT)[0] if _REFIT in card else card.partition("## Known weaknesses")[0]
    return f"{start}{section}\n## Known weaknesses{card.partition('## Known weaknesses')[2]}"


_REFIT_TEXT = """{head}

The figures above are those of the ALBERT as trained and of the n-gram layer before. Since then that layer
was fitted again, by benchmarks/intent_on_open_sets.py, with a table of English words and an output for
tasks that are not the course's; it now has {share:.2f} of the logits. It was fitted on the rows above, on new
utterances of our own and on the open halves of public sets, of which nothing but weights is part of the
package: small talk of Dialogflow (research), chatterbot-corpus (BSD), BYU (MIT) and REWRITE (no licence
file); course questions of CS1QA, SIGHT and CAsT (MIT), DataTalksClub, SyllabusQA and lecture notes (no
licence file) and hello-algo (CC BY-NC-SA 4.0). Rows without one of the six labels got the likeliest of
their kind by the ALBERT. The words are those of all-MiniLM-L6-v2 (Apache-2.0), each read alone, in 128
principal components. Settings (part, weights of sources) were chosen on these same folds.

Shares taken for small talk (h > 0.5) and for another task, of the rows held out of {folds} folds, with 95 %
intervals:

{tables}
"""


def _show_share(found: Sequence[float]) -> str:
    return f"{found[0]:.3f} [{found[1]:.3f}, {found[2]:.3f}]" if found else "none"


def _show_points(found: Sequence[float]) -> str:
    return f"{100 * found[0]:+.1f} [{100 * found[1]:+.1f}, {100 * found[2]:+.1f}]" if found else "none"
