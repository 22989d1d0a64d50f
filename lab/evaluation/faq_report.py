"""The figures over the folds of a FAQ: best answers, direct answers at a learned and at the shipped beta."""

from __future__ import annotations

from collections.abc import Sequence

from lab.evaluation.calibration import calibrate
from lab.evaluation.faq_folds import RIGHT, FoldAnswer
from lab.measures.intervals import bootstrap_interval
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types.courses import Thresholds


def report_folds(answers: Sequence[FoldAnswer], *, max_error: float, seed: int) -> dict[str, object]:
    """ROUGE of the best answer over all answerable questions and by group; of the direct ones with error."""
    referenced = [each for each in answers if each.rouge is not None]
    if not referenced:
        raise InvalidInput(Fault("data.nothing_answerable"))
    near = [each for each in referenced if each.near_duplicate]
    other = [each for each in referenced if not each.near_duplicate]
    shipped = Thresholds()
    report: dict[str, object] = {
        "n": len(answers),
        "answerable": len(referenced),
        "best_answer": _rouge(referenced, seed),
        "near_duplicates": _rouge(near, seed),
        "others": _rouge(other, seed),
        "right_from_rouge_l": RIGHT,
        "max_error": max_error,
        "direct_at_shipped_beta": _direct(answers, shipped.beta, seed),
    }
    try:
        learned = calibrate([each.trial for each in answers], max_error=max_error, alpha=shipped.alpha)
    except InvalidInput as refused:
        return {**report, "calibrated": None, "refused": refused.message}
    bound = round(learned.error_upper_bound, 4)
    chosen = {**_direct(answers, learned.beta, seed), "error_upper_bound": bound}
    return {**report, "calibrated": chosen, "alpha": round(learned.alpha, 4)}


def _direct(answers: Sequence[FoldAnswer], beta: float, seed: int) -> dict[str, object]:
    """The answers that S > beta makes direct: their share of all questions, error and ROUGE."""
    direct = [each for each in answers if each.trial.score is not None and each.trial.score > beta]
    wrong = sum(not each.trial.right for each in direct)
    unlike = sum(each.rouge is None or each.rouge.rouge_l < RIGHT for each in direct)
    others = sum(not each.near_duplicate for each in direct)
    return {
        "beta": round(beta, 4),
        "coverage": round(len(direct) / len(answers), 4),
        "error": round(wrong / len(direct), 4) if direct else None,
        "rouge_l_below_right": round(unlike / len(direct), 4) if direct else None,
        "not_near_duplicates": others,
        **_rouge([each for each in direct if each.rouge is not None], seed),
    }


def _rouge(answers: Sequence[FoldAnswer], seed: int) -> dict[str, object]:
    if not answers:
        return {"n": 0}
    found = [each.rouge for each in answers if each.rouge is not None]
    low, high = bootstrap_interval([each.rouge_l for each in found], seed=seed)
    return {
        "n": len(found),
        "rouge_1": round(sum(each.rouge_1 for each in found) / len(found), 4),
        "rouge_2": round(sum(each.rouge_2 for each in found) / len(found), 4),
        "rouge_l": round(sum(each.rouge_l for each in found) / len(found), 4),
        "rouge_l_interval_95": [round(low, 4), round(high, 4)],
    }
