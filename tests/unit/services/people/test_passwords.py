"""What is kept of a password opens for that password alone."""

from __future__ import annotations

import pytest

from services.people.service import LONGEST, SHORTEST, digest_of_password, is_password
from vta.errors import InvalidInput


def test_a_password_is_known_by_its_digest_and_nothing_else():
    """Equal passwords have unlike digests, which hold nothing of them; any text may be one."""
    password = "правильная лошадь 电池 🔋"
    digests = {digest_of_password(password) for _ in range(2)}
    assert len(digests) == 2
    assert all(is_password(password, digest) and password not in digest for digest in digests)
    assert not is_password(password + " ", digests.pop())


@pytest.mark.parametrize("digest", [None, "", "no digest"])
def test_without_a_digest_nothing_is_the_password(digest):
    """Not even the one that stands in for it while as much time passes."""
    assert not is_password("nobody's", digest)
    assert not is_password("", digest)


@pytest.mark.parametrize(
    ("length", "fits"), [(SHORTEST - 1, False), (SHORTEST, True), (LONGEST, True), (LONGEST + 1, False)]
)
def test_the_length_is_the_only_rule(length, fits):
    if fits:
        assert is_password("x" * length, digest_of_password("x" * length))
    else:
        with pytest.raises(InvalidInput):
            digest_of_password("x" * length)
