"""Whether what the course says speaks against a claim, though the words may be the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from itertools import pairwise

from vta.dialogue.claims.clauses import Clause, Relation, Statement, words_of
from vta.dialogue.claims.cues import CUES
from vta.text import normalise

SAME = 0.6
"""Share of the words of a clause that another holds if both speak of the same thing."""

WHOLE = 0.8
"""The same, from which the shorter of two clauses is a part of the other."""

KEPT = 0.5
"""A claim that repeats more of a condition than this has not dropped it."""


class Contradiction(StrEnum):
    """In what a claim differs from what the course says."""

    NUMBER = "number"
    NEGATION = "negation"
    CONDITION = "condition"
    COMPARISON = "comparison"
    POLARITY = "polarity"
    ROLES = "roles"


def share(words: frozenset[str], of: frozenset[str]) -> float:
    """Which share of the words is among the others; 0 for none."""
    return len(words & of) / len(words) if words else 0.0


def contradiction(
    claim: Statement, said: Sequence[Statement], *, context: frozenset[str] = frozenset()
) -> Contradiction | None:
    """In what a claim speaks against the sentences of a passage; None where it does not.

    Each of its clauses is held against those of the passage that share its words. `context` are the words
    before the claim: a condition that is named there is not dropped.
    """
    near = [each for each in said if share(claim.words, each.words) >= SAME]
    turned = [_orientation(one, two) for each in near for one, two in _of_one_family(claim, each)]
    if -1 in turned and 1 not in turned:
        return Contradiction.COMPARISON
    clauses = [clause for each in said for clause in each.clauses if not clause.is_premise]
    for clause in (each for each in claim.clauses if not each.is_premise):
        if fault := _difference(clause, clauses):
            return fault
        if 1 not in turned and _is_turned(clause, clauses):
            return Contradiction.POLARITY
    if _turns_premise(claim, said):
        return Contradiction.COMPARISON
    if _changes_places(claim, clauses):
        return Contradiction.ROLES
    if any(_drops_condition(claim, each, context) for each in near):
        return Contradiction.CONDITION
    return None


def says_yes(text: str) -> bool | None:
    """How an answer to a yes-or-no question begins; None where it does so with neither."""
    plain = normalise(text)
    return True if CUES["yes"].search(plain) else False if CUES["no"].search(plain) else None


def _difference(clause: Clause, clauses: Sequence[Clause]) -> Contradiction | None:
    best = nearest(clause, clauses)
    parts = [each for each in clauses if len(each.words) > 1 and share(each.words, clause.words) >= WHOLE]
    alike = parts if best is None or best in parts else [best, *parts]
    if _differ(clause, parts or alike):
        return Contradiction.NUMBER
    return Contradiction.NEGATION if any(_deny(clause, other) for other in alike) else None


def _is_turned(clause: Clause, others: Sequence[Clause]) -> bool:
    """Whether the clause likest to one says the opposite of the same thing ("useless" for "useful")."""
    likest = {True: 0.0, False: 0.0}
    for other in others:
        known = other.topic | other.lead
        is_same = _is_same_way(clause.signs, other.signs)
        alike = share(clause.topic, known)
        if is_same is not None and alike >= (KEPT if is_same else SAME):
            likest[is_same] = max(likest[is_same], alike + share(clause.first, known))
    return likest[False] > likest[True]


def _is_same_way(one: Mapping[int, int], other: Mapping[int, int]) -> bool | None:
    """Whether two clauses say the same of what both say something of; None where there is no such thing."""
    shared = [one[n] * other[n] for n in one.keys() & other.keys()]
    return sum(sign < 0 for sign in shared) % 2 == 0 if any(shared) else None


def nearest(clause: Clause, others: Sequence[Clause]) -> Clause | None:
    """The clause that holds most of the words of one, if these are enough."""
    best = max(others, key=lambda other: (share(clause.words, other.words), -len(other.words)), default=None)
    return best if best is not None and share(clause.words, best.words) >= SAME else None


def _differ(clause: Clause, others: Sequence[Clause]) -> bool:
    """Whether some of the others have values or counts of one kind with it, and none of them its own."""
    for what, own in clause.compared.items():
        theirs = [other.compared[what] for other in others if what in other.compared]
        if theirs and not any(own & each for each in theirs):
            return True
    return False


def _deny(clause: Clause, other: Clause) -> bool:
    """Whether one of the two denies what the other says."""
    return _denies(clause, other) or _denies(other, clause)


def _denies(clause: Clause, other: Clause) -> bool:
    """Whether the first denies what the second says, which denies nothing else."""
    heads, others = ({words[0] for words in each.denied} for each in (clause, other))
    if not others <= heads:
        return False
    affirmed = other.words - others
    is_of_same = clause.first <= other.first
    return any(
        words[0] in affirmed and (is_of_same or share(frozenset(words), affirmed) >= SAME)
        for words in clause.denied
    )


def _of_one_family(claim: Statement, said: Statement) -> list[tuple[Relation, Relation]]:
    return [(one, two) for one in claim.relations for two in said.relations if one.family == two.family]


def _orientation(one: Relation, two: Relation) -> int:
    """1 where both say the same of the same two, -1 where they say the opposite, 0 where nothing tells."""
    one_left, one_right = one.left - one.right, one.right - one.left
    two_left, two_right = two.left - two.right, two.right - two.left
    if one_left & two_right and one_right & two_left:
        return -one.sign * two.sign
    if one_right & two_right and one_left & two_left:
        return one.sign * two.sign
    return 0


def _turns_premise(claim: Statement, said: Sequence[Statement]) -> bool:
    """Whether what a clause follows from was turned into its opposite."""
    return any(
        share(then.words, follows.words) >= WHOLE
        and 2 * len(premise.words & given.words) >= len(premise.words)
        and (_is_same_way(premise.signs, given.signs) is False or _deny(premise, given))
        for each in said
        for given, follows in pairwise(each.clauses)
        for premise, then in pairwise(claim.clauses)
    )


def _changes_places(claim: Statement, clauses: Sequence[Clause]) -> bool:
    """Whether a clause says of one thing what the passage says of another, which it knows as well.

    The other stands in another clause of the claim, or each stands at the head of its clause.
    """
    known = frozenset().union(*(each.words for each in clauses))
    for clause in claim.clauses:
        other = nearest(clause, clauses)
        if other is None or share(other.words, clause.words) < SAME:
            continue
        rest = frozenset().union(*(each.words for each in claim.clauses if each is not clause))
        new, old = clause.words - other.words, other.words - clause.words
        is_head = clause.first & new and other.first & old
        if new and old and new <= known and (old <= rest or is_head):
            return True
    return any(
        _crosses(clause, one, two)
        for clause in claim.clauses
        if not any(clause.words <= each.words | each.lead for each in clauses)
        for one, two in pairwise(clauses)
    )


def _crosses(clause: Clause, one: Clause, two: Clause) -> bool:
    """Whether a clause takes a part of each of two like clauses and leaves a part of each."""
    first, second = one.words - two.words, two.words - one.words
    if not one.words & two.words or not clause.words <= one.words | two.words:
        return False
    return all(own & clause.words and own - clause.words for own in (first, second))


def _drops_condition(claim: Statement, said: Statement, context: frozenset[str]) -> bool:
    """Whether a claim states what depends on a condition, and nothing of the condition."""
    known = claim.words | context
    if claim.is_conditional or share(claim.words, said.words) < SAME:
        return False
    return any(
        each.words
        and share(each.then, words_of(claim.clauses[0])) >= WHOLE
        and share(each.words, known) <= KEPT
        for each in said.conditions
    )
