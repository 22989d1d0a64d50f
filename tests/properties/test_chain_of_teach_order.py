"""For any graph the rendered prompt has the order of Algorithm 1: e, then r per concept, then q."""

from __future__ import annotations

import factories as make
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from prompts.chain_of_teach import load_examples
from vta.dialogue.teaching.builder import ChainOfTeach
from vta.dialogue.teaching.offline import study_order
from vta.languages import Language
from vta.text import Analyser
from vta.types.language_model import TeachStep

BUILDER = ChainOfTeach(load_examples(), analyser=Analyser())


@st.composite
def drawn_steps(draw: st.DrawFn) -> tuple[TeachStep, ...]:
    """Steps over a random graph, circles included; some concepts lack a definition or a domain."""
    size = draw(st.integers(1, 7))
    concepts = [
        make.concept(
            f"name{i}x",
            definition=draw(st.sampled_from(["", f"definition{i}x"])),
            curated=draw(st.booleans()),
            domains=tuple(draw(st.lists(st.sampled_from(["da", "db", "dc"]), max_size=2, unique=True))),
        )
        for i in range(size)
    ]
    chosen = draw(st.lists(st.sampled_from(concepts), min_size=1, max_size=4, unique=True))
    some = st.lists(st.sampled_from(concepts), max_size=3, unique=True)
    return tuple(TeachStep(concept=k, prerequisites=tuple(p for p in draw(some) if p != k)) for k in chosen)


def expected_reasoning(steps: tuple[TeachStep, ...], language: Language) -> list[str]:
    """Algorithm 1 written out a second time, line by line: of definitions only those that a person wrote."""
    zh = language is Language.ZH
    colon, comma = ("：", "、") if zh else (": ", ", ")
    lines: list[str] = []
    for step in steps:
        k = step.concept
        if k.curated and k.definition:
            lines.append(f"{k.name}{colon}{k.definition}")
            if k.domains:
                domains = comma.join(k.domains)
                lines.append(
                    f"{k.name} 属于 {domains} 领域。" if zh else f"{k.name} belongs to domain {domains}."
                )
        if step.prerequisites:
            names = comma.join(p.name for p in step.prerequisites)
            lines.append(
                f"{k.name} 的先修概念有：{names}。"
                if zh
                else f"The prerequisite concepts of {k.name} are: {names}."
            )
        lines += [f"{p.name}{colon}{p.definition}" for p in step.prerequisites if p.curated and p.definition]
    return lines


@settings(max_examples=examples(60), deadline=None)
@given(steps=drawn_steps(), language=st.sampled_from(Language), found=st.integers(0, 3))
def test_the_prompt_is_examples_then_reasoning_then_documents_then_the_question(
    steps: tuple[TeachStep, ...], language: Language, found: int
) -> None:
    candidates = [make.candidate(make.passage("passage", f"title{i}", id=str(i))) for i in range(found)]
    question = "the question itself"
    order = tuple(range(found, 0, -1))
    built = BUILDER.build(
        question, steps=steps, candidates=candidates, language=language, order=order, is_complex=True
    )
    assert built.reasoning.splitlines() == expected_reasoning(steps, language)
    parts = [
        *(e.question for e in built.examples),
        *([built.reasoning] if built.reasoning else []),
        *(f'<document n="{n}">\ntitle{n - 1}\n' for n in order),
        question,
    ]
    places = [built.prompt.index(part) for part in parts]
    assert places == sorted(places)
    assert built.prompt.endswith(question)
    assert [m.role for m in built.messages] == ["system", "user"]
    assert built.messages[-1].content == built.prompt


@given(steps=drawn_steps())
def test_the_order_of_study_names_each_concept_once_and_prerequisites_first_where_there_is_no_circle(
    steps: tuple[TeachStep, ...],
) -> None:
    order = [c.id for c in study_order(steps)]
    edges = {(p.id, s.concept.id) for s in steps for p in s.prerequisites}
    assert sorted(order) == sorted({i for edge in edges for i in edge} | {s.concept.id for s in steps})
    reached = set(edges)
    while further := {(a, d) for a, b in reached for c, d in reached if b == c} - reached:
        reached |= further
    for before, after in edges:
        if (after, before) not in reached:
            assert order.index(before) < order.index(after)
