"""Routing, citations, concept cards and traces: the small parts of the path of one question."""

from __future__ import annotations

from dataclasses import replace

import factories as make
import pytest

from concept_graph.graph import NetworkxConceptGraph
from concept_graph.mentions import DictionaryLinker
from vta.dialogue.concepts import concept_cards, find_place, teach_steps
from vta.dialogue.grounding import bind_citations, cite, further_reading
from vta.dialogue.question import correct_spelling
from vta.dialogue.routing import (
    beta_for,
    decide,
    exact_match_first,
    relevant,
    thresholds_for,
)
from vta.dialogue.tracing import Tracer
from vta.languages import Language
from vta.types.answers import Route
from vta.types.concepts import SURE, Concept, ConceptEdge, Place
from vta.types.courses import ConceptId, Course, CourseId, PairId, Thresholds
from vta.types.language_model import TeachStep
from vta.types.pairs import Candidate, Locator, Source
from vta.types.questions import IntentLabel, Mode

COURSE = Course(id=CourseId("ds"), name="DS", domains=("计算机",), language=Language.ZH)
T = Thresholds(alpha=0.5, beta=1.0, complex_margin=1.5, floor=0.2, relevance=0.3)


def candidate(
    score: float, source: Source = Source.FAQ, name: str = "栈", relevance: float | None = None, **place
) -> Candidate:
    pair = make.pair(name, "…", id=f"{source}-{score}", course=COURSE.id, source=source, **place)
    return make.candidate(pair, score, relevance=relevance)


class OneCandidateRanker:
    """A ranker that knows where one concept is taught."""

    def __init__(self, best: Candidate | None) -> None:
        self._best = best

    def where_taught(self, concept, *, course):
        return self._best


def route_of(question: str, knowledge, mentions, *, beta: float = 1.0) -> Route:
    """The route of a simple question for which everything found counts as knowledge."""
    limits = replace(T, beta=beta, floor=0.0, relevance=0.0)
    asked = make.understood(question, course=COURSE, mentions=mentions, thresholds=limits)
    return decide(asked, knowledge).route


@pytest.mark.parametrize(("relevances", "kept"), [([0.4, 0.2, 0.19], 2), ([0.19], 0), ([], 0)])
def test_what_does_not_come_near_is_no_knowledge(relevances, kept):
    """What is not known is neither quoted nor cited."""
    found = [candidate(0.5, relevance=each) for each in relevances]
    assert [c.relevance for c in relevant(found, replace(T, relevance=0.2))] == relevances[:kept]


@pytest.mark.parametrize(
    ("relevance", "route", "near"),
    [
        (0.6, Route.CHAIN_OF_TEACH, False),
        (0.59, Route.CHAIN_OF_TEACH, True),
        (0.39, Route.CHAIN_OF_TEACH, True),
        (0.38, Route.UNANSWERED, False),
    ],
)
def test_relevance_parts_what_is_taught_from_what_comes_near(relevance, route, near):
    """Without a model, of what is named: taught from `relevance` on, offered from two thirds of it on."""
    found = [candidate(0.5, Source.MATERIAL, relevance=relevance)]
    limits = replace(T, relevance=0.6)
    asked = make.understood("Why?", course=COURSE, mentions=[make.mention("stack")], thresholds=limits)
    made = decide(asked, found)
    assert (made.route, made.near) == (route, near)
    assert decide(asked, found, can_reason=True).route is Route.CHAIN_OF_TEACH


@pytest.mark.parametrize(("question", "is_near"), [("什么是二叉树", True), ("期末考试占多少分", False)])
def test_a_course_in_another_language_is_offered_from_less_relevance_on(question: str, is_near: bool) -> None:
    """No word of the question can stand in it; how a course is run, both languages have words for."""
    found = [candidate(0.0, Source.MATERIAL, relevance=0.4)]
    asked = make.understood(question, language=Language.ZH, thresholds=replace(T, relevance=0.6))
    assert decide(asked, found).near is is_near
    own = replace(asked, course=replace(asked.course, language=Language.ZH))
    assert decide(own, found).route is Route.UNANSWERED


def test_an_operation_on_the_last_answer_is_refused_where_nothing_comes_near() -> None:
    asked = make.understood("Why?", is_operation=True)
    assert decide(asked, [candidate(0.5, Source.MATERIAL, relevance=0.2)]).route is Route.UNANSWERED


@pytest.mark.parametrize(
    ("question", "score", "first"),
    [
        ("什么是栈？", 1.1, Source.CONCEPT),
        ("栈？", 0.4, Source.CONCEPT),
        ("什么是栈？", 0.4, Source.MATERIAL),
        ("栈为什么快？", 1.1, Source.MATERIAL),
    ],
)
def test_the_explanation_of_what_is_asked_for_by_name_goes_first(question, score, first):
    """By its name alone, or with S above beta, before what is more relevant; not where a reason is asked."""
    explanation = candidate(score, Source.CONCEPT, relevance=0.6)
    found = [candidate(0.9, Source.MATERIAL, relevance=0.8), explanation]
    decision = decide(
        make.understood(question, course=COURSE, mentions=[make.mention("栈")], thresholds=T), found
    )
    assert decision.known[0].pair.source is first


@pytest.mark.parametrize(
    ("score", "wording", "first"),
    [(1.2, "栈是啥", Source.FAQ), (1.1, "什么是栈？", Source.CONCEPT), (1.2, "栈怎么用？", Source.CONCEPT)],
)
def test_a_persons_answer_to_what_a_concept_is_goes_before_the_explanation(score, wording, first):
    """Its S is no lower, as it asks for nothing more; and it asks for the same kind of thing."""
    found = [candidate(1.15, Source.CONCEPT, relevance=0.9), candidate(score, name=wording, relevance=0.8)]
    asked = make.understood("栈是什么", course=COURSE, mentions=[make.mention("栈")], thresholds=T)
    assert decide(asked, found).known[0].pair.source is first


@pytest.mark.parametrize(
    ("knowledge", "mentions", "route"),
    [
        ([candidate(1.1)], [], Route.DIRECT),
        ([candidate(1.0)], [], Route.CHAIN_OF_TEACH),
        ([], [], Route.UNANSWERED),
        ([candidate(1.1, name="什么是栈？")], [make.mention("栈")], Route.DIRECT),
        (
            [candidate(1.1, name="什么是时间复杂度？")],
            [make.mention("栈"), make.mention("时间复杂度")],
            Route.CHAIN_OF_TEACH,
        ),
        ([candidate(1.1, Source.CONCEPT)], [make.mention("栈")], Route.DIRECT),
        ([candidate(1.1, Source.CONCEPT)], [make.mention("队列")], Route.CHAIN_OF_TEACH),
        ([candidate(1.1, Source.CONCEPT)], [make.mention("栈"), make.mention("队列")], Route.CHAIN_OF_TEACH),
        ([candidate(1.1, Source.CONCEPT)], [], Route.CHAIN_OF_TEACH),
    ],
)
def test_the_route_follows_s_and_beta(knowledge, mentions, route):
    """Direct above beta, where the pair is about all concepts asked for; an explanation, about no other."""
    assert route_of("?", knowledge, mentions) is route


@pytest.mark.parametrize(
    ("found", "given", "route", "known"),
    [
        ([candidate(0.5, relevance=0.91)], {}, Route.DIRECT, [Source.FAQ]),
        ([candidate(0.5, relevance=0.9)], {}, Route.CHAIN_OF_TEACH, [Source.FAQ]),
        ([candidate(0.5, Source.MATERIAL, relevance=0.99)], {}, Route.CHAIN_OF_TEACH, [Source.MATERIAL]),
        ([candidate(0.5)], {}, Route.CHAIN_OF_TEACH, [Source.FAQ]),
        ([candidate(1.2), candidate(0.5, Source.MATERIAL)], {"mode": Mode.HINT}, Route.CHAIN_OF_TEACH,
         [Source.MATERIAL]),
        ([candidate(0.5, Source.MATERIAL, relevance=0.2)], {"standalone": "what does read_csv do"},
         Route.CHAIN_OF_TEACH, [Source.MATERIAL]),
        ([candidate(0.5, Source.MATERIAL, relevance=0.2)], {"standalone": "what does reading do"},
         Route.UNANSWERED, []),
    ],
    ids=["a relevant FAQ pair", "one at beta", "relevant material", "a pair that was not judged", "a hint",
         "near what names code", "near other words"],
)  # fmt: skip
def test_the_route_follows_relevance_mode_and_words(found, given, route, known):
    """Beta is 0.9, the bar 0.3, for a name of code two thirds of it; a hint gives no FAQ answer away."""
    limits = replace(T, beta=0.9)
    asked = make.understood("?", course=COURSE, language=COURSE.language, thresholds=limits, **given)
    made = decide(asked, found)
    assert (made.route, [each.pair.source for each in made.known]) == (route, known)
    talk = decide(asked, found, small_talk=True)
    assert (talk.route, talk.direct_score) == (Route.CHIT_CHAT, None)


def test_what_another_course_lends_never_answers_directly():
    """However high its S: its instructors do not answer for this course. It is taught from."""
    lent = candidate(1.1, Source.CONCEPT)
    limits = replace(T, relevance=0.0)
    asked = make.understood("?", course=COURSE, mentions=[make.mention("栈")], thresholds=limits)
    assert decide(asked, [lent]).route is Route.DIRECT
    other = replace(asked, course=replace(COURSE, id=CourseId("other")))
    assert decide(other, [lent]).route is Route.CHAIN_OF_TEACH


def test_a_wording_of_an_faq_pair_is_answered_by_it_directly():
    """However low its S; an entry of an instructor goes before a table's, and material is never asked so."""
    own = replace(candidate(0.3).pair, similar_questions=("何时交？", "截止"))
    table = replace(candidate(0.5), pair=replace(own, id=PairId("t"), document="faq.csv"))
    material = replace(candidate(0.9), pair=replace(own, id=PairId("m"), source=Source.MATERIAL))
    known = exact_match_first("截止", [material, table, replace(candidate(0.3), pair=own)])
    assert [c.score for c in known] == [0.3, 0.9, 0.5]
    assert route_of("截止!", known, [], beta=5.0) is Route.DIRECT
    assert route_of("截止日期", known, []) is Route.CHAIN_OF_TEACH
    assert exact_match_first("另一个", known) == known


@pytest.mark.parametrize(("label", "direct_score"), [(IntentLabel.SIMPLE, 1.2), (IntentLabel.COMPLEX, 0.8)])
def test_a_decision_says_what_beta_was_compared_with(label, direct_score):
    """The S over the margin of the intent, and the raised beta; the best S is that of the ranking."""
    found = [candidate(1.2), candidate(0.1)]
    made = decide(make.understood("?", course=COURSE, intent=make.intent(label), thresholds=T), found)
    assert made.direct_score == pytest.approx(direct_score)
    assert (made.best, made.beta) == (1.2, beta_for(make.intent(label), T))
    assert (made.route is Route.DIRECT) is (direct_score > T.beta)
    assert [c.score for c in made.known] == [1.2]


def test_a_model_reads_whatever_was_found_and_only_the_faq_answers_before_it():
    """However far it is; an explanation above beta is read too."""
    plain = make.understood("?", course=COURSE, thresholds=T)
    asked = replace(plain, mentions=[make.mention("栈")])
    far = [candidate(0.1, Source.MATERIAL, relevance=0.01)]
    assert decide(asked, far, can_reason=True).route is Route.CHAIN_OF_TEACH
    assert decide(asked, [candidate(1.1, Source.CONCEPT)], can_reason=True).route is Route.CHAIN_OF_TEACH
    assert decide(plain, [candidate(1.1)], can_reason=True).route is Route.DIRECT
    assert decide(asked, [], can_reason=True).route is Route.UNANSWERED


@pytest.mark.parametrize(
    ("text", "bound", "cited"),
    [
        ("栈是表 [1]。", "栈是表 [1]。", [1]),
        ("a [2] b [1] c [2]", "a [1] b [2] c [1]", [2, 1]),
        ("a [3].", "a.", []),
        ("a [0] [1]", "a [1]", [1]),
        ("[1](https://example.org)", "[1]", [1]),
        ("[1][2]", "[1][2]", [1, 2]),
        ("no marker", "no marker", []),
        ("", "", []),
        ("`arr[0]` is first [1]", "`arr[0]` is first [1]", [1]),
        ("``a[1] ` b``", "``a[1] ` b``", []),
        ("```python\nx = a[0] + a[7]\n```\nsee [2]", "```python\nx = a[0] + a[7]\n```\nsee [1]", [2]),
        ("~~~\na[9]\n", "~~~\na[9]\n", []),
        ("$a[0]$ and $$b[7]$$ [1]", "$a[0]$ and $$b[7]$$ [1]", [1]),
        ("it costs $5 [1] or $6", "it costs $5 [1] or $6", [1]),
        ("a stray ` tick [9] and [1]", "a stray ` tick and [1]", [1]),
    ],
)
def test_markers_are_bound_to_what_was_retrieved(text, bound, cited):
    """Unknown numbers go, known ones count from 1 by first use, indexes in code and maths stay."""
    candidates = [candidate(2.0), candidate(1.0)]
    found, citations = bind_citations(text, candidates)
    assert found == bound
    assert [citation.n for citation in citations] == list(range(1, len(cited) + 1))
    assert [c.pair_id for c in citations] == [candidates[n - 1].pair.id for n in cited]


def test_what_is_quoted_of_a_pair_keeps_its_mark_under_its_new_number():
    candidates = [candidate(3.0), candidate(2.0), candidate(1.0)]
    _, citations = bind_citations("a [3] b [1] c [2]", candidates, quotes={3: "a", 2: ""})
    assert [(each.n, each.quoted, each.marked) for each in citations] == [
        (1, True, "a"),
        (2, False, ""),
        (3, True, ""),
    ]


def test_a_citation_shows_the_pair_it_stands_for():
    """Title, passage and place are those of the pair."""
    place = Locator(heading_path=("线性表", "栈"))
    best = candidate(1.0, Source.MATERIAL, document="a.md", locator=place, url="https://example.org")
    cited = cite(3, best)
    assert (cited.n, cited.pair_id, cited.title, cited.passage) == (3, best.pair.id, "栈", "…")
    assert (cited.document, cited.locator, cited.url) == ("a.md", place, "https://example.org")


def test_further_reading_is_course_material_beside_another_source():
    """At most two passages, and none where the answer itself is course material."""
    material = [candidate(score, Source.MATERIAL) for score in (0.9, 0.8, 0.7)]
    others = [candidate(0.95), *material]
    assert further_reading(candidate(1.0), others) == tuple(material[:2])
    assert further_reading(candidate(1.0, Source.MATERIAL), others) == ()


def test_where_a_concept_is_taught():
    """Its own place first, else the best passage's, and None where neither is known."""
    here = {"document": "a.md", "locator": Locator(page=2)}
    own = Concept(id=ConceptId("c"), name="栈", courses=(COURSE.id,), **here)
    foreign = Concept(id=ConceptId("c"), name="栈", courses=(CourseId("other"),), **here)
    elsewhere = Concept(id=ConceptId("c"), name="栈")
    best = candidate(1.0, Source.MATERIAL, document="b.srt", locator=Locator(start_s=61.0))

    def where(concept, best):
        step = TeachStep(concept=elsewhere, prerequisites=(concept,))
        (card,), degraded = concept_cards([step], OneCandidateRanker(best), COURSE)
        assert degraded is None
        return card.prerequisites[0].where

    assert where(own, best) == "A · 第 2 页"
    assert where(elsewhere, best) == "栈 · 01:01"
    assert where(foreign, best) == "栈 · 01:01"
    assert where(elsewhere, None) is None
    assert where(elsewhere, candidate(1.0)) is None


def test_a_place_comes_with_its_passage():
    """The passage of the place is told with it; a passage that stands elsewhere is not."""
    second = Concept(
        id=ConceptId("c"),
        name="栈",
        courses=(COURSE.id,),
        document="b.srt",
        locator=Locator(video="b.srt", start_s=70.0),
    )
    spoken = {"document": "b.srt", "locator": Locator(video="b.srt", start_s=61.0, end_s=90.0)}
    around = OneCandidateRanker(candidate(1.0, Source.MATERIAL, **spoken))
    written = OneCandidateRanker(candidate(1.0, Source.MATERIAL, document="a.md"))
    said = Place(document="b.srt", locator=second.locator, passage="…", title="栈")
    assert find_place(second, around, COURSE) == said
    assert find_place(second, written, COURSE) == Place(document="b.srt", locator=second.locator)
    assert find_place(second, OneCandidateRanker(None), COURSE) == Place(
        document="b.srt", locator=second.locator
    )
    unplaced = Concept(id=ConceptId("c"), name="栈", courses=(COURSE.id,))
    read = Place(document="a.md", locator=Locator(), passage="…", title="栈")
    assert find_place(unplaced, written, COURSE) == read
    assert find_place(unplaced, OneCandidateRanker(None), COURSE) is None


def test_teach_steps_follow_the_mentions():
    """One step for each concept in the order of the question, with its prerequisites."""

    class Graph:
        def prerequisites(self, concept_id, *, least=0.0):
            return (Concept(id=ConceptId(f"before {concept_id}"), name="p"),)

    steps = teach_steps([make.mention("栈"), make.mention("队列")], Graph())
    assert [(s.concept.name, s.prerequisites[0].id) for s in steps] == [
        ("栈", "before c:栈"),
        ("队列", "before c:队列"),
    ]


def test_only_sure_prerequisites_are_taught_first():
    """Of what was found, an unsure edge is left out; a name without a definition and a person's edge stay."""
    concept = make.mention("栈").concept
    before = [Concept(id=ConceptId(name), name=name, built=name != "c") for name in "abc"]
    edges = [
        ConceptEdge(prerequisite=each.id, concept=concept.id, score=score, curated=each.name == "c")
        for each, score in zip(before, (SURE, SURE - 0.01, 0.5), strict=True)
    ]
    (step,) = teach_steps([make.mention("栈")], NetworkxConceptGraph([concept, *before], edges))
    assert [each.name for each in step.prerequisites] == ["a", "c"]


def test_a_trace_tells_every_stage_in_order():
    """The last word said in a stage is its decision, and a stage that fails is told as well."""
    tracer = Tracer()
    with tracer.stage("intent") as decide:
        decide("complex")
        decide("simple")
    with pytest.raises(ValueError, match="no"), tracer.stage("ranking"):
        raise ValueError("no")
    assert [(step.stage, step.decision) for step in tracer.steps] == [("intent", "simple"), ("ranking", "")]
    assert all(step.ms >= 0 for step in tracer.steps)


def test_the_thresholds_of_a_course_are_its_own_where_it_has_any() -> None:
    """0 is one, None is not; what no course sets stays."""
    course = Course(id=CourseId("ds"), name="D", domains=(), language=Language.EN)
    assert thresholds_for(course, T) == T
    own = {"relevance": 0.58, "alpha": 0.0, "beta": 1.5}
    for name, value in own.items():
        assert thresholds_for(replace(course, **{name: value}), T) == replace(T, **{name: value})
    assert thresholds_for(replace(course, **own), T) == replace(T, **own)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("動太規劃和红黑数的区别", "动态规划和红黑树的区别"),
        ("what is a hahs table", "what is a Hash table"),
        ("What is 动态规划?", "What is 动态规划?"),
    ],
)
def test_misspelt_names_are_put_right_before_the_course_is_searched(text: str, asked: str) -> None:
    """Any other text stays as it was written."""
    names = ("动态规划", "红黑树", "Hash table")
    concepts = [
        Concept(id=ConceptId(name), name=name, domains=COURSE.domains, courses=(COURSE.id,)) for name in names
    ]
    assert correct_spelling(text, DictionaryLinker(concepts), COURSE)[0] == asked
