"""A reranker orders the best candidates before the answer is made; without it the order stays."""

from __future__ import annotations

from collections.abc import Sequence

from talk import Talk

from vta.errors import UpstreamFailed
from vta.faults import Fault

QUESTION = "Why do editors undo with a stack?"


class LastFirst:
    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        self.read = texts
        return range(len(texts))


class Away:
    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        raise UpstreamFailed(Fault("model.timed_out", server=Fault("name.reranker")))


async def test_what_the_reranker_puts_first_is_read_first(talk: Talk) -> None:
    reranker = LastFirst()
    await talk.ask(QUESTION, says="It is so [1].", reranker=reranker)
    first = talk.llm.messages[0][-1]["content"].split('<document n="1">')[1].split("</document>")[0]
    assert reranker.read[-1].splitlines()[-1][:40] in first


async def test_a_reranker_that_is_away_leaves_the_order_and_is_named(talk: Talk) -> None:
    plain = await talk.ask(QUESTION)
    answer = await talk.ask(QUESTION, reranker=Away())
    assert [each.pair_id for each in answer.citations] == [each.pair_id for each in plain.citations]
    assert answer.degraded is not None
    assert answer.degraded.stage == "reranking"
