"""The model card's section on the refitted wide layer."""

from __future__ import annotations

from benchmarks.refit_card import tell_refit

SHARES = {"n": 10, "small_talk": [0.5, 0.4, 0.6], "other_task": [0.1, 0.0, 0.2], "either": [0.6, 0.5, 0.7]}
FIGURES = ("chit_chat_f1", "chit_chat_auc", "chit_chat_accuracy", "chit_chat_ece", "accuracy", "macro_f1")
RECORD = {
    "folds": 3,
    "share_of_the_wide_layer": 0.65,
    "before": {"small talk, en": SHARES},
    "after": {"small talk, en": SHARES},
    "after_minus_before": {"small talk, en": [0.1, 0.05, 0.15]},
    "intent_dev_after_minus_before": {name: [0.01, -0.01, 0.03] for name in FIGURES},
    "intent_dev_after_minus_before_wide_layers_alone": {name: [0.0, 0.0, 0.0] for name in FIGURES},
}
CARD = "# Model card\n\nfigures\n\n## Known weaknesses\n\n- small\n"


def test_the_section_stands_before_the_weaknesses_and_replaces_an_older_one() -> None:
    once = tell_refit(CARD, RECORD)
    assert "| small talk, en | 10 | 0.500 [0.400, 0.600] |" in once
    assert "+10.0 [+5.0, +15.0]" in once
    assert once.index("refitted") < once.index("## Known weaknesses") < once.index("- small")
    assert tell_refit(once, RECORD) == once
