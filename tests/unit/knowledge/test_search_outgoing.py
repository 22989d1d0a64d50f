"""What of a question is sent to search engines, and what they found that is asked for again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from clocks import SetClock
from hypothesis import given
from hypothesis import strategies as st

from knowledge.search import engines
from knowledge.search.engines import MOST_WORDS, CachedSearch, outgoing_words
from vta.errors import UpstreamFailed
from vta.languages import Language
from vta.text import Analyser
from vta.types.courses import CourseId

ANALYSER = Analyser(["斐波那契堆"])


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What is a Fibonacci heap?", "fibonacci heap"),
        ("什么是斐波那契堆？", "斐波那契堆"),
        ("Python 的 list 怎么排序？", "python list 排序"),
        ("How do C++ templates work?", "c++ templates work"),
        ("my mail is li.lei@example.edu.cn, explain queues", "mail queues"),
        ("我的邮箱是li.lei@example.edu.cn请问二叉树", "邮箱 二叉树"),
        ("见https://example.org/?t=abc的二叉树", "见 二叉树"),
        ("学号20231234，电话 138 0013 8000，二叉树", "学 号 电话 二叉树"),
        ("see https://example.org/?token=abc about heaps", "see heaps"),
        ("site:example.org !google heaps -trees", "site example org google heaps trees"),
        ("??? 20231234", ""),
        ("", ""),
    ],
)
def test_only_content_words_leave(question, words):
    """Templates, function words, operators, addresses, links and long numbers stay in the house."""
    assert outgoing_words(question, ANALYSER) == words


@given(st.text(max_size=200))
def test_whatever_is_asked_leaves_as_a_few_words_without_operators(question):
    """No punctuation but that of C++ and C#, no mail address, no long number, a bounded number of words."""
    words = outgoing_words(question, ANALYSER).split(" ")
    assert len(words) <= MOST_WORDS
    for word in words:
        assert all(c.isalnum() or c in "+#" or not c.isascii() for c in word)


@given(st.integers(10_000, 10**18), st.sampled_from(["学号{}，什么是栈", "id {} what is a stack"]))
def test_long_numbers_never_leave(number, template):
    """Student numbers, telephone numbers and the like are taken out."""
    assert str(number) not in outgoing_words(template.format(number), ANALYSER)


PAGE = ("Heap", "A heap is a 树.", "https://example.org/heap")


class Kept:
    """A cache over pages in memory, with its clock."""

    def __init__(self, engine, folder) -> None:
        self.engine, self.clock, self.folder = engine, SetClock(datetime(2024, 3, 1, tzinfo=UTC)), folder
        self.cache = CachedSearch(
            engine, name="pages", folder=folder, age_limit=timedelta(hours=24), clock=self.clock
        )

    async def ask(self, query="heap", course="ds", language=Language.EN, limit=5):
        return await self.cache.search(query, course_id=CourseId(course), language=language, limit=limit)


@pytest.fixture
def kept(page_search, tmp_path):
    return Kept(page_search([PAGE]), tmp_path / "cache")


async def test_the_same_question_is_asked_once(kept):
    """A hit is what the engine told, in every field."""
    first = await kept.ask()
    assert await kept.ask() == first
    assert len(first) == 1
    assert kept.engine.asked == ["heap"]


async def test_an_old_entry_is_asked_for_again(kept):
    """Just under the age limit is a hit, at the limit a miss; a clock put back trusts nothing."""
    await kept.ask()
    kept.clock.moment += timedelta(hours=24) - timedelta(seconds=1)
    await kept.ask()
    assert len(kept.engine.asked) == 1
    kept.clock.moment += timedelta(seconds=1)
    await kept.ask()
    assert len(kept.engine.asked) == 2
    kept.clock.moment -= timedelta(days=3)
    await kept.ask()
    assert len(kept.engine.asked) == 3


async def test_courses_languages_limits_and_queries_have_entries_of_their_own(kept):
    """Nothing of one course is shown in another."""
    await kept.ask()
    (other,) = await kept.ask(course="ml")
    await kept.ask(language=Language.ZH)
    await kept.ask(limit=4)
    await kept.ask(query="heap tree")
    assert other.course_id == "ml"
    assert len(kept.engine.asked) == 5


async def test_finding_nothing_is_kept_too(kept):
    """An engine that knows nothing need not be asked again."""
    assert await kept.ask(query="stack") == ()
    assert await kept.ask(query="stack") == ()
    assert kept.engine.asked == ["stack"]


async def test_a_failure_is_not_kept(page_search, tmp_path):
    """The next question asks again."""
    failing = Kept(page_search(failure="down"), tmp_path)
    for _ in range(2):
        with pytest.raises(UpstreamFailed):
            await failing.ask()
    assert len(failing.engine.asked) == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("damage", ["", "{", "[]", "7", '{"at": "x", "pairs": []}', '{"at": 7}', "\ud800"])
async def test_a_damaged_entry_is_asked_for_again(kept, damage):
    """A file cut by a full disk or a hand is a miss and is replaced."""
    found = await kept.ask()
    (file,) = kept.folder.iterdir()
    file.write_bytes(damage.encode("utf-8", "surrogatepass"))
    assert await kept.ask() == found
    assert await kept.ask() == found
    assert len(kept.engine.asked) == 2


async def test_a_folder_that_cannot_be_written_only_means_asking_again(page_search, tmp_path):
    """A file where the folder should be is no failure of the search."""
    blocked = Kept(page_search([PAGE]), tmp_path / "file")
    blocked.folder.write_text("in the way")
    assert len(await blocked.ask()) == 1
    assert len(await blocked.ask()) == 1
    assert len(blocked.engine.asked) == 2


async def test_the_folder_is_bounded(kept, monkeypatch):
    """Above the limit the oldest go, and nothing half-written stays."""
    monkeypatch.setattr(engines, "MOST_ENTRIES", 3)
    for number in range(6):
        await kept.ask(query=f"heap {number}")
    files = list(kept.folder.iterdir())
    assert len(files) == 3
    assert {file.suffix for file in files} == {".json"}
