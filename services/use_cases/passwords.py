"""Passwords: what they must be, and how they are kept (argon2id with OWASP's parameters of 2024)."""

from __future__ import annotations

from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from vta.errors import InvalidInput
from vta.faults import Fault

SHORTEST = 10
LONGEST = 200
"""Characters; NIST SP 800-63B asks for length and for no rules of composition."""
_HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


def digest_of_password(password: str) -> str:
    """What is kept of a password; `InvalidInput` for one that is too short or too long."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise InvalidInput(Fault("person.password", least=SHORTEST, most=LONGEST), field="password")
    return _HASHER.hash(_bytes(password))


def is_password(password: str, digest: str | None) -> bool:
    """Whether it is the password of a digest. Where there is none, no takes as long as where there is one."""
    try:
        known = _nobodys() if digest is None else digest
        return _HASHER.verify(known, _bytes(password)[: 4 * LONGEST]) and digest is not None
    except (VerificationError, InvalidHashError):
        return False


def _bytes(password: str) -> bytes:
    return password.encode("utf-8", errors="replace")


@cache
def _nobodys() -> str:
    return _HASHER.hash(b"nobody's")
