"""Lists of literature, and who asks for them."""

from __future__ import annotations

import pytest

from knowledge.bibliography import asks_for_works, is_bibliography

APA = (
    "Blake, A. (2007). Managing the stack. Journal of Lists, 23, 249-266.\n"
    "Blake, A., Stone, B. C. (2002). Queues in the classroom. Journal of Lists, 94, 687-698.\n"
    "Stone, B. C., & Woods, D. (1996). Teaching trees. City: Press.\n"
)
GB = (
    "[1] 张三. 栈的教学[J]. 计算机教育, 2007(3): 12-15.\n[2] 李四. 队列[M]. 北京: 出版社, 2012.\n"
    "[3] 王五. 树[EB/OL]. https://example.org, 2019-01-02."
)


@pytest.mark.parametrize(
    ("text", "is_list"),
    [
        (APA, True),
        (GB, True),
        (APA[:140], False),
        ("A stack is last in, first out (Blake, 2007). Stone, B. (1996) named it so.", False),
        (f"{APA} {'The stack grows at the top, as everybody knows who has seen one. ' * 20}", False),
        ("The entropy H[P] of P[J] and R[M] is a sum.", False),
        ("", False),
    ],
)
def test_a_list_of_works_is_known_by_its_entries(text, is_list):
    assert is_bibliography(text) is is_list


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("Which papers should I read about stacks?", True),
        ("Who invented the queue?", True),
        ("有哪些参考文献？", True),
        ("Why teach strategies explicitly?", False),
        ("什么是栈？", False),
    ],
)
def test_who_asks_for_works_is_known_by_the_words(question, asks):
    assert asks_for_works(question) is asks
